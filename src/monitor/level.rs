//! The current level (centre) and the spread (usual standard deviation) of each channel: together the *scale* of the channel.
//! In: samples in any unit. Out: the deviation of each channel from its level, in spreads, within ± a limit.
//! Method: level m and spread s come from `settling`. The level follows the samples x: m ← m + pace·(x − m)/memory, with a pace
//! from 0 to 1 (`gate`). x − m is first limited to ±2 spreads; with `Learning::Always` while watching, to ±100 spreads. The
//! rounding error of m is stored and added in the next step, so that m follows a slow drift even at a large offset. A channel
//! that stood still has no spread: the channel is *unknown* and its deviation is zero. When an unknown channel first moves, its
//! spread is set so that the movement is a fixed number of spreads. If a later movement is beyond a limit, in spreads, it raises
//! the spread (`widen`). A single pulse hardly moves the level, so after the pulse the deviation is near zero again.
//! Cost: about 20 instructions per channel. Kept: 4·DIM numbers, DIM flags and a count.

use crate::codec::{stored, validate};
use crate::spectrum::compensated::two_sum;
use crate::weights::Subset;
use crate::{CodecError, Scalar};

/// Every deviation is within ± this number of spreads: in training deviations are limited to ± the root of the number of training
/// samples (below 2¹⁶), while watching to ±100. Decoding refuses stored deviations outside this range, because their squares
/// could overflow.
pub(super) const MOST_SPREADS: f64 = 65_536.0;

/// The centre and the spread (usual standard deviation) of each channel.
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
/// use eigenstream::monitor::{LearnedScale, Level};
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
    /// The rounded level: the level without rounding error is `level` + `rounding`.
    level: [T; DIM],
    /// The rounding error of `level`.
    rounding: [T; DIM],
    spread: [T; DIM],
    /// `level` when the threshold was found; before, the level of `begin`.
    reference: [T; DIM],
    /// Channels that stood still while `settling` found level and spread; after `mark`, channels that never moved in training
    /// (warm-up and calibration).
    unknown: Subset<DIM>,
}

impl<T: Scalar, const DIM: usize> Level<T, DIM> {
    /// Sets the memory from the next sample on: a sample moves the level by at most 1/`memory` of its deviation. 0 counts as 1.
    pub(super) fn set_memory(&mut self, memory: u32) {
        self.memory = memory.max(1);
    }

    /// Creates a level without spreads. After `begin`, a sample moves the level by at most 1/`memory` of its deviation. A
    /// `memory` of 0 counts as 1.
    #[must_use]
    pub const fn new(memory: u32) -> Self {
        Self {
            memory: if memory == 0 { 1 } else { memory },
            level: [T::ZERO; DIM],
            rounding: [T::ZERO; DIM],
            spread: [T::ZERO; DIM],
            reference: [T::ZERO; DIM],
            unknown: Subset::EMPTY,
        }
    }

