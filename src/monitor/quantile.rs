//! A quantile of a stream, without keeping the stream.
//! In: one value at a time. Out: the value that the part `probability` of them stays below, nearly.
//! Method: the P² algorithm of Jain and Chlamtac (1985): five markers at the smallest, p/2, p, (1 + p)/2 and the largest value
//! move with the count, each to the height that a parabola through its neighbours gives it, or a line where that would cross.
//! Exact up to five values. No randomness.
//! Cost: about 150 instructions a value. Kept: 6 numbers and 6 counts.

use crate::codec::{stored, validate};
use crate::scalar::sort::insert_last;
use crate::{CodecError, Scalar, SettingsError};

/// Markers.
const MARKERS: usize = 5;

/// A running estimate of one quantile.
///
/// ```
/// use eigenstream::monitor::Quantile;
///
/// let mut quantile = Quantile::<f32>::new(0.9)?;
/// for i in 0..1_000 {
///     quantile.push(((i * 389) % 1_000) as f32);
/// }
/// assert!((quantile.value() - 900.0).abs() < 5.0);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Quantile<T> {
    probability: T,
    /// Heights of the markers, ascending.
    heights: [T; MARKERS],
    /// How many values are at or below each marker.
    positions: [u32; MARKERS],
    seen: u32,
}

impl<T: Scalar> Quantile<T> {
    /// The quantile at `probability`, p.
    ///
    /// # Errors
    /// [`SettingsError::Quantile`] unless 0 < p < 1.
    ///
    /// ```
    /// use eigenstream::{SettingsError, monitor::Quantile};
    /// assert_eq!(Quantile::<f32>::new(1.0).err(), Some(SettingsError::Quantile));
    /// ```
    pub fn new(probability: T) -> Result<Self, SettingsError> {
        checked(probability).map(Self::at)
    }

    /// The quantile at a probability that was checked.
    pub(super) const fn at(probability: T) -> Self {
        Self {
            probability,
            heights: [T::ZERO; MARKERS],
            positions: [1, 2, 3, 4, 5],
            seen: 0,
        }
    }

    /// Takes in a value. One that is not finite is passed over.
    ///
    /// ```
    /// use eigenstream::monitor::Quantile;
    /// let mut median = Quantile::<f32>::new(0.5)?;
    /// median.push(f32::INFINITY);
    /// assert_eq!(median.values_seen(), 0);
    /// # Ok::<(), eigenstream::SettingsError>(())
    /// ```
    pub fn push(&mut self, value: T) {
        if !value.is_finite() {
            return;
        }
        if (self.seen as usize) < MARKERS {
            self.insert(value);
            self.seen += 1;
            return;
        }
        // Beyond 2³² − 1 values the positions would overflow; a quantile of so many does not move.
        if self.seen == u32::MAX {
            return;
        }
        self.seen += 1;
        self.count(value);
        for marker in 1..MARKERS - 1 {
            self.adjust(marker);
        }
    }

    /// The quantile so far; zero before the first value.
    ///
    /// ```
    /// use eigenstream::monitor::Quantile;
    /// let mut median = Quantile::<f32>::new(0.5)?;
    /// for value in [5.0, 1.0, 3.0] {
    ///     median.push(value);
    /// }
    /// assert_eq!(median.value(), 3.0);
    /// # Ok::<(), eigenstream::SettingsError>(())
    /// ```
    #[must_use]
    pub fn value(&self) -> T {
        let seen = self.seen as usize;
        if seen > MARKERS {
            return self.heights[2];
        }
        // The smallest value that the part p is at or below: of few values, one of them.
        let mut answer = T::ZERO;
        for (below, &height) in self.heights.iter().enumerate().take(seen) {
            if below == 0 || T::from_usize(below) < self.probability * T::from_usize(seen) {
                answer = height;
            }
        }
        answer
    }

    /// Values taken in.
    #[must_use]
    pub const fn values_seen(&self) -> u32 {
        self.seen
    }

    /// Forgets all values.
    pub fn reset(&mut self) {
        *self = Self::at(self.probability);
    }

    /// One of the first five values, into its place.
    fn insert(&mut self, value: T) {
        let used = self.heights.get_mut(..=self.seen as usize).unwrap_or_default();
        if let Some(last) = used.last_mut() {
            *last = value;
        }
        insert_last(used, |low, high| low <= high);
    }

    /// Counts a value to all markers above it; a new extreme moves its marker.
    fn count(&mut self, value: T) {
        self.heights[0] = self.heights[0].min(value);
        self.heights[4] = self.heights[4].max(value);
        for marker in 1..MARKERS {
            if value < self.heights[marker] || marker == MARKERS - 1 {
                self.positions[marker] += 1;
            }
        }
    }

    /// Moves an inner marker by one if it is off its place by as much.
    fn adjust(&mut self, marker: usize) {
        let part = match marker {
            1 => self.probability * T::HALF,
            2 => self.probability,
            _ => (T::ONE + self.probability) * T::HALF,
        };
        let (Some(&[lower, here, upper]), Some(&[low, height, high])) = (
            self.positions
                .get(marker - 1..)
                .and_then(|rest| rest.first_chunk::<3>()),
            self.heights.get(marker - 1..).and_then(|rest| rest.first_chunk::<3>()),
        ) else {
            return;
        };
        let wanted = T::ONE + part * T::from_usize(self.seen as usize - 1);
        let off = wanted - T::from_usize(here as usize);
        let (below, above) = (
            T::from_usize((here - lower) as usize),
            T::from_usize((upper - here) as usize),
        );
        let step = if off >= T::ONE && upper - here > 1 {
            T::ONE
        } else if off <= -T::ONE && here - lower > 1 {
            -T::ONE
        } else {
            return;
        };
        let rise = (high - height) / above;
        let fall = (height - low) / below;
        let parabola = height + step / (below + above) * ((below + step) * rise + (above - step) * fall);
        let line = height + if step > T::ZERO { rise } else { -fall };
        let moved = if parabola > low && parabola < high {
            parabola
        } else {
            line
        };
        if let (Some(height), Some(position)) = (self.heights.get_mut(marker), self.positions.get_mut(marker)) {
            // Between its neighbours, whatever rounding or overflow makes of a difference.
            *height = if moved.is_finite() {
                moved.max(low).min(high)
            } else {
                *height
            };
            *position = if step > T::ZERO { here + 1 } else { here - 1 };
        }
    }
}

/// Whether this is a probability strictly inside.
pub(super) fn checked<T: Scalar>(probability: T) -> Result<T, SettingsError> {
    if probability > T::ZERO && probability < T::ONE {
        Ok(probability)
    } else {
        Err(SettingsError::Quantile)
    }
}

stored!([T: Scalar] Quantile<T> { probability, heights, positions, seen } if validate);

impl<T: Scalar> Quantile<T> {
    fn validate(&self) -> Result<(), CodecError> {
        checked(self.probability)?;
        let rise = self.positions.is_sorted_by(|left, right| left < right);
        let [first, .., last] = self.positions;
        validate::accept(rise && first > 0 && last <= self.seen.max(5), CodecError::Count)
    }
}
