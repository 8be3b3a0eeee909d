//! Caps a weight vector: [WK08] Algorithm 4, [KW07] Algorithm 5.
//! In: non-negative weights. Out: weights that sum to one, in unchanged order, none above the cap 1/d, with d = `set_size`.
//! Method: [WK08] Algorithm 4, the relative-entropy projection onto {w_i ≤ 1/d}, without the sort of the paper; weights of zero
//! as in [KW07] section 5. [`cap_log`](super::cap_log) is the version for logarithms of weights.
//! Let i be the number of weights that are capped before a round, and rest the sum of the others. The round caps the weights at
//! or above the level rest/(d − i), so the level never rises from round to round. If the weights span many orders of magnitude, a
//! round caps only the weights of a few orders. Therefore, from the eighth round on, each round but the last ends with a leap: a
//! trial of a lower level. On a logarithmic scale, a leap halves the range in which the level of the last round can be.
//! Cost: no memory; one division for each weight that is not capped; three passes over the n weights, two more in each round, and
//! two to four more in a leap. Two rounds are usual. A test finds at most 24 rounds for 64 to 4,096 weights that span up to 300
//! decades in `f64`.

use super::check::{largest_weight, nonempty_set_fits};
use crate::{Scalar, WeightsError};

/// The mark of a capped weight during the search. No weight is negative, so no weight equals the mark −1.
fn mark<T: Scalar>() -> T {
    -T::ONE
}

/// Scales and caps `weights`: they then sum to one, and none is above 1/d, d = `set_size`. The weights below 1/d keep their
/// ratios.
///
/// The weights need not sum to one before. If only m < d weights are positive, the first d − m zeros are raised to 1/d. Returns
/// the number of weights that equal 1/d afterwards.
///
/// # Errors
/// [`WeightsError::SetSize`] unless 1 ≤ d ≤ n, with n the number of weights; [`WeightsError::NotANumber`],
/// [`WeightsError::Negative`] and [`WeightsError::AllZero`] for invalid weights. After an error the slice is unchanged.
///
/// ```
/// use eigenstream::weights::cap;
///
/// let mut weights = [1.0_f64, 2.0, 4.0]; // 1/7, 2/7 and 4/7 of the sum; 4/7 is above the cap 1/2
/// assert_eq!(cap(&mut weights, 2), Ok(1));
/// assert_eq!(weights[2], 0.5);
/// assert!((weights[0] - 1.0 / 6.0).abs() < 1e-15 && (weights[1] - 1.0 / 3.0).abs() < 1e-15);
/// ```
pub fn cap<T: Scalar>(weights: &mut [T], set_size: usize) -> Result<usize, WeightsError> {
    let available = weights.len();
    nonempty_set_fits(set_size, available)?;
    if largest_weight(weights)? == T::ZERO {
        return Err(WeightsError::AllZero);
    }
    let cap = T::ONE / T::from_usize(set_size);
    if set_size == available {
        weights.fill(cap);
        return Ok(set_size);
    }
    avoid_overflow(weights);

    let (capped, rest, _) = mark_capped(weights, set_size);

    // The weights that are not capped are scaled to the sum (d − i)/d, with d = `set_size` and i = `capped`.
    let mass = T::from_usize(set_size.saturating_sub(capped)) * cap;
    let mut at_cap = 0_usize;
    for weight in weights.iter_mut() {
        *weight = if *weight < T::ZERO {
            cap
        } else if mass > T::ZERO {
            // Divides by `rest` first: `mass / rest` can overflow if `rest` is subnormal.
            (*weight / rest * mass).min(cap)
        } else {
            T::ZERO
        };
        if *weight == cap {
            at_cap = at_cap.wrapping_add(1);
        }
    }
    Ok(at_cap)
}

/// The number of rounds before the first `leap`, which tries to mark many weights at once. For weights within a few orders of
/// magnitude these rounds usually suffice without a leap.
const FIRST_LEAP: usize = 8;

