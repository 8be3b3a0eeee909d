//! The questions that the functions of this module ask about their input.
//! In: a vector. Out: the fact that the caller goes on with, or the error that names the entry at fault.
//! Cost: one pass, no memory.

use crate::{Scalar, WeightsError};

/// The largest entry of a vector of finite, non-negative numbers; zero if it is empty.
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

/// Says whether every entry is finite.
pub(super) fn all_finite<T: Scalar>(values: &[T]) -> Result<(), WeightsError> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(WeightsError::NotANumber { index }),
        None => Ok(()),
    }
}

/// Says whether a vector of length `given` fits where `expected` is needed.
pub(super) fn same_length(given: usize, expected: usize) -> Result<(), WeightsError> {
    if given == expected {
        Ok(())
    } else {
        Err(WeightsError::Length { given, expected })
    }
}

/// Says whether a vector of length `given` fits into a capacity.
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

/// Says whether a set of `requested` members can be taken from `available` ones.
pub(super) fn set_fits(requested: usize, available: usize) -> Result<(), WeightsError> {
    if requested <= available {
        Ok(())
    } else {
        Err(WeightsError::SetSize { requested, available })
    }
}

/// Says whether a set of at least one member can be taken from `available` ones.
pub(super) fn nonempty_set_fits(requested: usize, available: usize) -> Result<(), WeightsError> {
    if requested == 0 {
        Err(WeightsError::SetSize { requested, available })
    } else {
        set_fits(requested, available)
    }
}
