//! All eigenvalues of a symmetric matrix A, and the eigenvectors that the caller chooses.
//! In: a symmetric matrix. Out: its eigenvalues, descending, then any number of its eigenvectors.
//! Method: Householder reduction to a tridiagonal matrix T; the eigenvalues of T by QL on the squares of the off-diagonal
//! entries; each chosen eigenvector by inverse iteration, made orthogonal by projection if eigenvalues are close.
//! Cost: (2/3)·N³ multiply-adds and about 11·N² operations for the values. Each vector: N² multiply-adds and about 45·N
//! operations more, and usually 4·N multiply-adds for each vector found before whose eigenvalue differs by at most ‖T‖/8.
//! A matrix of small rank r costs less: about 2·(r + 1)·N² multiply-adds for the values, 2·(r + 1)·N for each further vector.
//! Kept: N² + 4·N + 1 numbers. Scratch: 5·N numbers for the values, 4·N numbers and 2·N flags for vectors. [`Reduced`]
//! overwrites the matrix of the caller and keeps 2·N + 1 numbers. It can also find only a few leading eigenvalues (`sturm`).

use super::inverse_iteration::{Search, Solver, eigenvector};
use super::ql::eigenvalues;
use super::sturm::Bracket;
use super::tridiagonal::{Tridiagonal, reduce, restore};
use crate::codec::{Renewed, stored};
use crate::scalar::sort::insertion_sort;
use crate::spectrum::Convergence;
use crate::spectrum::orthogonality::orthonormalize_columns;
use crate::spectrum::vector::{reverse, scale};
use crate::{MatrixError, Scalar};
use nalgebra::{ArrayStorage, SMatrix, SVector};

/// All eigenvalues of a symmetric matrix, and chosen eigenvectors.
///
/// If only a few eigenvectors are needed, this costs a fraction of [`Eigen`](crate::spectrum::Eigen).
///
/// ```
/// use eigenstream::{nalgebra::SMatrix, spectrum::PartialEigen};
///
/// // A matrix of ones has rank one: the largest eigenvalue is 3, its eigenvector is (1, 1, 1)/√3.
/// let ones = SMatrix::<f32, 3, 3>::repeat(1.0);
/// let mut eigen = PartialEigen::new();
/// let _ = eigen.decompose(&ones)?;
/// assert!((eigen.values()[0] - 3.0).abs() < 1e-6);
///
/// let mut leading = SMatrix::<f32, 3, 1>::zeros();
/// let _ = eigen.vectors(&[0], &mut leading);
/// assert!((leading[0] - 0.577_350_3).abs() < 1e-6);
/// # Ok::<(), eigenstream::MatrixError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PartialEigen<T, const N: usize> {
    /// The Householder vectors. They transform eigenvectors of T to eigenvectors of A.
    reflectors: SMatrix<T, N, N>,
    /// T, the tridiagonal form of A, in units of the power of two that `unit_of` returns.
    reduced: Reduced<T, N>,
    /// Eigenvalues of T, descending, in the same unit as T.
    scaled: [T; N],
    /// Eigenvalues of A.
    values: SVector<T, N>,
}

