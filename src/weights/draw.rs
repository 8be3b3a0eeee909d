//! How a learner draws the directions that it keeps.
//! In: the keep probabilities p of the directions and a random generator. Out: the kept directions.
//! Method: systematic sampling, or [WK08] Algorithm 2: p is written as a mixture of sets of directions (corners), and one set is
//! drawn. Each method is a type: a program that never draws corners does not contain the code for corners.
//! Cost: one random number; `keep_at_most` takes one pass more, for the sum of p. Systematic: one pass, no memory. Corners: the
//! cost of [`Corners`] and `N` scalars of scratch.

use super::corners::{Corners, Vacancy};
use super::sampling::{select, select_at_most};
use super::subset::Subset;
use crate::spectrum::vector::rare::scale;
use crate::{Scalar, rand_core::Rng};

/// If `keep` minus the sum of the keep probabilities is at most this number, the difference counts as rounding: exactly `keep`
/// directions are drawn, if there are so many.
const ROUNDING: f64 = 1e-5;

/// A method of drawing. Up to rounding, every method keeps direction i with probability pᵢ.
pub(crate) trait Draw {
    /// Draws `keep` of the directions. The keep probabilities of all directions sum to `keep`. `uniform` is a random number in
    /// [0, 1).
    fn exactly<T: Scalar, const N: usize>(probabilities: &[T], keep: usize, uniform: T) -> Subset<N>;

    /// Draws at most `keep` of the directions. The keep probabilities of all directions sum to less than `keep`. `uniform` is a
    /// random number in [0, 1).
    fn at_most<T: Scalar, const N: usize>(probabilities: &[T], keep: usize, uniform: T) -> Subset<N>;

    /// Draws `keep` of the directions, with one random number.
    fn keep<T: Scalar, R: Rng + ?Sized, const N: usize>(probabilities: &[T], keep: usize, rng: &mut R) -> Subset<N> {
        Self::exactly(probabilities, keep, T::uniform(rng))
    }

    /// Draws at most `keep` of the directions, with one random number. If the keep probabilities sum to less than `keep`,
    /// this sum is, up to rounding, the average number of directions drawn.
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

/// Systematic sampling (Madow 1949): one pass over the cumulative probabilities. The `step` of a learner uses this method.
pub(crate) struct Systematic;

impl Draw for Systematic {
    fn exactly<T: Scalar, const N: usize>(probabilities: &[T], keep: usize, uniform: T) -> Subset<N> {
        select(probabilities, keep, uniform)
    }

    fn at_most<T: Scalar, const N: usize>(probabilities: &[T], keep: usize, uniform: T) -> Subset<N> {
        select_at_most(probabilities, keep, uniform)
    }
}

/// [WK08] Algorithm 2: p is written as a mixture of sets (corners), and one of the sets is drawn. The `step_with_corners` of a
/// learner uses this method.
pub(crate) struct ByCorners;

impl Draw for ByCorners {
    fn exactly<T: Scalar, const N: usize>(probabilities: &[T], keep: usize, uniform: T) -> Subset<N> {
        corner(probabilities, keep, Vacancy::Filled, uniform)
    }

    fn at_most<T: Scalar, const N: usize>(probabilities: &[T], keep: usize, uniform: T) -> Subset<N> {
        corner(probabilities, keep, Vacancy::Empty, uniform)
    }
}

/// Draws the set (corner) that `uniform` selects. Not inlined, because this function needs far more stack than systematic
/// sampling.
#[inline(never)]
fn corner<T: Scalar, const N: usize>(probabilities: &[T], keep: usize, vacancy: Vacancy, uniform: T) -> Subset<N> {
    // Divides the probabilities by `keep`: a sum of `keep` becomes a sum of one.
    let mut weights = [T::ZERO; N];
    let share = T::ONE / T::from_usize(keep.max(1));
    for (weight, &probability) in weights.iter_mut().zip(probabilities) {
        *weight = probability;
    }
    scale(&mut weights, share);
    let weights = weights.get(..probabilities.len().min(N)).unwrap_or_default();
    Corners::start(weights, keep, vacancy).draw(uniform)
}
