//! [`DensityPca`] with matrices in place of samples, [WK08] section 5: instance matrices, and a density matrix as the start.
//! In: a symmetric instance matrix S, or a density matrix W⁰. Out: the expected loss of S, or the learner after learning S, or a
//! learner that starts from W⁰.
//! Method: [WK08] end of section 5, G ← G + ηS with the learning rate η and the evidence matrix G = −log(d·W), d = DIM − KEEP.
//! The start is G = −log(d·W⁰), then the capping of [WK08]: no eigenvalue of W above 1/d.
//! Cost: DIM³/2 multiply-adds to score an instance; one eigendecomposition to learn an instance (two with a share of the past);
//! two to start from a matrix.

use super::DensityPca;
use crate::spectrum::Eigen;
use crate::spectrum::symmetric::{quadratic_form, trace};
use crate::spectrum::vector::add_scaled;
use crate::{MatrixError, Scalar};
use nalgebra::SMatrix;

impl<T: Scalar, const DIM: usize, const KEEP: usize> DensityPca<T, DIM, KEEP> {
    /// Returns the expected loss d·tr(W S) of a symmetric matrix S, with the density matrix W and d = `DIM` − `KEEP`; learns
    /// nothing. Only the upper triangle of `instance` is read. If the exact loss is zero, rounding can make the result slightly
    /// positive or negative.
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] for an entry of the upper triangle that is not finite, [`MatrixError::Overflow`] if 4·`DIM`
    /// times the sum of |entry| over this triangle overflows.
    pub fn score_instance(&self, instance: &SMatrix<T, DIM, DIM>) -> Result<T, MatrixError> {
        norm_of(instance)?;
        let mut loss = T::ZERO;
        for (&drop, direction) in self.evidence.spectrum().drops.iter().zip(self.evidence.directions()) {
            loss += drop * quadratic_form(instance, direction);
        }
        Ok(loss)
    }

    /// Learns a symmetric matrix S, \[WK08\] end of section 5: log W ← log W − ηS for the density matrix W, then W is normalised
    /// and capped: no eigenvalue above 1/d, d = `DIM` − `KEEP`. The learning rate η is reduced if the evidence could overflow.
    /// Only the upper triangle of `instance` is read.
    ///
    /// The bound of \[WK08\] Theorem 6, with the additions for ceiling (upper limit of the evidence) and share, holds if the
    /// eigenvalues of all learned S are in [0, 1]. Other finite matrices are learned too, without a bound.
    ///
    /// ```
    /// use eigenstream::{nalgebra::SMatrix, pca::{DensityPca, DensitySettings}};
    ///
    /// let mut pca = DensityPca::<f32, 3, 1>::new(DensitySettings::DEFAULT);
    /// // S is the projection onto the plane of the first two axes. Learning S reduces the expected loss of S.
    /// let plane = SMatrix::<f32, 3, 3>::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0);
    /// let before = pca.score_instance(&plane)?;
    /// pca.learn_instance(&plane)?;
    /// assert!(pca.score_instance(&plane)? < before);
    /// # Ok::<(), eigenstream::MatrixError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`score_instance`](Self::score_instance). After an error the learner is unchanged.
    pub fn learn_instance(&mut self, instance: &SMatrix<T, DIM, DIM>) -> Result<(), MatrixError> {
        let rate = self.rate_for(norm_of(instance)?);
        self.update(|evidence| {
            for (position, (column, seen)) in evidence.data.0.iter_mut().zip(&instance.data.0).enumerate() {
                if let Some(column) = column.get_mut(..=position) {
                    add_scaled(column, rate, seen);
                }
            }
        });
        Ok(())
    }

    /// Starts again from the density matrix W⁰ = `density`, capped: no eigenvalue above 1/d, d = `DIM` − `KEEP`. Pass a matrix of
    /// your own, or the [`density`](Self::density) of another learner. Only the upper triangle is read. `eigen` is scratch.
    ///
    /// If the evidence of a direction in a learner is about 15 or more in `f32` (35 or more in `f64`), the density of this
    /// learner is singular up to rounding. Rounding then decides whether `start_from` refuses this density. To save and restore a
    /// learner use its encoded bytes ([`Codec`](crate::Codec)).
    ///
    /// ```
    /// use eigenstream::{nalgebra::{SMatrix, SVector}, pca::{DensityPca, DensitySettings}, spectrum::Eigen};
    ///
    /// let mut pca = DensityPca::<f32, 2, 1>::new(DensitySettings::DEFAULT);
    /// let start = SMatrix::from_diagonal(&SVector::<f32, 2>::new(0.25, 0.75));
    /// pca.start_from(&start, &mut Eigen::new())?;
    /// assert!((pca.score(&[1.0, 0.0]).unwrap() - 0.25).abs() < 1e-6);
    /// # Ok::<(), eigenstream::MatrixError>(())
    /// ```
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] for an entry of the upper triangle that is not finite, [`MatrixError::Trace`] if the trace
    /// differs from one by more than √ε, [`MatrixError::Overflow`] if an eigenvalue overflows, otherwise
    /// [`MatrixError::NotPositiveDefinite`] if an eigenvalue is not positive. After an error the learner is unchanged.
    pub fn start_from(&mut self, density: &SMatrix<T, DIM, DIM>, eigen: &mut Eigen<T, DIM>) -> Result<(), MatrixError> {
        check_trace(density)?;
        self.evidence.start_from(density, eigen)?;
        self.forget_past();
        Ok(())
    }
}

