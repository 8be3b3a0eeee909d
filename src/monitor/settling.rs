//! Finds the centre and the spread (standard deviation) of each channel at the start of a stream; single wild samples (outliers)
//! have little effect.
//! In: samples, in which a channel can be missing. Out: the median and the spread of each channel.
//! Method: of the requested number of samples, 20 at nearly even intervals are stored, or all if the number is at most 20. For
//! each channel, n is the number of stored values, and k is 4 or, if n < 13, ⌊(n − 1)/3⌋.
//! 1. The values are sorted. The centre is the median.
//! 2. The k smallest values are replaced by the next larger value, and the k largest by the next smaller value (winsorised).
//! 3. The first spread is 1.5 times the standard deviation of the result; the factor 1.5 makes up for the replaced values.
//! 4. The spread is the standard deviation of all values, none replaced, that are within five first spreads of the centre.
//!
//! If all values that are not replaced in step 2 are equal, the spread is zero: unknown. Wild values have little effect if at
//! most k are too small and at most k are too large. With n < 4, centre and spread are zero.
//! Cost: up to 19 comparisons per channel for a stored sample; at the end two passes over 20 values per channel. Kept: 20·DIM
//! numbers, DIM + 3 counts.

use super::stages::LearnedScale;
use crate::codec::{stored, validate};
use crate::scalar::sort::insert_last;
use crate::{CodecError, Scalar};

/// The number of samples that are stored.
pub(super) const ROWS: usize = 20;

/// The largest k: the k smallest and the k largest values of a channel are replaced, because they can be wild. k is smaller if a
/// channel has fewer than 13 values.
const WILD: usize = 4;

/// A channel with fewer stored values than this counts as dead: centre and spread are zero.
pub(super) const ALIVE: usize = 4;

/// The first samples of a stream, for a robust centre and spread of each channel.
///
/// ```
/// use eigenstream::monitor::stages::Settling;
///
/// let mut settling = Settling::<f32, 2>::new(64);
/// for i in 0..64 {
///     let swing = (i % 5) as f32 - 2.0;
///     // One wild reading on the first channel; the second channel is constant.
///     settling.push(&[if i == 20 { 1e6 } else { 10.0 + swing }, 7.0]);
/// }
/// let scale = settling.scale();
/// assert!(settling.is_done());
/// assert_eq!(scale.center, [10.0, 7.0]);
/// assert!((scale.spread[0] - 1.4).abs() < 0.2 && scale.spread[1] == 0.0);
/// ```
#[derive(Clone, Debug)]
pub struct Settling<T, const DIM: usize> {
    /// The stored values of each channel, ascending.
    sorted: [[T; ROWS]; DIM],
    /// The number of stored values of each channel. It is smaller than `kept` if values were missing.
    values: [u16; DIM],
    /// The number of samples stored.
    kept: u32,
    /// The number of samples seen.
    seen: u32,
    /// The number of samples needed.
    need: u32,
}

impl<T: Scalar, const DIM: usize> Settling<T, DIM> {
    /// Creates a state without samples; `need` samples are expected.
    #[must_use]
    pub const fn new(need: u32) -> Self {
        Self {
            sorted: [[T::ZERO; ROWS]; DIM],
            values: [0; DIM],
            kept: 0,
            seen: 0,
            need,
        }
    }

    /// Adds a sample. A value counts as missing if its square is not finite.
    pub fn push(&mut self, sample: &[T; DIM]) {
        // Stores `ROWS` of the `need` samples at nearly even intervals, or all if `need` is at most `ROWS`.
        let due = u64::from(self.seen) * ROWS as u64 >= u64::from(self.kept) * u64::from(self.need);
        if due && (self.kept as usize) < ROWS {
            for ((sorted, count), &value) in self.sorted.iter_mut().zip(&mut self.values).zip(sample) {
                if (value * value).is_finite() {
                    insert(sorted, count, value);
                }
            }
            self.kept = self.kept.wrapping_add(1);
        }
        self.seen = self.seen.saturating_add(1);
    }

    /// Whether `need` samples have come.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.seen >= self.need
    }

    /// Whether no sample has come.
    pub(super) const fn is_empty(&self) -> bool {
        self.seen == 0
    }

    /// The memory of the stored values, one row per channel. After centre and spread are found all values are set to zero, and
    /// `new_level` uses the memory.
    pub(super) const fn rows(&self) -> &[[T; ROWS]; DIM] {
        &self.sorted
    }

    pub(super) const fn rows_mut(&mut self) -> &mut [[T; ROWS]; DIM] {
        &mut self.sorted
    }

    /// The centre and the spread of each channel, from the samples so far; zero for a channel with fewer than four stored values.
    #[must_use]
    pub fn scale(&self) -> LearnedScale<T, DIM> {
        self.scale_without(WILD)
    }

    /// As `scale`, but with k = 2 at most. A state that the machine has for a tenth of the time or more is then usually inside
    /// the spread. The monitor uses this after a scale that did not fit (`wild`).
    pub(super) fn wide_scale(&self) -> LearnedScale<T, DIM> {
        self.scale_without(2)
    }

    /// The centre and the spread of each channel, with k of at most `wild`.
    fn scale_without(&self, wild: usize) -> LearnedScale<T, DIM> {
        let mut scale = LearnedScale {
            center: [T::ZERO; DIM],
            spread: [T::ZERO; DIM],
        };
        let channels = self.sorted.iter().zip(&self.values);
        for ((center, spread), (sorted, &count)) in scale.center.iter_mut().zip(&mut scale.spread).zip(channels) {
            let sorted = sorted.get(..count as usize).unwrap_or_default();
            if sorted.len() >= ALIVE {
                (*center, *spread) = center_and_spread(sorted, wild);
            }
        }
        scale
    }
}

