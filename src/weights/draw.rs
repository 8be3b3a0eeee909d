//! How a learner draws the directions that it keeps.
//! In: keep probabilities and a random generator. Out: the kept directions.
//! Method: [`systematic`](super::systematic) sampling or [`Corners`]. Each is a type, so that a program without corners
//! does not contain their code.
//! Cost: one random number, one or two passes; corners take `N` scalars of scratch and the cost of [`Corners`].

use super::corners::{Corners, Vacancy};
use super::sampling::{select, select_at_most};
use super::subset::Subset;
use crate::spectrum::vector::rare::scale;
use crate::{Scalar, rand_core::Rng};

/// If the probabilities sum to at least `keep` minus this number, the difference counts as rounding.
const ROUNDING: f64 = 1e-5;

/// A method of drawing; every method keeps direction i with probability pᵢ, up to rounding.
pub(crate) trait Draw {
    /// Draws `keep` directions, whose probabilities sum to `keep`; `uniform` is in [0, 1).
    fn exactly<T: Scalar, const N: usize>(probabilities: &[T], keep: usize, uniform: T) -> Subset<N>;

    /// Draws at most `keep` directions, whose probabilities sum to less; `uniform` is in [0, 1).
    fn at_most<T: Scalar, const N: usize>(probabilities: &[T], keep: usize, uniform: T) -> Subset<N>;

    fn keep<T: Scalar, R: Rng + ?Sized, const N: usize>(probabilities: &[T], keep: usize, rng: &mut R) -> Subset<N> {
        Self::exactly(probabilities, keep, T::uniform(rng))
    }

    /// Draws at most `keep` directions; their average number is the sum of the probabilities.
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

/// A corner, for the `step_with_corners` of a learner.
pub(crate) struct ByCorners;

impl Draw for ByCorners {
    fn exactly<T: Scalar, const N: usize>(probabilities: &[T], keep: usize, uniform: T) -> Subset<N> {
        corner(probabilities, keep, Vacancy::Filled, uniform)
    }

    fn at_most<T: Scalar, const N: usize>(probabilities: &[T], keep: usize, uniform: T) -> Subset<N> {
        corner(probabilities, keep, Vacancy::Empty, uniform)
    }
}

/// Not inlined: this function needs far more stack than systematic sampling.
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
