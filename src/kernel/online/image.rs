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
        settings, window, directions, replaced_slots, waiting, since_refresh, since_exact, samples_seen, excess
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
mod tests {
    use super::*;
    use crate::kernel::{Gaussian, Linear, OnlineKernelSettings, Refresh};
    use rand_core::SeedableRng;
    use rand_xoshiro::Xoshiro128PlusPlus;

    #[test]
    fn memory_is_the_sum_of_its_parts() {
        const DIM: usize = 6;
        const KEEP: usize = 4;
        const WINDOW: usize = 32;
        const RANK: usize = 8;
        let numbers = WINDOW * (WINDOW + DIM + 1) // Gram matrix and scratch, points, norms
            + 2 * WINDOW * RANK // eigenvectors of the Gram matrix, and their products with it
            + 3 * RANK // eigenvalues, their inverse roots, probabilities
            + 1 // probability outside
            + 1 // bound on the error of the fast mode
            + 2 // excess
            + WINDOW + 1 // shifts and mean of the Gram matrix
            + 1 // gamma
            + 2; // learning rate and novelty
        let counts = 2 + 3 + 1; // window: length and next slot; directions: count, carried, points; replaced slots
        let flags = WINDOW; // replaced slots
        let counters = 3 * 4 + 8; // waiting, since refresh, since exact; samples seen
        let choices = 16 + 8; // ambient, and refresh, centering, stride with padding
        let bytes = 4 * numbers + counts * size_of::<usize>() + flags + counters + choices;
        let size = size_of::<OnlineKernelPca<f32, Gaussian<f32>, DIM, KEEP, WINDOW, RANK>>();
        assert!(
            size.abs_diff(bytes) <= 24,
            "{size} where {bytes} were counted, but for padding"
        );
        assert!(size <= 8 * 1024);
    }

    type Pca = OnlineKernelPca<f32, Linear, 2, 1, 4, 3>;

    /// Found by fuzzing: an image with a correct checksum gave an infinite code.
    #[test]
    fn shifts_of_directions_about_zero_are_refused() {
        let mut pca = Pca::new(Linear, OnlineKernelSettings::DEFAULT);
        assert_eq!(pca.learn(&[3.0, 4.0]), Ok(()));
        assert_eq!(pca.validate(), Ok(()));
        pca.directions.shifts[0] = 1.0;
        assert_eq!(pca.validate(), Err(CodecError::Range));
    }

    /// With a wide kernel the centred Gram matrix is small, and the smallest eigenvalues in the numerical range are rounding
    /// errors of the Gram matrix. Their vectors are not orthogonal to a constant vector.
    #[test]
    fn vectors_of_rounding_errors_stay_orthonormal_in_the_fast_mode() {
        let settings = OnlineKernelSettings::DEFAULT
            .with_refresh(Refresh::Fast)
            .with_centering(Centering::Centered);
        let Ok(wide) = Gaussian::new(1e-4_f32) else { return };
        for seed in 0..20 {
            let mut rng = Xoshiro128PlusPlus::seed_from_u64(seed);
            let mut pca = OnlineKernelPca::<f32, _, 3, 2, 16, 6>::new(wide, settings);
            for trial in 0..32 {
                let sample = core::array::from_fn(|_| 4.0 * f32::uniform(&mut rng) - 2.0);
                assert_eq!(pca.learn(&sample), Ok(()));
                assert_eq!(pca.validate(), Ok(()), "seed {seed}, trial {trial}");
            }
        }
    }

    /// The limit of the shifts of a centered learner is also checked while a refresh is pending.
    #[test]
    fn huge_shifts_are_refused_before_a_refresh() {
        let settings = OnlineKernelSettings::DEFAULT.with_centering(Centering::Centered);
        let mut pca = Pca::new(Linear, settings);
        for sample in [[3.0, 4.0], [1.0, -2.0], [0.0, 1.0], [2.0, 2.0], [1.0, 0.5]] {
            assert_eq!(pca.learn(&sample), Ok(()));
        }
        assert!(pca.push(&[0.5, 0.5]).is_ok());
        assert_eq!(pca.validate(), Ok(()));
        pca.directions.shifts = [f32::MAX, -f32::MAX, f32::MAX, -f32::MAX];
        assert_eq!(pca.validate(), Err(CodecError::Range));
    }

    /// Also found by fuzzing: while a refresh is pending, the directions of an image need not be those of its window.
    #[test]
    fn a_code_beyond_the_largest_number_is_the_largest_number() {
        let mut pca = Pca::new(Linear, OnlineKernelSettings::DEFAULT);
        assert_eq!(pca.learn(&[3.0, 4.0]), Ok(()));
        pca.directions.inverse_roots[0] = f32::MAX;
        assert_eq!(pca.transform(&[3.0, 4.0]).map(|[code]| code.abs()), Ok(f32::MAX));
    }
}