/// Returns an error if the trace of a density matrix differs from one by more than √ε. Accepts a trace of NaN, because the caller
/// decomposes the matrix next, and the decomposition refuses an entry that is NaN or infinite.
pub(in crate::pca) fn check_trace<T: Scalar, const DIM: usize>(
    density: &SMatrix<T, DIM, DIM>,
) -> Result<(), MatrixError> {
    // The tolerance √ε is 3.5e-4 in `f32` and 1.5e-8 in `f64`. In `f32` it accepts up to 6 diagonal entries that the user rounded
    // to four decimals, in `f64` up to 29 that the user rounded to nine decimals.
    if (trace(density) - T::ONE).abs() > T::EPSILON.sqrt() {
        return Err(entry_at_fault(density).unwrap_or(MatrixError::Trace));
    }
    Ok(())
}

/// Returns a bound on |vᵀS v| for every v with ‖v‖ = 1, and on the sum of |vᵀS v| over an orthonormal basis; S = `instance`.
/// Returns an error if an entry of the upper triangle is not finite, or if the bound overflows.
fn norm_of<T: Scalar, const DIM: usize>(instance: &SMatrix<T, DIM, DIM>) -> Result<T, MatrixError> {
    let mut sum = T::ZERO;
    for (position, column) in instance.data.0.iter().enumerate() {
        for &entry in column.iter().take(position.wrapping_add(1)) {
            sum += entry.abs();
        }
    }
    // The bound is 4·DIM·Σ|entry| over the upper triangle. An entry of the triangle stands for one entry of S or for two: factor
    // 2. So 2·Σ|entry| bounds |vᵀS v| for each unit vector v. A basis has DIM vectors: factor DIM. The last factor 2 is for
    // rounding.
    let norm = sum * T::from_usize(DIM.saturating_mul(4));
    if norm.is_finite() {
        Ok(norm)
    } else {
        Err(entry_at_fault(instance).unwrap_or(MatrixError::Overflow))
    }
}

/// Returns the error for the first entry of the upper triangle that is not finite, or `None` if all entries are finite.
#[cold]
fn entry_at_fault<T: Scalar, const DIM: usize>(matrix: &SMatrix<T, DIM, DIM>) -> Option<MatrixError> {
    for (column, entries) in matrix.data.0.iter().enumerate() {
        for (row, entry) in entries.iter().enumerate().take(column.wrapping_add(1)) {
            if !entry.is_finite() {
                return Some(MatrixError::NotANumber { row, column });
            }
        }
    }
    None
}
