//! The Cholesky factor of a symmetric positive definite matrix, and the solution of linear equations.
//! In: A, or its eigenpairs if A can be singular; a vector b. Out: the upper triangular C with A = CᵀC, and x with Ax =
//! b.
//! Method: computes C column by column. A pivot cⱼⱼ² = aⱼⱼ − Σ cₗⱼ², l < j, of at most N·ε·aⱼⱼ counts as rounding
//! error.
//! Cost: N³/2 multiply-adds for the factor, (2/3)·N³ from eigenpairs, N² for a solution. Kept: N² numbers. Scratch: N
//! numbers, only from eigenpairs.

use super::symmetric::{identity, set_identity};
use super::vector::{add_scaled, dot, scale};
use crate::error::MatrixError;
use crate::scalar::Scalar;
use nalgebra::{ArrayStorage, SMatrix};

/// The Cholesky factor of a matrix A: the upper triangular C with A = CᵀC.
///
/// ```
/// use eigenstream::{nalgebra::SMatrix, spectrum::Cholesky};
///
/// let mut cholesky = Cholesky::new();
/// cholesky.decompose(&SMatrix::<f32, 2, 2>::new(4.0, 2.0, 2.0, 10.0))?;
/// assert_eq!(*cholesky.factor(), SMatrix::<f32, 2, 2>::new(2.0, 1.0, 0.0, 3.0));
///
/// let mut solution = [8.0, 22.0];
/// cholesky.solve(&mut solution);
/// assert_eq!(solution, [1.0, 2.0]);
/// # Ok::<(), eigenstream::MatrixError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cholesky<T, const N: usize> {
    factor: SMatrix<T, N, N>,
}

