//! The methods of a `CenteredPca` that read its state and change nothing.
//! In: the centre, the scatter, and the directions with their keep probabilities. Out: codes in the `KEEP` directions of the
//! largest keep probabilities, samples reconstructed from codes, the directions with their probabilities, the density matrix of
//! [WK08] Algorithm 6, the explained variance.
//! Cost: DIM multiply-adds per direction for a code or a reconstruction; DIM²/2 per direction for the density. Directions and
//! eigenvalues are those after the last trial, start or merge, and are not computed again.

use crate::pca::CenteredPca;
use crate::pca::batch::{leading, part_unit};
use crate::pca::projection::{as_columns, reconstruct};
use crate::spectrum::symmetric::{add_diagonal, add_outer, clear, mirror, scale_upper, trace};
use crate::spectrum::vector::dot;
use crate::{SampleError, Scalar};
use nalgebra::{SMatrix, SVector};

impl<T: Scalar, const DIM: usize, const KEEP: usize> CenteredPca<T, DIM, KEEP> {
    /// Returns the code of a sample x: its coordinates vⱼ·(x − m), with the centre m and the `KEEP` directions vⱼ of the largest
    /// keep probabilities. Nothing is drawn at random. With [`ReadOut::Leader`](crate::pca::ReadOut::Leader), the entries of
    /// directions of probability zero are zero.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn transform(&self, sample: &[T; DIM]) -> Result<[T; KEEP], SampleError> {
        let deviation = self.moments.deviation(sample)?;
        let mut code = [T::ZERO; KEEP];
        for (coordinate, (probability, direction)) in code.iter_mut().zip(self.directions()) {
            // With `ReadOut::Leader` a direction that the data have not shown yet has probability zero; its entry stays zero.
            if probability > T::ZERO {
                *coordinate = dot(direction, &deviation.values);
            }
        }
        Ok(code)
    }

    /// Reconstructs a sample from a code of [`transform`](Self::transform): m + Σ codeⱼ·vⱼ, with the centre m and the `KEEP`
    /// directions vⱼ of the largest keep probabilities.
    ///
    /// # Errors
    /// [`SampleError`]; the channel of the error is the position in `code`.
    pub fn inverse_transform(&self, code: &[T; KEEP]) -> Result<[T; DIM], SampleError> {
        let directions = self.directions().map(|(_, direction)| direction);
        reconstruct(self.moments.mean(), code, directions)
    }

    /// Returns the `KEEP` directions of the largest keep probabilities, one per column.
    #[must_use]
    pub fn components(&self) -> SMatrix<T, DIM, KEEP> {
        as_columns(self.directions().map(|(_, direction)| direction))
    }

    /// Returns every direction whose keep probability is above zero, together with this probability, in descending order of
    /// probability. If these are fewer than `KEEP` directions, directions of probability zero follow until there are `KEEP`.
    /// Before the first sample or start, returns all `DIM` axes.
    pub fn directions(&self) -> impl Iterator<Item = (T, &[T; DIM])> + Clone {
        self.prediction.directions()
    }

    /// Returns the probability that each eigenvector of the scatter is kept, descending.
    ///
    /// With [`ReadOut::Randomized`](crate::pca::ReadOut::Randomized) the probabilities sum to `KEEP`, up to rounding. With
    /// [`ReadOut::Leader`](crate::pca::ReadOut::Leader) each probability is one or zero, and the sum is less than `KEEP` as long
    /// as the data have fewer than `KEEP` directions.
    #[must_use]
    pub fn keep_probabilities(&self) -> [T; DIM] {
        self.prediction.probabilities()
    }

    /// Writes the density matrix of \[WK08\], W = Σ (1 − pᵢ)/(n − k)·vᵢvᵢᵀ with n = `DIM`, k = `KEEP`, and pᵢ the probability
    /// that direction vᵢ is kept.
    pub fn density(&self, matrix: &mut SMatrix<T, DIM, DIM>) {
        clear(matrix);
        add_diagonal(matrix, T::ONE);
        for (probability, direction) in self.directions() {
            add_outer(matrix, -probability, direction);
        }
        scale_upper(matrix, T::ONE / T::from_usize(DIM - KEEP));
        mirror(matrix);
    }

    /// Returns the centre m.
    #[must_use]
    pub fn mean(&self) -> &SVector<T, DIM> {
        self.moments.mean()
    }

    /// Writes the scatter matrix C = Σ (x − m)(x − m)ᵀ of the samples x about the centre m. With forgetting, older samples have
    /// smaller weights. A start ([`Center::Weighted`](crate::pca::Center::Weighted), `start_from`) is part of the sum.
    pub fn scatter(&self, matrix: &mut SMatrix<T, DIM, DIM>) {
        matrix.clone_from(self.moments.scatter());
        mirror(matrix);
    }

    /// Returns the variance of the data along each of the `KEEP` directions of [`components`](Self::components): the eigenvalue
    /// of the scatter divided by t, or by t − 1 for [`Center::Mean`](crate::pca::Center::Mean). t is the number of samples, minus
    /// the forgotten part. A start that is part of [`scatter`](Self::scatter) is in the eigenvalue, but not in t. Zero if the
    /// divisor is not positive.
    #[must_use]
    pub fn explained_variance(&self) -> [T; KEEP] {
        let unit = self.moments.variance_unit(self.settings.center);
        leading(self.prediction.eigenvalues(), unit)
    }

    /// Returns the fraction of the total variance along each of the `KEEP` directions of [`components`](Self::components): the
    /// eigenvalue of the scatter divided by the trace of the scatter. Zero if this trace is zero or subnormal.
    #[must_use]
    pub fn explained_variance_ratio(&self) -> [T; KEEP] {
        let parts: [T; KEEP] = leading(self.prediction.eigenvalues(), part_unit(trace(self.moments.scatter())));
        // In a learner restored from encoded bytes, eigenvalues and scatter can contradict each other. So each ratio is limited
        // to one.
        parts.map(|part| part.min(T::ONE))
    }
}