/// Marks the weights to cap. Returns the number of marked weights, the sum of the others, and the number of rounds.
fn mark_capped<T: Scalar>(weights: &mut [T], set_size: usize) -> (usize, T, usize) {
    let (mut capped, mut rest, mut rounds) = (0, T::ZERO, 0);
    let mut low = None;
    // Each round but the last caps at least one weight, and at most d = `set_size` are capped: at most d + 1 rounds.
    for round in 0..=set_size {
        let before = capped;
        rest = uncapped_sum(weights);
        capped = cap_pass(weights, rest, set_size, before);
        rounds = round.wrapping_add(1);
        if capped == before {
            break;
        }
        if rounds >= FIRST_LEAP {
            capped = leap(
                weights,
                set_size,
                capped,
                low.get_or_insert_with(|| T::MIN_POSITIVE.max(smallest(weights))),
            );
        }
    }
    (capped, rest, rounds)
}

/// Tries the level halfway between `low` and the level of the next round, on a logarithmic scale. At first `low` is the smallest
/// positive weight that is not marked, at least `MIN_POSITIVE`. If there are weights at or above the tried level and all of them
/// are certain to be capped, marks them. Otherwise raises `low` to the tried level, if that is higher. Returns the number of all
/// marked weights.
///
/// Let w be the smallest weight at or above the tried level, d = `set_size`, i the number of the marked weights plus the number
/// of the weights at or above the tried level, and rest the sum of the unmarked weights below this level. If
/// w·(d − i + 1) ≥ rest + w, then w is capped, and so are all larger weights. Certain means: i ≤ d, and the left side is larger
/// by more than the rounding error of the sums.
fn leap<T: Scalar>(weights: &mut [T], set_size: usize, marked: usize, low: &mut T) -> usize {
    let open = set_size.saturating_sub(marked);
    let rest = uncapped_sum(weights);
    let level = low.sqrt() * (rest / T::from_usize(open)).sqrt();
    let (mut count, mut above, mut least) = (0_usize, T::ZERO, T::MAX);
    for &weight in weights.iter() {
        if weight >= level {
            count = count.wrapping_add(1);
            above += weight;
            least = least.min(weight);
        }
    }
    let margin = T::ONE + T::from_usize(4 * weights.len()) * T::EPSILON;
    let certain = count > 0
        && count <= open
        && least * T::from_usize(open.wrapping_sub(count).wrapping_add(1))
            >= (T::ZERO.max(rest - above) + least) * margin;
    if !certain {
        *low = level.max(*low);
        return marked;
    }
    for weight in weights.iter_mut() {
        if *weight >= level {
            *weight = mark();
        }
    }
    marked.wrapping_add(count)
}

/// The smallest weight that is neither zero nor marked; `T::MAX` if there is no such weight.
fn smallest<T: Scalar>(weights: &[T]) -> T {
    let mut smallest = T::MAX;
    for &weight in weights {
        if weight > T::ZERO {
            smallest = smallest.min(weight);
        }
    }
    smallest
}

/// Marks the weights w with w·(d − i) ≥ `rest`, lower index first, until d weights are marked. Here d is `set_size`, i is
/// `marked_before`, and `rest` is the sum of the weights that were not marked before. Returns the number of all marked weights.
///
/// The factor (d − i)/(d·rest) scales the weights that are not marked to the sum (d − i)/d. The test finds the weights that this
/// factor would bring to the cap 1/d or above. It does not compute the factor, so the factor's rounding has no influence. If
/// `rest` is zero, weights of zero pass the test. The factor never falls from pass to pass, so a weight that was marked once need
/// not be tested again.
fn cap_pass<T: Scalar>(weights: &mut [T], rest: T, set_size: usize, marked_before: usize) -> usize {
    let open_places = T::from_usize(set_size.saturating_sub(marked_before));
    let mut marked = marked_before;
    for weight in weights.iter_mut() {
        // The test `marked < set_size` is needed: if `rest` is zero, all zeros pass the last test, and rounding can let too many
        // weights pass.
        if marked < set_size && *weight >= T::ZERO && *weight * open_places >= rest {
            *weight = mark();
            marked += 1;
        }
    }
    marked
}

/// The sum of the weights that are not marked.
fn uncapped_sum<T: Scalar>(weights: &[T]) -> T {
    let mut sum = T::ZERO;
    for &weight in weights {
        if weight >= T::ZERO {
            sum += weight;
        }
    }
    sum
}

