//! Checks of the inputs of this room.

use crate::error::WeightsError;
use crate::scalar::Scalar;

/// Returns the largest entry, or zero for an empty vector; refuses an entry that is negative, infinite or NaN.
pub(super) fn largest_weight<T: Scalar>(weights: &[T]) -> Result<T, WeightsError> {
    let mut largest = T::ZERO;
    for (index, &weight) in weights.iter().enumerate() {
        if !weight.is_finite() {
            return Err(WeightsError::NotANumber { index });
        }
        if weight < T::ZERO {
            return Err(WeightsError::Negative { index });
        }
        largest = largest.max(weight);
    }
    Ok(largest)
}

pub(super) fn all_finite<T: Scalar>(values: &[T]) -> Result<(), WeightsError> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(WeightsError::NotANumber { index }),
        None => Ok(()),
    }
}

pub(super) fn same_length(given: usize, expected: usize) -> Result<(), WeightsError> {
    if given == expected {
        Ok(())
    } else {
        Err(WeightsError::Length { given, expected })
    }
}

pub(super) fn fits(given: usize, capacity: usize) -> Result<(), WeightsError> {
    if given <= capacity {
        Ok(())
    } else {
        Err(WeightsError::Length {
            given,
            expected: capacity,
        })
    }
}

pub(super) fn set_fits(requested: usize, available: usize) -> Result<(), WeightsError> {
    if requested <= available {
        Ok(())
    } else {
        Err(WeightsError::SetSize { requested, available })
    }
}

pub(super) fn nonempty_set_fits(requested: usize, available: usize) -> Result<(), WeightsError> {
    if requested == 0 {
        Err(WeightsError::SetSize { requested, available })
    } else {
        set_fits(requested, available)
    }
}
