//! Smooths numbers: the exponential mean, the running median, and both together for the parts of a score.
//! In: numbers, one after another; NaN and infinite values are ignored. Out: the smoothed numbers.
//! Method: the exponential mean m of x is m ← m + (x − m)/t, with t ← min(t + 1, `memory`): a plain mean of the first `memory`
//! values. The median stores its values twice, in the order of arrival and sorted.
//! Cost: a mean takes three operations and a check per value, and one division, a median O(LENGTH) comparisons.

use super::score::sum;
use crate::codec::{stored, validate};
use crate::scalar::sort::insertion_sort;
use crate::{CodecError, Scalar};

/// The largest `memory`: with a much larger one, rounding in `f32` would remove the effect of a new value.
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
    memory: u32,
    /// The number t of values in the mean, at most `memory`.
    weight: u32,
    mean: [T; N],
}

impl<T: Scalar, const N: usize> ExponentialMean<T, N> {
    /// Creates a mean of about `memory` values; 0 and 1 switch the smoothing off, more than 2²⁰ counts as 2²⁰.
    #[must_use]
    pub const fn new(memory: u32) -> Self {
        Self {
            memory: counted(memory),
            weight: 0,
            mean: [T::ZERO; N],
        }
    }

    /// Adds values and returns the mean.
    ///
    /// If a value is NaN or infinite, the whole call is ignored.
    pub fn push(&mut self, values: &[T; N]) -> &[T; N] {
        let weight = self.next_weight();
        if blend(&mut self.mean, values, weight) {
            self.weight = weight;
        }
        &self.mean
    }

    /// The mean that `push` of these values would give.
    #[must_use]
    pub fn after(&self, values: &[T; N]) -> [T; N] {
        let mut after = self.mean;
        let _ = blend(&mut after, values, self.next_weight());
        after
    }

    fn next_weight(&self) -> u32 {
        self.weight.saturating_add(1).min(self.memory)
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

    fn validate(&self) -> Result<(), CodecError> {
        let counted = self.weight <= self.memory && (1..=LONGEST).contains(&self.memory);
        validate::accept(counted, CodecError::Count)
    }
}

/// The memory that a mean uses if its setting is `memory`.
pub(super) const fn counted(memory: u32) -> u32 {
    match memory {
        0 => 1,
        1..=LONGEST => memory,
        _ => LONGEST,
    }
}

/// Moves each mean m to m + (x − m)/`weight`; returns false and changes nothing if a value x is NaN or infinite.
#[inline(never)]
fn blend<T: Scalar>(means: &mut [T], values: &[T], weight: u32) -> bool {
    if !values.iter().all(|value| value.is_finite()) {
        return false;
    }
    let step = T::ONE / T::from_usize(weight as usize);
    for (mean, &value) in means.iter_mut().zip(values) {
        // This weighted sum replaces m + (x − m)/`weight`, because x − m can overflow, and values of one sign must give a mean of
        // this sign.
        *mean = (T::ONE - step) * *mean + step * value;
    }
    true
}

stored!([T: Scalar, const N: usize] ExponentialMean<T, N> { memory, weight, mean } if validate);

/// The median of the last `LENGTH` values, which removes single spikes.
///
/// ```
/// use eigenstream::monitor::stages::RunningMedian;
///
/// let mut median = RunningMedian::<f32, 3>::new();
/// median.push(1.0);
/// median.push(2.0);
/// assert_eq!(median.push(1_000.0), 2.0);
/// assert_eq!(median.push(1.5), 2.0);
/// ```
///
/// An even `LENGTH` has no middle value and does not compile:
/// ```compile_fail,E0080
/// use eigenstream::monitor::stages::RunningMedian;
/// let median = RunningMedian::<f32, 4>::new();
/// ```
#[derive(Clone, Debug)]
pub struct RunningMedian<T, const LENGTH: usize> {
    /// The values in the order of arrival, in a ring buffer: the next value is written at `oldest`.
    past: [T; LENGTH],
    /// The values of `past`, ascending.
    sorted: [T; LENGTH],
    oldest: usize,
    filled: usize,
}

impl<T: Scalar, const LENGTH: usize> RunningMedian<T, LENGTH> {
    /// Starts without values.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(LENGTH % 2 == 1, "a median needs an odd number of values") }
        Self {
            past: [T::ZERO; LENGTH],
            sorted: [T::ZERO; LENGTH],
            oldest: 0,
            filled: 0,
        }
    }

    /// Stores a value and returns the median; ignores a value that is NaN or infinite.
    pub fn push(&mut self, value: T) -> T {
        if value.is_finite() {
            let displaced = match self.past.get_mut(self.oldest) {
                Some(place) => core::mem::replace(place, value),
                None => value,
            };
            self.oldest = if self.oldest < LENGTH - 1 { self.oldest + 1 } else { 0 };
            if self.filled < LENGTH {
                self.filled += 1;
                if let Some(last) = self.sorted.get_mut(self.filled - 1) {
                    *last = value;
                }
            } else if let Some(place) = self.sorted.iter_mut().find(|place| **place == displaced) {
                *place = value;
            }
            let used = self.sorted.get_mut(..self.filled).unwrap_or_default();
            insertion_sort(used, |low, high| low <= high);
        }
        self.median()
    }

    /// The median of the stored values, the lower one of two middle values; zero before the first value.
    #[must_use]
    pub fn median(&self) -> T {
        let middle = self.filled.saturating_sub(1) / 2;
        self.sorted.get(middle).copied().unwrap_or(T::ZERO)
    }

