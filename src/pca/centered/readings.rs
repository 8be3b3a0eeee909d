//! Readings of a `CenteredPca` that change nothing.
//! In: the centre, the scatter and the directions of the last trial. Out: codes in the most likely directions and the way back,
//! the directions with their probabilities, the density matrix of [WK08] Algorithm 6, the variance that is explained.
//! Cost: 2·DIM operations per direction and code; DIM²/2 per direction for the density. Nothing is computed twice that a trial
//! has computed, and nothing is changed.

use crate::pca::CenteredPca;
use crate::pca::batch::{leading, part_unit};
use crate::pca::projection::{as_columns, reconstruct};
use crate::spectrum::symmetric::{add_diagonal, add_outer, clear, mirror, scale_upper, trace};
use crate::spectrum::vector::dot;
use crate::{SampleError, Scalar};
use nalgebra::{SMatrix, SVector};

impl<T: Scalar, const DIM: usize, const KEEP: usize> CenteredPca<T, DIM, KEEP> {
    /// The code of a sample in the `KEEP` most likely directions, vⱼ·(x − m). It does not depend on chance.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn transform(&self, sample: &[T; DIM]) -> Result<[T; KEEP], SampleError> {
        let deviation = self.moments.deviation(sample)?;
        let mut code = [T::ZERO; KEEP];
        for (coordinate, (probability, direction)) in code.iter_mut().zip(self.directions()) {
            // A leader that the data have not shown yet takes no part.
            if probability > T::ZERO {
                *coordinate = dot(direction, &deviation.values);
            }
        }
        Ok(code)
    }

    /// The sample that a code of [`transform`](Self::transform) stands for, m + Σ codeⱼ·vⱼ.
    ///
    /// # Errors
    /// [`SampleError`]; its channel is the position in `code`.
    pub fn inverse_transform(&self, code: &[T; KEEP]) -> Result<[T; DIM], SampleError> {
        let directions = self.directions().map(|(_, direction)| direction);
        reconstruct(self.moments.mean(), code, directions)
    }

    /// The `KEEP` most likely directions, one a column.
    #[must_use]
    pub fn components(&self) -> SMatrix<T, DIM, KEEP> {
        as_columns(self.directions().map(|(_, direction)| direction))
    }

    /// Every direction that can be kept, with the probability that it is, by falling probability.
    pub fn directions(&self) -> impl Iterator<Item = (T, &[T; DIM])> + Clone {
        self.prediction.directions()
    }

    /// The probability that each eigendirection is kept, p, in falling order; they sum to `KEEP`.
    ///
    /// [`ReadOut::Leader`](crate::pca::ReadOut::Leader) keeps for certain or not at all, and fewer than `KEEP` as long as the data have fewer directions.
    #[must_use]
    pub fn keep_probabilities(&self) -> [T; DIM] {
        self.prediction.probabilities()
    }

    /// Writes the density matrix of the papers, W = Σ (1 − pᵢ)/(n − k)·vᵢvᵢᵀ.
    pub fn density(&self, matrix: &mut SMatrix<T, DIM, DIM>) {
        clear(matrix);
        add_diagonal(matrix, T::ONE);
        for (probability, direction) in self.directions() {
            add_outer(matrix, -probability, direction);
        }
        scale_upper(matrix, T::ONE / T::from_usize(DIM - KEEP));
        mirror(matrix);
    }

    /// The centre, m.
    #[must_use]
    pub fn mean(&self) -> &SVector<T, DIM> {
        self.moments.mean()
    }

    /// Writes the scatter about the centre, C.
    pub fn scatter(&self, matrix: &mut SMatrix<T, DIM, DIM>) {
        matrix.clone_from(self.moments.scatter());
        mirror(matrix);
    }

    /// The variance of the data along each of the `KEEP` directions: eigenvalue of C over the weight t of the samples, t − 1
    /// for [`Center::Mean`](crate::pca::Center::Mean).
    #[must_use]
    pub fn explained_variance(&self) -> [T; KEEP] {
        let unit = self.moments.variance_unit(self.settings.center);
        leading(self.prediction.eigenvalues(), unit)
    }

    /// Explained variance divided by the total variance; zero for constant data.
    #[must_use]
    pub fn explained_variance_ratio(&self) -> [T; KEEP] {
        let parts: [T; KEEP] = leading(self.prediction.eigenvalues(), part_unit(trace(self.moments.scatter())));
        // Eigenvalues and scatter of an image may belong to different pasts; a part is no more than the whole.
        parts.map(|part| part.min(T::ONE))
    }
}
