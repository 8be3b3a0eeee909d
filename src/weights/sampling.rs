//! Draws a set whose members appear with given probabilities, from one random number.
//! In: probabilities p that sum to k, a uniform number u. Out: exactly k members, i with probability p_i.
//! Method: systematic sampling (Madow 1949): i is a member if ⌊c_i − u⌋ > ⌊c_{i−1} − u⌋, with the cumulative sums c.
//! The result is a mixture of at most n sets, as in [WK08] Algorithm 2, in one pass.
//! Cost: no memory; a few additions and comparisons for each entry.

use super::check::{fits, largest_weight, set_fits};
use super::corners::{Corners, Vacancy};
use super::subset::Subset;
use crate::error::WeightsError;
use crate::rand_core::Rng;
use crate::scalar::Scalar;
use crate::spectrum::vector::{any_length, rare::scale, stay_rolled};

/// Returns the set of `set_size` indices that `uniform`, a number in [0, 1), selects.
///
/// The set always has `set_size` members, even if `uniform` is NaN:
/// - An index of probability one or more is a member, unless there are more than `set_size` of them.
/// - An index of probability zero is a member only if fewer than `set_size` probabilities are positive.
/// - If too many indices are selected, by rounding or because of a sum above `set_size`, the later ones are left out;
///   but an index of probability one or more replaces the least probable member, if that one is less probable.
/// - If too few indices are selected, the most probable of the others are added.
///
/// # Errors
/// [`WeightsError::Length`] for more than `N` probabilities; [`WeightsError::SetSize`] for a set larger than their number;
/// [`WeightsError::NotANumber`], [`WeightsError::Negative`].
///
/// ```
/// use eigenstream::weights::systematic;
///
/// // The cumulative sums are 0.5, 1, 2. If 0 < u ≤ 0.5, they reach u and u + 1 at the indices 0 and 2. Otherwise the set is
/// // {1, 2}.
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

