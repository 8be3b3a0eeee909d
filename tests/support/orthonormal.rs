//! Whether the directions of a learner are orthonormal, for the tests of all that have some.

use eigenstream::Scalar;
use eigenstream::nalgebra::SMatrix;
use eigenstream::spectrum::orthogonality_error;

/// What a learner in `f32` promises, 1e-5, in units of ε.
pub(crate) const PROMISED: f64 = 84.0;

/// |VᵀV − I| of the directions that a learner knows, in units of ε; columns of zeros it does not know yet.
pub(crate) fn known_error<T: Scalar, const DIM: usize, const KEEP: usize>(components: &SMatrix<T, DIM, KEEP>) -> f64 {
    let known = components
        .column_iter()
        .filter(|column| column.iter().any(|&entry| entry != T::ZERO))
        .count();
    orthogonality_error(components, known).to_f64() / T::EPSILON.to_f64()
}
