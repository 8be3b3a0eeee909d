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
            let mut solver = Solver::searching(search);
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
mod tests {
    use super::*;
    use crate::spectrum::symmetric::add_outer;
    use crate::spectrum::{every_position, orthogonality_error};

    #[test]
    fn a_non_finite_entry_is_named_and_nothing_changes() {
        let mut eigen = PartialEigen::<f32, 3>::new();
        let _ = eigen.decompose(&SMatrix::identity());
        let mut broken = SMatrix::<f32, 3, 3>::identity();
        broken[(1, 2)] = f32::NEG_INFINITY;
        assert_eq!(
            eigen.decompose(&broken),
            Err(MatrixError::NotANumber { row: 1, column: 2 })
        );
        assert_eq!(eigen.values().as_slice(), [1.0; 3]);
    }

    #[test]
    fn entries_near_the_largest_number_do_not_overflow() {
        let mut eigen = PartialEigen::<f32, 4>::new();
        let size = f32::MAX / 8.0;
        let outcome = eigen.decompose(&SMatrix::repeat(size));
        assert_eq!(outcome, Ok(Convergence::Reached));
        assert!((eigen.values()[0] / size - 4.0).abs() < 1e-5);
    }

    #[test]
    fn an_eigenvalue_beyond_the_largest_number_is_the_largest_number() {
        let mut eigen = PartialEigen::<f32, 4>::new();
        assert_eq!(eigen.decompose(&SMatrix::repeat(f32::MAX)), Ok(Convergence::Reached));
        assert_eq!(eigen.values()[0], f32::MAX);
        assert_eq!(eigen.decompose(&SMatrix::repeat(-f32::MAX)), Ok(Convergence::Reached));
        assert_eq!(eigen.values()[3], -f32::MAX);
    }

    /// Decomposes a diagonal matrix with these entries, in units of ε above one. The matrix has two more rows, which
    /// contain only the matrix `block`. Checks the eigenvectors.
    fn almost_equal_entries_have_an_axis_each<T: Scalar>(entries: [f64; 4], block: [[f64; 2]; 2]) {
        let mut matrix = SMatrix::from_array_storage(ArrayStorage([[T::ZERO; 6]; 6]));
        for (i, &entry) in entries.iter().enumerate() {
            matrix[(i, i)] = T::ONE + T::from_f64(entry) * T::EPSILON;
        }
        for (row, entries) in block.iter().enumerate() {
            for (column, &entry) in entries.iter().enumerate() {
                matrix[(4 + row, 4 + column)] = T::from_f64(entry);
            }
        }
        let mut eigen = PartialEigen::new();
        assert_eq!(eigen.decompose(&matrix), Ok(Convergence::Reached));
        let mut vectors = SMatrix::<T, 6, 6>::from_array_storage(ArrayStorage([[T::ZERO; 6]; 6]));
        assert_eq!(
            eigen.vectors(&every_position::<6>(), &mut vectors),
            Convergence::Reached
        );
        let tolerance = T::from_f64(32.0) * T::EPSILON;
        assert!(orthogonality_error(&vectors, 6) < tolerance, "{entries:?}: {vectors:?}");
        for (&value, vector) in eigen.values().iter().zip(&vectors.data.0) {
            for row in 0..6 {
                let mut image = -value * vector[row];
                for column in 0..6 {
                    image += matrix[(row, column)] * vector[column];
                }
                assert!(image.abs() < tolerance, "{entries:?}: {vectors:?}");
            }
        }
    }

    #[test]
    fn a_value_does_not_take_the_axis_of_an_almost_equal_value() {
        // The first row within 4ε·‖T‖ of the largest value has the second value, and so on: the third value finds no row.
        for entries in [[4.0, 1.0, -12.0, 6.0], [8.0, -12.0, 7.0, 12.0], [6.0, -6.0, 3.0, 8.0]] {
            for block in [
                [[1.0, 0.0], [0.0, 1.0]],
                [[0.5, 0.0], [0.0, 0.25]],
                [[0.5, 0.25], [0.25, 0.125]],
            ] {
                almost_equal_entries_have_an_axis_each::<f32>(entries, block);
                almost_equal_entries_have_an_axis_each::<f64>(entries, block);
            }
        }
    }

    /// The Gram matrix of a window in which three points are equal and the others are far apart: the eigenvalue 1 occurs five
    /// times. The last four starts of inverse iteration are orthogonal to the last of its eigenvectors.
    #[test]
    fn equal_and_distant_points_have_eigenvectors() {
        let mut matrix = SMatrix::<f64, 8, 8>::identity();
        for (row, column) in [(1, 2), (1, 3), (2, 3)] {
            matrix[(row, column)] = 1.0;
            matrix[(column, row)] = 1.0;
        }
        let mut eigen = PartialEigen::new();
        assert_eq!(eigen.decompose(&matrix), Ok(Convergence::Reached));
        let mut vectors = SMatrix::<f64, 8, 8>::zeros();
        assert_eq!(
            eigen.vectors(&every_position::<8>(), &mut vectors),
            Convergence::Reached
        );
        assert!(orthogonality_error(&vectors, 8) < 32.0 * f64::EPSILON);
        let residual = matrix * vectors - vectors * SMatrix::from_diagonal(eigen.values());
        assert!(residual.iter().all(|entry| entry.abs() < 1e-14), "{residual}");
    }

