//! The chance in a trial of online kernel PCA.
//! In: a sample as seen from the directions, one uniform number. Out: its code in the directions drawn, and what that loses.
//! Method: [`Draw`](crate::weights::Draw); places that no direction has earned yet stay empty.
//! Cost: one `floor` a direction for [`Draw::Systematic`](crate::weights::Draw::Systematic).

use super::OnlineKernelPca;
use super::directions::Coordinates;
use crate::kernel::Kernel;
use crate::rand_core::Rng;
use crate::spectrum::vector::dot;
use crate::weights::Subset;
use crate::{Scalar, Trial};

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize>
    OnlineKernelPca<T, K, DIM, KEEP, WINDOW, RANK>
{
    /// Draws the directions to keep and reports the loss of the sample in them.
    pub(super) fn draw<R: Rng + ?Sized>(&self, coordinates: &Coordinates<T, RANK>, rng: &mut R) -> Trial<T, KEEP> {
        // Only directions that the points have shown can be drawn: a code can hold no other.
        let draw = self.settings.choices.draw;
        let kept: Subset<RANK> = draw.keep_at_most(self.directions.probabilities(), KEEP, rng);
        let mut code = [T::ZERO; KEEP];
        for (entry, position) in code.iter_mut().zip(kept.iter()) {
            *entry = coordinates.values.get(position).copied().unwrap_or(T::ZERO);
        }
        Trial {
            code,
            loss: T::ZERO.max(coordinates.energy - dot(&code, &code)),
            expected_loss: self.directions.expected_loss(coordinates, self.outside_probability()),
        }
    }
}
