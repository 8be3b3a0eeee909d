//! Starts a [`VarianceMinimizer`] from a density matrix W⁰ instead of I/DIM.
//! Method: W ∝ exp(−ηΣC), so ΣC starts at −ln(W⁰)/η.
//! Cost: two eigendecompositions of (5/3)·DIM³ multiply-adds or more, and DIM³/2 for the logarithm.

use super::VarianceMinimizer;
use crate::pca::density::check_trace;
use crate::spectrum::{Eigen, matrix_log};
use crate::{MatrixError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

impl<T: Scalar, const DIM: usize> VarianceMinimizer<T, DIM> {
    /// Starts over from the density matrix W⁰ = `density`: each eigenvector v is drawn with probability vᵀW⁰v.
    ///
    /// Only the upper triangle is read; `eigen` is scratch memory. In the bounds, D = ln `DIM` becomes D = −uᵀ(ln W⁰)u
    /// for the direction u that the learner is compared with. [`best_variance`](Self::best_variance) then is the
    /// minimum of uᵀ(ΣC)u + D/η over all u; if all eigenvalues of each C are in \[0, 1\], it bounds the total expected
    /// variance when multiplied by η/(1 − e^(−η)).
    ///
    /// # Errors
    /// As [`DensityPca::start_from`](crate::pca::DensityPca::start_from), and [`MatrixError::Overflow`] if 1/η
    /// overflows or an entry of ln(W⁰)/η is outside ±MAX/(4·DIM). The learner is then unchanged.
    ///
    /// ```
    /// use eigenstream::nalgebra::{SMatrix, SVector};
    /// use eigenstream::{pca::{VarianceMinimizer, VarianceSettings}, spectrum::Eigen};
    ///
    /// let mut minimizer = VarianceMinimizer::<f32, 2>::new(VarianceSettings::DEFAULT);
    /// let start = SMatrix::from_diagonal(&SVector::<f32, 2>::new(0.25, 0.75));
    /// minimizer.start_from(&start, &mut Eigen::new())?;
    /// let first_axis = SMatrix::from([[1.0, 0.0], [0.0, 0.0]]);
    /// assert!((minimizer.expected_variance(&first_axis)? - 0.25).abs() < 1e-6);
    /// # Ok::<(), eigenstream::MatrixError>(())
    /// ```
    pub fn start_from(&mut self, density: &SMatrix<T, DIM, DIM>, eigen: &mut Eigen<T, DIM>) -> Result<(), MatrixError> {
        check_trace(density)?;
        let mut total = SMatrix::from_array_storage(ArrayStorage([[T::ZERO; DIM]; DIM]));
        let _ = matrix_log(density, eigen, &mut total)?;
        let unit = -T::ONE / self.settings.learning_rate;
        for entry in total.data.0.iter_mut().flatten() {
            *entry *= unit;
            if !entry.is_finite() || entry.abs() > Self::largest() {
                return Err(MatrixError::Overflow);
            }
        }
        self.total = total;
        self.matrices_seen = 0;
        self.weigh();
        Ok(())
    }
}
