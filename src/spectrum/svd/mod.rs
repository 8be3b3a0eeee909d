//! Singular value decomposition of a matrix.
//! In: a matrix A of `ROWS` × `COLUMNS`. Out: A = Σ σᵢ·uᵢ·vᵢᵀ, the singular values σᵢ descending, all left vectors u and all
//! right vectors v.
//! Method: let n be the larger and m the smaller of `ROWS` and `COLUMNS`. One-sided Jacobi (`rotations`) makes the m columns, of
//! n entries each, of A or Aᵀ orthogonal; then each is divided by its norm σ. A column with a norm below about ε² times the
//! largest entry of A is not rotated. Gram and Schmidt's method completes the columns to an orthonormal basis of n vectors.
//! Cost: at most about (4.5·n + 2·m)·m² multiply-adds for each sweep over all pairs of columns, usually 2 to 9 sweeps; then
//! 1.5·n·m² to sort and normalise the columns, and the cost of the completion. Kept: ROWS² + COLUMNS² + ROWS numbers. No scratch.

mod rotations;

use super::Convergence;
use super::orthogonality::{check_columns, orthonormalize_columns};
use super::symmetric::{identity, set_identity};
use super::vector::{dot, scale};
use crate::codec::{stored, validate};
use crate::{CodecError, MatrixError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};
use rotations::{orthogonalize, sort_by_length};

/// The singular values and vectors of a matrix of `ROWS` × `COLUMNS`, intended for `ROWS` + `COLUMNS` up to 64.
///
/// ```
/// use eigenstream::{nalgebra::SMatrix, spectrum::Svd};
///
/// // The first left channel depends only on the second right channel, the second left channel only on the third.
/// let matrix = SMatrix::<f32, 2, 3>::new(
///     0.0, 3.0, 0.0,
///     0.0, 0.0, 2.0);
/// let mut svd = Svd::new();
/// let _ = svd.decompose(&matrix)?;
/// assert_eq!(svd.values(), [3.0, 2.0]);
/// assert_eq!(svd.left().column(0).as_slice(), [1.0, 0.0]);
/// assert_eq!(svd.right().column(0).as_slice(), [0.0, 1.0, 0.0]);
/// # Ok::<(), eigenstream::MatrixError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Svd<T, const ROWS: usize, const COLUMNS: usize> {
    left: SMatrix<T, ROWS, ROWS>,
    right: SMatrix<T, COLUMNS, COLUMNS>,
    /// The first min(ROWS, COLUMNS) entries are the singular values, the other entries are zero.
    values: [T; ROWS],
}

impl<T: Scalar, const ROWS: usize, const COLUMNS: usize> Svd<T, ROWS, COLUMNS> {
    /// The number of singular values.
    const PAIRS: usize = if ROWS < COLUMNS { ROWS } else { COLUMNS };

