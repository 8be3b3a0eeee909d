//! How a learner draws the directions that it keeps.
//! In: the keep probabilities of the directions and a random generator. Out: the kept directions.
//! Method: systematic sampling, or [WK08] Algorithm 2.
//! Cost: one random number. Systematic: one pass, no memory. Corners: the cost of [`Corners`], in a separate function because of
//! its stack.

use super::corners::{Corners, Vacancy};
use super::sampling::{select, select_at_most};
use super::subset::Subset;
use crate::codec::stored_choice;
use crate::spectrum::vector::rare::scale;
use crate::{Scalar, rand_core::Rng};

/// If Σp is at most this far below `keep`, the difference counts as rounding: exactly `keep` directions are drawn.
const ROUNDING: f64 = 1e-5;

/// How a learner draws the directions it keeps. Both methods keep direction i with probability exactly pᵢ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Draw {
    /// One walk along the cumulative probabilities (Madow 1949), the cheapest method. The default.
    #[default]
    Systematic,
    /// A corner of the mixture decomposition, \[WK08\] Algorithm 2: the method of the papers.
    Corners,
}

stored_choice!([] Draw { 0 = Systematic, 1 = Corners });

impl Draw {
    /// Draws `keep` of the directions, with one random number.
    pub(crate) fn keep<T: Scalar, R: Rng + ?Sized, const N: usize>(
        self,
        probabilities: &[T],
        keep: usize,
        rng: &mut R,
    ) -> Subset<N> {
        let uniform = T::uniform(rng);
        match self {
            Self::Systematic => select(probabilities, keep, uniform),
            Self::Corners => corner(probabilities, keep, Vacancy::Filled, uniform),
        }
    }

    /// Draws at most `keep` of the directions, with one random number. If Σp is less than `keep`, some places stay empty: on
    /// average `keep` − Σp.
    pub(crate) fn keep_at_most<T: Scalar, R: Rng + ?Sized, const N: usize>(
        self,
        probabilities: &[T],
        keep: usize,
        rng: &mut R,
    ) -> Subset<N> {
        let mut sum = T::ZERO;
        for &probability in probabilities {
            sum += probability;
        }
        if T::from_usize(keep) - sum <= T::from_f64(ROUNDING) && probabilities.len() >= keep {
            return self.keep(probabilities, keep, rng);
        }
        let uniform = T::uniform(rng);
        match self {
            Self::Systematic => select_at_most(probabilities, keep, uniform),
            Self::Corners => corner(probabilities, keep, Vacancy::Empty, uniform),
        }
    }
}

/// Draws the corner that `uniform` selects. Not inlined, because it needs far more stack than systematic sampling.
#[inline(never)]
fn corner<T: Scalar, const N: usize>(probabilities: &[T], keep: usize, vacancy: Vacancy, uniform: T) -> Subset<N> {
    // Probabilities that sum to `keep` become weights that sum to one.
    let mut weights = [T::ZERO; N];
    let share = T::ONE / T::from_usize(keep.max(1));
    for (weight, &probability) in weights.iter_mut().zip(probabilities) {
        *weight = probability;
    }
    scale(&mut weights, share);
    let weights = weights.get(..probabilities.len().min(N)).unwrap_or_default();
    Corners::start(weights, keep, vacancy).draw(uniform)
}
