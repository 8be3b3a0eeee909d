//! The eigenvalues and chosen eigenvectors of a matrix that may be spoilt: the work of `PartialEigen` in borrowed room.
//! In: the upper triangle of a symmetric matrix, scaled so that its norm is near one. Out: its eigenvalues, descending, and
//! any of its eigenvectors; the triangle then holds the reflectors.
//! Method and cost: as `PartialEigen`. Scratch: 9·N numbers.

use super::inverse_iteration::{Solver, eigenvector};
use super::ql::eigenvalues;
use super::selected::{point_up, sort_descending};
use super::sturm::Bracket;
use super::tridiagonal::{Tridiagonal, reduce, restore};
use crate::Scalar;
use crate::spectrum::Convergence;
use crate::spectrum::orthogonality::orthonormalize_columns;

/// A symmetric matrix, reduced to three diagonals.
pub(crate) struct Reduced<T, const N: usize> {
    tridiagonal: Tridiagonal<T, N>,
    /// A bound on ‖T‖.
    norm: T,
}

impl<T: Scalar, const N: usize> Reduced<T, N> {
    /// Reduces the matrix whose upper triangle is that of `columns`; the rest is neither read nor written.
    // Apart, as is `reduced_vectors`: what one needs for scratch the other does.
    #[inline(never)]
    pub(crate) fn of(columns: &mut [[T; N]; N]) -> Self {
        let mut reduced = Self {
            tridiagonal: Tridiagonal {
                diagonal: [T::ZERO; N],
                coupling: [T::ZERO; N],
            },
            norm: T::ZERO,
        };
        reduce(columns, &mut reduced.tridiagonal);
        reduced.norm = reduced.tridiagonal.drop_negligible();
        reduced
    }

    /// Writes all eigenvalues, descending.
    pub(crate) fn values(&self, values: &mut [T; N]) -> Convergence {
        let convergence = eigenvalues(&self.tridiagonal, T::EPSILON * self.norm, values);
        sort_descending(values);
        convergence
    }

    /// How many eigenvalues lie above x.
    pub(crate) fn count_above(&self, x: T) -> usize {
        self.tridiagonal.count_above(x, self.norm)
    }

    /// Replaces guesses of the largest eigenvalues, descending, by the values themselves. Good guesses make it quick.
    pub(crate) fn leading(&self, values: &mut [T]) {
        let mut bracket = Bracket::new(self.norm);
        let mut above = T::INFINITY;
        for position in 0..values.len() {
            let Some([guess, rest @ ..]) = values.get_mut(position..) else {
                break;
            };
            // Where no next guess is known, the next value may be anywhere below.
            let next = rest.first().map_or(T::from_f64(0.75) * *guess, |next| *next);
            let separator = T::HALF * (*guess + next);
            let found = self
                .tridiagonal
                .value_at(position, *guess, separator, self.norm, &mut bracket);
            // Two that are equal to rounding may be found in either order.
            *guess = found.min(above);
            above = *guess;
        }
    }

    /// Writes an orthonormal eigenvector for each of these eigenvalues, given the columns that [`of`](Self::of) left.
    pub(crate) fn vectors(&self, columns: &[[T; N]; N], values: &[T], vectors: &mut [[T; N]]) -> Convergence {
        let count = values.len().min(vectors.len());
        let Some(vectors) = vectors.get_mut(..count) else {
            return Convergence::Reached;
        };
        let convergence = self.reduced_vectors(values, vectors);
        if convergence == Convergence::BoundHit {
            orthonormalize_columns(vectors);
        }
        restore(columns, vectors);
        for vector in vectors {
            point_up(vector);
        }
        convergence
    }

    /// The same for T.
    #[inline(never)]
    fn reduced_vectors(&self, values: &[T], vectors: &mut [[T; N]]) -> Convergence {
        let mut solver = Solver::new();
        let mut convergence = Convergence::Reached;
        for (count, &value) in values.iter().enumerate() {
            let Some(vectors) = vectors.get_mut(..=count) else {
                break;
            };
            let found = values.iter().copied();
            let outcome = eigenvector(&self.tridiagonal, self.norm, value, found, &mut solver, vectors);
            convergence = convergence.and(outcome);
        }
        convergence
    }
}
