//! Draws a set whose members appear with given probabilities, from a single random number.
//! In: probabilities in [0, 1] that sum to k, one uniform number u. Out: a set of exactly k members, i among them with
//! probability p_i.
//! Method: systematic sampling (Madow 1949): with cumulative sums c, keep i iff ⌊c_i − u⌋ > ⌊c_{i−1} − u⌋. As u runs over
//! [0, 1) at most n different sets appear, so it is a mixture of corners as in [WK08] Algorithm 2, but in one pass.
//! Cost: no memory beyond the result; one `floor` and two additions per entry.

use super::check::{fits, largest_weight, set_fits};
use super::subset::Subset;
use crate::{Scalar, WeightsError};

/// The set of `set_size` indices that the number `uniform`, u in [0, 1), selects.
///
/// Always exactly `set_size` members. An index of probability one is always among them, if no more than `set_size` have it; one of
/// probability zero never is, if at least `set_size` are above zero. Where rounding (u at the very ends of its range), or probabilities that do not sum to
/// `set_size`, would give more, the later ones stay out; where they would give fewer, the most probable missing ones
/// enter, lower index first. This holds for a u outside [0, 1) and for NaN, too.
///
/// # Errors
/// [`WeightsError::Length`] for more than `N` probabilities, [`WeightsError::SetSize`] for a set larger than their number,
/// [`WeightsError::NotANumber`] or [`WeightsError::Negative`] for what is no probability.
///
/// ```
/// use eigenstream::weights::systematic;
///
/// // The cumulative sums 0.5, 1, 2 pass u, u + 1 at the indices 0 and 2 for u below one half, else at 1 and 2.
/// let probabilities = [0.5_f32, 0.5, 1.0];
/// assert!(systematic::<f32, 3>(&probabilities, 2, 0.2)?.iter().eq([0, 2]));
/// assert!(systematic::<f32, 3>(&probabilities, 2, 0.7)?.iter().eq([1, 2]));
/// # Ok::<(), eigenstream::WeightsError>(())
/// ```
pub fn systematic<T: Scalar, const N: usize>(
    probabilities: &[T],
    set_size: usize,
    uniform: T,
) -> Result<Subset<N>, WeightsError> {
    let available = probabilities.len();
    fits(available, N)?;
    set_fits(set_size, available)?;
    largest_weight(probabilities)?;
    Ok(select(probabilities, set_size, uniform))
}

/// [`systematic`] without its checks, for at most `N` and at least `set_size` probabilities.
#[inline(always)]
pub(super) fn select<T: Scalar, const N: usize>(probabilities: &[T], set_size: usize, uniform: T) -> Subset<N> {
    if probabilities.len() <= set_size {
        // Nothing to choose from: the steady state of a learner that is sure of its directions.
        let mut all = Subset::EMPTY;
        for index in 0..probabilities.len() {
            all.insert(index);
        }
        return all;
    }
    let mut chosen = select_at_most(probabilities, set_size, uniform);
    chosen.fill_with_largest(probabilities.iter().copied().enumerate(), set_size);
    chosen
}

/// The walk along the cumulative probabilities. The set has fewer than `set_size` members where the sum of the probabilities is
/// less than `set_size`: ⌊Σp⌋ or ⌈Σp⌉ of them.
#[inline(always)]
pub(super) fn select_at_most<T: Scalar, const N: usize>(probabilities: &[T], set_size: usize, uniform: T) -> Subset<N> {
    let mut chosen = Subset::EMPTY;
    let mut walk = Walk::new(uniform);
    for (index, &probability) in probabilities.iter().enumerate() {
        if walk.passes(probability) {
            if chosen.len() < set_size {
                chosen.insert(index);
            } else if probability >= T::ONE {
                // Rounding of the cumulative sum let one too many in.
                chosen.replace_least(probabilities, index);
            }
        }
    }
    chosen
}

/// The walk over the cumulative sums, for probabilities that come one by one.
pub(crate) struct Walk<T> {
    uniform: T,
    cumulative: T,
    /// ⌊c − u⌋ of the last one.
    passed: T,
}

impl<T: Scalar> Walk<T> {
    #[inline(always)]
    pub(crate) fn new(uniform: T) -> Self {
        Self {
            uniform,
            cumulative: T::ZERO,
            passed: (-uniform).floor(),
        }
    }

    /// Whether the next one, of this probability, is taken. A probability of one always is; a cumulative sum that rounds would
    /// leave it out once in some ten thousand draws.
    #[inline(always)]
    pub(crate) fn passes(&mut self, probability: T) -> bool {
        self.cumulative += probability;
        let passed = core::mem::replace(&mut self.passed, (self.cumulative - self.uniform).floor());
        self.passed > passed || probability >= T::ONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_multiple_of_a_sixteenth_selects_its_share() {
        // p·16 = 4, 12, 8, 8: over the 16 midpoints each index is drawn exactly that often.
        let probabilities = [0.25_f32, 0.75, 0.5, 0.5];
        let mut drawn = [0; 4];
        for step in 0..16_u8 {
            let chosen = systematic::<f32, 4>(&probabilities, 2, (f32::from(step) + 0.5) / 16.0);
            for index in chosen.iter().flat_map(Subset::iter) {
                drawn[index] += 1;
            }
        }
        assert_eq!(drawn, [4, 12, 8, 8]);
    }

    #[test]
    fn the_count_is_exact_at_both_ends_of_the_range() {
        let probabilities = [0.1_f32; 30];
        for uniform in [
            0.0,
            f32::MIN_POSITIVE,
            1.0 - f32::EPSILON / 2.0,
            1.0,
            -3.0,
            f32::NAN,
            f32::INFINITY,
        ] {
            assert_eq!(
                systematic::<f32, 30>(&probabilities, 3, uniform).map(|set| set.len()),
                Ok(3)
            );
        }
    }

    #[test]
    fn probabilities_that_promise_too_little_are_filled_up_by_size() {
        let chosen = systematic::<f32, 4>(&[0.0, 0.1, 0.2, 0.1], 3, 0.9);
        assert_eq!(chosen.map(|set| set.iter().eq([1, 2, 3])), Ok(true));
    }

    #[test]
    fn what_is_no_probability_is_refused() {
        type Draw = Result<Subset<2>, WeightsError>;
        let refused: Draw = systematic(&[0.5_f32, f32::NAN], 1, 0.5);
        assert_eq!(refused, Err(WeightsError::NotANumber { index: 1 }));
        let negative: Draw = systematic(&[-0.5_f32, 1.5], 1, 0.5);
        assert_eq!(negative, Err(WeightsError::Negative { index: 0 }));
        let long: Draw = systematic(&[0.5_f32; 3], 1, 0.5);
        assert_eq!(long, Err(WeightsError::Length { given: 3, expected: 2 }));
        let large: Draw = systematic(&[0.5_f32; 2], 3, 0.5);
        assert_eq!(
            large,
            Err(WeightsError::SetSize {
                requested: 3,
                available: 2
            })
        );
    }
}
