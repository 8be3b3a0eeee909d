//! Singular value decomposition of a matrix.
//! In: a matrix A. Out: A = Σ σᵢ·uᵢ·vᵢᵀ with σ descending, and all u and v.
//! Method: Jacobi's one-sided rotations make the m columns, of n ≥ m entries, of A or Aᵀ orthogonal; the method of Gram
//! and Schmidt adds the missing columns. A column with a norm below about ε² times the largest entry is not rotated.
//! Cost: at most about (4.5·n + 2·m)·m² multiply-adds for each sweep over all pairs of columns, and then those that
//! make n columns orthonormal. Kept: ROWS² + COLUMNS² + ROWS numbers. No scratch.

use super::Convergence;
use super::orthogonality::{check_columns, orthonormalize_columns};
use super::symmetric::{identity, set_identity};
use super::vector::{dot, scale};
use crate::codec::{stored, validate};
use crate::error::{CodecError, MatrixError};
use crate::scalar::Scalar;
use nalgebra::{ArrayStorage, SMatrix};

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
    /// The singular values, then zeros.
    values: [T; ROWS],
}

impl<T: Scalar, const ROWS: usize, const COLUMNS: usize> Svd<T, ROWS, COLUMNS> {
    const PAIRS: usize = if ROWS < COLUMNS { ROWS } else { COLUMNS };

    /// The decomposition of the zero matrix.
    ///
    /// A matrix without columns does not compile:
    ///
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
    /// With [`Convergence::BoundHit`] the vectors are still orthonormal, and the values finite and descending.
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] with the first entry, column by column, that is not finite; nothing changes.
    pub fn decompose(&mut self, matrix: &SMatrix<T, ROWS, COLUMNS>) -> Result<Convergence, MatrixError> {
        let largest = largest_entry(matrix)?;
        // A product with a power of two is exact unless it underflows. A scaled entry is below 2·`lift`, so the sum of
        // all squares is at most MAX/2.
        let entries = T::from_usize(ROWS) * T::from_usize(COLUMNS);
        let lift = (T::MAX / (T::from_usize(8) * entries)).sqrt().power_of_two();
        let unit = largest.power_of_two();
        // The square of ε²·`lift`: columns with a smaller squared length are not rotated.
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
            // With entries near `MAX` a singular value can overflow.
            *value = (*value / lift * unit).min(T::MAX);
        }
        self.fix_signs();
        Ok(reached)
    }

    /// The singular values, descending: min(ROWS, COLUMNS) numbers.
    ///
    /// A value that would overflow is [`Scalar::MAX`].
    pub fn values(&self) -> &[T] {
        self.values.get(..Self::PAIRS).unwrap_or(&self.values)
    }

    /// The left singular vectors as columns: one for each singular value, then a basis of the space orthogonal to them.
    ///
    /// In each vector of a singular value the first entry of largest magnitude is positive.
    pub fn left(&self) -> &SMatrix<T, ROWS, ROWS> {
        &self.left
    }

    /// The right singular vectors as columns: one for each singular value, then a basis of the space orthogonal to
    /// them.
    pub fn right(&self) -> &SMatrix<T, COLUMNS, COLUMNS> {
        &self.right
    }

    /// Iterates over (uᵢ, vᵢ, σᵢ) for each singular value.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&[T; ROWS], &[T; COLUMNS], T)> + Clone {
        let vectors = self.left.data.0.iter().zip(&self.right.data.0);
        vectors
            .zip(self.values())
            .map(|((left, right), &value)| (left, right, value))
    }

    /// Of the pairs (u, v) and (−u, −v), takes that in which the first entry of largest magnitude of u is positive.
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

/// Decomposes the matrix in the first SHORT columns of `long`. The other columns are zero, and `short` is the identity.
///
/// On return `long` holds the singular vectors of the longer side, `short` those of the shorter side.
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
    // This call also corrects columns that are not orthogonal: negligible columns, which were not rotated, and others
    // if the sweeps were too few.
    orthonormalize_columns(long);
    reached
}

/// The largest magnitude of an entry, or an error with the first entry that is not finite.
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

/// The largest number of sweeps.
const SWEEPS: usize = 30;

/// Rotates pairs of `columns`, and of `turned` in the same way, until all pairs of `columns` are orthogonal.
///
/// A pair is left alone if the squared length of its shorter column is below `negligible`.
fn orthogonalize<T: Scalar, const LONG: usize, const SHORT: usize>(
    columns: &mut [[T; LONG]],
    turned: &mut [[T; SHORT]],
    negligible: T,
) -> Convergence {
    for _ in 0..SWEEPS {
        if !sweep(columns, turned, negligible) {
            return Convergence::Reached;
        }
    }
    Convergence::bound_hit()
}

