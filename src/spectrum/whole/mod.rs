//! A whole symmetric matrix, decomposed from nothing.
//! In: a symmetric matrix. Out: its eigenvalues, all of them or the leading ones, and the eigenvectors that are asked for.
//! Method: Householder's tridiagonal form (`tridiagonal`), implicit QL for all eigenvalues (`ql`), bisection for the leading ones
//! (`sturm`), inverse iteration for their eigenvectors (`inverse_iteration`). [`PartialEigen`] and [`Eigen`] join them.

pub(crate) mod full;
pub(super) mod inverse_iteration;
pub(super) mod ql;
pub(super) mod selected;
mod sturm;
pub(super) mod tridiagonal;

pub use full::Eigen;
pub use selected::PartialEigen;
pub(crate) use selected::Reduced;
