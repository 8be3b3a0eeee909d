//! Takes out single spikes by a running median.
//! In: one value at a time. Out: the middle one of the last `LENGTH`.
//! Method: the values are kept twice, as they came and sorted; a new one displaces the oldest in both.
//! Cost: O(LENGTH) comparisons a value. Kept: 2·LENGTH numbers and two counts.

use crate::codec::{stored, validate};
use crate::scalar::sort::insertion_sort;
use crate::{CodecError, Scalar};

/// The median of the last `LENGTH` values, an odd number.
///
/// ```
/// use eigenstream::monitor::RunningMedian;
///
/// let mut median = RunningMedian::<f32, 3>::new();
/// median.push(1.0);
/// median.push(2.0);
/// assert_eq!(median.push(1_000.0), 2.0);
/// assert_eq!(median.push(1.5), 2.0);
/// ```
///
/// An even number has no middle:
/// ```compile_fail,E0080
/// use eigenstream::monitor::RunningMedian;
/// let median = RunningMedian::<f32, 4>::new();
/// ```
#[derive(Clone, Debug)]
pub struct RunningMedian<T, const LENGTH: usize> {
    /// The values as they came; `oldest` is the place of the next.
    past: [T; LENGTH],
    /// The same, ascending.
    sorted: [T; LENGTH],
    oldest: usize,
    filled: usize,
}

impl<T: Scalar, const LENGTH: usize> RunningMedian<T, LENGTH> {
    /// Nothing seen.
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

    /// Takes in a value and returns the median. A value that is not finite is passed over.
    pub fn push(&mut self, value: T) -> T {
        if value.is_finite() {
            let displaced = match self.past.get_mut(self.oldest) {
                Some(place) => core::mem::replace(place, value),
                None => value,
            };
            self.oldest = if self.oldest + 1 < LENGTH { self.oldest + 1 } else { 0 };
            if self.filled < LENGTH {
                self.filled += 1;
                // A place that was never used is above all others until the value has sunk to where it belongs.
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

    /// The median so far, the lower of two while their number is even; zero before the first value.
    #[must_use]
    pub fn median(&self) -> T {
        let middle = self.filled.saturating_sub(1) / 2;
        self.sorted.get(middle).copied().unwrap_or(T::ZERO)
    }

    /// Forgets all values.
    pub fn reset(&mut self) {
        *self = Self::new();
    }

    /// The values of which it is the median.
    pub(super) fn past(&self) -> &[T] {
        self.past.get(..self.filled).unwrap_or_default()
    }
}

impl<T: Scalar, const LENGTH: usize> Default for RunningMedian<T, LENGTH> {
    fn default() -> Self {
        Self::new()
    }
}

stored!([T: Scalar, const LENGTH: usize] RunningMedian<T, LENGTH> { past, sorted, oldest, filled } if validate);

impl<T: Scalar, const LENGTH: usize> RunningMedian<T, LENGTH> {
    fn validate(&self) -> Result<(), CodecError> {
        let placed = self.oldest < LENGTH && self.filled <= LENGTH;
        let in_turn = self.filled == LENGTH || self.oldest == self.filled;
        validate::accept(placed && in_turn, CodecError::Count)?;
        // A value that is not among the sorted ones could never be removed from them.
        let sorted = self.sorted.get(..self.filled).unwrap_or_default();
        let times = |values: &[T], wanted: T| values.iter().filter(|&&value| value == wanted).count();
        let same = |&value: &T| times(self.past(), value) == times(sorted, value);
        validate::in_order(sorted, |lower, upper| lower <= upper)?;
        validate::accept(self.past().iter().all(same), CodecError::Range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let ahead = RunningMedian { filled: 2, ..median };
        assert_eq!(ahead.validate(), Err(CodecError::Count));
    }
}
