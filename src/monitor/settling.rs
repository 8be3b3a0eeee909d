//! Finds the scale of each channel at the start of a stream, and keeps wild samples out of the training.
//! In: the first samples, in which a channel can be missing; then the largest deviation of each further sample. Out: the scale;
//! then whether a sample is learned or held back, or the scale must be found again.
//! Method: `guide::mathematics`, "The monitor" and "Wild samples in detail".
//! Cost: at most 19 comparisons per channel for a stored sample. Kept: 20·DIM numbers, DIM + 10 counts.

use super::stages::LearnedScale;
use crate::codec::{stored, validate};
use crate::scalar::sort::insert_last;
use crate::{CodecError, Scalar};

/// The number of samples that are stored.
pub(super) const ROWS: usize = 20;

/// This many of the smallest and of the largest values of a channel can be wild; fewer if the channel has fewer than 13 values.
const WILD: usize = 4;

/// A channel with fewer stored values than this has centre and spread zero.
pub(super) const ALIVE: usize = 4;

/// At most 20 of the first samples of a stream, for a robust centre and spread of each channel.
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
    /// The number of stored values of each channel, smaller than `kept` if values were missing.
    values: [u16; DIM],
    /// The number of stored samples.
    kept: u32,
    seen: u32,
    need: u32,
}

impl<T: Scalar, const DIM: usize> Settling<T, DIM> {
    /// Starts without samples; `need` samples are expected.
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

    /// Adds a sample; a value counts as missing if its square is not finite.
    pub fn push(&mut self, sample: &[T; DIM]) {
        let due = u64::from(self.seen) * ROWS as u64 >= u64::from(self.kept) * u64::from(self.need);
        if due && (self.kept as usize) < ROWS {
            for ((sorted, count), &value) in self.sorted.iter_mut().zip(&mut self.values).zip(sample) {
                if (value * value).is_finite() {
                    insert(sorted, count, value);
                }
            }
            self.kept = self.kept.saturating_add(1);
        }
        self.seen = self.seen.saturating_add(1);
    }

    /// Whether `need` samples were added.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.seen >= self.need
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.seen == 0
    }

    /// The array of the stored values, which `new_level` uses after the scale is found.
    pub(super) const fn rows(&self) -> &[[T; ROWS]; DIM] {
        &self.sorted
    }

    pub(super) const fn rows_mut(&mut self) -> &mut [[T; ROWS]; DIM] {
        &mut self.sorted
    }

    /// The centre and the spread of each channel; zero for a channel with fewer than four stored values.
    #[must_use]
    pub fn scale(&self) -> LearnedScale<T, DIM> {
        self.scale_without(WILD)
    }

    /// The scale with at most two wild values on each side. With two, the spread usually includes a state of the machine that
    /// lasts a tenth of the time.
    pub(super) fn wide_scale(&self) -> LearnedScale<T, DIM> {
        self.scale_without(2)
    }

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

    fn validate(&self) -> Result<(), CodecError> {
        let counted = self.values.iter().all(|&count| u32::from(count) <= self.kept);
        validate::accept(
            counted && self.kept as usize <= ROWS && self.kept <= self.seen,
            CodecError::Count,
        )?;
        // The order is not checked: after the scale is found, `new_level` stores other numbers here.
        let usable = |value: &T| (*value * *value).is_finite();
        validate::accept(self.sorted.iter().flatten().all(usable), CodecError::Range)
    }
}

stored!([T: Scalar, const DIM: usize] Settling<T, DIM> { sorted, values, kept, seen, need } if validate);

fn insert<T: Scalar>(sorted: &mut [T; ROWS], count: &mut u16, value: T) {
    let used = sorted.get_mut(..=*count as usize).unwrap_or_default();
    if let Some(last) = used.last_mut() {
        *last = value;
        insert_last(used, |low, high| low <= high);
        *count = count.saturating_add(1);
    }
}

/// The median (the upper one of two middle values) and the spread of sorted values.
#[inline(never)]
fn center_and_spread<T: Scalar>(sorted: &[T], wild: usize) -> (T, T) {
    let count = sorted.len();
    let wild = wild.min(count.saturating_sub(1) / 3);
    let at = |place: usize| sorted.get(place).copied().unwrap_or(T::ZERO);
    let (low, center, high) = (at(wild), at(count / 2), at(count.saturating_sub(1 + wild)));
    let moved = sorted.iter().map(|&value| value.max(low).min(high));
    // Without this unit, the squares of small offsets could all underflow. The division by a power of two hardly ever rounds.
    let unit = (high - low).power_of_two();
    let first = T::from_f64(1.5) * deviation(moved, center, unit);
    let reach = T::from_f64(5.0) * first;
    let near = sorted.iter().copied().filter(|&value| (value - center).abs() <= reach);
    (center, deviation(near, center, unit))
}

