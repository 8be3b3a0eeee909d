//! One-sided Jacobi: plane rotations that make the columns of a matrix orthogonal.
//! In: the columns gᵢ of G, and those of an orthogonal matrix V. Out: G·J and V·J with one orthogonal J, so that the columns of G·J are
//! orthogonal: their lengths are the singular values of G.
//! Method: Hestenes. For i < j let α = ‖gᵢ‖², β = ‖gⱼ‖², γ = gᵢ·gⱼ. The rotation by the angle whose tangent t is the smaller root of
//! t² + 2ζt − 1 = 0, ζ = (β − α)/(2γ), makes γ zero. The longer column of a pair goes first, which makes the sweeps converge quadratically also
//! for graded matrices. A pair counts as orthogonal if |γ| ≤ √n·ε·‖gᵢ‖·‖gⱼ‖, the rounding of γ: relative to both lengths, so that
//! small singular values come out as exactly as large ones.
//! Cost: 3·n multiply-adds for a pair of columns of n rows, 4·(n + m) more to rotate them and their columns of V, m rows.

use crate::Scalar;
use crate::spectrum::Convergence;
use crate::spectrum::vector::dot;

/// Sweeps over all pairs, at most. The tests need 11.
const SWEEPS: usize = 30;

/// Rotates pairs of columns until all are orthogonal, or the bound is hit. Columns of less energy than `negligible` are left alone.
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

/// One sweep over all pairs; whether any pair was not orthogonal.
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

/// (cosine, sine) of the rotation that makes two columns orthogonal, the longer one first. None if they are orthogonal.
fn angle_between<T: Scalar, const LONG: usize>(
    longer: &[T; LONG],
    shorter: &[T; LONG],
    negligible: T,
) -> Option<(T, T)> {
    let (alpha, beta, gamma) = (dot(longer, longer), dot(shorter, shorter), dot(longer, shorter));
    // Of two parallel columns the rounding of the shorter one remains, and may be parallel again: without this, sweep after sweep.
    if beta < negligible {
        return None;
    }
    // γ² against n·ε²·α·β: the product of the two quotients stays in range where α·β would not.
    if (gamma / alpha) * (gamma / beta) <= T::from_usize(LONG) * T::EPSILON * T::EPSILON {
        return None;
    }
    // t = 2γ·sign(d)/(|d| + √(d² + 4γ²)) with d = β − α ≤ 0, divided by the larger of |d| and 2γ.
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

/// (a, b) ← (c·a − s·b, s·a + c·b).
fn rotate<T: Scalar, const N: usize>(one: &mut [T; N], other: &mut [T; N], (cosine, sine): (T, T)) {
    for (one, other) in one.iter_mut().zip(other) {
        let (a, b) = (*one, *other);
        *one = cosine * a - sine * b;
        *other = sine * a + cosine * b;
    }
}

/// Puts the longer columns first, with their columns of V.
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
        // Refused where both are the same place: nothing to swap.
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
