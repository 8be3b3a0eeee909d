//! Removes single spikes from a stream of values with a running median.
//! In: one value at a time. Out: the median of the last `LENGTH` values.
//! Method: the values are stored twice, in the order of arrival and sorted. When `LENGTH` values are stored, a new value replaces
//! the oldest value in both arrays.
//! Cost: O(LENGTH) comparisons per value. Kept: 2·LENGTH numbers and two counts.

use crate::codec::{stored, validate};
use crate::scalar::sort::insertion_sort;
use crate::{CodecError, Scalar};

/// The median of the last `LENGTH` values. `LENGTH` is odd.
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
/// An even `LENGTH` does not compile, because an even number of values has no middle value:
/// ```compile_fail,E0080
/// use eigenstream::monitor::stages::RunningMedian;
/// let median = RunningMedian::<f32, 4>::new();
/// ```
#[derive(Clone, Debug)]
pub struct RunningMedian<T, const LENGTH: usize> {
    /// The values in the order of arrival, a ring. The next value is written at `oldest`.
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

    /// Stores a value and returns the median. A value that is NaN or infinite is ignored.
    pub fn push(&mut self, value: T) -> T {
        if value.is_finite() {
            let displaced = match self.past.get_mut(self.oldest) {
                Some(place) => core::mem::replace(place, value),
                None => value,
            };
            let next = self.oldest.wrapping_add(1);
            self.oldest = if next < LENGTH { next } else { 0 };
            if self.filled < LENGTH {
                self.filled += 1;
                // Appends the new value to the sorted values. The sort below moves the new value to its position.
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

    /// The median of the stored values; for an even number of values the lower of the two middle values; zero before the first
    /// value.
    #[must_use]
    pub fn median(&self) -> T {
        let middle = self.filled.saturating_sub(1) / 2;
        self.sorted.get(middle).copied().unwrap_or(T::ZERO)
    }

    /// Forgets all values.
    pub fn reset(&mut self) {
        *self = Self::new();
    }

    /// The stored values.
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
        // `sorted` must contain every value as often as `past`. Otherwise `push` could not find the oldest value in `sorted`.
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
        let ahead = RunningMedian {
            filled: 2,
            ..median.clone()
        };
        assert_eq!(ahead.validate(), Err(CodecError::Count));
        let outside = RunningMedian { oldest: 3, ..median };
        assert_eq!(outside.validate(), Err(CodecError::Count));
    }
}
