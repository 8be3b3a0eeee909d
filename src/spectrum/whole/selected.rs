//! All eigenvalues of a symmetric matrix, and the eigenvectors that the caller chooses, or all.
//! In: A. Out: its eigenvalues, descending, then any number of eigenvectors.
//! Method: see `tridiagonal`, `ql`, `sturm` and `inverse_iteration`.
//! Cost: (2/3)·N³ multiply-adds and at most about 14·N² operations; each vector N² and its inverse iteration. With a
//! small rank r: 2·(r + 1)·N², and 2·(r + 1)·N for each vector. Kept: N² + 4·N + 1 numbers; [`Reduced`] 2·N + 1, and
//! the matrix of the caller. Scratch: at most 5·N numbers.

use super::inverse_iteration::{Search, Solver, eigenvector};
use super::ql::eigenvalues;
use super::sturm::{Bracket, count_above};
use super::tridiagonal::{Tridiagonal, reduce, restore};
use crate::codec::{Renewed, stored};
use crate::error::MatrixError;
use crate::scalar::Scalar;
use crate::scalar::sort::insertion_sort;
use crate::spectrum::Convergence;
use crate::spectrum::orthogonality::orthonormalize_columns;
use crate::spectrum::vector::{reverse, scale};
use nalgebra::{ArrayStorage, SMatrix, SVector};

/// All eigenvalues of a symmetric matrix, and chosen eigenvectors.
///
/// For a few eigenvectors this takes a fraction of the time of [`Eigen`](crate::spectrum::Eigen).
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
    reflectors: SMatrix<T, N, N>,
    /// The tridiagonal matrix, divided by the power of two that `unit_of` returns.
    reduced: Reduced<T, N>,
    /// The eigenvalues of the matrix in `reduced`, descending.
    scaled: [T; N],
    values: SVector<T, N>,
}

impl<T: Scalar, const N: usize> PartialEigen<T, N> {
    /// Memory for a decomposition, all zero before the first [`decompose`](Self::decompose).
    ///
    /// A matrix without rows does not compile:
    ///
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

    /// Computes the eigenvalues of the symmetric matrix whose upper triangle is that of `matrix`.
    ///
    /// Works at any scale. An eigenvalue that overflows becomes ±[`Scalar::MAX`].
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] with the first entry of the upper triangle, column by column, that is not finite; nothing
    /// changes.
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

    /// N columns of memory for the caller between two decompositions; after a write the result of
    /// [`vectors`](Self::vectors) has no meaning until the next decomposition.
    pub(crate) fn scratch(&mut self) -> &mut [[T; N]; N] {
        &mut self.reflectors.data.0
    }

    /// Writes the eigenvectors of the values at the positions `chosen` into the first columns of `vectors`.
    ///
    /// They are orthonormal, also for equal eigenvalues, with a positive first entry of largest magnitude. Positions
    /// without a column are ignored. A repeated position, or one of N or more, gives some vector orthogonal to the
    /// others, can change later columns, and usually gives [`Convergence::BoundHit`].
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

    /// [`vectors`](Self::vectors) for any number of columns, of which at most N are written.
    pub(crate) fn vectors_into(&self, chosen: &[usize], columns: &mut [[T; N]]) -> Convergence {
        let value_of = |&position: &usize| self.scaled.get(position).copied().unwrap_or(T::ZERO);
        self.reduced
            .vectors(&self.reflectors.data.0, chosen.iter().map(value_of), columns)
    }
}

// Only `vectors` reads the renewed fields, and a restored learner calls `decompose` before `vectors`.
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

/// A symmetric matrix, reduced to three diagonals. Before, the caller scales the matrix to entries not far above one.
///
/// The reflectors overwrite the matrix, and the caller passes them back to [`vectors`](Self::vectors).
#[derive(Clone, Debug)]
pub(crate) struct Reduced<T, const N: usize> {
    tridiagonal: Tridiagonal<T, N>,
    /// An upper bound on the norm of `tridiagonal`.
    norm: T,
}

impl<T: Scalar, const N: usize> Reduced<T, N> {
    const NOTHING: Self = Self {
        tridiagonal: Tridiagonal {
            diagonal: [T::ZERO; N],
            coupling: [T::ZERO; N],
        },
        norm: T::ZERO,
    };

    /// Reduces the matrix whose upper triangle is that of `columns` and writes the reflectors there.
    // This function is not inlined: so its scratch and the scratch of `vectors` are not on the stack at the same time.
    #[inline(never)]
    pub(crate) fn of(columns: &mut [[T; N]; N]) -> Self {
        let mut reduced = Self::NOTHING;
        reduced.update(columns);
        reduced
    }

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

    /// The number of eigenvalues above x, up to rounding.
    pub(crate) fn count_above(&self, x: T) -> usize {
        count_above(&self.tridiagonal, x, self.norm)
    }

