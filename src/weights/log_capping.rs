//! Caps weights that are given as logarithms, because the weights can underflow: [WK08] Algorithm 4.
//! In: the logarithms of n weights, and d. Out: the probabilities q.
//! Method: the rule of `keeping`, with n − d to keep and the evidence −ln w.
//! Cost: at most n²/2 comparisons and 2n `exp`, and one `ln`. Scratch: only the output slice.

use super::check::{same_length, set_fits};
use super::keeping::Keeping;
use super::threshold::Bulk;
use crate::error::WeightsError;
use crate::scalar::Scalar;
use crate::scalar::sort::insertion_sort;

/// Writes q = d·w, with w the capped weights of [`cap`](super::cap), for weights given as logarithms.
///
/// The weights need not sum to one. d = 0 gives zeros, d = n gives ones. Otherwise:
/// - A log weight −∞ has q = 0; but if only m < d weights are above zero, the first d − m log weights −∞ have q = 1.
/// - A log weight +∞ has q = 1; but if there are more than d of them, their q are equal and sum to d.
///
/// # Errors
/// [`WeightsError::Length`] for slices of different lengths; [`WeightsError::SetSize`] if d > n;
/// [`WeightsError::NotANumber`] for NaN; [`WeightsError::AllZero`] if 0 < d < n and every weight is zero. After an error
/// the output is unchanged.
///
/// ```
/// use eigenstream::weights::cap_log;
///
/// // exp(−800) underflows to zero even in `f64`; its logarithm does not.
/// let mut probabilities = [0.0_f32; 3];
/// cap_log(&[0.0, -800.0, -800.0], 2, &mut probabilities)?;
/// assert_eq!(probabilities, [1.0, 0.5, 0.5]);
/// # Ok::<(), eigenstream::WeightsError>(())
/// ```
pub fn cap_log<T: Scalar>(log_weights: &[T], set_size: usize, probabilities: &mut [T]) -> Result<(), WeightsError> {
    let available = log_weights.len();
    same_length(probabilities.len(), available)?;
    set_fits(set_size, available)?;
    // Only NaN is not comparable with itself.
    let is_nan = |log_weight: &T| log_weight.partial_cmp(log_weight).is_none();
    if let Some(index) = log_weights.iter().position(is_nan) {
        return Err(WeightsError::NotANumber { index });
    }
    if set_size == 0 || set_size == available {
        probabilities.fill(if set_size == 0 { T::ZERO } else { T::ONE });
        return Ok(());
    }
    let occurrences = |wanted: T| log_weights.iter().filter(|&&log_weight| log_weight == wanted).count();
    let infinite = occurrences(T::INFINITY);
    let zero = occurrences(-T::INFINITY);
    if zero == available {
        return Err(WeightsError::AllZero);
    }
    let finite = available.saturating_sub(infinite).saturating_sub(zero);

    // The infinite weights get their probability first, then the finite weights, then the zeros; each q is at most one.
    let for_finite = set_size.saturating_sub(infinite);
    let mut for_zero = for_finite.saturating_sub(finite);
    let of_infinite = if infinite > set_size {
        T::from_usize(set_size) / T::from_usize(infinite)
    } else {
        T::ONE
    };
    let keeping = (0 < for_finite && for_finite < finite).then(|| {
        let entries = log_weights.iter().copied().filter(|log_weight| log_weight.is_finite());
        keeping(entries, finite, for_finite, probabilities)
    });
    for (probability, &log_weight) in probabilities.iter_mut().zip(log_weights) {
        *probability = if log_weight == T::INFINITY {
            of_infinite
        } else if log_weight == -T::INFINITY {
            let chosen = for_zero > 0;
            for_zero = for_zero.saturating_sub(1);
            if chosen { T::ONE } else { T::ZERO }
        } else {
            match &keeping {
                Some(keeping) => (-keeping.evidence(-log_weight)).exp(),
                None if for_finite == 0 => T::ZERO,
                None => T::ONE,
            }
        };
    }
    Ok(())
}

