//! How a learner draws the directions that it keeps.
//! In: the keep probabilities of the directions and a random generator. Out: the directions kept.
//! Method: systematic sampling, or [WK08] Algorithm 2.

use crate::codec::stored_choice;
use crate::weights::{Corners, Subset, select};
use crate::{Scalar, WeightsError, rand_core::Rng};

/// How a learner draws the directions it keeps. Both ways keep direction i with probability exactly pᵢ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Draw {
    /// One walk along the cumulative probabilities (Madow 1949): the cheapest. The default.
    #[default]
    Systematic,
    /// A corner of the mixture decomposition, \[WK08\] Algorithm 2: the papers' way.
    Corners,
}

stored_choice!(Draw { 0 = Systematic, 1 = Corners });

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
            // The learners hand in what `threshold` made, which is never refused.
            Self::Corners => corner(probabilities, keep, uniform).unwrap_or(Subset::EMPTY),
        }
    }
}

/// The corner that `uniform` selects. Apart, since it needs far more stack than the usual draw.
#[inline(never)]
fn corner<T: Scalar, const N: usize>(probabilities: &[T], keep: usize, uniform: T) -> Result<Subset<N>, WeightsError> {
    // Probabilities that sum to `keep` are weights that sum to one, times `keep`.
    let mut weights = [T::ZERO; N];
    let share = T::ONE / T::from_usize(keep.max(1));
    for (weight, &probability) in weights.iter_mut().zip(probabilities) {
        *weight = probability * share;
    }
    let weights = weights.get(..probabilities.len().min(N)).unwrap_or_default();
    Corners::new(weights, keep).map(|corners| corners.draw(uniform))
}
