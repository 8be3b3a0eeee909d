//! Smooths values by an exponential mean.
//! In: N values at a time. Out: for each of them the mean of about the last `memory` values.
//! Method: m is the mean, x the new value, and t the weight, zero at the start: t ← min(t + 1, memory), m ← m + (x − m)/t. The
//! first `memory` values give a plain mean, so the start value of m has no effect. After these values, each new value multiplies
//! the weight of the past by 1 − 1/memory, so recent values have more weight.
//! Cost: one division per call, and three operations per value. Kept: N numbers and two counts.

use crate::codec::{stored, validate};
use crate::{CodecError, Scalar};

/// The largest `memory`.
const LONGEST: u32 = 1 << 20;

/// The exponential mean of each of `N` values that arrive together.
///
/// ```
/// use eigenstream::monitor::stages::ExponentialMean;
///
/// let mut mean = ExponentialMean::<f32, 1>::new(4);
/// assert_eq!(mean.push(&[8.0]), &[8.0]);
/// assert_eq!(mean.push(&[4.0]), &[6.0]);
/// ```
#[derive(Clone, Debug)]
pub struct ExponentialMean<T, const N: usize> {
    /// The largest `weight`.
    memory: u32,
    /// t: the number of values in the mean, at most `memory`.
    weight: u32,
    mean: [T; N],
}

impl<T: Scalar, const N: usize> ExponentialMean<T, N> {
    /// A mean of about `memory` values. 0 and 1 switch the smoothing off. A `memory` above 2²⁰ counts as 2²⁰: with a much longer
    /// memory, rounding in `f32` would remove the effect of a new value.
    #[must_use]
    pub const fn new(memory: u32) -> Self {
        Self {
            memory: counted(memory),
            weight: 0,
            mean: [T::ZERO; N],
        }
    }

    /// Adds values and returns the mean. If a value is NaN or infinite, the whole call is ignored.
    pub fn push(&mut self, values: &[T; N]) -> &[T; N] {
        let weight = self.next_weight();
        if blend(&mut self.mean, values, weight) {
            self.weight = weight;
        }
        &self.mean
    }

    /// Returns the mean that `push` of these values would give. Changes nothing.
    #[must_use]
    pub fn after(&self, values: &[T; N]) -> [T; N] {
        let mut after = self.mean;
        let _ = blend(&mut after, values, self.next_weight());
        after
    }

    fn next_weight(&self) -> u32 {
        self.weight.wrapping_add(1).min(self.memory)
    }

    /// The mean so far; zero before the first value.
    #[must_use]
    pub const fn mean(&self) -> &[T; N] {
        &self.mean
    }

    /// Forgets all values.
    pub fn reset(&mut self) {
        *self = Self::new(self.memory);
    }
}

/// The memory that a given memory counts as: at least 1, at most 2²⁰.
pub(in crate::monitor) const fn counted(memory: u32) -> u32 {
    match memory {
        0 => 1,
        1..=LONGEST => memory,
        _ => LONGEST,
    }
}

/// Computes m ← m + (x − m)/t for each mean m and value x, with t = `weight`. Returns false and changes nothing if a value is NaN
/// or infinite.
#[inline(never)]
fn blend<T: Scalar>(means: &mut [T], values: &[T], weight: u32) -> bool {
    if !values.iter().all(|value| value.is_finite()) {
        return false;
    }
    let step = T::ONE / T::from_usize(weight as usize);
    for (mean, &value) in means.iter_mut().zip(values) {
        // A weighted sum instead of m + (x − m)/t: x − m can overflow, and values of one sign must give a mean of this sign.
        *mean = (T::ONE - step) * *mean + step * value;
    }
    true
}

stored!([T: Scalar, const N: usize] ExponentialMean<T, N> { memory, weight, mean } if validate);

impl<T: Scalar, const N: usize> ExponentialMean<T, N> {
    fn validate(&self) -> Result<(), CodecError> {
        let counted = self.weight <= self.memory && (1..=LONGEST).contains(&self.memory);
        validate::accept(counted, CodecError::Count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_above_the_memory_is_refused() {
        let mut mean = ExponentialMean::<f32, 1>::new(3);
        (0..5).for_each(|_| {
            mean.push(&[1.0]);
        });
        assert_eq!(mean.validate(), Ok(()));
        mean.weight = 4;
        assert_eq!(mean.validate(), Err(CodecError::Count));
    }
}
