//! The current level and the spread of each channel.
//! In: samples in any unit. Out: the deviation of each channel, in spreads, within ± a limit.
//! Method: `settling` gives level m and spread s. A value x moves the level, m ← m + pace·d/memory, where d = x − m is
//! limited to ±2·s (±100·s with `Learning::Always` while watching) and `gate` gives the pace, 0 to 1. `widen` gives an
//! unknown channel its spread.
//! Cost: a few dozen instructions per channel. Kept: 4·DIM numbers, DIM flags and a count.

use crate::codec::{stored, validate};
use crate::scalar::sum::CompensatedVector;
use crate::weights::Subset;
use crate::{CodecError, Scalar};

/// No measured deviation is larger: the limit is 100 while the monitor watches, and √n < 2¹⁶ in a training of n
/// samples. An image with a larger deviation is refused, because the square of the deviation could overflow.
pub(super) const MOST_SPREADS: f64 = 65_536.0;

/// The centre and the spread of each channel.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct LearnedScale<T, const DIM: usize> {
    /// The centre of each channel.
    pub center: [T; DIM],
    /// The spread of each channel; zero if it is unknown.
    pub spread: [T; DIM],
}

/// The level of each channel, which follows slow change.
///
/// ```
/// use eigenstream::monitor::stages::{LearnedScale, Level};
///
/// let mut level = Level::<f32, 2>::new(100);
/// level.begin(&LearnedScale { center: [50.0, 7.0], spread: [2.0, 0.0] });
/// assert_eq!(level.deviations(&[53.0, 7.0], 10.0), [1.5, 0.0]);
/// // The second channel never moved: its first movement counts as the given number of spreads, whatever its size.
/// level.widen(&[50.0, 7.5], 5.0, 5.0);
/// assert_eq!(level.deviations(&[50.0, 7.5], 10.0), [0.0, 5.0]);
/// ```
#[derive(Clone, Debug)]
pub struct Level<T, const DIM: usize> {
    memory: u32,
    level: CompensatedVector<T, DIM>,
    spread: [T; DIM],
    /// The level when the monitor last began to watch; before that, the level set by `begin`.
    reference: [T; DIM],
    /// The channels whose spread was zero at the last `begin` or `mark`.
    unknown: Subset<DIM>,
}

impl<T: Scalar, const DIM: usize> Level<T, DIM> {
    /// Sets the memory: a sample moves the level by at most 1/`memory` of its deviation; 0 counts as 1.
    pub(super) fn set_memory(&mut self, memory: u32) {
        self.memory = memory.max(1);
    }

    /// Creates a level without spreads; a sample moves the level by at most 1/`memory` of its deviation.
    ///
    /// A `memory` of 0 counts as 1.
    #[must_use]
    pub const fn new(memory: u32) -> Self {
        Self {
            memory: if memory == 0 { 1 } else { memory },
            level: CompensatedVector::ZERO,
            spread: [T::ZERO; DIM],
            reference: [T::ZERO; DIM],
            unknown: Subset::EMPTY,
        }
    }

    /// Sets level and spread; a channel with spread zero is unknown.
    pub fn begin(&mut self, scale: &LearnedScale<T, DIM>) {
        *self = Self::new(self.memory);
        self.level = CompensatedVector::of(scale.center);
        self.reference = scale.center;
        self.spread = scale.spread;
        for (channel, &spread) in scale.spread.iter().enumerate() {
            if spread <= T::ZERO {
                self.unknown.insert(channel);
            }
        }
    }