    /// Forgets all values.
    pub fn reset(&mut self) {
        *self = Self::new();
    }

    fn past(&self) -> &[T] {
        self.past.get(..self.filled).unwrap_or_default()
    }

    fn validate(&self) -> Result<(), CodecError> {
        let placed = self.oldest < LENGTH && self.filled <= LENGTH;
        let in_turn = self.filled == LENGTH || self.oldest == self.filled;
        validate::accept(placed && in_turn, CodecError::Count)?;
        // `past` and `sorted` must hold equal values; otherwise `push` could not find the oldest value among the sorted
        // ones.
        let sorted = self.sorted.get(..self.filled).unwrap_or_default();
        let times = |values: &[T], wanted: T| values.iter().filter(|&&value| value == wanted).count();
        let same = |&value: &T| times(self.past(), value) == times(sorted, value);
        validate::in_order(sorted, |lower, upper| lower <= upper)?;
        validate::accept(self.past().iter().all(same), CodecError::Range)
    }
}

impl<T: Scalar, const LENGTH: usize> Default for RunningMedian<T, LENGTH> {
    fn default() -> Self {
        Self::new()
    }
}

stored!([T: Scalar, const LENGTH: usize] RunningMedian<T, LENGTH> { past, sorted, oldest, filled } if validate);

/// Smooths the parts of a score: the running median of the score, then the exponential mean of each part.
#[derive(Clone, Debug)]
pub(super) struct Smoothing<T, const DIM: usize, const MEDIAN: usize> {
    median: RunningMedian<T, MEDIAN>,
    mean: ExponentialMean<T, DIM>,
}

impl<T: Scalar, const DIM: usize, const MEDIAN: usize> Smoothing<T, DIM, MEDIAN> {
    pub(super) const fn new(memory: u32) -> Self {
        Self {
            median: RunningMedian::new(),
            mean: ExponentialMean::new(memory),
        }
    }

    pub(super) fn push(&mut self, parts: &[T; DIM]) {
        let mut parts = *parts;
        if MEDIAN > 1 {
            let score = sum(&parts);
            let median = self.median.push(score);
            rescale(&mut parts, score, median);
        }
        self.mean.push(&parts);
    }

    pub(super) const fn parts(&self) -> &[T; DIM] {
        self.mean.mean()
    }

    fn validate(&self) -> Result<(), CodecError> {
        // A score is between zero and `T::MAX`/4. Twice this limit allows for rounding.
        let largest = T::HALF * T::MAX;
        validate::not_negative(self.parts())?;
        validate::not_negative(self.median.past())?;
        validate::slice_within(largest, self.median.past())?;
        validate::slice_within(largest, &[sum(self.parts())])
    }
}

/// Scales `parts` from the sum `sum` to the sum `wanted`; if the factor is not finite, every part becomes `wanted` / DIM.
fn rescale<T: Scalar, const DIM: usize>(parts: &mut [T; DIM], sum: T, wanted: T) {
    let factor = wanted / sum;
    if factor.is_finite() {
        parts.iter_mut().for_each(|part| *part *= factor);
    } else {
        *parts = [wanted / T::from_usize(DIM); DIM];
    }
}

stored!([T: Scalar, const DIM: usize, const MEDIAN: usize] Smoothing<T, DIM, MEDIAN> { median, mean } if validate);

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

    #[test]
    fn a_value_that_is_not_among_the_sorted_ones_is_refused_since_it_would_never_leave() {
        let mut median = RunningMedian::<f32, 3>::new();
        for value in [2.0, 1.0, 2.0, 3.0] {
            median.push(value);
            assert_eq!(median.validate(), Ok(()));
        }
        for sorted in [[2.0, 1.0, 3.0], [1.0, 2.0, 2.0], [0.0, 0.0, 0.0]] {
            assert_eq!(RunningMedian { sorted, ..median }.validate(), Err(CodecError::Range));
        }
        let ahead = RunningMedian {
            filled: 2,
            ..median.clone()
        };
        assert_eq!(ahead.validate(), Err(CodecError::Count));
        let outside = RunningMedian { oldest: 3, ..median };
        assert_eq!(outside.validate(), Err(CodecError::Count));
    }

    /// Found by fuzzing the encoded bytes, with a correct checksum: the score of the decoded monitor was infinite.
    #[test]
    fn parts_whose_sum_is_beyond_the_largest_number_are_refused() {
        let mut smoothing = Smoothing::<f32, 2, 1>::new(1);
        smoothing.push(&[f32::MAX / 8.0; 2]);
        assert_eq!(smoothing.validate(), Ok(()));
        smoothing.push(&[f32::MAX; 2]);
        assert_eq!(smoothing.validate(), Err(CodecError::Range));
    }

    /// Found by fuzzing the encoded bytes, with a correct checksum: the score became negative, and the next encoded bytes of
    /// this monitor were refused.
    #[test]
    fn a_score_below_zero_is_refused() {
        let mut smoothing = Smoothing::<f32, 2, 3>::new(1);
        smoothing.push(&[1.0, 2.0]);
        assert_eq!(smoothing.validate(), Ok(()));
        smoothing.median.push(-1.0);
        assert_eq!(smoothing.validate(), Err(CodecError::Range));
    }

    #[test]
    fn a_sum_too_small_for_a_factor_gives_equal_parts() {
        let mut parts = [f32::from_bits(1), 0.0];
        let sum = sum(&parts);
        rescale(&mut parts, sum, 1.0);
        assert_eq!(parts, [0.5; 2]);
    }
}