    #[test]
    fn memory_is_the_sum_of_its_parts() {
        const N: usize = 20;
        let words = N * N // reflectors
            + 2 * N // diagonal and coupling
            + N // scaled values
            + N // values
            + 1; // norm
        assert_eq!(size_of::<PartialEigen<f32, N>>(), 4 * words);
        assert_eq!(size_of::<PartialEigen<f64, N>>(), 8 * words);
    }

    /// Decomposes a sum of `RANK` outer products with all eigenvectors, and compares it with the sum of its eigenpairs.
    fn low_rank_is_found_by_few_reflections<T: Scalar, const RANK: usize>(size: f64) {
        const N: usize = 20;
        let mut matrix = SMatrix::from_array_storage(ArrayStorage([[T::ZERO; N]; N]));
        for number in 0..RANK {
            // Numbers that do not repeat: (k²·φ modulo one) − ½ with φ = 0.618…, where k counts all entries of all vectors.
            let vector = core::array::from_fn(|i| {
                let k = (number * N + i + 1) as f64;
                T::from_f64((k * k * 0.618_033_988_749_895).fract() - 0.5)
            });
            add_outer(&mut matrix, T::from_f64(size), &vector);
        }
        let norm = (N * RANK) as f64 * size / 4.0;
        let mut eigen = PartialEigen::new();
        assert_eq!(eigen.decompose(&matrix), Ok(Convergence::Reached));
        // The columns that are left after RANK + 1 reflections are rounding errors. A few of them can be a little too large.
        let reflections = (0..N).filter(|&i| eigen.reflectors[(i, i)] != T::ZERO).count();
        assert!(reflections <= RANK + 3, "{reflections} reflections for rank {RANK}");
        let mut vectors = SMatrix::<T, N, N>::from_array_storage(ArrayStorage([[T::ZERO; N]; N]));
        assert_eq!(
            eigen.vectors(&every_position::<N>(), &mut vectors),
            Convergence::Reached
        );
        // RESIDUAL/NEAR = 4·8 of `inverse_iteration`.
        assert!(orthogonality_error(&vectors, N) < T::from_f64(32.0) * T::EPSILON);
        let tolerance = 4.0 * T::EPSILON.to_f64() * norm;
        for column in 0..N {
            for row in 0..=column {
                let pairs = eigen.values().iter().zip(&vectors.data.0);
                let sum: f64 = pairs
                    .map(|(value, vector)| (*value * vector[row] * vector[column]).to_f64())
                    .sum();
                let off = (sum - matrix[(row, column)].to_f64()).abs();
                assert!(off < tolerance, "rank {RANK}, entry {row}, {column}: {off:e} of {norm}");
            }
        }
    }

    #[test]
    fn axes_complete_the_eigenvectors_of_a_matrix_of_low_rank() {
        for size in [1.0, 1e-9, 3e8] {
            low_rank_is_found_by_few_reflections::<f32, 1>(size);
            low_rank_is_found_by_few_reflections::<f32, 4>(size);
            low_rank_is_found_by_few_reflections::<f64, 1>(size);
            low_rank_is_found_by_few_reflections::<f64, 4>(size);
        }
        let mut eigen = PartialEigen::<f32, 3>::new();
        assert_eq!(eigen.decompose(&SMatrix::zeros()), Ok(Convergence::Reached));
        let mut axes = SMatrix::<f32, 3, 3>::zeros();
        assert_eq!(eigen.vectors(&[0, 1, 2], &mut axes), Convergence::Reached);
        assert_eq!(axes, SMatrix::<f32, 3, 3>::identity());
    }

    #[test]
    fn a_step_aside_does_not_land_on_the_value_beside() {
        // λ₂ + `aside` of `inverse_iteration` rounds to λ₁. Two extreme readings of one sensor led to this matrix.
        let mut matrix = SMatrix::<f32, 4, 4>::from_diagonal(&[0.0, 0.499_999_88, 0.500_000_1, 0.0].into());
        matrix[(0, 1)] = 1.016_966_1e-7;
        matrix[(2, 3)] = 6.607_702e-8;
        let mut eigen = PartialEigen::new();
        assert_eq!(eigen.decompose(&matrix), Ok(Convergence::Reached));
        let mut vectors = SMatrix::<f32, 4, 4>::zeros();
        assert_eq!(eigen.vectors(&[0, 1, 2, 3], &mut vectors), Convergence::Reached);
        assert!(orthogonality_error(&vectors, 4) < 1e-6, "{vectors}");
    }
}
