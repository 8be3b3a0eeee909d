//! Eigenvalues and eigenvectors of small symmetric matrices, up to about 64 rows, many times a second.
//!
//! Words and symbols of this room:
//! - **A**: a symmetric matrix of `N` rows, read from its upper triangle. **λ, v**: an eigenvalue and its eigenvector
//!   of length one. **ε**: the machine epsilon, the distance from one to the next larger number.
//! - **T**: in comments, a tridiagonal matrix, usually with the eigenvalues of A (in code, the type of the numbers);
//!   **coupling**: its off-diagonal entries; **norm**: a bound on ‖T‖. **tr**: the trace.
//! - **Cluster**: nearly equal eigenvalues. **Shift**: the number subtracted from a diagonal. **Residual**: ‖(T −
//!   λI)·x‖.
//! - **D + ρ·z·zᵀ**: a diagonal matrix D after one more sample z of weight ρ. **Pole**: an entry of D. **Secular
//!   equation**: the equation for the eigenvalues of D + ρ·z·zᵀ. **Deflation**: removing a known eigenpair, so that a
//!   smaller problem remains.
//! - **σ, u, v**: a singular value with its left and right vector.
//!
//! [`PartialEigen`] computes all eigenvalues and chosen eigenvectors, [`Eigen`] all eigenvectors. [`RankOne`] updates
//! known eigenpairs after one more sample, and `warm` starts from the eigenpairs of the step before. [`Svd`] decomposes
//! a rectangular matrix, [`Cholesky`] solves linear equations, [`orthonormalize`] makes columns orthonormal, and
//! [`matrix_exp`] and [`matrix_log`] replace each λ by exp(λ) or ln(λ).
//!
//! Cost: (2/3)·N³ multiply-adds and at most about 14·N² operations for all values, N² for each vector; (5/3)·N³ for all
//! vectors, and more if values are close. A [`RankOne`] update of r entries takes about 40·r² operations.
//!
//! Every loop has a bound, and the [`Convergence`] of a public decomposition says whether a bound was hit. Without an
//! error the values are finite and descending, and the vectors orthonormal up to rounding.

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
pub(crate) use whole::every_position;
pub use whole::{Eigen, PartialEigen};

/// The largest number of leading eigenvectors that `warm` computes.
pub(crate) const MOST: usize = 6;

/// Whether an iteration reached rounding accuracy or stopped at its bound.
///
/// In the tests, reflections, projections, matrices with clusters, and Wilkinson's and Kahan's matrices, of up to 64
/// rows, hit no bound.
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
    /// The result is accurate to rounding: ‖A·v − λ·v‖ is at most a small multiple of N·ε·‖A‖.
    Reached,
    /// A bound was hit: the values are finite and the vectors orthonormal, but they can be less accurate.
    BoundHit,
}

impl Convergence {
    /// Returns [`Convergence::Reached`] if both outcomes are `Reached`, otherwise [`Convergence::BoundHit`].
    pub fn and(self, other: Self) -> Self {
        if self == Self::Reached { other } else { self }
    }

    /// Returns `BoundHit`; with the feature `defmt`, on a chip, also writes a line to the log.
    #[cold]
    pub(crate) fn bound_hit() -> Self {
        crate::logging::bound_hit();
        Self::BoundHit
    }
}
