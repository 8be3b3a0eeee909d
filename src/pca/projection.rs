//! A sample between its code and what the code leaves out.
//! In: a sample as seen from the centre, and orthonormal directions. Out: its residual, the sample that a code
//! stands for, or the directions as a matrix.
//! Method: r = x − Σ shareⱼ·(vⱼ·x)·vⱼ. A direction kept for certain has share 1; one kept with probability p has
//! 1 − √(1 − p), for then ‖r‖² = ‖x‖² − Σ pⱼ(vⱼ·x)², the expected loss of [WK08] Algorithms 5 and 6.
//! Losses are sums of squares of residuals: never negative, and accurate where ‖x‖² − Σ pⱼ(vⱼ·x)² would cancel.
//! Cost: 2·DIM multiply-adds per direction.

use crate::learner::energy_of;
use crate::spectrum::vector::{add_scaled, dot};
use crate::{SampleError, Scalar};
use nalgebra::{ArrayStorage, SMatrix, SVector};

/// The rest of `deviation` after each direction has taken its share.
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

/// Where `deviation` lies along each direction, measured by the spread there: w = Σ (vⱼ·x)/σⱼ·vⱼ, whose squares sum to
/// Hotelling's T². In: the variances σⱼ² by falling size. Directions in which the data hardly vary say nothing of it.
pub(super) fn leverage<'a, T: Scalar, const DIM: usize>(
    deviation: &[T; DIM],
    directions: impl Iterator<Item = (T, &'a [T; DIM])>,
) -> [T; DIM] {
    let mut total = [T::ZERO; DIM];
    let mut largest = T::ZERO;
    // A long sample in a narrow direction is further out than there are numbers; that far is far enough.
    let furthest = T::MAX / T::from_usize(4 * DIM);
    for (variance, direction) in directions {
        largest = largest.max(variance);
        // Eigenvalues are accurate to a few ε of the largest; one below that is none.
        if variance > T::from_usize(4 * DIM) * T::EPSILON * largest && variance >= T::MIN_POSITIVE {
            let spreads = dot(direction, deviation) / variance.sqrt();
            add_scaled(&mut total, spreads.min(furthest).max(-furthest), direction);
        }
    }
    total
}

/// 1 − √(1 − p).
pub(super) fn share_of<T: Scalar>(probability: T) -> T {
    T::ONE - T::ZERO.max(T::ONE - probability).sqrt()
}

/// ‖r‖². At the very end of the number range rounding may carry a residual beyond its sample.
pub(super) fn energy_in<T: Scalar, const DIM: usize>(residual: &[T; DIM]) -> T {
    dot(residual, residual).min(T::MAX)
}

/// The sample m + Σ codeⱼ·vⱼ that a code stands for. A refused code is named by its position.
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

/// The first `KEEP` directions as the columns of a matrix; zeros where there are fewer.
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
        // ‖x‖² = 14; 1·1² and ¾·2² are kept in expectation: 14 − 1 − 3 = 10.
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let shares = [share_of(1.0), share_of(0.75)];
        let left = residual(&[1.0_f64, 2.0, 3.0], shares.into_iter().zip(&axes));
        assert_eq!(left, [0.0, 1.0, 3.0]);
        assert_eq!(dot(&left, &left), 10.0);
    }

    #[test]
    fn leverage_counts_in_spreads_and_leaves_out_what_does_not_vary() {
        // 6 at spread 2 and 1 at spread 1 are three and one spreads off; the third direction has no spread of its own.
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
