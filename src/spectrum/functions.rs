//! The exponential and the logarithm of a symmetric matrix.
//! Method: Σ f(λ)·v·vᵀ over the eigenpairs; the upper triangle is mirrored, so the result is symmetric to the last bit.
//! Cost: one [`Eigen`] decomposition, N³/2 multiply-adds and N `exp` or `ln`. Scratch: N numbers and that of [`Eigen`].

use super::symmetric::{add_outer, clear, mirror};
use super::{Convergence, Eigen};
use crate::{MatrixError, Scalar};
use nalgebra::SMatrix;

/// Writes exp(A) of the symmetric matrix whose upper triangle is that of `matrix`.
///
/// `eigen` then holds the decomposition. The relative error of each exp(λ) is about ε·(1 + ‖A‖).
///
/// ```
/// use eigenstream::{nalgebra::{SMatrix, SVector}, spectrum::{Eigen, matrix_exp}};
///
/// let logarithms = SMatrix::from_diagonal(&SVector::<f64, 2>::new(2.0_f64.ln(), 3.0_f64.ln()));
/// let mut exponential = SMatrix::zeros();
/// let _ = matrix_exp(&logarithms, &mut Eigen::new(), &mut exponential)?;
/// assert!((exponential[(0, 0)] - 2.0).abs() < 1e-14);
/// assert!((exponential[(1, 1)] - 3.0).abs() < 1e-14);
/// # Ok::<(), eigenstream::MatrixError>(())
/// ```
///
/// # Errors
/// [`MatrixError::NotANumber`] for an entry that is not finite. [`MatrixError::Overflow`] if the sum of exp(λ) is not
/// finite. In both cases `exponential` does not change.
pub fn matrix_exp<T: Scalar, const N: usize>(
    matrix: &SMatrix<T, N, N>,
    eigen: &mut Eigen<T, N>,
    exponential: &mut SMatrix<T, N, N>,
) -> Result<Convergence, MatrixError> {
    let convergence = eigen.decompose(matrix)?;
    let mut factors = [T::ZERO; N];
    let mut sum = T::ZERO;
    for (factor, &value) in factors.iter_mut().zip(eigen.values().iter()) {
        *factor = value.exp();
        sum += *factor;
    }
    // No entry of the result is larger than this sum.
    if !sum.is_finite() {
        return Err(MatrixError::Overflow);
    }
    compose(&factors, eigen.vectors(), exponential);
    Ok(convergence)
}

/// Writes ln(A) of the symmetric positive definite matrix whose upper triangle is that of `matrix`.
///
/// `eigen` then holds the decomposition. An eigenvalue below about ε times the largest can come out as zero or
/// negative: such a matrix is refused.
///
/// ```
/// use eigenstream::{MatrixError, nalgebra::SMatrix, spectrum::{Eigen, matrix_exp, matrix_log}};
///
/// let matrix = SMatrix::<f64, 2, 2>::new(2.0, 1.0, 1.0, 2.0);
/// let (mut eigen, mut logarithm, mut again) = (Eigen::new(), SMatrix::zeros(), SMatrix::zeros());
/// let _ = matrix_log(&matrix, &mut eigen, &mut logarithm)?;
/// let _ = matrix_exp(&logarithm, &mut eigen, &mut again)?;
/// assert!((again - matrix).abs().max() < 1e-14);
///
/// let refused = matrix_log(&SMatrix::zeros(), &mut eigen, &mut logarithm);
/// assert_eq!(refused, Err(MatrixError::NotPositiveDefinite));
/// # Ok::<(), MatrixError>(())
/// ```
///
/// # Errors
/// [`MatrixError::NotANumber`] for an entry that is not finite. [`MatrixError::Overflow`] if the largest eigenvalue is
/// [`Scalar::MAX`] or more. [`MatrixError::NotPositiveDefinite`] if one is not positive. In all cases `logarithm` does not
/// change.
pub fn matrix_log<T: Scalar, const N: usize>(
    matrix: &SMatrix<T, N, N>,
    eigen: &mut Eigen<T, N>,
    logarithm: &mut SMatrix<T, N, N>,
) -> Result<Convergence, MatrixError> {
    let convergence = eigen.decompose(matrix)?;
    let mut factors = [T::ZERO; N];
    for (factor, &value) in factors.iter_mut().zip(eigen.values().iter()) {
        if value <= T::ZERO {
            return Err(MatrixError::NotPositiveDefinite);
        }
        if value >= T::MAX {
            return Err(MatrixError::Overflow);
        }
        *factor = value.ln();
    }
    compose(&factors, eigen.vectors(), logarithm);
    Ok(convergence)
}

/// Writes Σ fⱼ vⱼvⱼᵀ to both triangles of `matrix`.
pub(crate) fn compose<T: Scalar, const N: usize>(
    factors: &[T; N],
    vectors: &SMatrix<T, N, N>,
    matrix: &mut SMatrix<T, N, N>,
) {
    clear(matrix);
    for (&factor, vector) in factors.iter().zip(&vectors.data.0) {
        // In the matrices of the learners many factors are zero.
        if factor != T::ZERO {
            add_outer(matrix, factor, vector);
        }
    }
    mirror(matrix);
}

#[cfg(test)]
mod tests;