/// If the sum of the n weights is not finite, divides all weights by a power of two above n.
fn avoid_overflow<T: Scalar>(weights: &mut [T]) {
    if uncapped_sum(weights).is_finite() {
        return;
    }
    let scale = T::TWO * T::TWO * T::from_usize(weights.len()).power_of_two();
    for weight in weights.iter_mut() {
        *weight /= scale;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capping_one_weight_can_push_the_next_to_the_cap() {
        // 1/2 > 1/3 is capped. The remaining 1/2 becomes 2/3, so 1/4 becomes exactly 1/3. The last third is divided 2:1:1.
        let mut weights = [0.5_f64, 0.25, 0.125, 0.0625, 0.0625];
        assert_eq!(cap(&mut weights, 3), Ok(2));
        let third = 1.0 / 3.0;
        assert_eq!(weights, [third, third, third * 0.5, third * 0.25, third * 0.25]);
    }

    #[test]
    fn zeros_fill_the_set_from_the_lower_index() {
        let mut weights = [0.0_f32, 0.75, 0.0, 0.25, 0.0];
        assert_eq!(cap(&mut weights, 4), Ok(4));
        assert_eq!(weights, [0.25, 0.25, 0.25, 0.25, 0.0]);
    }

    #[test]
    fn a_corner_stays_a_corner() {
        let mut weights = [0.5_f32, 0.0, 0.5, 0.0];
        assert_eq!(cap(&mut weights, 2), Ok(2));
        assert_eq!(weights, [0.5, 0.0, 0.5, 0.0]);
    }

    #[test]
    fn a_subnormal_tail_keeps_its_ratios() {
        let mut weights = [1.0_f32, 1e-44, 1e-44];
        assert_eq!(cap(&mut weights, 2), Ok(1));
        assert_eq!(weights, [0.5, 0.25, 0.25]);
    }

    #[test]
    fn weights_whose_sum_overflows_are_scaled_first() {
        let mut weights = [f32::MAX, f32::MAX, f32::MAX, f32::MAX];
        assert_eq!(cap(&mut weights, 2), Ok(0));
        assert_eq!(weights, [0.25; 4]);
    }

    #[test]
    fn a_set_as_large_as_the_vector_takes_everything() {
        let mut weights = [0.1_f32; 7];
        assert_eq!(cap(&mut weights, 7), Ok(7));
        assert_eq!(weights, [1.0 / 7.0; 7]);
    }

    /// Weights that are evenly spread on a logarithmic scale, in a mixed order.
    fn spread(weights: &mut [f64], decades: f64) {
        let count = weights.len();
        for (i, weight) in weights.iter_mut().enumerate() {
            let part = (i * 7_919 % count) as f64 / count as f64;
            *weight = Scalar::exp(-core::f64::consts::LN_10 * decades * part);
        }
    }

    #[test]
    fn the_number_of_rounds_does_not_grow_with_the_number_of_weights() {
        for count in [64, 256, 1_024, 4_096] {
            for decades in [0.5, 3.0, 30.0, 300.0] {
                for set_size in [2, count / 8, count / 2, count - 2] {
                    let mut weights = [0.0; 4_096];
                    let weights = &mut weights[..count];
                    spread(weights, decades);
                    let (_, _, rounds) = mark_capped(weights, set_size);
                    assert!(rounds <= 24, "{count} {decades} {set_size}: {rounds}");
                }
            }
        }
    }

    #[test]
    fn refused_weights_stay_as_they_were() {
        let mut weights = [1.0_f32, 2.0, -3.0];
        assert_eq!(
            cap(&mut weights, 0),
            Err(WeightsError::SetSize {
                requested: 0,
                available: 3
            })
        );
        assert_eq!(
            cap(&mut weights, 4),
            Err(WeightsError::SetSize {
                requested: 4,
                available: 3
            })
        );
        assert_eq!(cap(&mut weights, 2), Err(WeightsError::Negative { index: 2 }));
        assert_eq!(weights, [1.0, 2.0, -3.0]);
        assert_eq!(
            cap(&mut [f32::INFINITY, 0.0], 1),
            Err(WeightsError::NotANumber { index: 0 })
        );
        assert_eq!(cap(&mut [0.0_f32, -0.0], 1), Err(WeightsError::AllZero));
    }

    #[test]
    fn three_weights_whose_sum_overflows_are_scaled_first() {
        let mut weights = [f32::MAX; 3];
        assert_eq!(cap(&mut weights, 2), Ok(0));
        assert!(
            weights.iter().all(|weight| (weight - 1.0 / 3.0).abs() < 1e-6),
            "{weights:?}"
        );
    }
}
