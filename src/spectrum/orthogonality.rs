//! Makes columns orthonormal, and checks whether they are.
//! In: K columns of N rows. Out: orthonormal columns; a dependent column becomes a direction orthogonal to the earlier
//! ones.
//! Method: Gram and Schmidt, repeated up to two times if at most half of the length remains.
//! Cost: N·K² multiply-adds, up to 3 times as many if columns are nearly dependent, 6.5 times if columns are replaced.
//! No scratch.

use super::vector::{add_scaled, any_length_mut, dot, rare, scale, whole};
use crate::codec::validate;
use crate::error::CodecError;
use crate::scalar::Scalar;
use nalgebra::SMatrix;

/// Makes the first `count` columns orthonormal and returns the number of linearly independent columns.
///
/// Zero, repeated and non-finite columns count as dependent.
///
/// ```
/// use eigenstream::{nalgebra::SMatrix, spectrum::{orthogonality_error, orthonormalize}};
///
/// let mut columns = SMatrix::<f32, 3, 2>::new(
///     3.0, 1.0,
///     0.0, 1.0,
///     4.0, 0.0);
/// assert_eq!(orthonormalize(&mut columns, 2), 2);
/// assert_eq!(columns[(0, 0)], 0.6);
/// assert!(orthogonality_error(&columns, 2) < 1e-6);
/// ```
///
/// More columns than rows do not compile:
///
/// ```compile_fail,E0080
/// use eigenstream::{nalgebra::SMatrix, spectrum::orthonormalize};
/// orthonormalize(&mut SMatrix::<f32, 2, 3>::zeros(), 3);
/// ```
pub fn orthonormalize<T: Scalar, const N: usize, const K: usize>(
    columns: &mut SMatrix<T, N, K>,
    count: usize,
) -> usize {
    const { assert!(K <= N, "more columns than rows cannot be orthonormal") };
    orthonormalize_columns(columns.data.0.get_mut(..count.min(K)).unwrap_or_default())
}

/// [`orthonormalize`] for a slice of at most N columns.
pub(super) fn orthonormalize_columns<T: Scalar, const N: usize>(columns: &mut [[T; N]]) -> usize {
    let mut independent = 0_usize;
    for last in 0..columns.len() {
        let Some((before, [column, ..])) = columns.split_at_mut_checked(last) else {
            break;
        };
        if project(column, before) {
            independent = independent.saturating_add(1);
        } else {
            complete(column, before);
        }
    }
    independent
}

/// Makes nearly orthonormal columns orthonormal, by one projection of each; no column is replaced.
pub(crate) fn tidy<T: Scalar, const N: usize>(columns: &mut [[T; N]]) {
    let columns = any_length_mut(columns);
    for last in 0..columns.len() {
        let Some((before, [column, ..])) = columns.split_at_mut_checked(last) else {
            break;
        };
        tidy_column(before, column);
    }
}

/// [`tidy`] for one column: makes it orthogonal to the columns `before` and of length one.
fn tidy_column<T: Scalar, const N: usize>(before: &[[T; N]], column: &mut [T; N]) {
    for direction in before {
        let overlap = whole::dot(column, direction);
        whole::add_scaled(column, -overlap, direction);
    }
    let left = whole::dot(column, column);
    let error = left - T::ONE;
    if error * error <= T::EPSILON {
        // 1/√`left` ≈ (3 − `left`)/2: one step of Newton's method, with an error of about ⅜·`error`².
        whole::scale(column, T::from_f64(1.5) - T::HALF * left);
    } else if left > T::EPSILON {
        whole::scale(column, left.inverse_sqrt());
    }
}

/// The largest entry of |VᵀV − I| for the first `count` columns V.
///
/// The result is zero for exactly orthonormal columns, and [`Scalar::MAX`] if an entry overflows or is NaN.
pub fn orthogonality_error<T: Scalar, const N: usize, const K: usize>(columns: &SMatrix<T, N, K>, count: usize) -> T {
    error_of_columns(columns.data.0.get(..count).unwrap_or(&columns.data.0))
}

