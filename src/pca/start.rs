//! Checks a start: orthonormal directions and the probability to keep each of them.
//! In: k = `KEEP` directions v with keep probabilities p, of n = `DIM` directions. Out: (k − Σp)/(n − k), the keep probability of
//! each of the other n − k directions, or the reason why the start is refused. All n keep probabilities sum to k.
//! Method: k − Σp is summed as Σ(1 − p), so no digits cancel.
//! Cost: DIM·KEEP·(KEEP + 1)/2 multiply-adds.

use crate::spectrum::check_orthonormal;
use crate::{MatrixError, Scalar};
use nalgebra::SMatrix;

/// Returns the keep probability of every direction that is not given, or the reason why the start is refused.
pub(super) fn check_start<T: Scalar, const DIM: usize, const KEEP: usize>(
    directions: &SMatrix<T, DIM, KEEP>,
    probabilities: &[T; KEEP],
) -> Result<T, MatrixError> {
    for (column, entries) in directions.data.0.iter().enumerate() {
        if let Some(row) = entries.iter().position(|entry| !entry.is_finite()) {
            return Err(MatrixError::NotANumber { row, column });
        }
    }
    check_orthonormal(directions, KEEP).map_err(|_| MatrixError::NotOrthonormal)?;
    let mut left = T::ZERO;
    for (index, &probability) in probabilities.iter().enumerate() {
        // A probability p of one means the infinite evidence −ln(1 − p), which no sample could reduce.
        if !(probability >= T::ZERO && probability < T::ONE) {
            return Err(MatrixError::Probability { index });
        }
        left += T::ONE - probability;
    }
    let others = left / T::from_usize(DIM.saturating_sub(KEEP));
    if others < T::ONE {
        Ok(others)
    } else {
        Err(MatrixError::Probability { index: KEEP })
    }
}
