//! Distinguishes a machine that runs at a new steady level from a fault that grows.
//! In: the deviations of the samples of a lasting alarm. Out: whether the channels still move, and a second normal state.
//! Method: an alarm counts as moving if the means of the two halves of its record differ. A steady record can become the second
//! state.
//! Equations: `guide::mathematics`, "The monitor", **The way back**.
//! Cost: 15 instructions per channel in an alarm, 5 with a second state. Kept: three counts, two choices, 5·DIM numbers in
//! `settling`.

use super::level::MOST_SPREADS;
use super::settling::ROWS;
use crate::codec::{stored, stored_choice, validate};
use crate::{CodecError, Scalar};

/// The record of an alarm ends after this many samples in a row without an alarm of the score.
const QUIET: u32 = 16;

/// The fewest samples of an alarm that can be acknowledged or accepted as a second normal state.
const FEWEST: u32 = 16;

/// An alarm moves if the means of the halves of its record differ by more than this many standard deviations. In a steady ramp they
/// differ by 1.7 standard deviations.
const MOVES: f64 = 1.5;

/// A smaller standard deviation of a record counts as this number of spreads.
const LEAST_SPREAD: f64 = 0.2;

/// The reaction to an alarm that lasts while the machine runs steadily at a new level.
///
/// At a new level the channels have other averages. A number of alarm samples below 16 counts as 16. While the alarm lasts and no
/// level is accepted, the level is tested again after each further half of this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum NewLevel {
    /// After this number of alarm samples, a steady new level becomes normal too; the default, with 2,000.
    Accept(u32),
    /// After this number of alarm samples, the verdict says whether the level is steady.
    ///
    /// [`Monitor::acknowledge`](super::Monitor::acknowledge) makes this level normal.
    Ask(u32),
    /// The monitor accepts no new level; after 2,000 alarm samples the verdict says whether the level still moves.
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
    /// The record has too few samples to decide.
    Young,
    Moving,
    Steady,
}

stored_choice!([] Course { 0 = Young, 1 = Moving, 2 = Steady });

/// One row per channel: mean and variance of the record, mean of its first half, centre and spread of the second state.
type Rows<T, const DIM: usize> = [[T; ROWS]; DIM];

/// The record of an alarm and the second normal state, whose numbers are in [`Rows`].
#[derive(Clone, Debug)]
pub(super) struct Episode {
    policy: NewLevel,
    /// The number of samples of this record; after a comparison of its halves, the count continues from half the number that a
    /// comparison needs.
    samples: u32,
    /// The number of samples in a row without alarm.
    quiet: u32,
    course: Course,
    /// How often a level was accepted; 0 without a second normal state.
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

    /// Replaces the policy; an accepted level stays accepted.
    pub(super) fn set_policy(&mut self, policy: NewLevel) {
        // The record begins again if the number of samples changes: its first half would have the wrong length.
        if policy.samples() != self.policy.samples() {
            self.end();
        }
        self.policy = policy;
    }

    /// The parts of the score for the second state, ((deviation − centre)/spread)²·`usual`/DIM; `None` without this state.
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

    /// Moves the centre of the second state by `step` times the distance of a sample, within ±`reach` of its spreads.
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

    /// Adds a sample of an alarm to the record, and judges the record when it has enough samples.
    pub(super) fn push<T: Scalar, const DIM: usize>(&mut self, rows: &mut Rows<T, DIM>, deviations: &[T; DIM]) {
        self.quiet = 0;
        if self.samples == 0 {
            for [mean, variance, ..] in &mut *rows {
                (*mean, *variance) = (T::ZERO, T::ZERO);
            }
        }
        self.samples = self.samples.saturating_add(1);
        let step = T::ONE / T::from_usize(self.samples as usize);
        // A measured deviation is far below this limit. A filled-in value can be above it.
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
            // If no level was accepted, the mean of this record becomes that of the first half in the next comparison.
            if self.samples > 0 {
                self.samples = need / 2;
                end_first_half(rows);
            }
        }
    }

    /// Counts a sample without alarm.
    pub(super) fn rest(&mut self) {
        self.quiet = self.quiet.saturating_add(1);
        if self.quiet >= QUIET {
            self.end();
        }
    }

    /// Ends the record of an alarm; the second normal state stays.
    pub(super) fn end(&mut self) {
        self.samples = 0;
        self.course = Course::Young;
    }

    pub(super) const fn course(&self) -> Course {
        self.course
    }

    /// Makes the record the second normal state; returns false and changes nothing if the record is too short.
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

    /// Whether there is neither a record nor a second state. The course is checked too, because a wrong one would let `accept` use
    /// rows that are not a record.
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
        // `mean` lies midway between the means of the halves.
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
