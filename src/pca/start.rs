//! Checks a start: orthonormal directions and their keep probabilities.
//! Out: (KEEP − Σp)/(DIM − KEEP), the keep probability of every other direction, or the reason for a refusal.
//! KEEP − Σp is summed as Σ(1 − p), so no digits cancel.
//! Cost: DIM·KEEP·(KEEP + 1)/2 multiply-adds.

use crate::spectrum::check_orthonormal;
use crate::{MatrixError, Scalar};
use nalgebra::SMatrix;

/// Returns the keep probability of every direction that is not given.
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
        // p = 1 means infinite evidence, which no sample could reduce.
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
