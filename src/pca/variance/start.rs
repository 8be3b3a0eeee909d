//! A [`VarianceMinimizer`] that does not start from W⁰ = I/n.
//! In: a density matrix W⁰. Out: a learner that draws by it and goes on from there.
//! Method: W ∝ exp(−η·ΣC), so the start is ΣC⁰ = −ln(W⁰)/η.
//! Cost: two eigendecompositions, 2·(5/3)·DIM³ multiply-adds.

use super::VarianceMinimizer;
use crate::pca::density::check_trace;
use crate::spectrum::{Eigen, matrix_log};
use crate::{MatrixError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

impl<T: Scalar, const DIM: usize> VarianceMinimizer<T, DIM> {
    /// Starts over from the density matrix W⁰, of which the upper triangle is read: a direction u is drawn with probability uᵀW⁰u.
    /// `eigen` is scratch.
    ///
    /// In the bounds, D = ln n becomes D = Δ(uuᵀ, W⁰) = −uᵀ(ln W⁰)u for the direction u that the learner is compared with. From then
    /// on [`best_variance`](Self::best_variance) is the least of uᵀ(ΣC)u + D/η over all u: η times it, divided by 1 − e^(−η), bounds
    /// the total loss.
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] for an entry that is not finite, [`MatrixError::Trace`] if the trace is off by more than √ε,
    /// [`MatrixError::NotPositiveDefinite`] if an eigenvalue is not positive, [`MatrixError::Overflow`] if the learning rate is too
    /// small. The learner is then as it was.
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