fn error_of_columns<T: Scalar, const N: usize>(columns: &[[T; N]]) -> T {
    let mut worst = T::ZERO;
    for (i, left) in columns.iter().enumerate() {
        for (j, right) in columns.iter().enumerate().take_while(|&(j, _)| j <= i) {
            let wanted = if i == j { T::ONE } else { T::ZERO };
            let error = (dot(left, right) - wanted).abs();
            worst = worst.max(if error.is_finite() { error } else { T::MAX });
        }
    }
    worst
}

/// Accepts `count` columns of an image or of a caller if their [`orthogonality_error`] is at most 16√ε.
///
/// This limit is 0.0055 in `f32`.
pub(crate) fn check_orthonormal<T: Scalar, const N: usize, const K: usize>(
    columns: &SMatrix<T, N, K>,
    count: usize,
) -> Result<(), CodecError> {
    check_columns(&columns.data.0, count)
}

/// [`check_orthonormal`] for a slice.
pub(crate) fn check_columns<T: Scalar, const N: usize>(columns: &[[T; N]], count: usize) -> Result<(), CodecError> {
    let columns = columns.get(..count).ok_or(CodecError::Count)?;
    let tolerance = T::from_f64(16.0) * T::EPSILON.sqrt();
    validate::accept(error_of_columns(columns) <= tolerance, CodecError::Directions)
}

/// Removes the parts of a vector along orthonormal `directions`, one after the other.
pub(crate) fn take_out<'a, T: Scalar, const N: usize>(
    vector: &mut [T; N],
    directions: impl Iterator<Item = &'a [T; N]>,
) {
    for direction in directions {
        let overlap = dot(vector, direction);
        add_scaled(vector, -overlap, direction);
    }
}

/// Removes the parts of `column` along `before` and scales the rest to length one.
///
/// Returns false if the rest is zero up to rounding or `column` is not finite; `column` then has no meaning.
#[inline(never)] // one copy in flash for all callers
pub(crate) fn project<T: Scalar, const N: usize>(column: &mut [T; N], before: &[[T; N]]) -> bool {
    project_out(column, |column| take_out(column, before.iter()))
}

/// [`project`] for directions that `take_out` removes.
pub(crate) fn project_out<T: Scalar, const N: usize>(column: &mut [T; N], take_out: impl Fn(&mut [T; N])) -> bool {
    for _ in 0..3 {
        let energy = energy_in_range(column);
        if energy == T::ZERO {
            return false;
        }
        take_out(column);
        let left = whole::dot(column, column);
        // So small a rest is only the rounding error of the removed parts.
        if left <= T::from_f64(16.0) * T::EPSILON * T::EPSILON * energy {
            return false;
        }
        whole::scale(column, T::ONE / left.sqrt());
        // If more than half of the length remains, the relative error along `before` is a rounding error.
        if left > T::from_f64(0.25) * energy {
            return true;
        }
    }
    true
}

/// Scales `vector` to length one. Returns false if `vector` is zero or not finite.
#[inline(never)]
pub(crate) fn normalize<T: Scalar, const N: usize>(vector: &mut [T; N]) -> bool {
    let energy = energy_in_range(vector);
    if energy == T::ZERO {
        return false;
    }
    scale(vector, T::ONE / energy.sqrt());
    true
}

/// The squared length of `vector`, or zero if `vector` is zero or not finite. If squares could overflow or underflow,
/// first divides `vector` by a power of two.
fn energy_in_range<T: Scalar, const N: usize>(vector: &mut [T; N]) -> T {
    let energy = dot(vector, vector);
    // From this energy on, the energy of a remainder of ε times the length of `vector` does not underflow.
    let lowest = T::MIN_POSITIVE / (T::EPSILON * T::EPSILON * T::EPSILON);
    if energy >= lowest && energy <= T::MAX {
        energy
    } else {
        bring_in_range(vector)
    }
}

#[cold]
#[inline(never)]
fn bring_in_range<T: Scalar>(vector: &mut [T]) -> T {
    let mut largest = T::ZERO;
    for value in &*vector {
        if !value.is_finite() {
            return T::ZERO;
        }
        largest = largest.max(value.abs());
    }
    if largest == T::ZERO {
        return T::ZERO;
    }
    rare::scale(vector, T::ONE / largest.power_of_two());
    rare::dot(vector, vector)
}