/// The rule of `keeping` for `set_size` of `count` members, with finite `log_weights`; `scratch` receives the sorted
/// evidence −`log_weights`.
pub(super) fn keeping<T: Scalar>(
    log_weights: impl Iterator<Item = T>,
    count: usize,
    set_size: usize,
    scratch: &mut [T],
) -> Keeping<T> {
    let sorted = sort_descending(log_weights.map(|log_weight| -log_weight), scratch);
    Keeping::of(sorted, Bulk::NONE, T::ONE, count.saturating_sub(set_size))
}

fn sort_descending<T: Scalar>(values: impl Iterator<Item = T>, scratch: &mut [T]) -> &mut [T] {
    let mut count = 0_usize;
    for (slot, value) in scratch.iter_mut().zip(values) {
        *slot = value;
        count = count.saturating_add(1);
    }
    let sorted = scratch.get_mut(..count).unwrap_or_default();
    insertion_sort(sorted, |first, second| first >= second);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capped<const N: usize>(log_weights: [f32; N], set_size: usize) -> [f32; N] {
        let mut probabilities = [-1.0; N];
        assert_eq!(cap_log(&log_weights, set_size, &mut probabilities), Ok(()));
        probabilities
    }

    #[test]
    fn huge_offsets_cost_no_digits() {
        // The first q is 1; the next two have the ratio 1 : exp(−1) and the sum one. A constant added to all logarithms
        // changes nothing.
        let far = capped([-5000.0, -5001.0, -5002.0, -9000.0], 2);
        let near = capped([2.0, 1.0, 0.0, -3998.0], 2);
        assert_eq!(far, near);
        assert!((far[1] - 0.731_058_6).abs() < 1e-6 && far[0] == 1.0 && far[3] == 0.0);
    }

    #[test]
    fn infinitely_heavy_members_share_what_there_is() {
        let heavy = f32::INFINITY;
        assert_eq!(
            capped([heavy, 0.0, heavy, heavy], 2),
            [2.0 / 3.0, 0.0, 2.0 / 3.0, 2.0 / 3.0]
        );
        assert_eq!(capped([heavy, 0.0, 0.0, -heavy], 2), [1.0, 0.5, 0.5, 0.0]);
        assert_eq!(capped([heavy, heavy, 0.0, 5.0], 2), [1.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn zero_weights_come_last_and_by_index() {
        let zero = f32::NEG_INFINITY;
        assert_eq!(capped([zero, 3.0, zero, zero], 3), [1.0, 1.0, 1.0, 0.0]);
        let mut untouched = [7.0_f32; 2];
        assert_eq!(cap_log(&[zero, zero], 1, &mut untouched), Err(WeightsError::AllZero));
        assert_eq!(untouched, [7.0; 2]);
    }

    #[test]
    fn the_largest_numbers_do_not_overflow() {
        assert_eq!(capped([f32::MAX, -f32::MAX, -f32::MAX], 2), [1.0, 0.5, 0.5]);
        assert_eq!(capped([f32::MAX, f32::MAX, -f32::MAX], 1), [0.5, 0.5, 0.0]);
    }

    #[test]
    fn the_ends_are_none_and_all() {
        assert_eq!(capped([1.0, -200.0], 0), [0.0, 0.0]);
        assert_eq!(capped([1.0, -200.0], 2), [1.0, 1.0]);
        let refused = cap_log(&[0.0_f32, f32::NAN], 1, &mut [0.0; 2]);
        assert_eq!(refused, Err(WeightsError::NotANumber { index: 1 }));
        let too_many = cap_log(&[0.0_f32], 2, &mut [0.0]);
        assert_eq!(
            too_many,
            Err(WeightsError::SetSize {
                requested: 2,
                available: 1
            })
        );
    }
}
