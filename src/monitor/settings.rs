//! The settings of a [`Monitor`](super::Monitor), checked, which can be in flash.

use super::settling::ALIVE;
use super::{DecisionSettings, Missing, NewLevel, Score, Threshold};
use crate::codec::{stored, stored_choice};
use crate::learner::default_is_constant;
use crate::{Scalar, SettingsError};

/// The largest number of samples of warm-up and calibration together.
const LONGEST: u32 = 1 << 31;

/// ⌊part·samples / 100⌋ for `part` ≤ 100, without a division of 64 bits, which takes more flash.
const fn per_cent(part: u32, samples: u32) -> u32 {
    samples / 100 * part + samples % 100 * part / 100
}

/// The number of samples of each phase.
///
/// ```
/// use eigenstream::monitor::Schedule;
/// let schedule = Schedule::new(100, 150, 150)?;
/// assert_eq!(schedule.warmup(), 250);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Schedule {
    pub(super) settle: u32,
    pub(super) learn: u32,
    pub(super) calibrate: u32,
}

impl Schedule {
    /// The schedule of [`training`](Self::training) with 2,048 samples.
    pub const DEFAULT: Self = Self::training(2_048);

    /// Warm-up and calibration together take `samples` samples.
    ///
    /// 15 % of them find the scale, 55 % train level and learner, 30 % calibrate. `samples` below 27 count as 27, above 2³¹ as 2³¹.
    #[must_use]
    pub const fn training(samples: u32) -> Self {
        let samples = match samples {
            0..27 => 27,
            27..LONGEST => samples,
            _ => LONGEST,
        };
        let settle = per_cent(15, samples);
        let calibrate = per_cent(30, samples);
        Self {
            settle,
            learn: samples.saturating_sub(settle).saturating_sub(calibrate),
            calibrate,
        }
    }

    /// Takes `settle` samples to find the scale, `learn` for level and learner, and `calibrate` for the threshold.
    ///
    /// If the scores do not differ, the calibration is repeated. So with `calibrate` = 1, only a monitor with a fixed threshold
    /// ever watches.
    ///
    /// # Errors
    /// [`SettingsError::Schedule`] if `settle` is below four, `learn` or `calibrate` is zero, or the sum is above 2³¹.
    pub const fn new(settle: u32, learn: u32, calibrate: u32) -> Result<Self, SettingsError> {
        let total = settle.saturating_add(learn).saturating_add(calibrate);
        if settle < ALIVE as u32 || learn == 0 || calibrate == 0 || total > LONGEST {
            return Err(SettingsError::Schedule);
        }
        Ok(Self {
            settle,
            learn,
            calibrate,
        })
    }

    /// The number of samples of warm-up and calibration: settle + learn + calibrate, even if a fixed threshold needs no
    /// calibration.
    #[must_use]
    pub const fn total(&self) -> u32 {
        self.warmup().saturating_add(self.calibrate)
    }

    /// The number of samples of the warm-up: settle + learn.
    #[must_use]
    pub const fn warmup(&self) -> u32 {
        self.settle.saturating_add(self.learn)
    }
}

/// Which samples level and learner learn from while the monitor watches.
///
/// With every setting, level and learner learn nothing from a sample with filled-in values, and nothing while a sensor is stuck. A
/// sample that fits the second normal state ([`NewLevel`]) better can only move the centre of this state. The movement of a channel
/// that stood still in training sets or raises its spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Learning {
    /// Learns at full speed whatever the score is: a change that lasts becomes normal, even a fault.
    Always,
    /// Learns from samples whose score is at most the default threshold, or without calibration the fixed threshold: slow change
    /// becomes normal; the default.
    ///
    /// The level learns from each of them, the learner from at most one of 8. Both stop while the channels hardly move, for
    /// example after the machine is switched off. With [`Score::Loss`], the default learner learns almost nothing if the median
    /// score of the calibration is below 1/4, unless the threshold is fixed.
    #[default]
    WhileNormal,
    /// Level and learner learn nothing after the warm-up, not even in calibration; a new level can still be accepted.
    Frozen,
}

/// The settings of a [`Monitor`](super::Monitor).
///
/// ```
/// use eigenstream::monitor::{Learning, MonitorSettings, Threshold};
/// let settings = MonitorSettings::<f32>::DEFAULT
///     .with_training(400)
///     .with_smoothing(60)
///     .with_threshold(Threshold::false_alarms(1e-3)?)
///     .with_learning(Learning::Frozen);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct MonitorSettings<T> {
    pub(super) schedule: Schedule,
    pub(super) level_memory: u32,
    pub(super) input_smoothing: u32,
    pub(super) score: Score,
    pub(super) smoothing: u32,
    pub(super) threshold: Threshold<T>,
    pub(super) decision: DecisionSettings<T>,
    pub(super) learning: Learning,
    pub(super) missing: Missing,
    pub(super) new_level: NewLevel,
}

