//! The exponential and the logarithm of a symmetric matrix.
//! In: a symmetric matrix. Out: the symmetric matrix with the same eigenvectors and exp or ln of the eigenvalues.
//! Method: f(A) = Σ f(λⱼ) vⱼvⱼᵀ over the eigenpairs (λⱼ, vⱼ) of A. The upper triangle is summed and then mirrored, so that the
//! result is symmetric to the last bit.
//! Cost: one [`Eigen`] decomposition, N³/2 multiply-adds and N `exp` or `ln`. Scratch: N numbers and the scratch of [`Eigen`].
//! The caller provides the memory of the matrices.

use super::symmetric::{add_outer, clear, mirror};
use super::{Convergence, Eigen};
use crate::{MatrixError, Scalar};
use nalgebra::SMatrix;

/// Writes exp(A) of the symmetric matrix A whose upper triangle is that of `matrix`. `eigen` then holds the decomposition of A.
///
/// The eigenvalues λ of A have an error of about ε‖A‖. So each computed exp(λ) has a relative error of about ε·(1 + ‖A‖).
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
/// [`MatrixError::NotANumber`] for an entry of the upper triangle that is not finite. [`MatrixError::Overflow`] if the sum of
/// exp(λ) over all eigenvalues λ is not finite. In both cases `exponential` does not change.
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
    // No entry of Σ fⱼ vⱼvⱼᵀ is larger than `sum` = Σ fⱼ; f are the `factors`, v the eigenvectors.
    if !sum.is_finite() {
        return Err(MatrixError::Overflow);
    }
    compose(&factors, eigen.vectors(), exponential);
    Ok(convergence)
}

/// Writes ln(A) of the symmetric positive definite matrix A whose upper triangle is that of `matrix`. `eigen` then holds the
/// decomposition of A.
///
/// The error of each eigenvalue is about ε times the largest eigenvalue. Rounding can make an eigenvalue that is smaller than
/// this error zero or negative. `matrix_log` refuses such a matrix.
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
/// [`MatrixError::NotANumber`] for an entry of the upper triangle that is not finite. [`MatrixError::Overflow`] if the largest
/// eigenvalue is [`Scalar::MAX`] or more, otherwise [`MatrixError::NotPositiveDefinite`] if an eigenvalue is not positive. In all
/// cases `logarithm` does not change.
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

/// Writes Σ fⱼ vⱼvⱼᵀ to both triangles of `matrix`; f are the `factors`, v the `vectors`.
pub(crate) fn compose<T: Scalar, const N: usize>(
    factors: &[T; N],
    vectors: &SMatrix<T, N, N>,
    matrix: &mut SMatrix<T, N, N>,
) {
    clear(matrix);
    for (&factor, vector) in factors.iter().zip(&vectors.data.0) {
        // In the matrices of the learners many factors can be zero: skip them.
        if factor != T::ZERO {
            add_outer(matrix, factor, vector);
        }
    }
    mirror(matrix);
}

#[cfg(test)]
mod tests;
