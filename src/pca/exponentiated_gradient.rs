//! The matrix exponentiated gradient as printed: [WK08] Algorithm 5, [KW07] Algorithm 3.
//! In: a density matrix W, an instance S (x xᵀ for a sample), η. Out: the next density matrix.
//! Method: log W − ηS → exp → trace one → eigenvalues capped at 1/(DIM − KEEP). For comparison only: small eigenvalues
//! of W are lost to rounding, and a zero has no logarithm. [`DensityPca`](super::DensityPca) works on the logarithm and
//! stays accurate.
//! Cost: two eigendecompositions and DIM³ multiply-adds.

use super::checks::check_entries;
use crate::spectrum::functions::compose;
use crate::spectrum::{Convergence, Eigen, matrix_log};
use crate::weights::cap;
use crate::{MatrixError, Scalar};
use nalgebra::SMatrix;

/// Writes to `next` the density matrix that follows `density` after one step with `instance`.
///
/// Only upper triangles are read. The eigenvalues are capped at 1/(DIM − KEEP). With KEEP = DIM − 1 the cap has no
/// effect: this is the plain exponentiated gradient, which minimises variance.
///
/// ```
/// use eigenstream::{nalgebra::SMatrix, pca::exponentiated_gradient, spectrum::Eigen};
///
/// let start = SMatrix::<f64, 2, 2>::identity() * 0.5;
/// let seen = SMatrix::<f64, 2, 2>::new(1.0, 0.0, 0.0, 0.0);
/// let mut next = SMatrix::zeros();
/// let _ = exponentiated_gradient::<_, 2, 1>(&start, &seen, 1.0, &mut Eigen::new(), &mut next)?;
/// // The weights of the two axes now have the ratio 1/e : 1.
/// assert!((next[(0, 0)] - 0.268_941_421_369_995).abs() < 1e-14);
/// assert!((next[(1, 1)] - 0.731_058_578_630_005).abs() < 1e-14);
/// # Ok::<(), eigenstream::MatrixError>(())
/// ```
///
/// KEEP ≥ DIM does not compile:
/// ```compile_fail,E0080
/// use eigenstream::{nalgebra::SMatrix, pca::exponentiated_gradient, spectrum::Eigen};
/// let (w, mut next) = (SMatrix::<f64, 2, 2>::identity(), SMatrix::zeros());
/// let _ = exponentiated_gradient::<_, 2, 2>(&w, &w, 1.0, &mut Eigen::new(), &mut next);
/// ```
///
/// # Errors
/// [`MatrixError::NotANumber`] for an entry that is not finite, [`MatrixError::NotPositiveDefinite`] for an eigenvalue
/// of `density` that is not positive, [`MatrixError::Overflow`] if an entry or eigenvalue overflows or `learning_rate`
/// is not finite. The content of `next` is then meaningless.
pub fn exponentiated_gradient<T: Scalar, const DIM: usize, const KEEP: usize>(
    density: &SMatrix<T, DIM, DIM>,
    instance: &SMatrix<T, DIM, DIM>,
    learning_rate: T,
    eigen: &mut Eigen<T, DIM>,
    next: &mut SMatrix<T, DIM, DIM>,
) -> Result<Convergence, MatrixError> {
    const { assert!(KEEP < DIM, "at least one direction has to be dropped: KEEP < DIM") };
    let of_logarithm = matrix_log(density, eigen, next)?;
    for (column, (entries, seen)) in next.data.0.iter_mut().zip(&instance.data.0).enumerate() {
        check_entries(seen.iter().take(column + 1), column, T::MAX)?;
        for (entry, &seen) in entries.iter_mut().zip(seen).take(column + 1) {
            *entry -= learning_rate * seen;
        }
    }
    let of_exponential = eigen.decompose(next).map_err(|_| MatrixError::Overflow)?;
    // `decompose` replaces an eigenvalue that overflows by ±`MAX`.
    if eigen.values().iter().any(|value| value.abs() >= T::MAX) {
        return Err(MatrixError::Overflow);
    }

    // The largest eigenvalue is subtracted so that no exponential overflows; `cap` scales the sum to one.
    let largest = eigen.values()[0];
    let mut weights = [T::ZERO; DIM];
    for (weight, &value) in weights.iter_mut().zip(eigen.values().iter()) {
        *weight = (value - largest).exp();
    }
    // The first weight is one, so `cap` returns no error.
    cap(&mut weights, DIM - KEEP).map_err(|_| MatrixError::Overflow)?;
    compose(&weights, eigen.vectors(), next);
    Ok(of_logarithm.and(of_exponential))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_eigenvalue_above_the_cap_is_brought_down_to_it() {
        // After the first step the weights are 1/e, 1 and 1, each divided by 2.37, all below the cap of one half. Later
        // the two largest approach the cap from below.
        let mut eigen = Eigen::<f64, 3>::new();
        let mut seen = SMatrix::<f64, 3, 3>::zeros();
        seen[(0, 0)] = 1.0;
        let (mut density, mut next) = (SMatrix::<f64, 3, 3>::identity() / 3.0, SMatrix::zeros());
        for _ in 0..5 {
            assert!(exponentiated_gradient::<_, 3, 1>(&density, &seen, 1.0, &mut eigen, &mut next).is_ok());
            density = next;
        }
        let wanted = (-5.0_f64).exp() / (2.0 + (-5.0_f64).exp());
        assert!((density[(0, 0)] - wanted).abs() < 1e-14);

        // The third weight, 1/(1 + 1/e + exp(−5)) = 0.73, is capped at one half; the others share the rest in the ratio
        // exp(−5) to 1/e.
        seen = SMatrix::zeros();
        seen[(1, 1)] = 1.0;
        assert!(exponentiated_gradient::<_, 3, 1>(&density, &seen, 1.0, &mut eigen, &mut next).is_ok());
        let shared = 0.5 / ((-5.0_f64).exp() + (-1.0_f64).exp());
        assert!((next[(2, 2)] - 0.5).abs() < 1e-14);
        assert!((next[(1, 1)] - shared * (-1.0_f64).exp()).abs() < 1e-14);
    }

    #[test]
    fn what_all_directions_have_in_common_changes_nothing() {
        // The step multiplies all eigenvalues by exp(−200), which is zero in `f32`; then `cap` scales their sum to one.
        let density = SMatrix::<f32, 3, 3>::identity() / 3.0;
        let mut next = SMatrix::zeros();
        let seen = SMatrix::identity();
        assert!(exponentiated_gradient::<_, 3, 2>(&density, &seen, 200.0, &mut Eigen::new(), &mut next).is_ok());
        assert!((next - density).abs().max() < 1e-6);
    }

    #[test]
    fn what_cannot_be_computed_is_refused() {
        let mut eigen = Eigen::<f32, 2>::new();
        let density = SMatrix::<f32, 2, 2>::identity() / 2.0;
        let mut next = SMatrix::zeros();
        let mut step = |density: &SMatrix<f32, 2, 2>, instance: &SMatrix<f32, 2, 2>| {
            exponentiated_gradient::<_, 2, 1>(density, instance, 4.0, &mut eigen, &mut next)
        };
        assert_eq!(step(&SMatrix::zeros(), &density), Err(MatrixError::NotPositiveDefinite));
        let broken = SMatrix::<f32, 2, 2>::new(1.0, 0.0, 0.0, f32::NAN);
        assert_eq!(
            step(&density, &broken),
            Err(MatrixError::NotANumber { row: 1, column: 1 })
        );
        assert_eq!(step(&density, &SMatrix::repeat(f32::MAX)), Err(MatrixError::Overflow));
        assert_eq!(
            step(&density, &SMatrix::repeat(-f32::MAX / 5.0)),
            Err(MatrixError::Overflow)
        );
    }
}
