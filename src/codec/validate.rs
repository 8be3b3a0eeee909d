//! Checks the numbers of an image (the encoded bytes of a learner). An image with a correct checksum can still contain wrong
//! numbers, for example if another program wrote it.
//! In: numbers of a learner. Out: `Ok`, or an error that names the violated property. A learner checks only the properties that
//! it relies on. Every state that learning can reach must pass these checks. So where rounding can exceed a limit, the check has
//! a margin.

use crate::{CodecError, Scalar};

/// Checks that every number is between 0 and 1 + 64ε, where ε is `T::EPSILON`; the 64ε allow for the rounding of sums. Every
/// negative number is refused, because learners compute square roots of these numbers.
pub(crate) fn probabilities<T: Scalar>(numbers: &[T]) -> Result<(), CodecError> {
    accept(are_probabilities(numbers), CodecError::Probability)
}

// One function for all slices. It returns a bool, because each caller would need more flash for a `Result`, which is returned in
// memory.
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

/// [`within`] for a slice. One compiled function for all slices saves flash.
pub(crate) fn slice_within<T: Scalar>(limit: T, numbers: &[T]) -> Result<(), CodecError> {
    accept(are_within(limit, numbers), CodecError::Range)
}

#[cfg_attr(optimize_for_size, inline(never))]
fn are_within<T: Scalar>(limit: T, numbers: &[T]) -> bool {
    numbers.iter().all(|number| number.abs() <= limit)
}

/// Checks that `may_precede` is true for each pair of neighbours. Does not use `is_sorted`, which contains a panic at opt-level
/// `z`.
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

/// Returns `Ok` if `holds` is true, otherwise the error.
pub(crate) fn accept(holds: bool, error: CodecError) -> Result<(), CodecError> {
    if holds { Ok(()) } else { Err(error) }
}
