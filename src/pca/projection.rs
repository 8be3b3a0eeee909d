//! Splits a sample into the part that its code (its coordinates in a few directions) represents and the residual.
//! In: x, a sample minus the centre, and orthonormal directions vⱼ. Out: the residual r, the sample that is rebuilt from a
//! code, the represented part in units of the standard deviations (`leverage`), or the directions as a matrix.
//! Method: r = x − Σ shareⱼ·(vⱼ·x)·vⱼ. The share of a direction is the fraction of (vⱼ·x)·vⱼ that is subtracted: 1 for a
//! direction that is kept for certain, 1 − √(1 − p) for a direction that is kept with probability p. Then
//! ‖r‖² = ‖x‖² − Σ pⱼ(vⱼ·x)², the expected loss of [WK08] Algorithms 5 and 6.
//! A loss is computed as ‖r‖²: it is never negative, and it is accurate where the subtraction ‖x‖² − Σ pⱼ(vⱼ·x)² would lose
//! digits.
//! Cost per direction: 2·DIM multiply-adds for the residual or `leverage`, DIM to rebuild a sample.

use crate::learner::energy_of;
use crate::spectrum::vector::{add_scaled, dot};
use crate::{SampleError, Scalar};
use nalgebra::{ArrayStorage, SMatrix, SVector};

/// The residual x − Σ shareⱼ·(vⱼ·x)·vⱼ, with x = `deviation`. `directions` yields the pairs (shareⱼ, vⱼ).
pub(super) fn residual<'a, T: Scalar, const DIM: usize>(
    deviation: &[T; DIM],
    directions: impl Iterator<Item = (T, &'a [T; DIM])>,
) -> [T; DIM] {
    let mut left = *deviation;
    for (share, direction) in directions {
        add_scaled(&mut left, -share * dot(direction, deviation), direction);
    }
    left
}

/// Returns Σ (vⱼ·x)/σⱼ·vⱼ with x = `deviation`: each coordinate is divided by the standard deviation of its direction. The
/// squares of the entries sum to Hotelling's T². `directions` yields the pairs (σⱼ², vⱼ), by descending variance. A direction is
/// skipped if its variance is zero, subnormal, or at most 4·DIM·ε times the largest variance.
pub(super) fn leverage<'a, T: Scalar, const DIM: usize>(
    deviation: &[T; DIM],
    directions: impl Iterator<Item = (T, &'a [T; DIM])>,
) -> [T; DIM] {
    let mut total = [T::ZERO; DIM];
    let mut largest = T::ZERO;
    // The quotient of a large coordinate and a small standard deviation can overflow: the quotient is limited to ±`furthest`.
    let furthest = T::MAX / T::from_usize(4 * DIM);
    for (variance, direction) in directions {
        largest = largest.max(variance);
        // Variances come from eigenvalues, whose error is a few ε times the largest eigenvalue. So a variance of at most 4·DIM·ε
        // times the largest variance can consist of rounding error alone.
        if variance > T::from_usize(4 * DIM) * T::EPSILON * largest && variance >= T::MIN_POSITIVE {
            let spreads = dot(direction, deviation) / variance.sqrt();
            add_scaled(&mut total, spreads.min(furthest).max(-furthest), direction);
        }
    }
    total
}

/// The share 1 − √(1 − p) of a direction with the keep probability p. In the residual the coordinate along this direction is
/// multiplied by √(1 − p), and so its square by 1 − p.
pub(super) fn share_of<T: Scalar>(probability: T) -> T {
    T::ONE - T::ZERO.max(T::ONE - probability).sqrt()
}

/// The squared length of a residual, at most `MAX`. If the energy of a sample is near `MAX`, rounding can make the residual
/// longer than the sample, so that the squared length overflows.
pub(super) fn energy_in<T: Scalar, const DIM: usize>(residual: &[T; DIM]) -> T {
    dot(residual, residual).min(T::MAX)
}

/// Rebuilds the sample m + Σ codeⱼ·vⱼ from a code, with m = `center`. The channel of an error is the position in `code`.
pub(super) fn reconstruct<'a, T: Scalar, const DIM: usize, const KEEP: usize>(
    center: &SVector<T, DIM>,
    code: &[T; KEEP],
    directions: impl Iterator<Item = &'a [T; DIM]>,
) -> Result<[T; DIM], SampleError> {
    energy_of(code)?;
    let [mut sample] = center.data.0;
    for (&coordinate, direction) in code.iter().zip(directions) {
        add_scaled(&mut sample, coordinate, direction);
    }
    Ok(sample)
}

/// The first `KEEP` directions as the columns of a matrix; missing directions are columns of zeros.
pub(super) fn as_columns<'a, T: Scalar, const DIM: usize, const KEEP: usize>(
    directions: impl Iterator<Item = &'a [T; DIM]>,
) -> SMatrix<T, DIM, KEEP> {
    let mut columns = SMatrix::from_array_storage(ArrayStorage([[T::ZERO; DIM]; KEEP]));
    for (column, direction) in columns.data.0.iter_mut().zip(directions) {
        *column = *direction;
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_squares_of_the_residual_sum_to_the_expected_loss() {
        // ‖x‖² = 14. The expected kept energy is 1·1² + ¾·2² = 4, so the expected loss is 10.
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let shares = [share_of(1.0), share_of(0.75)];
        let left = residual(&[1.0_f64, 2.0, 3.0], shares.into_iter().zip(&axes));
        assert_eq!(left, [0.0, 1.0, 3.0]);
        assert_eq!(dot(&left, &left), 10.0);
    }

    #[test]
    fn leverage_counts_in_spreads_and_leaves_out_what_does_not_vary() {
        // 6 at standard deviation 2 and 1 at standard deviation 1 give 3 and 1; the third direction hardly varies and is skipped.
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let place = leverage(&[6.0_f64, 1.0, 5.0], [4.0, 1.0, 1e-17].into_iter().zip(&axes));
        assert_eq!(place, [3.0, 1.0, 0.0]);
    }

    #[test]
    fn a_code_without_a_number_is_refused() {
        let refused = reconstruct(
            &SVector::from([0.0_f32; 2]),
            &[1.0, f32::NAN],
            [[1.0, 0.0], [0.0, 1.0]].iter(),
        );
        assert_eq!(refused, Err(SampleError::NotANumber { channel: 1 }));
    }
}
