//! The random draw in a trial of online kernel PCA.
//! In: the coordinates of a sample in the stored directions, and a random generator. Out: the code of the sample in the drawn
//! directions, the loss of this code, and the expected loss.
//! Method: `weights::Draw` draws the directions to keep. If fewer than `KEEP` directions are drawn, the remaining entries of the
//! code are zero.
//! Cost: with the systematic draw at most one `floor` for each direction that can be kept, and one more.

use super::OnlineKernelPca;
use super::directions::Coordinates;
use crate::kernel::Kernel;
use crate::rand_core::Rng;
use crate::spectrum::vector::dot;
use crate::weights::{Draw, Subset};
use crate::{Scalar, Trial};

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize>
    OnlineKernelPca<T, K, DIM, KEEP, WINDOW, RANK>
{
    /// Draws the directions to keep. Returns the code of the sample in these directions, the loss and the expected loss.
    pub(super) fn draw<D: Draw, R: Rng + ?Sized>(
        &self,
        coordinates: &Coordinates<T, RANK>,
        rng: &mut R,
    ) -> Trial<T, KEEP> {
        // Only directions inside the span of the points (stored samples) are drawn. A code cannot contain other directions.
        let kept: Subset<RANK> = D::keep_at_most(self.directions.probabilities(), KEEP, rng);
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
