//! Checks the numbers of an image. An image with a correct checksum may still contain wrong numbers: another program may have
//! written it.
//! In: numbers of a learner. Out: `Ok`, or an error that names what is wrong. A learner checks only the properties that it
//! relies on. All states that learning can reach pass these checks, with some margin.

use crate::{CodecError, Scalar};

/// Checks that every number is between 0 and 1 + 64ε; the 64ε allow for the rounding of sums. No negative number passes, not
/// even a tiny one, because square roots of these numbers are computed.
#[cfg_attr(optimize_for_size, inline(never))]
pub(crate) fn probabilities<T: Scalar>(numbers: &[T]) -> Result<(), CodecError> {
    let most = T::ONE + T::from_f64(64.0) * T::EPSILON;
    let is_probability = |&number: &T| number >= T::ZERO && number <= most;
    accept(numbers.iter().all(is_probability), CodecError::Probability)
}

/// Checks that all numbers are within ±`limit`.
pub(crate) fn within<'a, T: Scalar>(limit: T, numbers: impl IntoIterator<Item = &'a T>) -> Result<(), CodecError> {
    accept(
        numbers.into_iter().all(|number| number.abs() <= limit),
        CodecError::Range,
    )
}

/// Checks that `may_precede` is true for all neighbours. (`is_sorted` keeps a panic check at opt-level `z`.)
pub(crate) fn in_order<V>(values: &[V], may_precede: impl Fn(&V, &V) -> bool) -> Result<(), CodecError> {
    let mut neighbours = values.iter().zip(values.iter().skip(1));
    accept(
        neighbours.all(|(first, second)| may_precede(first, second)),
        CodecError::Range,
    )
}

/// Checks that all numbers are positive or zero.
#[cfg_attr(optimize_for_size, inline(never))]
pub(crate) fn not_negative<T: Scalar>(numbers: &[T]) -> Result<(), CodecError> {
    accept(numbers.iter().all(|&number| number >= T::ZERO), CodecError::Range)
}

/// `Ok` if `holds` is true, otherwise the error.
pub(crate) fn accept(holds: bool, error: CodecError) -> Result<(), CodecError> {
    if holds { Ok(()) } else { Err(error) }
}