impl<T: Scalar> MonitorSettings<T> {
    /// The monitor watches after 2,048 samples, or later if a part of the training is repeated.
    ///
    /// The memory of the level is 300 samples. About 3 samples are averaged, and about 5 scores. The score is [`Score::Loss`], the
    /// threshold for a false-alarm rate of 10⁻⁷; one smoothed score above it raises the alarm. The monitor learns while normal,
    /// accepts a new level that is steady after 2,000 samples of alarm, and refuses samples with missing channels.
    pub const DEFAULT: Self = Self {
        schedule: Schedule::DEFAULT,
        level_memory: 300,
        input_smoothing: 3,
        score: Score::Loss,
        smoothing: 5,
        threshold: Threshold::DEFAULT,
        decision: DecisionSettings::DEFAULT,
        learning: Learning::WhileNormal,
        missing: Missing::Refuse,
        new_level: NewLevel::DEFAULT,
    };

    /// Sets the schedule by the number of samples of warm-up and calibration together: [`Schedule::training`].
    ///
    /// The samples should cover everything that the machine does. The memory of the level becomes a tenth of `samples`, but at
    /// least 300.
    #[must_use]
    pub const fn with_training(mut self, samples: u32) -> Self {
        self.schedule = Schedule::training(samples);
        let tenth = self.schedule.total() / 10;
        self.level_memory = if tenth > 300 { tenth } else { 300 };
        self
    }

    /// Sets the number of samples of each phase.
    #[must_use]
    pub const fn with_schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = schedule;
        self
    }

    /// Sets the memory of the level: a sample moves a level by at most 1/`samples` of its deviation.
    ///
    /// 0 counts as 1. A drift of less than half a spread in `samples` samples usually raises no alarm, unless the other channels
    /// predict this channel closely; [`Verdict::moved`](super::Verdict::moved) shows the drift.
    #[must_use]
    pub const fn with_level_memory(mut self, samples: u32) -> Self {
        self.level_memory = samples;
        self
    }

    /// Sets the reaction to an alarm that lasts while the machine runs steadily at a new level.
    #[must_use]
    pub const fn with_new_level(mut self, new_level: NewLevel) -> Self {
        self.new_level = new_level;
        self
    }

    /// Sets the smoothing of the samples: the learner scores and learns the mean of about `samples` samples.
    ///
    /// 0 and 1 switch this off; more than 2²⁰ counts as 2²⁰. The mean makes a small lasting shift of a noisy channel visible. If
    /// the movement itself matters, as in vibration, use 1.
    #[must_use]
    pub const fn with_input_smoothing(mut self, samples: u32) -> Self {
        self.input_smoothing = samples;
        self
    }

    /// Sets the kind of score.
    #[must_use]
    pub const fn with_score(mut self, score: Score) -> Self {
        self.score = score;
        self
    }

    /// Averages the score over about `samples` samples; 0 and 1 switch this off, more than 2²⁰ counts as 2²⁰.
    #[must_use]
    pub const fn with_smoothing(mut self, samples: u32) -> Self {
        self.smoothing = samples;
        self
    }

    /// Sets the rule that gives the threshold of the alarm.
    #[must_use]
    pub const fn with_threshold(mut self, threshold: Threshold<T>) -> Self {
        self.threshold = threshold;
        self
    }

    /// Sets when an alarm is raised and released.
    #[must_use]
    pub const fn with_decision(mut self, decision: DecisionSettings<T>) -> Self {
        self.decision = decision;
        self
    }

    /// Sets which samples level and learner learn from while the monitor watches.
    #[must_use]
    pub const fn with_learning(mut self, learning: Learning) -> Self {
        self.learning = learning;
        self
    }

    /// Sets the meaning of NaN in a sample.
    #[must_use]
    pub const fn with_missing(mut self, missing: Missing) -> Self {
        self.missing = missing;
        self
    }
}

stored_choice!([] Learning { 0 = Always, 1 = WhileNormal, 2 = Frozen });
stored!([] Schedule { settle, learn, calibrate } by new(settle, learn, calibrate));

stored!(
    [T: Scalar] MonitorSettings<T> {
        schedule, level_memory, input_smoothing, score, smoothing, threshold, decision, learning, missing, new_level
    }
);

default_is_constant!(MonitorSettings);

impl Default for Schedule {
    fn default() -> Self {
        Self::DEFAULT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_samples_is_exact_up_to_the_longest_schedule() {
        for samples in (0..1_000).chain([99_999_999, LONGEST - 1, LONGEST]) {
            for part in [15, 30] {
                let wide = u64::from(samples) * u64::from(part) / 100;
                assert_eq!(u64::from(per_cent(part, samples)), wide);
            }
        }
    }
}
