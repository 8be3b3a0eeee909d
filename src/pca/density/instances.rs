//! Instance matrices in place of samples, [WK08] section 5: what [`DensityPca`] learns from, and where it starts.
//! In: a symmetric instance matrix S, or a density matrix W⁰. Out: the loss to expect of S, or a learner that knows S or starts
//! from W⁰.
//! Method: [WK08] end of section 5, G ← G + ηS; the start is G = −log(d·W⁰), capped.
//! Cost: DIM³/2 multiply-adds to score an instance, one eigendecomposition to learn one, two to start from a matrix.

use super::DensityPca;
use crate::spectrum::Eigen;
use crate::spectrum::symmetric::{quadratic_form, trace};
use crate::spectrum::vector::add_scaled;
use crate::{MatrixError, Scalar};
use nalgebra::SMatrix;

impl<T: Scalar, const DIM: usize, const KEEP: usize> DensityPca<T, DIM, KEEP> {
    /// The loss that is to be expected of the symmetric matrix S with this upper triangle, d·tr(W S); learns nothing. Where that is
    /// zero, rounding may take it to either side.
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] for an entry that is not finite, [`MatrixError::Overflow`] if their sum is not.
    pub fn score_instance(&self, instance: &SMatrix<T, DIM, DIM>) -> Result<T, MatrixError> {
        norm_of(instance)?;
        let mut loss = T::ZERO;
        for (&drop, direction) in self.evidence.spectrum().drops.iter().zip(self.evidence.directions()) {
            loss += drop * quadratic_form(instance, direction);
        }
        Ok(loss)
    }

    /// Learns the symmetric matrix S with this upper triangle, \[WK08\] end of section 5: log W ← log W − ηS, normalised and capped.
    ///
    /// The bound of \[WK08\] Theorem 6, with the charges of ceiling and share, holds for eigenvalues in [0, 1]; any finite matrix is
    /// learned.
    ///
    /// ```
    /// use eigenstream::{nalgebra::SMatrix, pca::{DensityPca, DensitySettings}};
    ///
    /// let mut pca = DensityPca::<f32, 3, 1>::new(DensitySettings::DEFAULT);
    /// // A plane that is always lost: the first two axes.
    /// let plane = SMatrix::<f32, 3, 3>::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0);
    /// let before = pca.score_instance(&plane)?;
    /// pca.learn_instance(&plane)?;
    /// assert!(pca.score_instance(&plane)? < before);
    /// # Ok::<(), eigenstream::MatrixError>(())
    /// ```
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] for an entry that is not finite, [`MatrixError::Overflow`] if their sum is not; nothing is
    /// learned then.
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

    /// Starts over from the density matrix W⁰, capped: what is already known, for example a designed one or the
    /// [`density`](Self::density) of another learner. `eigen` is scratch.
    ///
    /// Who is nearly certain of a direction, with an evidence of 15 or so in `f32` and 35 in `f64`, has a density that is singular
    /// to rounding, and so refused or not by chance. To save and restore a learner take its image ([`Codec`](crate::Codec)).
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
    /// [`MatrixError::NotANumber`] for an entry that is not finite, [`MatrixError::Trace`] if the trace is off by more than √ε,
    /// [`MatrixError::NotPositiveDefinite`] if an eigenvalue is not positive. The learner is then as it was.
    pub fn start_from(&mut self, density: &SMatrix<T, DIM, DIM>, eigen: &mut Eigen<T, DIM>) -> Result<(), MatrixError> {
        check_trace(density)?;
        self.evidence.start_from(density, eigen)?;
        self.forget_past();
        Ok(())
    }
}

/// Whether the trace of a density matrix is one. A trace of NaN is left to the next check.
pub(in crate::pca) fn check_trace<T: Scalar, const DIM: usize>(
    density: &SMatrix<T, DIM, DIM>,
) -> Result<(), MatrixError> {
    // Half the digits: what was written down by hand will do.
    if (trace(density) - T::ONE).abs() > T::EPSILON.sqrt() {
        return Err(entry_at_fault(density).unwrap_or(MatrixError::Trace));
    }
    Ok(())
}

/// A bound on every |vᵀS v| with ‖v‖ = 1 and on their sum over a basis, or why S cannot be used.
fn norm_of<T: Scalar, const DIM: usize>(instance: &SMatrix<T, DIM, DIM>) -> Result<T, MatrixError> {
    let mut sum = T::ZERO;
    for (position, column) in instance.data.0.iter().enumerate() {
        for &entry in column.iter().take(position + 1) {
            sum += entry.abs();
        }
    }
    // Each entry stands for two, each direction may see all of them, and the last factor is for rounding.
    let norm = sum * T::from_usize(DIM.saturating_mul(4));
    if norm.is_finite() {
        Ok(norm)
    } else {
        Err(entry_at_fault(instance).unwrap_or(MatrixError::Overflow))
    }
}

/// The first entry of the upper triangle that is not finite.
#[cold]
fn entry_at_fault<T: Scalar, const DIM: usize>(matrix: &SMatrix<T, DIM, DIM>) -> Option<MatrixError> {
    for (column, entries) in matrix.data.0.iter().enumerate() {
        for (row, entry) in entries.iter().enumerate().take(column + 1) {
            if !entry.is_finite() {
                return Some(MatrixError::NotANumber { row, column });
            }
        }
    }
    None
}
