//! The settings of a [`Monitor`](super::Monitor).
//! In: the settings of its stages, how long each phase takes, and what is learned when.
//! Out: settings that were checked once and can sit in flash.

use super::{DecisionSettings, Missing, Score, StandardizerSettings, Threshold};
use crate::codec::{stored, stored_choice};
use crate::learner::default_is_constant;
use crate::{Scalar, SettingsError};

/// How many samples each phase takes.
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
    /// 64 samples to settle the scale, 192 to learn the subspace, 256 to calibrate.
    pub const DEFAULT: Self = Self {
        settle: 64,
        learn: 192,
        calibrate: 256,
    };

    /// `settle` samples that only the scale is learned from, then `learn` samples for the subspace, and for the scale unless it
    /// is [`Scaling::Settled`]: the warm-up. Then `calibrate` samples whose scores set the threshold.
    ///
    /// # Errors
    /// [`SettingsError::Schedule`] if a phase has no sample, settling fewer than two, or all together more than 2³¹.
    ///
    /// ```
    /// use eigenstream::{SettingsError, monitor::Schedule};
    /// assert_eq!(Schedule::new(1, 100, 100), Err(SettingsError::Schedule));
    /// ```
    pub const fn new(settle: u32, learn: u32, calibrate: u32) -> Result<Self, SettingsError> {
        let total = settle as u64 + learn as u64 + calibrate as u64;
        if settle < 2 || learn == 0 || calibrate == 0 || total > 1 << 31 {
            return Err(SettingsError::Schedule);
        }
        Ok(Self {
            settle,
            learn,
            calibrate,
        })
    }

    /// Samples of the warm-up: settle + learn.
    #[must_use]
    pub const fn warmup(&self) -> u32 {
        self.settle + self.learn
    }
}

/// Which samples a monitor learns from while it watches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Learning {
    /// Every sample. What lasts becomes normal, a fault too.
    Always,
    /// Samples that are no louder than the loudest in calibration, while the score before them is below where an alarm
    /// would be released: the gate. Slow change becomes normal. The default.
    #[default]
    WhileNormal,
    /// None, and none in calibration either: the threshold fits the learner that will watch. What was normal in the warm-up
    /// stays so.
    Frozen,
}

/// How long the scale of the channels is learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Scaling {
    /// Mean and spread stay as they are after settling, before the subspace is learned. The calibration then sees how far
    /// slow channels wander from them, and so does the threshold.
    Settled,
    /// Mean and spread stay as they are at the end of the warm-up. The default.
    #[default]
    Fixed,
    /// They follow every sample that the learner learns; give the standardizer a memory then.
    Following,
}

/// How a [`Monitor`](super::Monitor) works.
///
/// ```
/// use eigenstream::monitor::{Learning, MonitorSettings, Schedule, Threshold};
/// let settings = MonitorSettings::<f32>::DEFAULT
///     .with_schedule(Schedule::new(100, 150, 150)?)
///     .with_smoothing(60)
///     .with_threshold(Threshold::quantile(0.99)?.with_factor(1.5)?)
///     .with_learning(Learning::Frozen);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct MonitorSettings<T> {
    pub(super) schedule: Schedule,
    pub(super) standardizer: StandardizerSettings<T>,
    pub(super) scaling: Scaling,
    pub(super) input_smoothing: u32,
    pub(super) score: Score,
    pub(super) smoothing: u32,
    pub(super) threshold: Threshold<T>,
    pub(super) decision: DecisionSettings<T>,
    pub(super) learning: Learning,
    pub(super) missing: Missing,
}

impl<T: Scalar> MonitorSettings<T> {
    /// 512 samples until it watches, samples as they are, expected loss averaged over 8 samples, twice the 0.99 quantile as
    /// threshold, learning while normal, scale fixed, missing channels refused.
    pub const DEFAULT: Self = Self {
        schedule: Schedule::DEFAULT,
        standardizer: StandardizerSettings::DEFAULT,
        scaling: Scaling::Fixed,
        input_smoothing: 1,
        score: Score::Loss,
        smoothing: 8,
        threshold: Threshold::DEFAULT,
        decision: DecisionSettings::DEFAULT,
        learning: Learning::WhileNormal,
        missing: Missing::Refuse,
    };

    /// Sets how many samples each phase takes.
    #[must_use]
    pub const fn with_schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = schedule;
        self
    }

    /// Sets how the channels are brought to one scale.
    #[must_use]
    pub const fn with_standardizer(mut self, standardizer: StandardizerSettings<T>) -> Self {
        self.standardizer = standardizer;
        self
    }

    /// Sets whether the scale is learned while watching.
    #[must_use]
    pub const fn with_scaling(mut self, scaling: Scaling) -> Self {
        self.scaling = scaling;
        self
    }

    /// Takes the exponential mean of about so many samples in place of each sample; 1 is none.
    ///
    /// Noise that is new in every sample shrinks, a slow wandering does not: the standardizer then measures a channel by how far
    /// its level wanders, and a small lasting shift of a noisy channel counts. For slow processes; where the movement itself is
    /// what matters, as in vibration, smooth the score instead.
    #[must_use]
    pub const fn with_input_smoothing(mut self, samples: u32) -> Self {
        self.input_smoothing = samples;
        self
    }

    /// Sets the score.
    #[must_use]
    pub const fn with_score(mut self, score: Score) -> Self {
        self.score = score;
        self
    }

    /// Averages the score over about so many samples; 0 and 1 do not.
    #[must_use]
    pub const fn with_smoothing(mut self, samples: u32) -> Self {
        self.smoothing = samples;
        self
    }

    /// Sets the threshold of the alarm.
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

    /// Sets which samples are learned while watching.
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
stored_choice!([] Scaling { 0 = Settled, 1 = Fixed, 2 = Following });
stored!([] Schedule { settle, learn, calibrate } by new(settle, learn, calibrate));

stored!(
    [T: Scalar] MonitorSettings<T> {
        schedule, standardizer, scaling, input_smoothing, score, smoothing, threshold, decision, learning, missing
    }
);

default_is_constant!(MonitorSettings);

impl Default for Schedule {
    fn default() -> Self {
        Self::DEFAULT
    }
}