/// [`systematic`] without the checks; if there are fewer than `set_size` probabilities, all are members.
pub(super) fn select<T: Scalar, const N: usize>(probabilities: &[T], set_size: usize, uniform: T) -> Subset<N> {
    if probabilities.len() <= set_size {
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

/// Selects at most `set_size` members by the cumulative sums. If Σp is less than `set_size`, it selects ⌊Σp⌋ or ⌈Σp⌉,
/// up to rounding.
pub(super) fn select_at_most<T: Scalar, const N: usize>(probabilities: &[T], set_size: usize, uniform: T) -> Subset<N> {
    let mut chosen = Subset::EMPTY;
    let mut walk = Walk::new(uniform);
    for (index, &probability) in any_length(probabilities).iter().enumerate() {
        stay_rolled();
        if walk.passes(probability) {
            if chosen.len() < set_size {
                chosen.insert(index);
            } else if probability >= T::ONE {
                // The set is full, by rounding or because Σp is above `set_size`.
                chosen.replace_least(probabilities, index);
            }
        }
    }
    chosen
}

/// The state of systematic sampling, for probabilities that are given one by one.
pub(crate) struct Walk<T> {
    uniform: T,
    cumulative: T,
    /// ⌊`cumulative` − `uniform`⌋ after the probabilities so far.
    passed: T,
}

impl<T: Scalar> Walk<T> {
    pub(crate) fn new(uniform: T) -> Self {
        Self {
            uniform,
            cumulative: T::ZERO,
            passed: (-uniform).floor(),
        }
    }

    /// Whether the next index, of this probability, is selected. An index with a probability of one or more is always
    /// selected, even if rounding would leave it out.
    pub(crate) fn passes(&mut self, probability: T) -> bool {
        self.cumulative += probability;
        let position = self.cumulative - self.uniform;
        // From 2²⁴ on in `f32`, `next` can round to `passed`: then the sum has no digits for a probability below one.
        let next = self.passed + T::ONE;
        let passes = position >= next && next > self.passed;
        if passes {
            // A probability above one can pass several whole numbers.
            self.passed = if position < next + T::ONE {
                next
            } else {
                position.floor()
            };
        }
        passes || probability >= T::ONE
    }
}

/// If the probabilities sum to at least `keep` minus this number, the difference counts as rounding.
const ROUNDING: f64 = 1e-5;

/// A method of drawing; every method keeps direction i with probability pᵢ, up to rounding.
pub(crate) trait Draw {
    /// Draws `keep` directions, if `probabilities` sum to `keep`; `uniform` is in [0, 1).
    fn exactly<T: Scalar, const N: usize>(probabilities: &[T], keep: usize, uniform: T) -> Subset<N>;

    /// Draws at most `keep` directions, if `probabilities` sum to less than `keep`; `uniform` is in [0, 1).
    fn at_most<T: Scalar, const N: usize>(probabilities: &[T], keep: usize, uniform: T) -> Subset<N>;

    fn keep<T: Scalar, R: Rng + ?Sized, const N: usize>(probabilities: &[T], keep: usize, rng: &mut R) -> Subset<N> {
        Self::exactly(probabilities, keep, T::uniform(rng))
    }

    /// Draws at most `keep` directions; up to rounding, their average number is the sum of the probabilities.
    fn keep_at_most<T: Scalar, R: Rng + ?Sized, const N: usize>(
        probabilities: &[T],
        keep: usize,
        rng: &mut R,
    ) -> Subset<N> {
        let mut sum = T::ZERO;
        for &probability in probabilities {
            sum += probability;
        }
        if T::from_usize(keep) - sum <= T::from_f64(ROUNDING) && probabilities.len() >= keep {
            return Self::keep(probabilities, keep, rng);
        }
        Self::at_most(probabilities, keep, T::uniform(rng))
    }
}

/// Systematic sampling, for the `step` of a learner.
pub(crate) struct Systematic;

impl Draw for Systematic {
    fn exactly<T: Scalar, const N: usize>(probabilities: &[T], keep: usize, uniform: T) -> Subset<N> {
        select(probabilities, keep, uniform)
    }

    fn at_most<T: Scalar, const N: usize>(probabilities: &[T], keep: usize, uniform: T) -> Subset<N> {
        select_at_most(probabilities, keep, uniform)
    }
}

/// Draws a corner, for the `step_with_corners` of a learner.
pub(crate) struct ByCorners;

impl Draw for ByCorners {
    fn exactly<T: Scalar, const N: usize>(probabilities: &[T], keep: usize, uniform: T) -> Subset<N> {
        corner(probabilities, keep, Vacancy::Filled, uniform)
    }

    fn at_most<T: Scalar, const N: usize>(probabilities: &[T], keep: usize, uniform: T) -> Subset<N> {
        corner(probabilities, keep, Vacancy::Empty, uniform)
    }
}

/// Draws a corner. This function is not inlined, because it needs far more stack than systematic sampling.
#[inline(never)]
fn corner<T: Scalar, const N: usize>(probabilities: &[T], keep: usize, vacancy: Vacancy, uniform: T) -> Subset<N> {
    let mut weights = [T::ZERO; N];
    let share = T::ONE / T::from_usize(keep.max(1));
    for (weight, &probability) in weights.iter_mut().zip(probabilities) {
        *weight = probability;
    }
    scale(&mut weights, share);
    let weights = weights.get(..probabilities.len().min(N)).unwrap_or_default();
    Corners::start(weights, keep, vacancy).draw(uniform)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_multiple_of_a_sixteenth_selects_its_share() {
        // The probabilities times 16 are 4, 12, 8 and 8. With the midpoints of all sixteenths as u, each index is drawn
        // exactly this many times.
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
    fn the_walk_passes_where_the_floor_of_the_sum_grows() {
        // Sums of multiples of 1/64 are exact in `f32` below 2¹⁸. The probability 2.5 passes two or three whole
        // numbers; the zero after 2²⁵ passes none.
        let probabilities = [
            0.25_f32,
            0.0,
            0.921_875,
            1.0,
            2.5,
            0.015_625,
            0.984_375,
            33_554_432.0,
            0.0,
            0.5,
        ];
        for step in 0..64_u8 {
            let uniform = f32::from(step) / 64.0;
            let (mut walk, mut sum) = (Walk::new(uniform), 0.0);
            for probability in probabilities {
                let before: f32 = sum - uniform;
                sum += probability;
                let grows = (sum - uniform).floor() > before.floor();
                assert_eq!(
                    walk.passes(probability),
                    grows || probability >= 1.0,
                    "{uniform}: {sum}"
                );
            }
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

    #[test]
    fn a_certain_index_replaces_the_least_probable_member() {
        // Σp = 2.1 is above the set size 1: first index 1 is selected, then index 2 replaces it.
        let chosen = systematic::<f32, 3>(&[0.5, 0.6, 1.0], 1, 0.0);
        assert_eq!(chosen.map(|set| set.iter().eq([2])), Ok(true));
    }
}