    /// Replaces guesses of the largest eigenvalues, descending, by the eigenvalues.
    pub(crate) fn leading(&self, values: &mut [T]) {
        let mut bracket = Bracket::new(self.norm);
        let mut above = T::INFINITY;
        for position in 0..values.len() {
            let Some([guess, rest @ ..]) = values.get_mut(position..) else {
                break;
            };
            // Without a guess for the next eigenvalue, takes ¾ of this guess.
            let next = rest.first().map_or(T::from_f64(0.75) * *guess, |next| *next);
            let separator = T::HALF * (*guess + next);
            let found = bracket.value_at(&self.tridiagonal, position, *guess, separator, self.norm);
            // Two values that are equal up to rounding can come out in the wrong order.
            *guess = found.min(above);
            above = *guess;
        }
    }

    /// Writes one eigenvector for each of `values`, at most N, all orthonormal.
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
        // Inverse iteration removes only parts along vectors of near eigenvalues. If one vector did not converge, later
        // vectors can still have parts along it.
        if convergence == Convergence::BoundHit {
            orthonormalize_columns(vectors);
        }
        restore(reflectors, vectors);
        for vector in vectors {
            point_up(vector);
        }
        convergence
    }

    /// Writes the eigenvectors of T for `values`, at most as many as `vectors` has columns.
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
            // This is rare: usually diagonal entries of rows without coupling then differ by only a few ε·‖T‖.
            search = Search::Nearest;
        }
    }
}

fn upper_triangle<T, const N: usize>(matrix: &SMatrix<T, N, N>) -> impl Iterator<Item = &[T]> {
    matrix
        .data
        .0
        .iter()
        .enumerate()
        .filter_map(|(column, entries)| entries.get(..=column))
}

/// The largest power of two that is at most Σ|aᵢⱼ| over the upper triangle, but at least `MIN_POSITIVE`. If this sum
/// overflows, the largest |aᵢⱼ| takes its place.
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

/// Sorts the values. It reverses them first, because QL usually finds the small ones first.
pub(in crate::spectrum) fn sort_descending<T: Scalar, const N: usize>(values: &mut [T; N]) {
    reverse(values);
    insertion_sort(values, |first, second| first >= second);
}

/// Makes the first entry of largest magnitude positive, and returns the factor 1 or −1.
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

/// All eigenvalues and eigenvectors of a symmetric matrix.
///
/// ```
/// use eigenstream::{nalgebra::SMatrix, spectrum::Eigen};
///
/// let matrix = SMatrix::<f32, 2, 2>::new(2.0, 1.0, 1.0, 2.0);
/// let mut eigen = Eigen::new();
/// let _ = eigen.decompose(&matrix)?;
/// assert!((eigen.values()[0] - 3.0).abs() < 1e-6);
/// assert!((eigen.vectors()[(0, 0)] - 0.707_106_77).abs() < 1e-6);
/// # Ok::<(), eigenstream::MatrixError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Eigen<T, const N: usize> {
    partial: PartialEigen<T, N>,
    vectors: SMatrix<T, N, N>,
}

impl<T: Scalar, const N: usize> Eigen<T, N> {
    /// Memory for a decomposition, all zero before the first [`decompose`](Self::decompose).
    ///
    /// A matrix without rows does not compile:
    ///
    /// ```compile_fail,E0080
    /// use eigenstream::spectrum::Eigen;
    /// let eigen = Eigen::<f32, 0>::new();
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self {
            partial: PartialEigen::new(),
            vectors: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; N]; N])),
        }
    }

    /// Decomposes the symmetric matrix whose upper triangle is that of `matrix`.
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] with the first entry of the upper triangle, column by column, that is not finite; nothing
    /// changes.
    pub fn decompose(&mut self, matrix: &SMatrix<T, N, N>) -> Result<Convergence, MatrixError> {
        let values = self.partial.decompose(matrix)?;
        let vectors = self
            .partial
            .vectors(&const { every_position::<N>() }, &mut self.vectors);
        Ok(values.and(vectors))
    }

    /// The eigenvalues, descending.
    pub fn values(&self) -> &SVector<T, N> {
        self.partial.values()
    }

    /// The eigenvectors as columns, in the order of the values.
    ///
    /// The first entry of largest magnitude of each is positive.
    pub fn vectors(&self) -> &SMatrix<T, N, N> {
        &self.vectors
    }
}

stored!([T: Scalar, const N: usize] Eigen<T, N> { partial, vectors });

impl<T: Scalar, const N: usize> Default for Eigen<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

/// The positions 0, 1, … N − 1.
pub(crate) const fn every_position<const N: usize>() -> [usize; N] {
    let mut positions = [0; N];
    let mut i = 0;
    while i < N {
        positions[i] = i;
        i += 1;
    }
    positions
}
