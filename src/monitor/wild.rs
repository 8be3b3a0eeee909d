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
mod tests {
    use super::*;

    /// Judges samples with these largest deviations, for a training of 1,000 samples.
    fn judged(wild: &mut WildSamples, deviations: impl IntoIterator<Item = f64>) -> [usize; 4] {
        let mut counts = [0; 4];
        for deviation in deviations {
            let place = match wild.judge(deviation, 1_000) {
                Reading::Usable => 0,
                Reading::HeldBack => 1,
                Reading::NewState => 2,
                Reading::WrongScale => 3,
            };
            counts[place] += 1;
        }
        counts
    }

    /// Counts of a training that has begun with 300 usual samples.
    fn begun() -> WildSamples {
        let mut wild = WildSamples::new();
        assert_eq!(judged(&mut wild, [1.0; 300]), [300, 0, 0, 0]);
        wild
    }

    #[test]
    fn the_first_two_far_samples_in_a_row_are_held_back() {
        let mut wild = begun();
        assert_eq!(judged(&mut wild, [7.0, 7.0, 1.0]), [1, 2, 0, 0]);
        // 2 + 300/50 samples at most.
        for _ in 0..3 {
            assert_eq!(judged(&mut wild, [7.0, 7.0, 1.0]), [1, 2, 0, 0]);
        }
        assert_eq!(judged(&mut wild, [7.0, 7.0, 1.0]), [3, 0, 0, 0]);
    }

    #[test]
    fn the_first_run_is_held_back_and_the_second_is_learned() {
        let run = [9.0; 12].into_iter().chain([1.0; 20]);
        let mut wild = begun();
        // The run ends with the fifth usual sample.
        assert_eq!(judged(&mut wild, run.clone()), [15, 17, 0, 0]);
        assert_eq!(judged(&mut wild, run.clone()), [30, 2, 0, 0]);
        // A run that is there at the start is not the first run.
        let mut wild = WildSamples::new();
        assert_eq!(judged(&mut wild, run.clone()), [15, 17, 0, 0]);
        // 2 + 32/50 far samples were held back before, so the next run is held back from its third sample on.
        assert_eq!(judged(&mut wild, run.clone()), [17, 15, 0, 0]);
        assert_eq!(judged(&mut wild, run), [31, 1, 0, 0]);
    }

    #[test]
    fn a_long_run_is_learned_or_needs_a_new_scale() {
        // N/50 = 20, √N = 31.6.
        assert_eq!(judged(&mut begun(), [30.0; 60]), [39, 21, 0, 0]);
        assert_eq!(judged(&mut begun(), [32.0; 21]), [0, 20, 1, 0]);
        assert_eq!(judged(&mut begun(), [2e3; 101]), [0, 100, 1, 0]);
        assert_eq!(judged(&mut begun(), [2e3; 100]), [0, 100, 0, 0]);
    }

    #[test]
    fn many_samples_beyond_the_limit_of_the_deviations_show_a_wrong_scale() {
        // N/5 = 200: 16 samples are not enough, 17 are.
        for (every, outcome) in [(13, [184, 16, 0, 0]), (12, [182, 17, 0, 1])] {
            let deviations = (1..=200).map(|n| if n % every == 1 { 40.0 } else { 1.0 });
            assert_eq!(judged(&mut WildSamples::new(), deviations), outcome);
        }
    }

    #[test]
    fn a_scale_is_found_again_at_most_eight_times() {
        let mut wild = WildSamples::new();
        for _ in 0..8 {
            assert_eq!(judged(&mut wild, [50.0; 21]), [0, 20, 1, 0]);
        }
        assert_eq!(judged(&mut wild, [50.0; 21])[2], 0);
        assert_eq!(judged(&mut WildSamples::of_kept_scale(), [50.0; 21])[2], 0);
    }

    #[test]
    fn a_state_that_stays_is_learned_if_the_scale_is_not_found_again() {
        // N/5 = 200.
        assert_eq!(judged(&mut WildSamples::of_kept_scale(), [2e3; 300]), [101, 199, 0, 0]);
        let mut wild = WildSamples::new();
        assert_eq!(judged(&mut wild, [2e3; 8 * 101]), [0, 800, 8, 0]);
        assert_eq!(judged(&mut wild, [2e3; 300]), [101, 199, 0, 0]);
        // Single samples and short runs are held back.
        assert_eq!(judged(&mut wild, [1.0; 9]), [9, 0, 0, 0]);
        assert_eq!(judged(&mut wild, [2e3; 100]), [0, 100, 0, 0]);
    }

    #[test]
    fn sixteen_samples_beyond_the_limit_show_no_wrong_scale_in_a_short_training() {
        // N = 500: N/5 = 100, √N = 22.4. A twelfth of 100 samples would be 8.
        let mut wild = WildSamples::new();
        for n in 1..=100 {
            let reading = wild.judge(if n % 8 == 1 { 40.0 } else { 1.0 }, 500);
            assert_ne!(reading, Reading::WrongScale, "{n}");
        }
        assert_eq!(wild.beyond, 13);
    }

    #[test]
    fn readings_that_are_never_learned_use_up_no_place_of_the_others() {
        let mut wild = begun();
        // 2 + 300/50 far samples can be held back.
        for _ in 0..20 {
            assert_eq!(judged(&mut wild, [2e3, 1.0]), [1, 1, 0, 0]);
        }
        assert_eq!(judged(&mut wild, [7.0, 1.0]), [1, 1, 0, 0]);
    }
}
