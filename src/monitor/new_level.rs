//! Distinguishes a machine that runs at a new steady level (other averages of the channels) from a fault that grows.
//! In: the deviations of the samples of a lasting alarm from the level of each channel, in spreads (usual standard deviations).
//! Out: whether the channels still move, and a second normal state.
//! Method: the *record* of an alarm is the mean and the variance of every channel over the samples of the alarm. When the record
//! has the number of samples that [`NewLevel`] gives, the mean of its first half is compared with the mean of its second half. If
//! these means differ by more than 1.5 standard deviations of the record on any channel, the alarm *moves*; otherwise the alarm
//! is *steady*. (In a ramp the means differ by 1.7 standard deviations.) With `NewLevel::Accept` a steady alarm becomes the
//! *second state*: its centres and spreads are the means and the standard deviations of the record. A standard deviation below
//! 0.2 counts as 0.2.
//! With a second state, the score of a sample is the smaller of two scores, one for each state. A missing channel has no part in
//! the score for the second state. If the score for the second state is the smaller one, the centre of the second state follows
//! the sample, as far as the `Learning` setting and the `gate` allow.
//! An *episode* is the record and the second state together.
//! Cost: about 15 instructions per channel in an alarm; 5 per channel for every sample if there is a second state. Kept: the
//! setting `NewLevel`, three counts and a choice. The 5·DIM numbers are in the memory of `settling`, which is free after level
//! and spread are found.

use super::level::MOST_SPREADS;
use super::settling::ROWS;
use crate::codec::{stored, stored_choice, validate};
use crate::{CodecError, Scalar};

/// The record of an alarm (mean and variance of its samples) ends after this many samples in a row without alarm.
const QUIET: u32 = 16;

/// The fewest samples of an alarm that can be acknowledged or accepted as a second normal state.
const FEWEST: u32 = 16;

/// An alarm moves if on any channel the means of the two halves of its record differ by more than this many standard deviations.
/// A standard deviation below `LEAST_SPREAD` counts as `LEAST_SPREAD`.
const MOVES: f64 = 1.5;

/// The smallest spread (standard deviation) of a channel in the second normal state, in spreads of the first state.
const LEAST_SPREAD: f64 = 0.2;

/// The reaction of the monitor to an alarm that lasts while the machine runs steadily at a new level, that is, while the averages
/// of the channels differ from the learned averages. `Accept` and `Ask` contain a number of alarm samples; a number below 16
/// counts as 16. For `Never` this number is 2,000. While the alarm lasts and no level is accepted, the level is tested again
/// after each further half of this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum NewLevel {
    /// After this number of alarm samples, a steady new level becomes normal, in addition to the learned level. The default, with
    /// 2,000 samples.
    Accept(u32),
    /// After this number of alarm samples, the verdict says whether the level is steady. A call of
    /// [`Monitor::acknowledge`](super::Monitor::acknowledge) makes this level normal.
    Ask(u32),
    /// The monitor itself accepts no new level: the alarm ends when the samples are normal again, or by a call of `acknowledge`,
    /// `recalibrate` or `relearn`. After 2,000 alarm samples the verdict says whether the level still moves.
    Never,
}

impl NewLevel {
    pub(super) const DEFAULT: Self = Self::Accept(2_000);

    const fn samples(self) -> u32 {
        match self {
            Self::Accept(samples) | Self::Ask(samples) => samples,
            Self::Never => 2_000,
        }
    }
}

impl Default for NewLevel {
    fn default() -> Self {
        Self::DEFAULT
    }
}

stored_choice!([] NewLevel: [samples: u32 = 0] { 0 = Accept(samples), 1 = Ask(samples), 2 = Never });

/// How an alarm develops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Course {
    /// Too few samples to decide.
    Young,
    /// At least one channel still moves.
    Moving,
    /// No channel moves.
    Steady,
}

stored_choice!([] Course { 0 = Young, 1 = Moving, 2 = Steady });

/// The memory of an episode (an alarm and the second normal state), one row per channel. `Settling` uses this memory until level
/// and spread are found; an alarm can only come later. The first five numbers of a row are: mean and variance of the record, mean
/// of its first half, centre and spread of the second state.
type Rows<T, const DIM: usize> = [[T; ROWS]; DIM];

/// The record of an alarm and the second normal state. The numbers of the channels are in [`Rows`].
#[derive(Clone, Debug)]
pub(super) struct Episode {
    policy: NewLevel,
    /// The number of samples of this record. After a comparison of the halves, counting continues from half of the samples that a
    /// comparison needs, or from 0 if the level was accepted.
    samples: u32,
    /// The number of samples in a row without alarm.
    quiet: u32,
    course: Course,
    /// How often a level was accepted; 0 means that there is no second normal state.
    accepted: u32,
}

impl Episode {
    pub(super) const fn new(policy: NewLevel) -> Self {
        Self {
            policy,
            samples: 0,
            quiet: 0,
            course: Course::Young,
            accepted: 0,
        }
    }

    /// Replaces the policy. A level that was accepted before stays accepted. If the policies have different numbers of samples,
    /// the record of an alarm begins again, because the first half of the record would have the wrong number of samples.
    pub(super) fn set_policy(&mut self, policy: NewLevel) {
        if policy.samples() != self.policy.samples() {
            self.end();
        }
        self.policy = policy;
    }

