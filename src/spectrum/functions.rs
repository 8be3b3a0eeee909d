//! The exponential and the logarithm of a symmetric matrix.
//! Method: Σ f(λ)·v·vᵀ over the eigenpairs, with f = exp or ln; the upper triangle is mirrored, so the result is
//! symmetric to the last bit.
//! Cost: one [`Eigen`] decomposition, N³/2 multiply-adds and N `exp` or `ln`. Scratch: N numbers and that of [`Eigen`].

use super::symmetric::{add_outer, clear, mirror};
use super::{Convergence, Eigen};
use crate::error::MatrixError;
use crate::scalar::Scalar;
use nalgebra::SMatrix;

/// Writes exp(A) of the symmetric matrix whose upper triangle is that of `matrix`.
///
/// `eigen` then holds the decomposition. The relative error of each exp(λ) is at most about N·ε·(1 + ‖A‖).
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
/// `eigen` then holds the decomposition. An eigenvalue below about N·ε times the largest can come out as zero or
/// negative: then the matrix is refused.
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
/// [`Scalar::MAX`] or more. [`MatrixError::NotPositiveDefinite`] if an eigenvalue is not positive. In all cases
/// `logarithm` does not change.
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

/// Writes Σ factorⱼ·vⱼ·vⱼᵀ, with the columns vⱼ of `vectors`, to both triangles of `matrix`.
pub(crate) fn compose<T: Scalar, const N: usize>(
    factors: &[T; N],
    vectors: &SMatrix<T, N, N>,
    matrix: &mut SMatrix<T, N, N>,
) {
    clear(matrix);
    for (&factor, vector) in factors.iter().zip(&vectors.data.0) {
        if factor != T::ZERO {
            add_outer(matrix, factor, vector);
        }
    }
    mirror(matrix);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectrum::symmetric::quadratic_form;
    use nalgebra::SVector;

    /// A diagonal matrix with these values, rotated in the plane of the first two axes by the angle with cosine 3/5.
    fn rotated(values: [f64; 3]) -> SMatrix<f64, 3, 3> {
        let turn = SMatrix::<f64, 3, 3>::new(0.6, -0.8, 0.0, 0.8, 0.6, 0.0, 0.0, 0.0, 1.0);
        turn * SMatrix::from_diagonal(&SVector::from(values)) * turn.transpose()
    }

    fn exp(matrix: &SMatrix<f64, 3, 3>) -> SMatrix<f64, 3, 3> {
        let mut exponential = SMatrix::zeros();
        assert!(matrix_exp(matrix, &mut Eigen::new(), &mut exponential).is_ok());
        assert_eq!(exponential, exponential.transpose());
        exponential
    }

    fn log(matrix: &SMatrix<f64, 3, 3>) -> SMatrix<f64, 3, 3> {
        let mut logarithm = SMatrix::zeros();
        assert!(matrix_log(matrix, &mut Eigen::new(), &mut logarithm).is_ok());
        assert_eq!(logarithm, logarithm.transpose());
        logarithm
    }

    #[test]
    fn the_exponential_of_nothing_is_the_identity() {
        assert!((exp(&SMatrix::zeros()) - SMatrix::<f64, 3, 3>::identity()).abs().max() <= 4.0 * f64::EPSILON);
        assert!(log(&SMatrix::identity()).abs().max() <= 4.0 * f64::EPSILON);
    }

    #[test]
    fn only_the_eigenvalues_change() {
        let wanted = rotated([1.0_f64.exp(), (-2.0_f64).exp(), 0.5_f64.exp()]);
        let found = exp(&rotated([1.0, -2.0, 0.5]));
        assert!((found - wanted).abs().max() < 1e-14);
    }

    #[test]
    fn commuting_matrices_add_in_the_exponent() {
        let (left, right) = (rotated([0.3, -1.0, 0.7]), rotated([-0.4, 0.2, 1.1]));
        let product = exp(&left) * exp(&right);
        assert!((exp(&(left + right)) - product).abs().max() < 1e-14);
    }

    #[test]
    fn logarithm_and_exponential_undo_each_other_at_every_scale() {
        for scale in [1e-300, 1e-20, 1.0, 1e20, 1e300] {
            let matrix = rotated([2.0, 0.5, 1e-3]) * scale;
            // The eigenvalues of the logarithm have magnitudes up to about 700: the relative error of the exponential
            // is about 700·ε.
            let error = (exp(&log(&matrix)) - matrix).abs().max() / scale;
            assert!(error < 1e-12, "{error} at {scale}");
        }
    }

    #[test]
    fn what_has_no_answer_is_refused_and_the_result_stays() {
        let mut untouched = SMatrix::<f32, 2, 2>::identity();
        let mut eigen = Eigen::new();
        let huge = SMatrix::<f32, 2, 2>::repeat(60.0); // eigenvalue 120: its exponential overflows
        let large = SMatrix::<f32, 2, 2>::from_diagonal_element(88.5); // two exponentials of 2.7e38: their sum overflows
        let indefinite = SMatrix::<f32, 2, 2>::new(1.0, 2.0, 2.0, 1.0);
        let broken = SMatrix::<f32, 2, 2>::new(1.0, f32::NAN, 0.0, 1.0);
        for beyond in [huge, large] {
            let refused = matrix_exp(&beyond, &mut eigen, &mut untouched);
            assert_eq!(refused, Err(MatrixError::Overflow));
        }
        assert_eq!(
            matrix_log(&indefinite, &mut eigen, &mut untouched),
            Err(MatrixError::NotPositiveDefinite)
        );
        let not_a_number = Err(MatrixError::NotANumber { row: 0, column: 1 });
        assert_eq!(matrix_exp(&broken, &mut eigen, &mut untouched), not_a_number);
        assert_eq!(matrix_log(&broken, &mut eigen, &mut untouched), not_a_number);
        assert_eq!(
            matrix_log(&SMatrix::<f32, 2, 2>::repeat(f32::MAX), &mut eigen, &mut untouched),
            // One eigenvalue is larger than `f32::MAX`, the other is zero. The larger eigenvalue is tested first.
            Err(MatrixError::Overflow)
        );
        assert_eq!(untouched, SMatrix::<f32, 2, 2>::identity());
    }

    #[test]
    fn a_quadratic_form_reads_the_upper_triangle_only() {
        let matrix = SMatrix::<f32, 2, 2>::new(1.0, 2.0, f32::NAN, 4.0);
        // The result is 1·9 + 2·2·3·5 + 4·25.
        assert_eq!(quadratic_form(&matrix, &[3.0, 5.0]), 169.0);
    }
}