/// Inserts a value into the sorted values.
fn insert<T: Scalar>(sorted: &mut [T; ROWS], count: &mut u16, value: T) {
    let used = sorted.get_mut(..=*count as usize).unwrap_or_default();
    if let Some(last) = used.last_mut() {
        *last = value;
        insert_last(used, |low, high| low <= high);
        *count = count.wrapping_add(1);
    }
}

/// The median (of an even number of values, the upper of the two middle values) and the spread of sorted values.
#[inline(never)]
fn center_and_spread<T: Scalar>(sorted: &[T], wild: usize) -> (T, T) {
    let count = sorted.len();
    let wild = wild.min(count.saturating_sub(1) / 3);
    let at = |place: usize| sorted.get(place).copied().unwrap_or(T::ZERO);
    let (low, center, high) = (at(wild), at(count / 2), at(count.saturating_sub(1 + wild)));
    let moved = sorted.iter().map(|&value| value.max(low).min(high));
    // The offsets are divided by `unit`, so that the squares of small spreads do not underflow. `unit` is a power of two, so the
    // division is exact, unless an offset is so small beside `unit` that the quotient underflows.
    let unit = (high - low).power_of_two();
    let first = T::from_f64(1.5) * deviation(moved, center, unit);
    let reach = T::from_f64(5.0) * first;
    let near = sorted.iter().copied().filter(|&value| (value - center).abs() <= reach);
    (center, deviation(near, center, unit))
}

/// The standard deviation of values about their mean, computed from (value − `center`)/`unit`; zero without values.
fn deviation<T: Scalar>(values: impl Iterator<Item = T>, center: T, unit: T) -> T {
    let (mut count, mut sum, mut squares) = (T::ZERO, T::ZERO, T::ZERO);
    for value in values {
        let offset = (value - center) / unit;
        count += T::ONE;
        sum += offset;
        squares += offset * offset;
    }
    let mean = sum / count.max(T::ONE);
    let variance = squares / count.max(T::ONE) - mean * mean;
    (variance.min(T::MAX).max(T::ZERO).sqrt() * unit).min(T::MAX)
}

stored!([T: Scalar, const DIM: usize] Settling<T, DIM> { sorted, values, kept, seen, need } if validate);

impl<T: Scalar, const DIM: usize> Settling<T, DIM> {
    fn validate(&self) -> Result<(), CodecError> {
        let counted = self.values.iter().all(|&count| u32::from(count) <= self.kept);
        validate::accept(
            counted && self.kept as usize <= ROWS && self.kept <= self.seen,
            CodecError::Count,
        )?;
        // The order is not checked: after level and spread are found, `new_level` uses this memory for numbers in any order.
        let usable = |value: &T| (*value * *value).is_finite();
        validate::accept(self.sorted.iter().flatten().all(usable), CodecError::Range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(values: &[f32]) -> Settling<f32, 1> {
        let mut settling = Settling::new(values.len() as u32);
        values.iter().for_each(|&value| settling.push(&[value]));
        settling
    }

    #[test]
    fn six_values_have_one_wild_value_on_each_side() {
        // With two on each side only the fives would be left, and the spread would be unknown.
        assert!(settled(&[0.0, 0.0, 5.0, 5.0, 9.0, 9.0]).scale().spread[0] > 3.0);
        assert_eq!(settled(&[-1e6, 5.0, 5.0, 5.0, 5.0, 1e6]).scale().spread, [0.0]);
    }

    #[test]
    fn a_value_whose_square_overflows_is_missing() {
        let settling = settled(&[1e30, 1.0, 2.0, 3.0, 4.0, -1e30]);
        assert_eq!((settling.values, settling.scale().center), ([4], [3.0]));
    }

    #[test]
    fn long_schedules_store_samples_at_even_intervals() {
        // Sample 15 of 20 is due at 225,000,000. 20·`seen` and 15·`need` are on two sides of 2³².
        let mut settling = Settling::<f32, 1>::new(300_000_000);
        settling.kept = 15;
        for (seen, kept) in [(214_748_300, 15), (224_999_999, 15), (225_000_000, 16)] {
            settling.seen = seen;
            settling.push(&[1.0]);
            assert_eq!(settling.kept, kept, "{seen}");
        }
    }

    #[test]
    fn counts_that_disagree_are_refused() {
        let settling = settled(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(settling.validate(), Ok(()));
        let fewer_seen = Settling {
            seen: 4,
            ..settling.clone()
        };
        assert_eq!(fewer_seen.validate(), Err(CodecError::Count));
        let more_values = Settling {
            values: [6],
            ..settling
        };
        assert_eq!(more_values.validate(), Err(CodecError::Count));
    }
}
