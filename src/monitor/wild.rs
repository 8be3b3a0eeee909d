//! Keeps wild samples out of the training, for example readings of −9999, spikes, a pulled plug, or one short disturbance, and
//! notices if the scale (centre and spread of each channel) does not fit the machine.
//! In: the largest absolute deviation of a sample over its channels of known spread, in spreads (usual standard deviations).
//! Out: whether the sample is learned or held back, or whether the scale must be found again.
//! Method: a is this deviation; n is the number of samples since the scale was found, this sample included; N is the number of
//! training samples of the schedule. A sample with a > 6 is *far*. A *run* begins with three far samples in a row and ends with
//! the fifth sample in a row that is not far. A sample is held back in these cases:
//! - a > 1,000, unless more than N/10 samples in a row were far.
//! - The sample is the first or the second far sample in a row, and this rule has held back fewer than 2 + ⌊n/50⌋ samples before.
//! - The sample belongs to the first run, and this run has had at most N/50 samples: it can be a disturbance. All later runs are
//!   learned, because a state that comes again is a state of the machine. If a run was already there at n = 1, the next run
//!   counts as the first.
//! - a > √N and n < N/5. From √N on, training cuts deviations off: the learner would see a constant instead of the state.
//!
//! The scale does not fit if the machine has a state far outside of it, for example if the machine was switched off while the
//! scale was found. The scale must be found again in these cases, at most 8 times:
//! - The first run has had N/50 samples, and √N < a ≤ 1,000.
//! - a > 1,000, and more than N/10 samples in a row were far.
//! - At n = N/5, more than 16 samples, and more than a twelfth of all, had a > √N. The other samples were learned although some
//!   of them are far, so the learner forgets them.
//!
//! A scale that is kept (`recalibrate`) is never found again. Then, and after 8 times, a state beyond 1,000 spreads is learned
//! after N/10 samples in a row, and from n = N/5 on. Otherwise the calibration would have no sample and would never end.
//!
//! Cost: some ten comparisons, a root and a division. Kept: seven counts.

use crate::Scalar;
use crate::codec::stored;

/// A sample is far if a channel deviates by more than this many spreads.
const FAR: f64 = 6.0;

/// A sample is not learned if a channel deviates by more than this many spreads, unless the state stays.
const NEVER: f64 = 1_000.0;

/// A run ends if this many samples in a row are not far.
const CALM: u32 = 5;

/// The scale is found again at most this often.
const MOST_MISFITS: u32 = 8;

/// The value of `first_run` after the first run.
const OVER: u32 = u32::MAX;

/// The treatment of a training sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// The sample is learned.
    Usable,
    /// The sample is held back from learning.
    HeldBack,
    /// The sample is held back, and the scale must be found again. The samples learned so far fit the scale.
    NewState,
    /// The sample is held back, and the scale must be found again. The samples learned so far do not fit the scale.
    WrongScale,
}

/// Counts wild samples, and decides which samples are held back.
#[derive(Clone, Debug)]
pub(super) struct WildSamples {
    /// The number n of samples since the scale was found.
    seen: u32,
    /// The number of samples that were held back as the first or the second far sample in a row.
    held_back: u32,
    /// The number of far samples in a row.
    far: u32,
    /// The number of samples in a row that are not far.
    calm: u32,
    /// The number of samples of the first run so far; 0 before the first run, `OVER` after it.
    first_run: u32,
    /// The number of samples with n < N/5 and a > √N.
    beyond: u32,
    /// How often the scale did not fit.
    misfits: u32,
}

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

    /// For a scale that is kept: it is never found again.
    pub(super) const fn of_kept_scale() -> Self {
        Self {
            misfits: MOST_MISFITS,
            ..Self::new()
        }
    }

    /// Whether the scale was found again because it did not fit.
    pub(super) const fn found_misfit(&self) -> bool {
        self.misfits > 0
    }

    /// Counts a sample whose largest deviation is `farthest` spreads, and decides how it is treated. `training` is N.
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
        self.beyond = self.beyond.wrapping_add(u32::from(early));
        let stays = never && self.far > training / 10;
        // A state that stays is learned if the scale cannot be found again.
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
                misfits: self.misfits.wrapping_add(1),
                ..Self::new()
            };
            return if wrong_scale {
                Reading::WrongScale
            } else {
                Reading::NewState
            };
        }
        let isolated = far && !never && self.far <= 2 && self.held_back < 2 + self.seen / 50;
        self.held_back = self.held_back.wrapping_add(u32::from(isolated));
        if never || early || in_first_run || isolated {
            Reading::HeldBack
        } else {
            Reading::Usable
        }
    }

    /// Begins, continues or ends the first run. Returns whether the sample belongs to the first run or ends it.
    fn continue_first_run(&mut self) -> bool {
        if self.first_run == 0 && self.far == 3 {
            // The two samples before belong to the run.
            self.first_run = 2;
        }
        if self.first_run == 0 || self.first_run == OVER {
            return false;
        }
        self.first_run = self.first_run.wrapping_add(1);
        if self.calm >= CALM {
            let began_at_the_start = self.first_run >= self.seen;
            self.first_run = if began_at_the_start { 0 } else { OVER };
        }
        true
    }
}

stored!([] WildSamples { seen, held_back, far, calm, first_run, beyond, misfits });

#[cfg(test)]
mod tests;
