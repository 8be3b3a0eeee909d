//! Eigendecomposition of a whole symmetric matrix, without vectors of an earlier step.
//! Method: Householder's tridiagonal form (`tridiagonal`); QL for all eigenvalues (`ql`), or bisection and Newton's
//! method for the leading ones (`sturm`); inverse iteration for chosen eigenvectors (`inverse_iteration`).

pub(super) mod inverse_iteration;
pub(super) mod ql;
pub(super) mod selected;
mod sturm;
pub(super) mod tridiagonal;

pub use selected::{Eigen, PartialEigen};
pub(crate) use selected::{Reduced, every_position};
