//! Small symmetric matrices, up to some 64 rows, of which a learner needs the eigenvalues many times a second.
//!
//! The way of a matrix: reduce it to three diagonals, read off the eigenvalues, then compute only the eigenvectors that
//! somebody asks for ([`PartialEigen`]; [`Eigen`] asks for all). A spectrum that is known already and meets one more sample
//! is updated rather than computed anew ([`RankOne`]), or its leading vectors are found from the last ones (`warm`).
//! A matrix between two groups of channels has singular values ([`Svd`]). Linear equations take a [`Cholesky`] factor. [`orthonormalize`] keeps directions orthonormal. Exponential and logarithm
//! change the values and leave the vectors ([`matrix_exp`], [`matrix_log`]).
//!
//! In: the upper triangle of a symmetric matrix of N rows, or a diagonal and a sample. Out: eigenvalues, descending, and orthonormal
//! eigenvectors. Method: Householder's reduction, QL without square roots, inverse iteration; Gu and Eisenstat's secular equation
//! for an update. Cost: (2/3)·N³ multiply-adds for the values and about N² + 45·N operations for each vector, (5/3)·N³ and 45·N² for
//! all; an update of r entries about 60·r². Kept: N² + 4·N + 1 numbers by [`PartialEigen`], 2·N² + 4·N + 1 by [`Eigen`], N² + N by
//! [`RankOne`].
//!
//! Three invariants hold for every input, checked by tests at scales from 2⁻⁹⁰ to 2⁹⁰ in `f32`:
//! values come out finite and descending; vectors come out orthonormal; every loop has a bound, and an answer that hit one
//! says so ([`Convergence`]). Matrices are read from their upper triangle and never copied by value.

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
pub(crate) use orthogonality::{check_orthonormal, take_out, tidy, tidy_column};
pub use orthogonality::{orthogonality_error, orthonormalize};
pub use rank_one::RankOne;
pub(crate) use refine::{refine, refine_each};
pub use svd::Svd;
pub(crate) use warm::{Change, Lanczos, RankOneTracker};
pub(crate) use whole::full::every_position;
pub use whole::{Eigen, PartialEigen};

/// Eigenvectors that are followed from where they were, at most.
pub(crate) const MOST: usize = 6;

/// Whether an iteration reached rounding accuracy or stopped at its bound.
///
/// Reflections, projections, clusters, tridiagonal matrices with tiny couplings, Wilkinson's and Kahan's matrices with 2 to 64
/// rows hit no bound (`tests/convergence`). If a matrix does, the answer is still finite and orthonormal.
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
    /// Accurate to rounding: ‖A·v − λ·v‖ of a pair is a small multiple of N·ε·‖A‖ for a matrix A of N rows.
    Reached,
    /// A bound on the number of passes was hit: finite and orthonormal, but less accurate.
    BoundHit,
}

impl Convergence {
    /// Reached, if both were.
    pub fn and(self, other: Self) -> Self {
        if self == Self::Reached { other } else { self }
    }

    /// The bad news, which is worth a line in the log.
    #[cold]
    pub(crate) fn bound_hit() -> Self {
        crate::logging::bound_hit();
        Self::BoundHit
    }
}
