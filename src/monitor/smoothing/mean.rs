//! Smooths by an exponential mean.
//! In: values, one or several at a time. Out: their mean over about the last `memory`, the recent ones counting more.
//! Method: t ← min(t + 1, memory), m ← m + (x − m)/t. The first `memory` values make a plain mean, so that there is no start to
//! forget; from then on the past fades by 1 − 1/memory.
//! Cost: one division and two operations a value. Kept: N numbers and two counts.

use crate::codec::{stored, validate};
use crate::{CodecError, Scalar};

/// The longest memory.
const LONGEST: u32 = 1 << 20;

/// An exponential mean of `N` values that come together.
///
/// ```
/// use eigenstream::monitor::ExponentialMean;
///
/// let mut mean = ExponentialMean::<f32, 1>::new(4);
/// assert_eq!(mean.push(&[8.0]), &[8.0]);
/// assert_eq!(mean.push(&[4.0]), &[6.0]);
/// ```
#[derive(Clone, Debug)]
pub struct ExponentialMean<T, const N: usize> {
    /// How many values it stands for at most.
    memory: u32,
    /// How many it stands for, t.
    weight: u32,
    mean: [T; N],
}

impl<T: Scalar, const N: usize> ExponentialMean<T, N> {
    /// A mean over about `memory` values. One is no smoothing, and so is zero; above 2²⁰ counts as 2²⁰, beyond which a value
    /// would vanish in the rounding of an `f32`.
    #[must_use]
    pub const fn new(memory: u32) -> Self {
        let memory = match memory {
            0 => 1,
            1..=LONGEST => memory,
            _ => LONGEST,
        };
        Self {
            memory,
            weight: 0,
            mean: [T::ZERO; N],
        }
    }

    /// Takes in values and returns the mean. Values that are not finite are passed over.
    pub fn push(&mut self, values: &[T; N]) -> &[T; N] {
        let weight = self.next_weight();
        if blend(&mut self.mean, values, weight) {
            self.weight = weight;
        }
        &self.mean
    }

    /// The mean as it would be after these values.
    #[must_use]
    pub fn after(&self, values: &[T; N]) -> [T; N] {
        let mut after = self.mean;
        let _ = blend(&mut after, values, self.next_weight());
        after
    }

    fn next_weight(&self) -> u32 {
        (self.weight + 1).min(self.memory)
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

/// m ← m + (x − m)/t for each of the values; false, and nothing changed, if one of them is not finite.
#[inline(never)]
fn blend<T: Scalar>(means: &mut [T], values: &[T], weight: u32) -> bool {
    if !values.iter().all(|value| value.is_finite()) {
        return false;
    }
    let step = T::ONE / T::from_usize(weight as usize);
    for (mean, &value) in means.iter_mut().zip(values) {
        // As a weighted sum: it cannot overflow, and values of one sign keep it.
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
