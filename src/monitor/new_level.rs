//! The way back: a machine that runs at a new steady level is told apart from a fault that grows.
//! In: the deviations of the samples of an alarm that lasts. Out: whether they stand still, and a second normal state.
//! Method: mean and variance of every channel over the samples of the alarm. After N of them each channel's mean over the first
//! half is compared with that over the second: a ramp moves by 1.7 of its standard deviations, so above 1.5 on any channel
//! the alarm *moves*, else it is *steady*. A steady one becomes the second state if the settings say so, with the spreads that it
//! had, and a sample scores the smaller of its distances from both states. The second state follows the samples that are normal in it,
//! as the level of the first one does.
//! Cost: about 15 instructions a channel in an alarm, 5 once there is a second state. Kept: three counts; its
//! 5·DIM numbers are in the memory that `settling` has done with.

use super::level::MOST_SPREADS;
use super::settling::ROWS;
use crate::codec::{stored, stored_choice, validate};
use crate::{CodecError, Scalar};

/// Quiet samples that end an alarm's record.
const QUIET: u32 = 16;

/// Samples that an alarm must have before it can be acknowledged as a state.
const FEWEST: u32 = 16;

/// Standard deviations by which the halves of an alarm that moves are apart.
const MOVES: f64 = 1.5;

/// The least spread of a channel in the second state, in usual spreads.
const LEAST_SPREAD: f64 = 0.2;

/// The answer of the monitor to an alarm that lasts while the machine stands still at a new level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum NewLevel {
    /// After so many samples of alarm the new level counts as normal, too, if it is steady. The default, with 2,000.
    Accept(u32),
    /// After so many samples the verdict says that the level is steady; [`Monitor::acknowledge`](super::Monitor::acknowledge)
    /// makes it normal.
    Ask(u32),
    /// Nothing but the fault that is mended ends the alarm. Whether it moves is said after 2,000 samples.
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
    /// Not long enough to say.
    Young,
    /// Some channel still moves.
    Moving,
    /// No channel moves.
    Steady,
}

stored_choice!([] Course { 0 = Young, 1 = Moving, 2 = Steady });

/// The memory of an episode, one row a channel: `Settling` has it until the scale is known, and an alarm comes later.
/// In use are mean and variance of the record, the mean of its first half, and centre and spread of the second state.
type Rows<T, const DIM: usize> = [[T; ROWS]; DIM];

/// The record of an alarm, and the state that came of one. The numbers of the channels are in [`Rows`].
#[derive(Clone, Debug)]
pub(super) struct Episode {
    policy: NewLevel,
    /// Samples of this record, and quiet ones in a row.
    samples: u32,
    quiet: u32,
    course: Course,
    /// How often a level was accepted. There is no second state before the first time.
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

    /// Follows another policy from now on; a second state stays one.
    pub(super) fn set_policy(&mut self, policy: NewLevel) {
        self.policy = policy;
    }

    /// Squared distances from the second state, in usual scores; nothing without one.
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

    /// The second state follows a sample that is normal in it by the part `step` of its distance, counting at most `reach` spreads.
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

    /// Takes in a sample of an alarm.
    pub(super) fn push<T: Scalar, const DIM: usize>(&mut self, rows: &mut Rows<T, DIM>, deviations: &[T; DIM]) {
        self.quiet = 0;
        if self.samples == 0 {
            for [mean, variance, ..] in &mut *rows {
                (*mean, *variance) = (T::ZERO, T::ZERO);
            }
        }
        self.samples = self.samples.saturating_add(1);
        let step = T::ONE / T::from_usize(self.samples as usize);
        for ([mean, variance, ..], &deviation) in rows.iter_mut().zip(deviations) {
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
            // The second half is the first of the next look.
            if self.samples > 0 {
                self.samples = need / 2;
                end_first_half(rows);
            }
        }
    }

    /// Takes in a sample without alarm.
    pub(super) fn rest(&mut self) {
        self.quiet = self.quiet.saturating_add(1);
        if self.quiet >= QUIET {
            self.samples = 0;
            self.course = Course::Young;
        }
    }

    pub(super) const fn course(&self) -> Course {
        self.course
    }

    /// The state of the alarm counts as normal from now on; false if there is no such state.
    pub(super) fn accept<T: Scalar, const DIM: usize>(&mut self, rows: &mut Rows<T, DIM>) -> bool {
        let known = self.samples >= FEWEST || self.course != Course::Young;
        if known {
            for [mean, variance, _, center, spread, ..] in rows {
                *center = *mean;
                *spread = variance.max(T::ZERO).sqrt().max(T::from_f64(LEAST_SPREAD));
            }
            self.samples = 0;
            self.course = Course::Young;
            self.accepted = self.accepted.saturating_add(1);
        }
        known
    }

    /// Whether an image may hold this episode with these rows.
    pub(super) fn check<T: Scalar, const DIM: usize>(&self, rows: &Rows<T, DIM>) -> Result<(), CodecError> {
        let most = T::from_f64(MOST_SPREADS);
        for [mean, _, first_half, center, spread, ..] in rows {
            validate::within(most, [mean, first_half, center])?;
            let usable = self.accepted == 0 || *spread >= T::from_f64(LEAST_SPREAD);
            validate::accept(usable, CodecError::Range)?;
        }
        Ok(())
    }

    /// Whether there was no alarm yet.
    pub(super) const fn is_unused(&self) -> bool {
        self.samples == 0 && self.accepted == 0
    }
}

fn end_first_half<T: Scalar, const DIM: usize>(rows: &mut Rows<T, DIM>) {
    for [mean, _, first_half, ..] in rows {
        *first_half = *mean;
    }
}

fn judged<T: Scalar, const DIM: usize>(rows: &Rows<T, DIM>) -> Course {
    for [mean, variance, first, ..] in rows {
        // The mean of the second half is as far beyond that of all as the first half is before it.
        let apart = T::TWO * (*mean - *first);
        if apart * apart > T::from_f64(MOVES * MOVES) * variance.max(T::from_f64(LEAST_SPREAD * LEAST_SPREAD)) {
            return Course::Moving;
        }
    }
    Course::Steady
}

stored!([] Episode { policy, samples, quiet, course, accepted });