    /// The decomposition of the zero matrix.
    ///
    /// A matrix without columns does not compile:
    /// ```compile_fail,E0080
    /// use eigenstream::spectrum::Svd;
    /// let svd = Svd::<f32, 2, 0>::new();
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(ROWS > 0 && COLUMNS > 0, "a matrix has at least one row and one column") };
        Self {
            left: SMatrix::from_array_storage(ArrayStorage(identity())),
            right: SMatrix::from_array_storage(ArrayStorage(identity())),
            values: [T::ZERO; ROWS],
        }
    }

    /// Decomposes `matrix`.
    ///
    /// If the largest number of sweeps is not enough, the result is [`Convergence::BoundHit`]. The vectors are then still
    /// orthonormal, and the values are finite and descending.
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] with the position of the first entry, column by column, that is not finite. The last
    /// decomposition then does not change.
    pub fn decompose(&mut self, matrix: &SMatrix<T, ROWS, COLUMNS>) -> Result<Convergence, MatrixError> {
        let largest = largest_entry(matrix)?;
        // Scaling by powers of two has no rounding error, except for underflow. Rotations can collect the squares of all entries
        // in one column. A scaled entry is below 2·`lift`, so the sum of all squares is at most MAX/2. `lift` is this large so
        // that a square underflows only if its entry is far smaller than the largest entry.
        let entries = T::from_usize(ROWS) * T::from_usize(COLUMNS);
        let lift = (T::MAX / (T::from_usize(8) * entries)).sqrt().power_of_two();
        let unit = largest.power_of_two();
        // `negligible` is the square of ε²·`lift`. The largest scaled entry is from `lift` to 2·`lift` (less only if all entries
        // of `matrix` are below `MIN_POSITIVE`). A column whose squared norm is below `negligible` is not rotated.
        let negligible = lift * T::EPSILON * T::EPSILON * (lift * T::EPSILON * T::EPSILON);
        let reached = if ROWS < COLUMNS {
            for (column, entries) in self.right.data.0.iter_mut().enumerate() {
                // Column i of Aᵀ is row i of A.
                for (entry, source) in entries.iter_mut().zip(&matrix.data.0) {
                    *entry = source.get(column).copied().unwrap_or(T::ZERO) / unit * lift;
                }
            }
            set_identity(&mut self.left);
            decompose_long(
                &mut self.right.data.0,
                &mut self.left.data.0,
                &mut self.values,
                negligible,
            )
        } else {
            for (target, source) in self.left.data.0.iter_mut().zip(&matrix.data.0) {
                for (target, &source) in target.iter_mut().zip(source) {
                    *target = source / unit * lift;
                }
            }
            for column in self.left.data.0.iter_mut().skip(COLUMNS) {
                column.fill(T::ZERO);
            }
            set_identity(&mut self.right);
            decompose_long(
                &mut self.left.data.0,
                &mut self.right.data.0,
                &mut self.values,
                negligible,
            )
        };
        for value in &mut self.values {
            // If entries are near `MAX`, a singular value can overflow: it becomes `MAX`.
            *value = (*value / lift * unit).min(T::MAX);
        }
        self.fix_signs();
        Ok(reached)
    }

    /// The singular values, descending: min(ROWS, COLUMNS) numbers. A value that would overflow is [`Scalar::MAX`].
    pub fn values(&self) -> &[T] {
        self.values.get(..Self::PAIRS).unwrap_or(&self.values)
    }

    /// The left singular vectors u as columns: first one for each singular value, in the order of the values, then a basis of the
    /// other directions. In each left vector of a singular value the first entry of largest magnitude is positive.
    pub fn left(&self) -> &SMatrix<T, ROWS, ROWS> {
        &self.left
    }

    /// The right singular vectors v as columns: first one for each singular value, in the order of the values, then a basis of
    /// the other directions.
    pub fn right(&self) -> &SMatrix<T, COLUMNS, COLUMNS> {
        &self.right
    }

    /// (uᵢ, vᵢ, σᵢ) for each singular value.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&[T; ROWS], &[T; COLUMNS], T)> + Clone {
        let vectors = self.left.data.0.iter().zip(&self.right.data.0);
        vectors
            .zip(self.values())
            .map(|((left, right), &value)| (left, right, value))
    }

    /// Chooses between (u, v) and (−u, −v), which give the same u·vᵀ: the first entry of largest magnitude of u becomes positive.
    fn fix_signs(&mut self) {
        for (left, right) in self.left.data.0.iter_mut().zip(&mut self.right.data.0) {
            let mut loudest = T::ZERO;
            for &entry in left.iter() {
                if entry.abs() > loudest.abs() {
                    loudest = entry;
                }
            }
            if loudest < T::ZERO {
                scale(left, -T::ONE);
                scale(right, -T::ONE);
            }
        }
    }

    /// Returns an error if the vectors are not orthonormal, or if the values are negative or not descending.
    pub(crate) fn validate(&self) -> Result<(), CodecError> {
        check_columns(&self.left.data.0, ROWS)?;
        check_columns(&self.right.data.0, COLUMNS)?;
        validate::not_negative(&self.values)?;
        validate::in_order(&self.values, |left, right| left >= right)
    }
}

stored!([T: Scalar, const ROWS: usize, const COLUMNS: usize] Svd<T, ROWS, COLUMNS> { left, right, values } if validate);

impl<T: Scalar, const ROWS: usize, const COLUMNS: usize> Default for Svd<T, ROWS, COLUMNS> {
    fn default() -> Self {
        Self::new()
    }
}