impl<T: Scalar, const N: usize> PartialEigen<T, N> {
    /// Memory for a decomposition. All entries are zero before the first [`decompose`](Self::decompose).
    ///
    /// A matrix without rows does not compile:
    /// ```compile_fail,E0080
    /// use eigenstream::spectrum::PartialEigen;
    /// let eigen = PartialEigen::<f32, 0>::new();
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(N > 0, "a matrix has at least one row") };
        Self {
            reflectors: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; N]; N])),
            reduced: Reduced::NOTHING,
            scaled: [T::ZERO; N],
            values: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; N]; 1])),
        }
    }

    /// Computes the eigenvalues of the symmetric matrix whose upper triangle is that of `matrix`. The lower triangle is not read.
    ///
    /// Works at any scale, from the smallest numbers to the largest. An eigenvalue that overflows becomes ±[`Scalar::MAX`].
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] with the position of the first entry of the upper triangle, column by column, that is not
    /// finite. The last decomposition then does not change.
    pub fn decompose(&mut self, matrix: &SMatrix<T, N, N>) -> Result<Convergence, MatrixError> {
        let unit = unit_of(matrix)?;
        let factor = T::ONE / unit;
        for (target, source) in self.reflectors.data.0.iter_mut().zip(upper_triangle(matrix)) {
            for (target, &source) in target.iter_mut().zip(source) {
                *target = source * factor;
            }
        }
        self.reduced.update(&mut self.reflectors.data.0);
        let convergence = self.reduced.values(&mut self.scaled);
        for (value, &scaled) in self.values.iter_mut().zip(&self.scaled) {
            *value = (scaled * unit).min(T::MAX).max(-T::MAX);
        }
        Ok(convergence)
    }

    /// The eigenvalues, descending.
    pub fn values(&self) -> &SVector<T, N> {
        &self.values
    }

    /// N columns of memory for any use between two decompositions. They hold the reflectors: after a caller has written to them,
    /// [`vectors`](Self::vectors) has no meaning until the next [`decompose`](Self::decompose).
    pub(crate) fn scratch(&mut self) -> &mut [[T; N]; N] {
        &mut self.reflectors.data.0
    }

    /// Writes the eigenvectors of the values at the positions `chosen` into the first columns of `vectors`.
    ///
    /// The eigenvectors are orthonormal, also for equal eigenvalues. The first entry of largest magnitude of each eigenvector is
    /// positive. If there are more positions than columns, the last positions are ignored. No position should occur twice, and
    /// each should be below N. For a repeated position, or a position of N or more, the column is some vector orthogonal to the
    /// others. Later columns are made orthogonal to this column, so they can differ from their eigenvectors. The result is then
    /// usually [`Convergence::BoundHit`].
    ///
    /// ```
    /// use eigenstream::{nalgebra::SMatrix, spectrum::PartialEigen};
    /// let mut eigen = PartialEigen::new();
    /// let _ = eigen.decompose(&SMatrix::<f64, 2, 2>::new(2.0, 1.0, 1.0, 2.0))?;
    /// let mut last = SMatrix::<f64, 2, 1>::zeros();
    /// let _ = eigen.vectors(&[1], &mut last);
    /// assert!((last[0] + last[1]).abs() < 1e-15);
    /// # Ok::<(), eigenstream::MatrixError>(())
    /// ```
    pub fn vectors<const K: usize>(&self, chosen: &[usize], vectors: &mut SMatrix<T, N, K>) -> Convergence {
        const { assert!(K <= N, "a matrix has no more eigenvectors than rows") };
        self.vectors_into(chosen, &mut vectors.data.0)
    }

    /// [`vectors`](Self::vectors) for any number of columns. At most N columns are written.
    pub(crate) fn vectors_into(&self, chosen: &[usize], columns: &mut [[T; N]]) -> Convergence {
        let value_of = |&position: &usize| self.scaled.get(position).copied().unwrap_or(T::ZERO);
        self.reduced
            .vectors(&self.reflectors.data.0, chosen.iter().map(value_of), columns)
    }
}

// The codec stores only the values. Only `vectors` reads the other fields; a restored learner calls `decompose` before `vectors`.
stored!(
    [T: Scalar, const N: usize] PartialEigen<T, N> { values }
    renewed { reflectors, reduced, scaled }
);

impl<T: Scalar, const N: usize> Renewed for PartialEigen<T, N> {
    const FRESH: Self = Self::new();

    fn renew(&mut self) {
        self.reflectors.renew();
        self.reduced.renew();
        self.scaled.renew();
        self.values.renew();
    }
}

impl<T: Scalar, const N: usize> Renewed for Reduced<T, N> {
    const FRESH: Self = Self::NOTHING;

    fn renew(&mut self) {
        self.tridiagonal.diagonal.renew();
        self.tridiagonal.coupling.renew();
        self.norm = T::ZERO;
    }
}

impl<T: Scalar, const N: usize> Default for PartialEigen<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

/// A symmetric matrix, reduced to three diagonals. Before the reduction the caller must scale the matrix so that no entry is far
/// above one. The reflectors overwrite the matrix. The caller passes the reflectors back to [`vectors`](Self::vectors).
#[derive(Clone, Debug)]
pub(crate) struct Reduced<T, const N: usize> {
    tridiagonal: Tridiagonal<T, N>,
    /// An upper bound on ‖T‖; T is `tridiagonal`.
    norm: T,
}

impl<T: Scalar, const N: usize> Reduced<T, N> {
    /// The zero matrix.
    const NOTHING: Self = Self {
        tridiagonal: Tridiagonal {
            diagonal: [T::ZERO; N],
            coupling: [T::ZERO; N],
        },
        norm: T::ZERO,
    };

    /// Reduces the matrix whose upper triangle is that of `columns` and writes the reflectors there. The lower triangle is
    /// neither read nor written.
    // Not inlined: so the scratch of this function and the scratch of `vectors` are not on the stack at the same time.
    #[inline(never)]
    pub(crate) fn of(columns: &mut [[T; N]; N]) -> Self {
        let mut reduced = Self::NOTHING;
        reduced.update(columns);
        reduced
    }

    #[inline(always)]
    fn update(&mut self, columns: &mut [[T; N]; N]) {
        reduce(columns, &mut self.tridiagonal);
        self.norm = self.tridiagonal.drop_negligible();
    }

    /// Writes all eigenvalues, descending.
    pub(crate) fn values(&self, values: &mut [T; N]) -> Convergence {
        let convergence = eigenvalues(&self.tridiagonal, T::EPSILON * self.norm, values);
        sort_descending(values);
        convergence
    }

    /// The number of eigenvalues above x.
    pub(crate) fn count_above(&self, x: T) -> usize {
        self.tridiagonal.count_above(x, self.norm)
    }

