//! The methods of a `CenteredPca` that change nothing; directions and eigenvalues are those after the last trial,
//! start or merge.
//! Cost: DIM multiply-adds per direction for a code or a reconstruction, DIM²/2 for the density.

use crate::pca::CenteredPca;
use crate::pca::batch::{leading, part_unit};
use crate::pca::projection::{as_columns, reconstruct};
use crate::spectrum::symmetric::{add_diagonal, add_outer, clear, mirror, scale_upper, trace};
use crate::spectrum::vector::dot;
use crate::{SampleError, Scalar};
use nalgebra::{SMatrix, SVector};

impl<T: Scalar, const DIM: usize, const KEEP: usize> CenteredPca<T, DIM, KEEP> {
    /// The code of a sample x in the `KEEP` most likely directions: vⱼ·(x − m).
    ///
    /// Nothing is drawn. With [`ReadOut::Leader`](crate::pca::ReadOut::Leader), entries of directions that the data do
    /// not have are zero.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn transform(&self, sample: &[T; DIM]) -> Result<[T; KEEP], SampleError> {
        let deviation = self.moments.deviation(sample)?;
        let mut code = [T::ZERO; KEEP];
        for (coordinate, (probability, direction)) in code.iter_mut().zip(self.directions()) {
            if probability > T::ZERO {
                *coordinate = dot(direction, &deviation.values);
            }
        }
        Ok(code)
    }

    /// Rebuilds a sample from a code: m + Σ codeⱼ·vⱼ.
    ///
    /// # Errors
    /// [`SampleError`]; the channel of the error is the position in `code`.
    pub fn inverse_transform(&self, code: &[T; KEEP]) -> Result<[T; DIM], SampleError> {
        let directions = self.directions().map(|(_, direction)| direction);
        reconstruct(self.moments.mean(), code, directions)
    }

    /// The `KEEP` most likely directions, one per column.
    #[must_use]
    pub fn components(&self) -> SMatrix<T, DIM, KEEP> {
        as_columns(self.directions().map(|(_, direction)| direction))
    }

    /// Every direction of positive keep probability p, with p, by descending p.
    ///
    /// At least `KEEP` directions, where needed of p = 0. All `DIM` axes before the first sample or start.
    pub fn directions(&self) -> impl Iterator<Item = (T, &[T; DIM])> + Clone {
        self.prediction.directions()
    }

    /// The keep probability of each eigenvector of the scatter, descending.
    ///
    /// They sum to `KEEP`. With [`ReadOut::Leader`](crate::pca::ReadOut::Leader) each is one or zero, and the sum is
    /// smaller while the data have fewer directions.
    #[must_use]
    pub fn keep_probabilities(&self) -> [T; DIM] {
        self.prediction.probabilities()
    }

    /// Writes the density matrix W = Σ (1 − pᵢ)/(DIM − KEEP)·vᵢvᵢᵀ.
    pub fn density(&self, matrix: &mut SMatrix<T, DIM, DIM>) {
        clear(matrix);
        add_diagonal(matrix, T::ONE);
        for (probability, direction) in self.directions() {
            add_outer(matrix, -probability, direction);
        }
        scale_upper(matrix, T::ONE / T::from_usize(DIM - KEEP));
        mirror(matrix);
    }

    /// The centre m.
    #[must_use]
    pub fn mean(&self) -> &SVector<T, DIM> {
        self.moments.mean()
    }

    /// Writes the scatter C = Σ (x − m)(x − m)ᵀ, where older samples count less with forgetting.
    ///
    /// A start ([`Center::Weighted`](crate::pca::Center::Weighted), `start_from`) is part of the sum.
    pub fn scatter(&self, matrix: &mut SMatrix<T, DIM, DIM>) {
        matrix.clone_from(self.moments.scatter());
        mirror(matrix);
    }

    /// The variance along each of the [`components`](Self::components).
    ///
    /// The eigenvalue of the scatter divided by t, or by t − 1 for [`Center::Mean`](crate::pca::Center::Mean); t is
    /// the number of samples minus the forgotten part. A start counts in the eigenvalue, not in t. Zero if the divisor
    /// is not positive.
    #[must_use]
    pub fn explained_variance(&self) -> [T; KEEP] {
        let unit = self.moments.variance_unit(self.settings.center);
        leading(self.prediction.eigenvalues(), unit)
    }

    /// The fraction of the total variance along each of the [`components`](Self::components).
    ///
    /// Zero if the trace of the scatter is zero or subnormal.
    #[must_use]
    pub fn explained_variance_ratio(&self) -> [T; KEEP] {
        let parts: [T; KEEP] = leading(self.prediction.eigenvalues(), part_unit(trace(self.moments.scatter())));
        // Decoded eigenvalues and scatter can contradict each other.
        parts.map(|part| part.min(T::ONE))
    }
}
