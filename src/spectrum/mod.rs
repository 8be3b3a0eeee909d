//! Eigenvalues and eigenvectors of small symmetric matrices, up to about 64 rows. A learner needs them many times a second.
//!
//! [`PartialEigen`] reduces a matrix to three diagonals, computes all eigenvalues, and then only the eigenvectors that the caller
//! chooses. [`Eigen`] computes all eigenvectors. [`RankOne`] updates known eigenpairs after one more sample. `warm` computes the
//! leading eigenvectors from those of the step before. [`Svd`] computes the singular values and vectors of a rectangular matrix.
//! [`Cholesky`] solves linear equations. [`orthonormalize`] makes columns orthonormal. [`matrix_exp`] and [`matrix_log`] replace
//! each eigenvalue λ by exp(λ) or ln(λ) and keep the eigenvectors.
//!
//! In: the upper triangle of a symmetric matrix of N rows, or a diagonal and a sample. Out: eigenvalues, descending, and
//! orthonormal eigenvectors.
//! Method: Householder's reduction, QL on the squares of the off-diagonal entries, inverse iteration; Gu and Eisenstat's secular
//! equation for an update.
//! Cost: (2/3)·N³ multiply-adds and about 11·N² operations for the values, N² multiply-adds and about 45·N operations more for
//! each vector. All values and all vectors: (5/3)·N³ multiply-adds and about 56·N² operations. If two eigenvalues of a matrix A
//! differ by at most ‖A‖/8, projections make their vectors orthogonal. If this holds for every two eigenvalues of A, the
//! projections need 2·N³ multiply-adds or more in addition. An update of a diagonal of r entries: about 60·r² operations.
//! Kept: N² + 4·N + 1 numbers by [`PartialEigen`], 2·N² + 4·N + 1 by [`Eigen`], N² + N by [`RankOne`].
//!
//! After every eigendecomposition without an error, the values are finite and, up to rounding, descending. The vectors are
//! orthonormal up to rounding. Every loop has a bound, and [`Convergence`] says whether a bound was hit. Tests check [`Eigen`]
//! also with matrices multiplied by 2⁻⁹⁰ and 2⁹⁰ in `f32`. Symmetric matrices are read from their upper triangle and are passed
//! by reference.

mod cholesky;
pub(crate) mod compensated;
pub(crate) mod complement;
pub(crate) mod few;
pub(crate) mod functions;
pub(crate) mod orthogonality;
pub(crate) mod rank_one;
mod refine;
mod svd;
pub(crate) mod symmetric;
pub(crate) mod vector;
pub(crate) mod warm;
pub(crate) mod whole;

pub use cholesky::Cholesky;
pub use functions::{matrix_exp, matrix_log};
pub(crate) use orthogonality::{check_orthonormal, tidy};
pub use orthogonality::{orthogonality_error, orthonormalize};
pub use rank_one::RankOne;
pub(crate) use refine::{refine, refine_each};
pub use svd::Svd;
pub(crate) use warm::{Change, Lanczos, RankOneTracker};
pub(crate) use whole::full::every_position;
pub use whole::{Eigen, PartialEigen};

/// The largest number of leading eigenvectors that `warm` computes from those of the step before.
pub(crate) const MOST: usize = 6;

/// Whether an iteration reached rounding accuracy or stopped at its bound.
///
/// In `tests/convergence` [`Eigen`] hits no bound. The matrices there have 2 to 64 rows: reflections, projections, matrices with
/// clusters (nearly equal eigenvalues), tridiagonal matrices with tiny off-diagonal entries, Wilkinson's and Kahan's matrices. If
/// a bound is hit, the values are still finite and the vectors still orthonormal.
///
/// ```
/// use eigenstream::{nalgebra::SMatrix, spectrum::{Convergence, Eigen}};
/// let mut eigen = Eigen::<f32, 3>::new();
/// assert_eq!(eigen.decompose(&SMatrix::zeros()), Ok(Convergence::Reached));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
pub enum Convergence {
    /// Accurate to rounding: for a symmetric A of N rows, ‖A·v − λ·v‖ of an eigenpair (λ, v) is at most a small multiple of
    /// N·ε·‖A‖, if λ neither overflows nor underflows.
    Reached,
    /// A bound on the number of passes was hit. The values are finite and the vectors orthonormal, but less accurate.
    BoundHit,
}

impl Convergence {
    /// Returns [`Convergence::Reached`] if both are `Reached`, otherwise [`Convergence::BoundHit`].
    pub fn and(self, other: Self) -> Self {
        if self == Self::Reached { other } else { self }
    }

    /// Returns `BoundHit`. With the feature `defmt`, on a chip, also writes a line to the log.
    #[cold]
    pub(crate) fn bound_hit() -> Self {
        crate::logging::bound_hit();
        Self::BoundHit
    }
}
