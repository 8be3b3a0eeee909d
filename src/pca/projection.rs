//! Splits a sample into the part that a code represents and the residual.
//! In: x, a sample minus the centre, and orthonormal directions vⱼ.
//! Method: r = x − Σ shareⱼ·(vⱼ·x)·vⱼ, with shareⱼ = 1 − √(1 − pⱼ). Then ‖r‖² = ‖x‖² − Σ pⱼ(vⱼ·x)², the expected loss
//! of [WK08] Algorithms 5 and 6. ‖r‖² is never negative; the subtraction on the right side could lose all digits.
//! Cost per direction: 2·DIM multiply-adds for a residual or `leverage`, DIM to rebuild a sample.

use crate::learner::energy_of;
use crate::spectrum::vector::{add_scaled, dot};
use crate::{SampleError, Scalar};
use nalgebra::{ArrayStorage, SMatrix, SVector};

/// Returns the residual of `deviation`; `directions` yields the pairs (shareⱼ, vⱼ).
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

/// Returns Σ (vⱼ·x)/σⱼ·vⱼ with x = `deviation`; the squares of its entries sum to Hotelling's T². `directions` yields
/// the pairs (variance σⱼ², direction vⱼ), by descending variance.
pub(super) fn leverage<'a, T: Scalar, const DIM: usize>(
    deviation: &[T; DIM],
    directions: impl Iterator<Item = (T, &'a [T; DIM])>,
) -> [T; DIM] {
    let mut total = [T::ZERO; DIM];
    let mut largest = T::ZERO;
    // The quotient of a large coordinate and a small standard deviation can overflow.
    let furthest = T::MAX / T::from_usize(4 * DIM);
    for (variance, direction) in directions {
        largest = largest.max(variance);
        // A variance up to this limit can be rounding error alone.
        if variance > T::from_usize(4 * DIM) * T::EPSILON * largest && variance >= T::MIN_POSITIVE {
            let spreads = dot(direction, deviation) / variance.sqrt();
            add_scaled(&mut total, spreads.min(furthest).max(-furthest), direction);
        }
    }
    total
}

/// Returns 1 − √(1 − p). If a residual subtracts this share, the energy along the direction is multiplied by 1 − p.
pub(super) fn share_of<T: Scalar>(probability: T) -> T {
    T::ONE - T::ZERO.max(T::ONE - probability).sqrt()
}

/// The squared length of a residual, at most `MAX`: near `MAX`, rounding can make a residual longer than its sample.
pub(super) fn energy_in<T: Scalar, const DIM: usize>(residual: &[T; DIM]) -> T {
    dot(residual, residual).min(T::MAX)
}

/// Rebuilds the sample m + Σ codeⱼ·vⱼ, with m = `center`; the channel of an error is the position in `code`.
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
        // The variance along the third direction is almost zero.
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
