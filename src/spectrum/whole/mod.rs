//! Eigendecomposition of a whole symmetric matrix, without a guess from an earlier step.
//! In: a symmetric matrix; if only the leading eigenvalues are wanted, also guesses of these eigenvalues, but not of
//! eigenvectors. Out: all eigenvalues or the leading ones, and the eigenvectors that the caller chooses.
//! Method: Householder's tridiagonal form (`tridiagonal`); implicit QL for all eigenvalues (`ql`), or bisection and Newton's
//! method for the leading ones (`sturm`); inverse iteration for the eigenvectors (`inverse_iteration`). [`PartialEigen`] and
//! [`Eigen`] compute all eigenvalues; [`Reduced`] can also compute only the leading ones.

pub(crate) mod full;
pub(super) mod inverse_iteration;
pub(super) mod ql;
pub(super) mod selected;
mod sturm;
pub(super) mod tridiagonal;

pub use full::Eigen;
pub use selected::PartialEigen;
pub(crate) use selected::Reduced;
