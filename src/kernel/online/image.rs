//! The image (encoded bytes) of an online kernel PCA, and the checks after decoding.
//! In: an image. Out: a learner whose counts, ranges and orthonormal vectors were checked, or an error. The directions are not
//! compared with the window: an image with the directions of other points is accepted.

use super::OnlineKernelPca;
use crate::codec::{StoredKernel, stored, validate};
use crate::kernel::Kernel;
use crate::spectrum::orthogonality::check_columns;
use crate::{Centering, CodecError, Scalar};

stored!(
    [T: Scalar, K: Kernel<T, DIM> + StoredKernel, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize]
    OnlineKernelPca<T, K, DIM, KEEP, WINDOW, RANK>: OnlineKernel [DIM, KEEP, WINDOW, RANK] of T with (K::NUMBER) {
        settings, window, directions, replaced_slots, waiting, since_refresh, samples_seen, excess
    }
    if validate
);

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize>
    OnlineKernelPca<T, K, DIM, KEEP, WINDOW, RANK>
{
    fn validate(&self) -> Result<(), CodecError> {
        validate::accept(self.waiting < self.settings.stride, CodecError::Count)?;
        validate::accept(self.directions.points <= self.window.len(), CodecError::Count)?;
        // If uncentered, `shifts` and `mean` must be zero, because a refresh would not reset `shifts`.
        let shifts = self.directions.shifts.iter().chain([&self.directions.mean]);
        // If centered: k(x, x) is at most MAX/(4·`WINDOW`), so the shifts and `mean` of a window are within ±`limit`. With
        // numbers within ±`limit` no sum over the window overflows.
        let limit = match self.settings.centering {
            Centering::Uncentered => T::ZERO,
            Centering::Centered => T::MAX / T::from_usize(2 * WINDOW + 2),
        };
        validate::within(limit, shifts)?;
        check_columns(self.directions.vectors(), self.directions.count)?;
        // While a refresh is pending, a valid image can fail these checks: `push` removes a replaced point from the directions
        // and so changes `inverse_roots`.
        if self.since_refresh == 0 {
            let norms = self.window.norms().iter().take(self.window.len());
            self.directions
                .settled(norms.fold(T::ZERO, |loudest, &norm| loudest.max(norm)))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