impl<T: Scalar, const N: usize> Cholesky<T, N> {
    /// The factor of the identity matrix.
    ///
    /// A matrix without rows does not compile:
    ///
    /// ```compile_fail,E0080
    /// use eigenstream::spectrum::Cholesky;
    /// let cholesky = Cholesky::<f32, 0>::new();
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(N > 0, "a matrix has at least one row") };
        Self {
            factor: SMatrix::from_array_storage(ArrayStorage(identity())),
        }
    }

    /// Factors the symmetric matrix whose upper triangle is that of `matrix`.
    ///
    /// After an error the factor is that of the identity matrix.
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] with the position of an entry that is not finite.
    /// [`MatrixError::NotPositiveDefinite`] if a pivot is below [`Scalar::MIN_POSITIVE`], not above its rounding error, or overflows.
    pub fn decompose(&mut self, matrix: &SMatrix<T, N, N>) -> Result<(), MatrixError> {
        self.decompose_with(|row, column| {
            let entry = matrix.data.0.get(column).and_then(|entries| entries.get(row));
            entry.copied().unwrap_or(T::ZERO)
        })
    }

    /// [`decompose`](Self::decompose) of the matrix whose entries `entry(row, column)` returns. `entry` is called only
    /// for row ≤ column.
    pub(crate) fn decompose_with(&mut self, entry: impl Fn(usize, usize) -> T) -> Result<(), MatrixError> {
        let outcome = self.try_decompose(entry);
        if outcome.is_err() {
            set_identity(&mut self.factor);
        }
        outcome
    }

    fn try_decompose(&mut self, entry: impl Fn(usize, usize) -> T) -> Result<(), MatrixError> {
        // A pivot of at most `rounding` times the diagonal entry counts as rounding error.
        let rounding = T::from_usize(N) * T::EPSILON;
        let columns = &mut self.factor.data.0;
        for column in 0..N {
            let Some((before, [current, ..])) = columns.split_at_mut_checked(column) else {
                break;
            };
            current.fill(T::ZERO);
            for (row, finished) in before.iter().enumerate() {
                let value = entry(row, column);
                if !value.is_finite() {
                    return Err(MatrixError::NotANumber { row, column });
                }
                let left = value - dot(finished, current);
                if let (Some(target), Some(&pivot)) = (current.get_mut(row), finished.get(row)) {
                    *target = left / pivot;
                }
            }
            let diagonal = entry(column, column);
            if !diagonal.is_finite() {
                return Err(MatrixError::NotANumber { row: column, column });
            }
            let pivot = diagonal - dot(current, current);
            // The comparisons are also false if an overflow made `pivot` NaN or −∞.
            if !(pivot > rounding * diagonal && pivot >= T::MIN_POSITIVE) {
                return Err(MatrixError::NotPositiveDefinite);
            }
            if let Some(target) = current.get_mut(column) {
                *target = pivot.sqrt();
            }
        }
        Ok(())
    }

    /// Computes C of V·diag(λ)·Vᵀ, which can be singular, as the triangle of the QR decomposition of diag(√λ)·Vᵀ.
    ///
    /// `write` writes V and returns λ; a λ that is negative or NaN counts as zero. For a singular matrix
    /// [`decompose`](Self::decompose) would fail or divide by a small pivot.
    ///
    /// # Errors
    /// [`MatrixError::Overflow`] if an entry of C is not finite; the factor is then that of the identity matrix.
    pub(crate) fn compose(&mut self, write: impl FnOnce(&mut [[T; N]; N]) -> [T; N]) -> Result<(), MatrixError> {
        let columns = &mut self.factor.data.0;
        let values = write(columns);
        for (column, value) in columns.iter_mut().zip(values) {
            scale(column, T::ZERO.max(value).sqrt());
        }
        self.transpose();
        self.triangularize();
        if self.factor.iter().all(|entry| entry.is_finite()) {
            Ok(())
        } else {
            set_identity(&mut self.factor);
            Err(MatrixError::Overflow)
        }
    }

    fn transpose(&mut self) {
        let columns = &mut self.factor.data.0;
        for place in 0..N {
            let Some((before, [current, ..])) = columns.split_at_mut_checked(place) else {
                break;
            };
            for (earlier, upper) in before.iter_mut().zip(current) {
                if let Some(lower) = earlier.get_mut(place) {
                    core::mem::swap(lower, upper);
                }
            }
        }
    }

    /// C ← QᵀC with an orthogonal Q, so that C is upper triangular with no negative diagonal entry.
    fn triangularize(&mut self) {
        for row in 0..N {
            let Some([current, later @ ..]) = self.factor.data.0.get_mut(row..) else {
                break;
            };
            let Some([first, rest @ ..]) = current.get_mut(row..) else {
                break;
            };
            let energy = *first * *first + dot(rest, rest);
            if energy < T::MIN_POSITIVE {
                // Entries whose squares sum to zero or a subnormal number count as zero: C is singular.
                *first = T::ZERO;
                rest.fill(T::ZERO);
                continue;
            }
            // The reflection makes the diagonal entry −sign·length, without cancellation; multiplying the row by −sign
            // makes this entry positive.
            let length = energy.sqrt();
            let sign = if *first < T::ZERO { -T::ONE } else { T::ONE };
            *first += sign * length;
            let inverse = T::ONE / (length * first.abs());
            for column in later {
                let Some(target) = column.get_mut(row..) else {
                    continue;
                };
                let product = *first * target.first().copied().unwrap_or(T::ZERO)
                    + target.get(1..).map_or(T::ZERO, |below| dot(rest, below));
                let factor = -product * inverse;
                if let Some([top, below @ ..]) = target.get_mut(..) {
                    *top = -sign * (*top + factor * *first);
                    add_scaled(below, factor, rest);
                }
            }
            *first = length;
            rest.fill(T::ZERO);
        }
    }

    /// The factor C, upper triangular with positive diagonal entries.
    ///
    /// After [`cholesky_coordinates`](crate::kernel::cholesky_coordinates) diagonal entries can be zero.
    #[must_use]
    pub fn factor(&self) -> &SMatrix<T, N, N> {
        &self.factor
    }

    /// vector ← A⁻¹·vector; an unknown whose diagonal entry of C is zero is set to zero.
    ///
    /// ```
    /// use eigenstream::{nalgebra::SMatrix, spectrum::Cholesky};
    /// let mut cholesky = Cholesky::<f32, 2>::new();
    /// cholesky.decompose(&SMatrix::from_diagonal_element(2.0))?;
    /// let mut vector = [3.0, -1.0];
    /// cholesky.solve(&mut vector);
    /// assert!((vector[0] - 1.5).abs() < 1e-6 && (vector[1] + 0.5).abs() < 1e-6);
    /// # Ok::<(), eigenstream::MatrixError>(())
    /// ```
    pub fn solve(&self, vector: &mut [T; N]) {
        self.solve_transposed(vector);
        for (row, column) in self.factor.data.0.iter().enumerate().rev() {
            if let (Some((above, [unknown, ..])), Some(&pivot)) = (vector.split_at_mut_checked(row), column.get(row)) {
                *unknown = quotient(*unknown, pivot);
                add_scaled(above, -*unknown, column);
            }
        }
    }
}

fn quotient<T: Scalar>(value: T, diagonal: T) -> T {
    if diagonal > T::ZERO { value / diagonal } else { T::ZERO }
}

impl<T: Scalar, const N: usize> Cholesky<T, N> {
    /// vector ← C⁻ᵀ·vector, with the rule of [`solve`](Self::solve) for zero diagonal entries.
    pub(crate) fn solve_transposed(&self, vector: &mut [T; N]) {
        for (row, column) in self.factor.data.0.iter().enumerate() {
            if let (Some((known, [unknown, ..])), Some(&pivot)) = (vector.split_at_mut_checked(row), column.get(row)) {
                *unknown = quotient(*unknown - dot(column, known), pivot);
            }
        }
    }
}

