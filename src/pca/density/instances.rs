//! [`DensityPca`] with symmetric instance matrices S in place of samples, [WK08] section 5, and a density matrix as
//! the start.
//! Cost: DIM³/2 multiply-adds to score an instance; one eigendecomposition to learn one (two with a share of the
//! past); two to start from a matrix.

use super::DensityPca;
use crate::spectrum::Eigen;
use crate::spectrum::symmetric::{quadratic_form, trace};
use crate::spectrum::vector::add_scaled;
use crate::{MatrixError, Scalar};
use nalgebra::SMatrix;

impl<T: Scalar, const DIM: usize, const KEEP: usize> DensityPca<T, DIM, KEEP> {
    /// The expected loss (DIM − KEEP)·tr(W S) of a symmetric matrix S.
    ///
    /// Only the upper triangle is read. Rounding can turn a zero loss into a tiny number of either sign.
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] for an entry that is not finite, [`MatrixError::Overflow`] if 4·`DIM` times the sum
    /// of |entry| over the upper triangle overflows.
    pub fn score_instance(&self, instance: &SMatrix<T, DIM, DIM>) -> Result<T, MatrixError> {
        norm_of(instance)?;
        let mut loss = T::ZERO;
        for (&drop, direction) in self.evidence.spectrum().drops.iter().zip(self.evidence.directions()) {
            loss += drop * quadratic_form(instance, direction);
        }
        Ok(loss)
    }

    /// Learns a symmetric matrix S, \[WK08\] end of section 5: log W ← log W − ηS, then W is normalised and capped.
    ///
    /// Only the upper triangle is read. The bound of \[WK08\] Theorem 6, with the additions for ceiling and share,
    /// holds if the eigenvalues of each S are in \[0, 1\]. The learning rate is reduced if the evidence could
    /// overflow.
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
    /// As [`score_instance`](Self::score_instance). The learner is then unchanged.
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

    /// Starts again from the density matrix `density`, capped: no eigenvalue above 1/(DIM − KEEP).
    ///
    /// Only the upper triangle is read; `eigen` is scratch. The density of a learner with an evidence of about 15 or
    /// more in `f32` (35 in `f64`) is singular up to rounding, and may be refused: save learners with
    /// [`Codec`](crate::Codec) instead.
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
    /// [`MatrixError::NotANumber`] for an entry that is not finite, [`MatrixError::Trace`] if the trace differs from
    /// one by more than √ε, [`MatrixError::Overflow`] if an eigenvalue overflows, [`MatrixError::NotPositiveDefinite`]
    /// if one is not positive. The learner is then unchanged.
    pub fn start_from(&mut self, density: &SMatrix<T, DIM, DIM>, eigen: &mut Eigen<T, DIM>) -> Result<(), MatrixError> {
        check_trace(density)?;
        self.evidence.start_from(density, eigen)?;
        self.forget_past();
        Ok(())
    }
}

/// Refuses a trace that differs from one by more than √ε; accepts NaN, which the decomposition refuses next.
pub(in crate::pca) fn check_trace<T: Scalar, const DIM: usize>(
    density: &SMatrix<T, DIM, DIM>,
) -> Result<(), MatrixError> {
    // √ε is 3.5e-4 in `f32`: six diagonal entries rounded to four decimals pass; in `f64` 29 rounded to nine decimals.
    if (trace(density) - T::ONE).abs() > T::EPSILON.sqrt() {
        return Err(entry_at_fault(density).unwrap_or(MatrixError::Trace));
    }
    Ok(())
}

/// Returns a bound on |vᵀS v| for ‖v‖ = 1, and on its sum over an orthonormal basis.
fn norm_of<T: Scalar, const DIM: usize>(instance: &SMatrix<T, DIM, DIM>) -> Result<T, MatrixError> {
    let mut sum = T::ZERO;
    for (position, column) in instance.data.0.iter().enumerate() {
        for &entry in column.iter().take(position.wrapping_add(1)) {
            sum += entry.abs();
        }
    }
    // 2·Σ|entry| over the triangle bounds |vᵀS v|; a basis has DIM vectors; the last factor 2 is for rounding.
    let norm = sum * T::from_usize(DIM.saturating_mul(4));
    if norm.is_finite() {
        Ok(norm)
    } else {
        Err(entry_at_fault(instance).unwrap_or(MatrixError::Overflow))
    }
}

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