    /// Sets level and spread. A channel with spread zero is unknown.
    pub fn begin(&mut self, scale: &LearnedScale<T, DIM>) {
        *self = Self::new(self.memory);
        self.level = scale.center;
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

    /// The deviation of each channel from its level, in spreads, cut to ±`limit`; zero for a channel whose spread is unknown.
    #[must_use]
    pub fn deviations(&self, sample: &[T; DIM], limit: T) -> [T; DIM] {
        let mut deviations = *sample;
        let levels = self.level.iter().zip(&self.rounding);
        for ((deviation, (&level, &rounding)), &spread) in deviations.iter_mut().zip(levels).zip(&self.spread) {
            *deviation = if spread > T::ZERO {
                (((*deviation - level) - rounding) / spread).max(-limit).min(limit)
            } else {
                T::ZERO
            };
        }
        deviations
    }

    /// The largest absolute deviation, in spreads, over the channels that have a spread and are not `unknown`. Zero without such
    /// a channel.
    pub(super) fn farthest(&self, sample: &[T; DIM]) -> T {
        let mut farthest = T::ZERO;
        let levels = self.level.iter().zip(&self.spread);
        for (channel, (&value, (&level, &spread))) in sample.iter().zip(levels).enumerate() {
            if spread > T::ZERO && !self.unknown.contains(channel) {
                farthest = farthest.max(((value - level) / spread).abs());
            }
        }
        farthest
    }

    /// Sets or raises the spread of the channels that stood still when level and spread were found (`unknown`). The spread of
    /// such a channel is set so that its first movement counts as `first` spreads. The spread is raised if a later movement would
    /// count as more than `limit` spreads; then this movement counts as `limit` spreads.
    pub fn widen(&mut self, sample: &[T; DIM], first: T, limit: T) {
        for (channel, ((spread, &level), &value)) in self.spread.iter_mut().zip(&self.level).zip(sample).enumerate() {
            if self.unknown.contains(channel) {
                let most = if *spread > T::ZERO { limit } else { first };
                *spread = spread.max(((value - level).abs() / most).min(T::MAX));
            }
        }
    }

    /// Raises every known spread to at least the given spread.
    pub(super) fn at_least(&mut self, spreads: &[T; DIM]) {
        for (spread, &least) in self.spread.iter_mut().zip(spreads) {
            if *spread > T::ZERO {
                *spread = spread.max(least);
            }
        }
    }

    /// Moves the level towards a sample with these deviations, by `pace`/memory times the deviation. Each deviation is first
    /// limited to ±`reach` spreads.
    pub fn follow(&mut self, deviations: &[T; DIM], pace: T, reach: T) {
        let step = pace / T::from_usize(self.memory as usize);
        let levels = self.level.iter_mut().zip(&mut self.rounding);
        for (((level, rounding), &spread), &deviation) in levels.zip(&self.spread).zip(deviations) {
            let taken = deviation.max(-reach).min(reach);
            (*level, *rounding) = two_sum(*level, *rounding + step * taken * spread);
        }
    }

    /// Stores the current level as the reference of [`moved`](Self::moved). A channel that has a spread now is no longer
    /// unknown.
    pub(super) fn mark(&mut self) {
        self.reference = self.level;
        self.unknown = Subset::EMPTY;
        for (channel, &spread) in self.spread.iter().enumerate() {
            if spread <= T::ZERO {
                self.unknown.insert(channel);
            }
        }
    }

    /// The absolute change of a channel's level since the threshold was last found, in spreads. Before the first threshold: since
    /// [`begin`](Self::begin). Zero if the spread is unknown or there is no such channel.
    #[must_use]
    pub fn moved(&self, channel: usize) -> T {
        let level = self.level.get(channel).zip(self.reference.get(channel));
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
        &self.level
    }

    /// The spread of each channel; zero if it is unknown.
    #[must_use]
    pub const fn spread(&self) -> &[T; DIM] {
        &self.spread
    }

    /// The memory: a sample moves the level by at most 1/memory of its deviation.
    #[must_use]
    pub const fn memory(&self) -> u32 {
        self.memory
    }

    /// Whether a channel stood still while level and spread were found; after [`mark`](Self::mark), whether it had no spread at
    /// the end of the training.
    pub(super) fn stood_still(&self, channel: usize) -> bool {
        self.unknown.contains(channel)
    }
}

stored!(
    [T: Scalar, const DIM: usize] Level<T, DIM> { memory, level, rounding, spread, reference, unknown } if validate
);

impl<T: Scalar, const DIM: usize> Level<T, DIM> {
    fn validate(&self) -> Result<(), CodecError> {
        validate::not_negative(&self.spread)?;
        validate::accept(self.memory > 0, CodecError::Count)?;
        // By construction the square of every level is finite; ×2 for rounding.
        for numbers in [&self.level, &self.rounding, &self.reference] {
            validate::slice_within(T::TWO * T::MAX.sqrt(), numbers)?;
        }
        Ok(())
    }
}
