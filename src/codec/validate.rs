//! Checks of the numbers in an image. Its checksum may fit and the numbers still be wrong: another program may have written it.
//! In: numbers of a learner. Out: nothing, or what is wrong with them.
//! A learner checks what it relies on and no more: whatever it can come to by learning passes, with room to spare.

use crate::{CodecError, Scalar};

/// Every number is between zero and one; the sum of two may be a few roundings above. A root is drawn from such numbers: none
/// is below zero by the least bit.
#[cfg_attr(optimize_for_size, inline(never))]
pub(crate) fn probabilities<T: Scalar>(numbers: &[T]) -> Result<(), CodecError> {
    let most = T::ONE + T::from_f64(64.0) * T::EPSILON;
    let is_probability = |&number: &T| number >= T::ZERO && number <= most;
    accept(numbers.iter().all(is_probability), CodecError::Probability)
}

/// No number is beyond ± `limit`.
pub(crate) fn within<'a, T: Scalar>(limit: T, numbers: impl IntoIterator<Item = &'a T>) -> Result<(), CodecError> {
    accept(
        numbers.into_iter().all(|number| number.abs() <= limit),
        CodecError::Range,
    )
}

/// Every value may stand before its neighbour. `is_sorted` keeps a check of its own at opt-level `z`.
pub(crate) fn in_order<V>(values: &[V], may_precede: impl Fn(&V, &V) -> bool) -> Result<(), CodecError> {
    let mut neighbours = values.iter().zip(values.iter().skip(1));
    accept(
        neighbours.all(|(first, second)| may_precede(first, second)),
        CodecError::Range,
    )
}

/// No number is below zero.
#[cfg_attr(optimize_for_size, inline(never))]
pub(crate) fn not_negative<T: Scalar>(numbers: &[T]) -> Result<(), CodecError> {
    accept(numbers.iter().all(|&number| number >= T::ZERO), CodecError::Range)
}

/// Nothing where it holds, else the error.
pub(crate) fn accept(holds: bool, error: CodecError) -> Result<(), CodecError> {
    if holds { Ok(()) } else { Err(error) }
}
