//! Checks the numbers of an image. A learner checks only the properties that it relies on. Every state that learning
//! can reach must pass, so a check has a margin where rounding can exceed a limit.

use crate::error::CodecError;
use crate::scalar::Scalar;

/// Checks that every number is between 0 and 1 + 64ε; the margin (ε = machine epsilon) is for the rounding of sums.
pub(crate) fn probabilities<T: Scalar>(numbers: &[T]) -> Result<(), CodecError> {
    accept(are_probabilities(numbers), CodecError::Probability)
}

// This function serves slices of all lengths. It returns a bool, because a `Result` in memory takes more flash in each
// caller.
#[cfg_attr(optimize_for_size, inline(never))]
fn are_probabilities<T: Scalar>(numbers: &[T]) -> bool {
    let most = T::ONE + T::from_f64(64.0) * T::EPSILON;
    numbers.iter().all(|&number| number >= T::ZERO && number <= most)
}

/// Checks that all numbers are within ±`limit`.
pub(crate) fn within<'a, T: Scalar>(limit: T, numbers: impl IntoIterator<Item = &'a T>) -> Result<(), CodecError> {
    accept(
        numbers.into_iter().all(|number| number.abs() <= limit),
        CodecError::Range,
    )
}

/// Like [`within`], for a slice.
pub(crate) fn slice_within<T: Scalar>(limit: T, numbers: &[T]) -> Result<(), CodecError> {
    accept(are_within(limit, numbers), CodecError::Range)
}

#[cfg_attr(optimize_for_size, inline(never))]
fn are_within<T: Scalar>(limit: T, numbers: &[T]) -> bool {
    numbers.iter().all(|number| number.abs() <= limit)
}

/// Checks each pair of neighbours. `is_sorted` is not used, because it contains a panic at opt-level `z`.
pub(crate) fn in_order<V>(values: &[V], may_precede: impl Fn(&V, &V) -> bool) -> Result<(), CodecError> {
    let mut neighbours = values.iter().zip(values.iter().skip(1));
    accept(
        neighbours.all(|(first, second)| may_precede(first, second)),
        CodecError::Range,
    )
}

/// Checks that all numbers are positive or zero.
pub(crate) fn not_negative<T: Scalar>(numbers: &[T]) -> Result<(), CodecError> {
    accept(are_not_negative(numbers), CodecError::Range)
}

#[cfg_attr(optimize_for_size, inline(never))]
fn are_not_negative<T: Scalar>(numbers: &[T]) -> bool {
    numbers.iter().all(|&number| number >= T::ZERO)
}

pub(crate) fn accept(holds: bool, error: CodecError) -> Result<(), CodecError> {
    if holds { Ok(()) } else { Err(error) }
}