    /// Replaces guesses of the largest eigenvalues, descending, by the eigenvalues. Good guesses reduce the number of passes.
    pub(crate) fn leading(&self, values: &mut [T]) {
        let mut bracket = Bracket::new(self.norm);
        let mut above = T::INFINITY;
        for position in 0..values.len() {
            let Some([guess, rest @ ..]) = values.get_mut(position..) else {
                break;
            };
            // If there is no guess for the next eigenvalue, assume ¾ of this guess.
            let next = rest.first().map_or(T::from_f64(0.75) * *guess, |next| *next);
            let separator = T::HALF * (*guess + next);
            let found = self
                .tridiagonal
                .value_at(position, *guess, separator, self.norm, &mut bracket);
            // Two eigenvalues that are equal up to rounding can be found in the wrong order.
            *guess = found.min(above);
            above = *guess;
        }
    }

    /// Writes one eigenvector to `vectors` for each eigenvalue in `values`, at most N. All are orthonormal. `reflectors` is the
    /// matrix that the reduction overwrote. If `values` has more entries than `vectors`, the last entries are ignored.
    pub(crate) fn vectors(
        &self,
        reflectors: &[[T; N]; N],
        values: impl ExactSizeIterator<Item = T> + Clone,
        vectors: &mut [[T; N]],
    ) -> Convergence {
        let count = values.len().min(vectors.len()).min(N);
        let Some(vectors) = vectors.get_mut(..count) else {
            return Convergence::Reached;
        };
        let convergence = self.reduced_vectors(values, vectors);
        // Inverse iteration usually removes from a vector only the parts along earlier vectors of near eigenvalues. If an earlier
        // vector did not converge, a later vector can have a part along it. So all vectors are made orthogonal here.
        if convergence == Convergence::BoundHit {
            orthonormalize_columns(vectors);
        }
        restore(reflectors, vectors);
        for vector in vectors {
            point_up(vector);
        }
        convergence
    }

    /// Writes the eigenvectors of T (not yet of A) for the eigenvalues `values`, as many as `vectors` can hold.
    fn reduced_vectors(&self, values: impl Iterator<Item = T> + Clone, vectors: &mut [[T; N]]) -> Convergence {
        let mut search = Search::First;
        loop {
            let mut solver = Solver::new(search);
            let mut convergence = Convergence::Reached;
            for (count, value) in values.clone().enumerate() {
                let Some(vectors) = vectors.get_mut(..=count) else {
                    break;
                };
                let found = values.clone();
                let outcome = eigenvector(&self.tridiagonal, self.norm, value, found, &mut solver, vectors);
                convergence = convergence.and(outcome);
            }
            if !solver.is_starved() || search == Search::Nearest {
                return convergence;
            }
            // This is rare: T has many rows without off-diagonal entry, and their entries differ by a few ε·‖T‖.
            search = Search::Nearest;
        }
    }
}

/// The upper triangle of a matrix with the diagonal, column by column.
fn upper_triangle<T, const N: usize>(matrix: &SMatrix<T, N, N>) -> impl Iterator<Item = &[T]> {
    matrix
        .data
        .0
        .iter()
        .enumerate()
        .filter_map(|(column, entries)| entries.get(..=column))
}

/// Returns the largest power of two that is at most Σ|aᵢⱼ| over the upper triangle, or at most the largest |aᵢⱼ| if the sum
/// overflows; `MIN_POSITIVE` if this power would be smaller. Returns an error with the position of the first entry that is not
/// finite.
fn unit_of<T: Scalar, const N: usize>(matrix: &SMatrix<T, N, N>) -> Result<T, MatrixError> {
    let mut sum = T::ZERO;
    for entries in upper_triangle(matrix) {
        for &entry in entries {
            sum += entry.abs();
        }
    }
    if sum.is_finite() {
        return Ok(sum.power_of_two());
    }
    let mut largest = T::ZERO;
    for (column, entries) in upper_triangle(matrix).enumerate() {
        for (row, &entry) in entries.iter().enumerate() {
            if !entry.is_finite() {
                return Err(MatrixError::NotANumber { row, column });
            }
            largest = largest.max(entry.abs());
        }
    }
    Ok(largest.power_of_two())
}

/// Sorts the values in descending order. Reverses them first, because QL usually finds the small values first.
pub(in crate::spectrum) fn sort_descending<T: Scalar, const N: usize>(values: &mut [T; N]) {
    reverse(values);
    insertion_sort(values, |first, second| first >= second);
}

/// Multiplies a vector by 1 or −1 so that its entry of largest magnitude (the first of equals) is positive. Returns the factor.
pub(in crate::spectrum) fn point_up<T: Scalar, const N: usize>(vector: &mut [T; N]) -> T {
    let mut largest = T::ZERO;
    for &value in vector.iter() {
        if value.abs() > largest.abs() {
            largest = value;
        }
    }
    if largest < T::ZERO {
        scale(vector, -T::ONE);
        return -T::ONE;
    }
    T::ONE
}

#[cfg(test)]
mod tests;
