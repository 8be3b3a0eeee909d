//! Where each channel lies now, and how far it usually spreads: what brings all channels to one scale.
//! In: samples in whatever units the sensors have. Out: by how many spreads each channel is off its level, within ± a limit.
//! Method: centre m and spread s come from `settling`. The level follows, m ← m + (x − m)/memory, where one step takes at most
//! two spreads for a deviation; it carries the part that rounding takes from it, so that slow drift at a large offset never
//! stalls. A channel that stood still has no spread yet: it is *unknown* and its deviation is zero. Once it moves, its spread is
//! the largest deviation divided by a limit, so that one pulse ends as it began.
//! Cost: about 20 instructions a channel. Kept: 4·DIM numbers, DIM marks and a count.

use crate::codec::{stored, validate};
use crate::spectrum::compensated::two_sum;
use crate::weights::Subset;
use crate::{CodecError, Scalar};

/// No deviation is larger in spreads: training counts at most √samples ≤ 2¹⁶, watching less. An image that says otherwise would let
/// squares overflow.
pub(super) const MOST_SPREADS: f64 = 65_536.0;

/// Centre and spread of each channel.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct LearnedScale<T, const DIM: usize> {
    /// Where each channel lies.
    pub center: [T; DIM],
    /// How far it spreads; zero if that is not known.
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
/// // The second channel never moved: its first movement counts as the limit that is given, whatever its size.
/// level.widen(&[50.0, 7.5], 5.0, 5.0);
/// assert_eq!(level.deviations(&[50.0, 7.5], 10.0), [0.0, 5.0]);
/// ```
#[derive(Clone, Debug)]
pub struct Level<T, const DIM: usize> {
    memory: u32,
    /// m, and what rounding has taken from it: the level is the sum of both.
    level: [T; DIM],
    rounding: [T; DIM],
    spread: [T; DIM],
    /// m when the threshold was found.
    reference: [T; DIM],
    /// Channels that stood still while the scale was found.
    unknown: Subset<DIM>,
}

impl<T: Scalar, const DIM: usize> Level<T, DIM> {
    /// Follows over about so many samples from now on.
    pub(super) fn set_memory(&mut self, memory: u32) {
        self.memory = memory.max(1);
    }

    /// Nothing known; once begun the level follows over about `memory` samples.
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

    /// Takes over centre and spread.
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

    /// By how many spreads each channel is off its level, cut to ±`limit`; zero where the spread is not known.
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

    /// By how many spreads the farthest channel is off its level, of those whose spread was known from the start.
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

    /// Gives a channel that stood still a spread: its first movement counts as `first` spreads, later ones as `limit` at most.
    pub fn widen(&mut self, sample: &[T; DIM], first: T, limit: T) {
        for (channel, ((spread, &level), &value)) in self.spread.iter_mut().zip(&self.level).zip(sample).enumerate() {
            if self.unknown.contains(channel) {
                let most = if *spread > T::ZERO { limit } else { first };
                *spread = spread.max(((value - level).abs() / most).min(T::MAX));
            }
        }
    }

    /// No spread below these, where it is known.
    pub(super) fn at_least(&mut self, spreads: &[T; DIM]) {
        for (spread, &least) in self.spread.iter_mut().zip(spreads) {
            if *spread > T::ZERO {
                *spread = spread.max(least);
            }
        }
    }

    /// Follows a sample that deviates by this much, `pace` times as fast as its memory says, counting at most `reach` spreads.
    pub fn follow(&mut self, deviations: &[T; DIM], pace: T, reach: T) {
        let step = pace / T::from_usize(self.memory as usize);
        let levels = self.level.iter_mut().zip(&mut self.rounding);
        for (((level, rounding), &spread), &deviation) in levels.zip(&self.spread).zip(deviations) {
            let taken = deviation.max(-reach).min(reach);
            (*level, *rounding) = two_sum(*level, *rounding + step * taken * spread);
        }
    }

    /// From here on [`moved`](Self::moved) counts, and a channel that has moved by now is known.
    pub(super) fn mark(&mut self) {
        self.reference = self.level;
        self.unknown = Subset::EMPTY;
        for (channel, &spread) in self.spread.iter().enumerate() {
            if spread <= T::ZERO {
                self.unknown.insert(channel);
            }
        }
    }

    /// By how many spreads the level of a channel has moved since the threshold was found; zero where the spread is not known.
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

    /// Where each channel lies.
    #[must_use]
    pub const fn center(&self) -> &[T; DIM] {
        &self.level
    }

    /// How far each channel spreads; zero if that is not known.
    #[must_use]
    pub const fn spread(&self) -> &[T; DIM] {
        &self.spread
    }

    /// How many samples the level follows over.
    #[must_use]
    pub const fn memory(&self) -> u32 {
        self.memory
    }

    /// Whether a channel stood still while the scale was found.
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
            validate::within(T::TWO * T::MAX.sqrt(), numbers)?;
        }
        Ok(())
    }
}
