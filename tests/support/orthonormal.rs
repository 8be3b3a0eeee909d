//! How far the directions of a learner are from orthonormal.

use core::fmt;

use eigenstream::Scalar;
use eigenstream::nalgebra::SMatrix;
use eigenstream::spectrum::orthogonality_error;

/// The documented limit 1e-5 for `f32`, in units of the machine epsilon ε.
pub(crate) const PROMISED: f64 = 84.0;

/// The largest entry of |VᵀV − I| for the directions V, in units of ε; a column of zeros is a direction not known yet.
pub(crate) fn known_error<T: Scalar, const DIM: usize, const KEEP: usize>(components: &SMatrix<T, DIM, KEEP>) -> f64 {
    let known = components
        .column_iter()
        .filter(|column| column.iter().any(|&entry| entry != T::ZERO))
        .count();
    orthogonality_error(components, known).to_f64() / T::EPSILON.to_f64()
}

#[track_caller]
pub(crate) fn assert_orthonormal<T: Scalar, const DIM: usize, const KEEP: usize>(
    components: &SMatrix<T, DIM, KEEP>,
    place: fmt::Arguments<'_>,
) {
    let error = known_error(components);
    assert!(error <= PROMISED, "{place}: orthogonality error {error} ε");
}