    /// Whether no channel has a spread.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.spread.iter().all(|&spread| spread <= T::ZERO)
    }

    /// The deviation of each channel from its level, in spreads, limited to ±`limit`; zero for a channel without a
    /// spread.
    #[must_use]
    pub fn deviations(&self, sample: &[T; DIM], limit: T) -> [T; DIM] {
        let mut deviations = self.level.before(sample);
        for (deviation, &spread) in deviations.iter_mut().zip(&self.spread) {
            *deviation = if spread > T::ZERO {
                (*deviation / spread).max(-limit).min(limit)
            } else {
                T::ZERO
            };
        }
        deviations
    }

    /// The largest absolute deviation of the channels that had a spread at the last `begin` or `mark`.
    pub(super) fn farthest(&self, sample: &[T; DIM]) -> T {
        let mut farthest = T::ZERO;
        let levels = self.level.values().iter().zip(&self.spread);
        for (channel, (&value, (&level, &spread))) in sample.iter().zip(levels).enumerate() {
            if spread > T::ZERO && !self.unknown.contains(channel) {
                farthest = farthest.max(((value - level) / spread).abs());
            }
        }
        farthest
    }

    /// Sets or raises the spread of each unknown channel.
    ///
    /// The first movement sets the spread to the distance from the level, divided by `first`. A later movement raises
    /// the spread if the movement would count as more than `limit` spreads.
    pub fn widen(&mut self, sample: &[T; DIM], first: T, limit: T) {
        for (channel, ((spread, &level), &value)) in
            self.spread.iter_mut().zip(self.level.values()).zip(sample).enumerate()
        {
            if self.unknown.contains(channel) {
                let most = if *spread > T::ZERO { limit } else { first };
                *spread = spread.max(((value - level).abs() / most).min(T::MAX));
            }
        }
    }

    /// Raises each spread that is below the given one, but leaves a spread of zero.
    pub(super) fn at_least(&mut self, spreads: &[T; DIM]) {
        for (spread, &least) in self.spread.iter_mut().zip(spreads) {
            if *spread > T::ZERO {
                *spread = spread.max(least);
            }
        }
    }

    /// Moves the level by `pace`/memory times the deviation, which is limited to ±`reach` spreads.
    pub fn follow(&mut self, deviations: &[T; DIM], pace: T, reach: T) {
        let step = pace / T::from_usize(self.memory as usize);
        let moves = deviations.iter().zip(&self.spread);
        self.level
            .add(moves.map(|(&deviation, &spread)| step * deviation.max(-reach).min(reach) * spread));
    }

    /// Stores the level as the reference of [`moved`](Self::moved). A channel that has a spread now is no longer
    /// unknown.
    pub(super) fn mark(&mut self) {
        self.reference = *self.level.values();
        self.unknown = Subset::EMPTY;
        for (channel, &spread) in self.spread.iter().enumerate() {
            if spread <= T::ZERO {
                self.unknown.insert(channel);
            }
        }
    }

    /// The absolute change of a channel's level since the monitor last began to watch, in spreads.
    ///
    /// Before the monitor first watches, it is the change since [`begin`](Self::begin). It is zero for a channel
    /// without a spread.
    #[must_use]
    pub fn moved(&self, channel: usize) -> T {
        let level = self.level.values().get(channel).zip(self.reference.get(channel));
        match level.zip(self.spread.get(channel)) {
            Some(((&level, &reference), &spread)) if spread > T::ZERO => {
                ((level - reference).abs() / spread).min(T::MAX)
            }
            _ => T::ZERO,
        }
    }

    /// The level of each channel.
    #[must_use]
    pub const fn center(&self) -> &[T; DIM] {
        self.level.values()
    }

    /// The spread of each channel; zero if none is known.
    #[must_use]
    pub const fn spread(&self) -> &[T; DIM] {
        &self.spread
    }

    /// The memory: a sample moves the level by at most 1/memory of its deviation.
    #[must_use]
    pub const fn memory(&self) -> u32 {
        self.memory
    }

    /// Whether a channel had no spread at the last [`begin`](Self::begin) or [`mark`](Self::mark).
    pub(super) fn stood_still(&self, channel: usize) -> bool {
        self.unknown.contains(channel)
    }

    fn validate(&self) -> Result<(), CodecError> {
        validate::not_negative(&self.spread)?;
        validate::accept(self.memory > 0, CodecError::Count)?;
        // Every level has a finite square. The factor 2 allows for rounding.
        validate::slice_within(T::TWO * T::MAX.sqrt(), &self.reference)
    }
}

stored!(
    [T: Scalar, const DIM: usize] Level<T, DIM> { memory, level, spread, reference, unknown } if validate
);

#[cfg(test)]
mod tests {
    use super::*;

    /// A level with a memory of 10 samples. The second channel is unknown.
    fn level(center: f32) -> Level<f32, 2> {
        let mut level = Level::new(10);
        level.begin(&LearnedScale {
            center: [center; 2],
            spread: [2.0, 0.0],
        });
        level
    }

    #[test]
    fn half_a_step_raises_a_spread_and_does_not_make_one() {
        let mut level = level(0.0);
        level.at_least(&[3.0, 3.0]);
        assert_eq!(level.spread(), &[3.0, 0.0]);
    }

    #[test]
    fn the_first_movement_of_an_unknown_channel_has_its_own_limit() {
        let mut level = level(0.0);
        level.widen(&[0.0, 6.0], 3.0, 10.0);
        assert_eq!(level.spread(), &[2.0, 2.0]);
        level.widen(&[0.0, -20.0], 3.0, 10.0);
        assert_eq!(level.spread(), &[2.0, 2.0]);
        level.widen(&[0.0, 30.0], 3.0, 10.0);
        assert_eq!(level.spread(), &[2.0, 3.0]);
        // The spread stays finite.
        level.widen(&[0.0, 1e18], 3.0, 1e-30);
        assert_eq!(level.spread(), &[2.0, f32::MAX]);
    }

    #[test]
    fn an_unknown_channel_makes_no_sample_far() {
        let mut level = level(0.0);
        level.widen(&[0.0, 1.0], 3.0, 10.0);
        assert_eq!(level.farthest(&[4.0, 100.0]), 2.0);
        level.mark();
        assert_eq!(level.farthest(&[4.0, 100.0]), 300.0);
    }

    #[test]
    fn the_rounding_error_of_the_level_counts_in_a_deviation() {
        let mut level = level(1e8);
        level.follow(&[1.0, 0.0], 1.0, 2.0);
        // The level is 10⁸ + 0.2. Numbers near 10⁸ have a spacing of 8.
        assert_eq!(level.center(), &[1e8; 2]);
        assert_eq!(level.deviations(&[1e8; 2], 10.0), [-0.1, 0.0]);
    }

    #[test]
    fn a_reference_whose_square_overflows_is_refused() {
        let mut level = level(1.0);
        assert_eq!(level.validate(), Ok(()));
        level.reference[1] = 1e20;
        assert_eq!(level.validate(), Err(CodecError::Range));
    }
}