/// Replaces `column` by a unit vector orthogonal to the orthonormal columns `before`, of which there are fewer than N.
///
/// At least one of the N axes has a part of length 1/√N or more outside the span of `before`.
pub(crate) fn complete<T: Scalar, const N: usize>(column: &mut [T; N], before: &[[T; N]]) {
    let mut axis = 0;
    while let Some(free) = free_axis(before.as_flattened(), N, axis) {
        column.fill(T::ZERO);
        if let Some(entry) = column.get_mut(free) {
            *entry = T::ONE;
        }
        if project(column, before) {
            return;
        }
        axis = free.saturating_add(1);
    }
}

/// The first axis from `start` on with a part of squared length 1/(2N) or more outside the span of `columns`.
#[inline(never)]
fn free_axis<T: Scalar>(columns: &[T], rows: usize, start: usize) -> Option<usize> {
    (start..rows).find(|&axis| {
        // Without rounding, 1 − `inside` is at least 1/N for at least one axis.
        let mut inside = T::ZERO;
        for &entry in columns.iter().skip(axis).step_by(rows.max(1)) {
            inside += entry * entry;
        }
        (T::ONE - inside) * T::from_usize(2 * rows) >= T::ONE
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_are_nearly_orthonormal_come_out_as_from_the_full_method() {
        let mut columns = SMatrix::<f32, 4, 3>::from([
            [0.6, 0.0, 0.801, 0.0],
            [0.01, 1.0, 0.0, -0.002],
            [0.8, 0.003, -0.6, 0.02],
        ]);
        let mut tidied = columns;
        assert_eq!(orthonormalize(&mut columns, 3), 3);
        tidy(&mut tidied.data.0);
        assert!((tidied - columns).abs().max() <= 2.0 * f32::EPSILON);
        assert!(orthogonality_error(&tidied, 3) <= 4.0 * f32::EPSILON);
    }

    #[test]
    fn one_column_is_tidied_beside_those_before_it() {
        for length in [1.0_f32, 1.000_3, 0.999_7, 1.1, 0.5] {
            let before = [[0.6, 0.0, 0.8, 0.0]];
            let mut column = [0.8 * length, 1e-4, -0.6 * length, 2e-4];
            tidy_column(&before, &mut column);
            let (first, own) = (dot(&before[0], &column), dot(&column, &column));
            assert!(first.abs() <= 2.0 * f32::EPSILON, "length {length}: {first}");
            assert!((own - 1.0).abs() <= 4.0 * f32::EPSILON, "length {length}: {own}");
        }
    }

    #[test]
    fn a_zero_column_becomes_a_free_direction() {
        let mut columns = SMatrix::<f32, 3, 3>::zeros();
        columns[(0, 0)] = 2.0;
        assert_eq!(orthonormalize(&mut columns, 3), 1);
        assert!(orthogonality_error(&columns, 3) <= f32::EPSILON);
    }

    #[test]
    fn columns_that_differ_by_one_part_in_a_hundred_thousand_still_come_out_orthogonal() {
        let mut columns = SMatrix::<f32, 4, 2>::new(1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.000_01);
        assert_eq!(orthonormalize(&mut columns, 2), 2);
        assert!(orthogonality_error(&columns, 2) <= 4.0 * f32::EPSILON);
    }

    #[test]
    fn what_is_not_a_number_is_no_basis() {
        assert_eq!(
            orthogonality_error(&SMatrix::<f32, 3, 3>::repeat(f32::NAN), 3),
            f32::MAX
        );
        assert_eq!(
            orthogonality_error(&SMatrix::<f32, 3, 3>::repeat(f32::MAX), 3),
            f32::MAX
        );
        let mut first_column = SMatrix::<f32, 3, 3>::identity();
        first_column[(0, 0)] = f32::NAN;
        assert_eq!(orthogonality_error(&first_column, 3), f32::MAX);
    }

    #[test]
    fn any_scale_and_any_number_is_taken() {
        for size in [1e-38_f32, 1e-20, 1e20, 3e38, f32::NAN, f32::INFINITY] {
            let mut columns = SMatrix::<f32, 3, 2>::from([[size, size, 0.0], [size, 0.0, size]]);
            orthonormalize(&mut columns, 2);
            assert!(orthogonality_error(&columns, 2) <= 4.0 * f32::EPSILON, "size {size}");
        }
    }
}