    /// For each channel ((deviation − centre)/spread)²·`usual`/DIM, the part of this channel in the score for the second state.
    /// Centre and spread are those of the second state. `usual` is the usual score of the gate (`gate`). `None` without a second
    /// state.
    pub(super) fn parts<T: Scalar, const DIM: usize>(
        &self,
        rows: &Rows<T, DIM>,
        deviations: &[T; DIM],
        usual: T,
    ) -> Option<[T; DIM]> {
        if self.accepted == 0 {
            return None;
        }
        let mut parts = *deviations;
        for (part, [_, _, _, center, spread, ..]) in parts.iter_mut().zip(rows) {
            let offset = (*part - *center) / *spread;
            *part = offset * offset * usual / T::from_usize(DIM);
        }
        Some(parts)
    }

    /// Moves the centre of the second state towards a sample by `step` times the distance. The distance is first limited to
    /// ±`reach` spreads of the second state.
    pub(super) fn follow<T: Scalar, const DIM: usize>(
        rows: &mut Rows<T, DIM>,
        deviations: &[T; DIM],
        step: T,
        reach: T,
    ) {
        for ([_, _, _, center, spread, ..], &deviation) in rows.iter_mut().zip(deviations) {
            let most = reach * *spread;
            *center += step * (deviation - *center).max(-most).min(most);
        }
    }

    /// Adds a sample of an alarm to the record (mean and variance of each channel). When there are enough samples, decides
    /// whether the alarm moves or is steady. With `NewLevel::Accept`, a steady level is then accepted.
    pub(super) fn push<T: Scalar, const DIM: usize>(&mut self, rows: &mut Rows<T, DIM>, deviations: &[T; DIM]) {
        self.quiet = 0;
        if self.samples == 0 {
            for [mean, variance, ..] in &mut *rows {
                (*mean, *variance) = (T::ZERO, T::ZERO);
            }
        }
        self.samples = self.samples.saturating_add(1);
        let step = T::ONE / T::from_usize(self.samples as usize);
        // A measured deviation is far below this limit. A channel that was filled in can be above it.
        let most = T::from_f64(MOST_SPREADS);
        for ([mean, variance, ..], &deviation) in rows.iter_mut().zip(deviations) {
            let deviation = deviation.max(-most).min(most);
            let offset = deviation - *mean;
            *mean += step * offset;
            *variance += step * (offset * (deviation - *mean) - *variance);
        }
        let need = self.policy.samples().max(FEWEST);
        if self.samples == need / 2 {
            end_first_half(rows);
        } else if self.samples >= need {
            self.course = judged(rows);
            if self.course == Course::Steady && matches!(self.policy, NewLevel::Accept(_)) {
                self.accept(rows);
            }
            // If the level was not accepted (`accept` sets `samples` to 0), the mean of this record becomes the mean of the first
            // half in the next comparison.
            if self.samples > 0 {
                self.samples = need / 2;
                end_first_half(rows);
            }
        }
    }

    /// Counts a sample without alarm. The record ends after 16 samples in a row without alarm.
    pub(super) fn rest(&mut self) {
        self.quiet = self.quiet.saturating_add(1);
        if self.quiet >= QUIET {
            self.end();
        }
    }

    /// Ends the record of an alarm. The second normal state stays.
    pub(super) fn end(&mut self) {
        self.samples = 0;
        self.course = Course::Young;
    }

    pub(super) const fn course(&self) -> Course {
        self.course
    }

    /// Makes the means and the standard deviations (at least `LEAST_SPREAD`) of the record the second normal state, and ends the
    /// record. Returns false, and changes nothing, if the record is shorter than 16 samples.
    pub(super) fn accept<T: Scalar, const DIM: usize>(&mut self, rows: &mut Rows<T, DIM>) -> bool {
        let known = self.samples >= FEWEST || self.course != Course::Young;
        if known {
            for [mean, variance, _, center, spread, ..] in rows {
                *center = *mean;
                *spread = variance.max(T::ZERO).sqrt().max(T::from_f64(LEAST_SPREAD));
            }
            self.end();
            self.accepted = self.accepted.saturating_add(1);
        }
        known
    }

    /// Checks an episode and its rows after decoding.
    pub(super) fn check<T: Scalar, const DIM: usize>(&self, rows: &Rows<T, DIM>) -> Result<(), CodecError> {
        let most = T::from_f64(MOST_SPREADS);
        for [mean, _, first_half, center, spread, ..] in rows {
            validate::slice_within(most, &[*mean, *first_half, *center])?;
            let usable = self.accepted == 0 || *spread >= T::from_f64(LEAST_SPREAD);
            validate::accept(usable, CodecError::Range)?;
        }
        Ok(())
    }

    /// Whether there is neither a record of an alarm nor a second normal state. Without the check of the course, `accept` would take
    /// the rows of a damaged image for a record.
    pub(super) const fn is_unused(&self) -> bool {
        self.samples == 0 && self.accepted == 0 && matches!(self.course, Course::Young)
    }
}

fn end_first_half<T: Scalar, const DIM: usize>(rows: &mut Rows<T, DIM>) {
    for [mean, _, first_half, ..] in rows {
        *first_half = *mean;
    }
}

fn judged<T: Scalar, const DIM: usize>(rows: &Rows<T, DIM>) -> Course {
    for [mean, variance, first, ..] in rows {
        // `first` is the mean of the first half. If the halves have equal numbers of samples, the mean of all samples lies midway
        // between the means of the two halves. So the means of the halves differ by 2·(`mean` − `first`).
        let apart = T::TWO * (*mean - *first);
        if apart * apart > T::from_f64(MOVES * MOVES) * variance.max(T::from_f64(LEAST_SPREAD * LEAST_SPREAD)) {
            return Course::Moving;
        }
    }
    Course::Steady
}

stored!([] Episode { policy, samples, quiet, course, accepted });

#[cfg(test)]
mod tests;