/// Decomposes the first SHORT columns of `long`; the other columns of `long` must be zero, and `short` must be the identity. On
/// return `long` holds the singular vectors of the longer side, `short` those of the shorter side, `values` the singular values.
fn decompose_long<T: Scalar, const LONG: usize, const SHORT: usize>(
    long: &mut [[T; LONG]; LONG],
    short: &mut [[T; SHORT]; SHORT],
    values: &mut [T],
    negligible: T,
) -> Convergence {
    let columns = long.get_mut(..SHORT).unwrap_or_default();
    let reached = orthogonalize(columns, short, negligible);
    sort_by_length(columns, short);
    values.fill(T::ZERO);
    for (value, column) in values.iter_mut().zip(columns) {
        *value = dot(column, column).sqrt();
    }
    // `orthonormalize_columns` divides the columns by their norms and completes the basis. It also corrects columns that are not
    // orthogonal. These are the columns with a negligible norm, which are not rotated, and any columns after too few sweeps.
    // Columns that are already orthogonal keep their direction up to rounding.
    orthonormalize_columns(long);
    reached
}

/// Returns the largest magnitude of an entry, or an error with the position of the first entry that is NaN or infinite.
fn largest_entry<T: Scalar, const ROWS: usize, const COLUMNS: usize>(
    matrix: &SMatrix<T, ROWS, COLUMNS>,
) -> Result<T, MatrixError> {
    let mut largest = T::ZERO;
    for (column, entries) in matrix.data.0.iter().enumerate() {
        for (row, entry) in entries.iter().enumerate() {
            if !entry.is_finite() {
                return Err(MatrixError::NotANumber { row, column });
            }
            largest = largest.max(entry.abs());
        }
    }
    Ok(largest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_and_its_transpose_have_the_same_values_and_swapped_vectors() -> Result<(), MatrixError> {
        let matrix = SMatrix::<f64, 4, 3>::from_fn(|row, column| ((3 * row + 5 * column) % 7) as f64 - 3.0);
        let (mut svd, mut swapped) = (Svd::new(), Svd::new());
        let _ = svd.decompose(&matrix)?;
        let _ = swapped.decompose(&matrix.transpose())?;
        assert_eq!(svd.values(), swapped.values());
        for place in 0..3 {
            let same = svd.left().column(place).dot(&swapped.right().column(place));
            assert!((same.abs() - 1.0).abs() < 1e-14);
        }
        Ok(())
    }

    #[test]
    fn the_scale_changes_the_values_alone() -> Result<(), MatrixError> {
        let matrix = SMatrix::<f32, 3, 5>::from_fn(|row, column| (row * row + 2 * column) as f32 - 4.0);
        let (mut svd, mut scaled) = (Svd::new(), Svd::new());
        let _ = svd.decompose(&matrix)?;
        for power in [2.0_f32.powi(-120), 2.0_f32.powi(-60), 2.0_f32.powi(100)] {
            let _ = scaled.decompose(&(matrix * power))?;
            assert_eq!((svd.left(), svd.right()), (scaled.left(), scaled.right()));
            let wanted = svd.values().iter().map(|value| value * power);
            assert!(scaled.values().iter().copied().eq(wanted), "{power:e}");
        }
        Ok(())
    }

    #[test]
    fn columns_that_were_never_rotated_still_give_orthonormal_vectors() {
        // With `negligible` infinite no column is rotated. The columns are as they would be after too few sweeps.
        let mut long = [[1.0_f32, 2.0, 0.0], [1.0, 2.5, 0.5], [0.0; 3]];
        let (mut short, mut values) = (identity::<f32, 2>(), [f32::NAN; 3]);
        let _ = decompose_long(&mut long, &mut short, &mut values, f32::INFINITY);
        assert!(check_columns(&long, 3).is_ok() && check_columns(&short, 2).is_ok());
        assert_eq!(values, [7.5_f32.sqrt(), 5.0_f32.sqrt(), 0.0]);
    }

    #[test]
    fn values_beyond_the_largest_number_stop_there() {
        let mut svd = Svd::<f32, 3, 3>::new();
        assert_eq!(svd.decompose(&SMatrix::repeat(f32::MAX)), Ok(Convergence::Reached));
        assert_eq!(svd.values()[0], f32::MAX);
    }

    #[test]
    fn a_refused_matrix_leaves_the_last_decomposition() {
        let mut svd = Svd::<f64, 2, 2>::new();
        let _ = svd.decompose(&SMatrix::from([[1.0, 2.0], [3.0, 4.0]]));
        let before = svd.clone();
        let refused = svd.decompose(&SMatrix::from([[1.0, f64::NAN], [3.0, 4.0]]));
        assert_eq!(refused, Err(MatrixError::NotANumber { row: 1, column: 0 }));
        assert_eq!((svd.left(), svd.values()), (before.left(), before.values()));
    }
}