/// One sweep over all pairs; returns whether a pair was rotated.
fn sweep<T: Scalar, const LONG: usize, const SHORT: usize>(
    columns: &mut [[T; LONG]],
    turned: &mut [[T; SHORT]],
    negligible: T,
) -> bool {
    let mut rotated = false;
    for last in 1..columns.len() {
        for first in 0..last {
            let (Ok([one, other]), Ok([one_turned, other_turned])) = (
                columns.get_disjoint_mut([first, last]),
                turned.get_disjoint_mut([first, last]),
            ) else {
                continue;
            };
            if dot(one, one) < dot(other, other) {
                core::mem::swap(one, other);
                core::mem::swap(one_turned, other_turned);
            }
            if let Some(angle) = angle_between(one, other, negligible) {
                rotated = true;
                rotate(one, other, angle);
                rotate(one_turned, other_turned, angle);
            }
        }
    }
    rotated
}

/// Returns (cosine, sine) of the rotation that makes two columns orthogonal; `None` if they are orthogonal already or
/// the shorter one is negligible.
fn angle_between<T: Scalar, const LONG: usize>(
    longer: &[T; LONG],
    shorter: &[T; LONG],
    negligible: T,
) -> Option<(T, T)> {
    let (alpha, beta, gamma) = (dot(longer, longer), dot(shorter, shorter), dot(longer, shorter));
    // A rotation of two parallel columns leaves only rounding errors in the shorter one: without this test every sweep
    // could rotate the pair.
    if beta < negligible {
        return None;
    }
    // Tests gamma² ≤ LONG·ε²·alpha·beta, without the product alpha·beta, which could overflow.
    if (gamma / alpha) * (gamma / beta) <= T::from_usize(LONG) * T::EPSILON * T::EPSILON {
        return None;
    }
    // The tangent is −twice/(distance + √(distance² + twice²)), both terms of the fraction divided by the larger of
    // distance and |twice|.
    let (distance, twice) = (alpha - beta, T::TWO * gamma);
    let tangent = if twice.abs() <= distance {
        let ratio = twice / distance;
        -ratio / (T::ONE + (T::ONE + ratio * ratio).sqrt())
    } else {
        let ratio = distance / twice;
        let sign = if gamma < T::ZERO { T::ONE } else { -T::ONE };
        sign / (ratio.abs() + (T::ONE + ratio * ratio).sqrt())
    };
    let cosine = T::ONE / (T::ONE + tangent * tangent).sqrt();
    Some((cosine, cosine * tangent))
}

/// (a, b) ← (cosine·a − sine·b, sine·a + cosine·b) for the two entries a, b of each row.
fn rotate<T: Scalar, const N: usize>(one: &mut [T; N], other: &mut [T; N], (cosine, sine): (T, T)) {
    for (one, other) in one.iter_mut().zip(other) {
        let (a, b) = (*one, *other);
        *one = cosine * a - sine * b;
        *other = sine * a + cosine * b;
    }
}

/// Sorts the columns by length, the longest first, and moves those of `turned` in the same way.
fn sort_by_length<T: Scalar, const LONG: usize, const SHORT: usize>(
    columns: &mut [[T; LONG]],
    turned: &mut [[T; SHORT]],
) {
    for place in 0..columns.len() {
        let mut longest = (place, -T::ONE);
        for (candidate, column) in columns.iter().enumerate().skip(place) {
            let length = dot(column, column);
            if length > longest.1 {
                longest = (candidate, length);
            }
        }
        // `get_disjoint_mut` returns an error for equal indices: then there is nothing to swap.
        if let (Ok([one, other]), Ok([one_turned, other_turned])) = (
            columns.get_disjoint_mut([place, longest.0]),
            turned.get_disjoint_mut([place, longest.0]),
        ) {
            core::mem::swap(one, other);
            core::mem::swap(one_turned, other_turned);
        }
    }
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

    #[test]
    fn one_rotation_makes_two_columns_orthogonal_and_keeps_their_energy() {
        for (mut one, mut other) in [
            ([3.0_f64, 1.0], [0.5, 2.0]),
            ([3.0, 1.0], [-0.5, -2.0]),
            ([1.0, 1.0], [1.0, 0.999]),
            ([5.0, 0.0], [0.5, 1.0]),
        ] {
            let energy = dot(&one, &one) + dot(&other, &other);
            let angle = angle_between(&one, &other, 1e-30);
            assert!(
                angle.is_some_and(|(cosine, sine)| cosine * cosine + sine * sine - 1.0 < 1e-15 && sine.abs() <= cosine)
            );
            rotate(&mut one, &mut other, angle.unwrap_or((1.0, 0.0)));
            assert!(dot(&one, &other).abs() < 1e-15, "{one:?} {other:?}");
            assert!((dot(&one, &one) + dot(&other, &other) - energy).abs() < 1e-14);
        }
    }

    #[test]
    fn orthogonal_and_vanishing_columns_stay() {
        assert_eq!(angle_between(&[1.0_f32, 0.0], &[0.0, 1.0], 1e-30), None);
        assert_eq!(angle_between(&[1.0_f32, 0.0], &[1e-16, 0.0], 1e-30), None);
        assert_eq!(angle_between(&[0.0_f32; 2], &[0.0; 2], 1e-30), None);
    }
}
