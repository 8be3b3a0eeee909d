//! Checks of what a user gives: directions and matrices.

use crate::spectrum::check_orthonormal;
use crate::spectrum::symmetric::trace;
use crate::{MatrixError, Scalar};
use nalgebra::SMatrix;

/// Checks that directions are orthonormal and have keep probabilities 0 ≤ p < 1. Returns (KEEP − Σp)/(DIM − KEEP), the
/// keep probability of every other direction. KEEP − Σp is summed as Σ(1 − p), so no digits cancel. Cost:
/// DIM·KEEP·(KEEP + 1)/2 multiply-adds.
pub(super) fn check_start<T: Scalar, const DIM: usize, const KEEP: usize>(
    directions: &SMatrix<T, DIM, KEEP>,
    probabilities: &[T; KEEP],
) -> Result<T, MatrixError> {
    for (column, entries) in directions.data.0.iter().enumerate() {
        check_entries(entries.iter(), column, T::MAX)?;
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

/// Refuses a trace that differs from one by more than √ε; accepts NaN, which the decomposition refuses next.
pub(super) fn check_trace<T: Scalar, const DIM: usize>(density: &SMatrix<T, DIM, DIM>) -> Result<(), MatrixError> {
    // In `f32`, √ε is 3.5e-4, so a diagonal of six entries rounded to four decimals passes; in `f64`, √ε is 1.5e-8, so
    // a diagonal of 29 entries rounded to nine decimals passes.
    if (trace(density) - T::ONE).abs() > T::EPSILON.sqrt() {
        return Err(entry_at_fault(density).unwrap_or(MatrixError::Trace));
    }
    Ok(())
}

/// The error for the first entry of the upper triangle that is not finite; `None` if all are finite.
#[cold]
pub(super) fn entry_at_fault<T: Scalar, const DIM: usize>(matrix: &SMatrix<T, DIM, DIM>) -> Option<MatrixError> {
    let mut columns = matrix.data.0.iter().enumerate();
    columns.find_map(|(column, entries)| check_entries(entries.iter().take(column + 1), column, T::MAX).err())
}

/// Refuses a column with an entry that is not finite, or outside ±`largest`.
pub(super) fn check_entries<'a, T: Scalar>(
    entries: impl Iterator<Item = &'a T>,
    column: usize,
    largest: T,
) -> Result<(), MatrixError> {
    for (row, entry) in entries.enumerate() {
        if !entry.is_finite() {
            return Err(MatrixError::NotANumber { row, column });
        }
        if entry.abs() > largest {
            return Err(MatrixError::Overflow);
        }
    }
    Ok(())
}