impl<T: Scalar, const N: usize> Default for Cholesky<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_makes_the_matrix_and_solves_its_equations() -> Result<(), MatrixError> {
        // The Hilbert matrix of four rows has the condition number 1.6e4. The first column of its inverse is known.
        let hilbert = SMatrix::<f64, 4, 4>::from_fn(|i, j| 1.0 / (i + j + 1) as f64);
        let mut cholesky = Cholesky::new();
        cholesky.decompose(&hilbert)?;
        let product = cholesky.factor().transpose() * cholesky.factor();
        assert!((product - hilbert).abs().max() < 1e-15);
        let mut solution = [1.0, 0.0, 0.0, 0.0];
        cholesky.solve(&mut solution);
        for (value, wanted) in solution.into_iter().zip([16.0, -120.0, 240.0, -140.0]) {
            assert!((value - wanted).abs() < 1e-9, "{value}, not {wanted}");
        }
        Ok(())
    }

    #[test]
    fn what_has_no_factor_is_refused_and_leaves_the_identity() -> Result<(), MatrixError> {
        let mut cholesky = Cholesky::<f32, 3>::new();
        let mut broken = SMatrix::<f32, 3, 3>::identity();
        broken[(1, 2)] = f32::NAN;
        // The last pivot of this matrix is 2ε: positive, but not larger than a rounding error.
        let mut nearly_alike = SMatrix::<f32, 3, 3>::identity();
        (nearly_alike[(1, 2)], nearly_alike[(2, 2)]) = (1.0, 1.0 + 2.0 * f32::EPSILON);
        let hostile: [(SMatrix<f32, 3, 3>, MatrixError); 6] = [
            (SMatrix::zeros(), MatrixError::NotPositiveDefinite),
            (-SMatrix::identity(), MatrixError::NotPositiveDefinite),
            (SMatrix::repeat(f32::MAX), MatrixError::NotPositiveDefinite),
            (SMatrix::repeat(1e-30), MatrixError::NotPositiveDefinite),
            (nearly_alike, MatrixError::NotPositiveDefinite),
            (broken, MatrixError::NotANumber { row: 1, column: 2 }),
        ];
        for (matrix, error) in hostile {
            cholesky.decompose(&SMatrix::from_diagonal_element(4.0))?;
            assert_eq!(cholesky.decompose(&matrix), Err(error));
            assert_eq!(cholesky.factor(), &SMatrix::<f32, 3, 3>::identity());
        }
        Ok(())
    }

    #[test]
    fn a_composed_factor_is_that_of_the_matrix_also_where_it_is_singular() -> Result<(), MatrixError> {
        // Orthonormal eigenvectors, with the eigenvalues of a positive definite matrix and of singular matrices; −1e-16
        // counts as zero.
        let vectors = SMatrix::<f64, 2, 2>::new(0.6, -0.8, 0.8, 0.6);
        let (mut composed, mut recursive) = (Cholesky::<f64, 2>::new(), Cholesky::new());
        for values in [[9.0, 4.0], [9.0, 0.0], [0.0, 0.0], [9.0, -1e-16]] {
            composed.compose(|columns| {
                *columns = vectors.data.0;
                values
            })?;
            let matrix =
                vectors * SMatrix::from_diagonal(&values.map(|value| value.max(0.0)).into()) * vectors.transpose();
            let product = composed.factor().transpose() * composed.factor();
            assert!((product - matrix).abs().max() < 4e-15, "{product}");
            assert!(composed.factor().diagonal().min() >= 0.0 && composed.factor()[(1, 0)] == 0.0);
            if recursive.decompose(&matrix).is_ok() && values[1] > 0.0 {
                assert!((composed.factor() - recursive.factor()).abs().max() < 4e-15);
            }
        }
        // The last matrix is singular. The solution must still be finite.
        let mut vector = [0.36, 0.48];
        composed.solve(&mut vector);
        assert!(vector.iter().all(|value| value.is_finite()));
        Ok(())
    }

    #[test]
    fn any_scale_is_the_same_matrix() -> Result<(), MatrixError> {
        let matrix = SMatrix::<f32, 2, 2>::new(4.0, 2.0, 2.0, 10.0);
        let mut cholesky = Cholesky::new();
        for scale in [1e-37, 1e-20, 1e20, 1e37] {
            cholesky.decompose(&(matrix * scale))?;
            let mut solution = [8.0 * scale, 22.0 * scale];
            cholesky.solve(&mut solution);
            assert!((solution[0] - 1.0).abs() < 1e-6 && (solution[1] - 2.0).abs() < 1e-6);
        }
        Ok(())
    }

    #[test]
    fn memory_is_the_factor() {
        assert_eq!(size_of::<Cholesky<f32, 20>>(), 4 * 20 * 20);
    }
}
