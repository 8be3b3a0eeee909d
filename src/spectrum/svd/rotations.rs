//! One-sided Jacobi: plane rotations that make the columns of a matrix orthogonal.
//! In: the columns gᵢ of G (n rows) and of an orthogonal V (m rows). Out: G·J and V·J with the same orthogonal J; the
//! lengths of the columns of G·J are the singular values.
//! Method: Hestenes, with the longer column first, so that the sweeps converge quadratically also for graded matrices:
//! `guide::mathematics`, "The rotations of the SVD".
//! Cost: 5·n multiply-adds for a pair of columns; 4·(n + m) more to rotate it.

use crate::Scalar;
use crate::spectrum::Convergence;
use crate::spectrum::vector::dot;

/// The tests need at most 11.
const SWEEPS: usize = 30;

/// Rotates pairs of `columns`, and of `turned`, until all pairs of `columns` are orthogonal.
///
/// A pair is left alone if the squared length of its shorter column is below `negligible`.
pub(super) fn orthogonalize<T: Scalar, const LONG: usize, const SHORT: usize>(
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

/// (cosine, sine) of the rotation that makes two columns orthogonal, if they are not and neither is negligible.
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
    // γ² ≤ n·ε²·α·β, without the product α·β, which could overflow.
    if (gamma / alpha) * (gamma / beta) <= T::from_usize(LONG) * T::EPSILON * T::EPSILON {
        return None;
    }
    // −2γ/(d + √(d² + 4γ²)) with d = α − β, both divided by the larger of d and |2γ|.
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

/// (a, b) ← (c·a − s·b, s·a + c·b) for each row.
fn rotate<T: Scalar, const N: usize>(one: &mut [T; N], other: &mut [T; N], (cosine, sine): (T, T)) {
    for (one, other) in one.iter_mut().zip(other) {
        let (a, b) = (*one, *other);
        *one = cosine * a - sine * b;
        *other = sine * a + cosine * b;
    }
}

/// Sorts the columns by length, the longest first, and moves those of `turned` in the same way.
pub(super) fn sort_by_length<T: Scalar, const LONG: usize, const SHORT: usize>(
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