/// The standard deviation of values about their mean, computed in units of `unit` from `center`; zero without values.
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

/// A sample is far if a channel deviates by more than this many spreads.
const FAR: f64 = 6.0;

/// A sample is not learned if a channel deviates by more than this many spreads, unless such samples continue.
const NEVER: f64 = 1_000.0;

/// A run of far samples ends when this many samples in a row are not far.
const CALM: u32 = 5;

/// The scale is found again at most this many times.
const MOST_MISFITS: u32 = 8;

/// The value of `first_run` after the first run.
const OVER: u32 = u32::MAX;

/// The treatment of a training sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    Usable,
    HeldBack,
    /// The sample is held back, and the scale must be found again; the learned samples remain usable.
    NewState,
    /// The sample is held back, and the scale must be found again; the learned samples were scaled wrongly.
    WrongScale,
}

/// Counts wild samples, for example spikes, a pulled plug or one short disturbance, and decides which are held back.
#[derive(Clone, Debug)]
pub(super) struct WildSamples {
    /// The number of samples since the scale was found.
    seen: u32,
    /// The number of samples held back as the first or the second far sample in a row.
    held_back: u32,
    /// The number of far samples in a row.
    far: u32,
    /// The number of samples in a row that are not far.
    calm: u32,
    /// The number of samples of the first run so far; 0 before the first run, `OVER` after it.
    first_run: u32,
    /// The number of the first N/5 samples whose largest deviation is above √N, for N training samples.
    beyond: u32,
    misfits: u32,
}

stored!([] WildSamples { seen, held_back, far, calm, first_run, beyond, misfits });

impl WildSamples {
    pub(super) const fn new() -> Self {
        Self {
            seen: 0,
            held_back: 0,
            far: 0,
            calm: 0,
            first_run: 0,
            beyond: 0,
            misfits: 0,
        }
    }

    /// The counts for a scale that is never found again.
    pub(super) const fn of_kept_scale() -> Self {
        Self {
            misfits: MOST_MISFITS,
            ..Self::new()
        }
    }

    pub(super) const fn found_misfit(&self) -> bool {
        self.misfits > 0
    }

    /// Decides about a sample with the largest deviation a = `farthest` in a training of N = `training` samples.
    pub(super) fn judge<T: Scalar>(&mut self, farthest: T, training: u32) -> Reading {
        self.seen = self.seen.saturating_add(1);
        let far = farthest > T::from_f64(FAR);
        let never = farthest > T::from_f64(NEVER);
        let beyond = farthest > T::from_usize(training as usize).sqrt();
        (self.far, self.calm) = if far {
            (self.far.saturating_add(1), 0)
        } else {
            (0, self.calm.saturating_add(1))
        };
        let window = training / 5;
        let early = beyond && self.seen < window;
        self.beyond = self.beyond.saturating_add(u32::from(early));
        let stays = never && self.far > training / 10;
        // If these samples were never learned, a calibration in this state would never end.
        let never = never && !stays;
        let in_first_run = self.continue_first_run();
        let too_long = in_first_run && self.first_run > training / 50 && !never;
        if too_long {
            self.first_run = OVER;
        }
        let new_state = (too_long && beyond) || stays;
        let wrong_scale = self.seen == window && self.beyond > (window / 12).max(16);
        if (new_state || wrong_scale) && self.misfits < MOST_MISFITS {
            *self = Self {
                misfits: self.misfits.saturating_add(1),
                ..Self::new()
            };
            return if wrong_scale {
                Reading::WrongScale
            } else {
                Reading::NewState
            };
        }
        let isolated = far && !never && self.far <= 2 && self.held_back < 2 + self.seen / 50;
        self.held_back = self.held_back.saturating_add(u32::from(isolated));
        if never || early || in_first_run || isolated {
            Reading::HeldBack
        } else {
            Reading::Usable
        }
    }

    /// Counts the sample in the first run; returns whether the sample belongs to the first run or ends it.
    fn continue_first_run(&mut self) -> bool {
        if self.first_run == 0 && self.far == 3 {
            // The two samples before belong to the run, too.
            self.first_run = 2;
        }
        if self.first_run == 0 || self.first_run == OVER {
            return false;
        }
        self.first_run = self.first_run.saturating_add(1);
        if self.calm >= CALM {
            let began_at_the_start = self.first_run >= self.seen;
            self.first_run = if began_at_the_start { 0 } else { OVER };
        }
        true
    }
}

#[cfg(test)]
mod tests;
