//! What can be set about a [`Monitor`](super::Monitor).
//! In: the settings of its stages, how long each phase takes, and what is learned when.
//! Out: settings that were checked once and can sit in flash.

use super::{DecisionSettings, Missing, Score, StandardizerSettings, Threshold};
use crate::codec::{stored, stored_choice};
use crate::learner::default_is_constant;
use crate::{CodecError, Scalar, SettingsError};

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
    ///
    /// ```
    /// use eigenstream::monitor::Schedule;
    /// assert_eq!(Schedule::DEFAULT.warmup(), 256);
    /// ```
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

    /// Samples of the whole warm-up.
    ///
    /// ```
    /// use eigenstream::monitor::Schedule;
    /// assert_eq!(Schedule::new(2, 3, 4)?.warmup(), 5);
    /// # Ok::<(), eigenstream::SettingsError>(())
    /// ```
    #[must_use]
    pub const fn warmup(&self) -> u32 {
        self.settle + self.learn
    }
}

/// What a monitor learns from while it watches.
///
/// ```
/// use eigenstream::monitor::Learning;
/// assert_eq!(Learning::default(), Learning::WhileNormal);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Learning {
    /// Every sample. What lasts becomes normal, a fault too.
    Always,
    /// Samples that are no louder than the loudest in calibration, while the score before them is below where an alarm
    /// would be released: the gate. Slow change becomes normal.
    #[default]
    WhileNormal,
    /// None, and none in calibration either: the threshold fits the learner that will watch. What was normal in the warm-up
    /// stays so.
    Frozen,
}

/// How long the scale of the channels is learned.
///
/// ```
/// use eigenstream::monitor::Scaling;
/// assert_eq!(Scaling::default(), Scaling::Fixed);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Scaling {
    /// Mean and spread stay as they are after settling, before the subspace is learned. The calibration then sees how far
    /// slow channels wander from them, and so does the threshold.
    Settled,
    /// Mean and spread stay as they are at the end of the warm-up.
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
    ///
    /// ```
    /// use eigenstream::monitor::{MonitorSettings, Schedule};
    /// let spelled_out = MonitorSettings::<f32>::DEFAULT.with_schedule(Schedule::DEFAULT).with_smoothing(8);
    /// assert_eq!(spelled_out, MonitorSettings::DEFAULT);
    /// ```
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

    /// How many samples each phase takes.
    ///
    /// ```
    /// use eigenstream::monitor::{MonitorSettings, Schedule};
    /// let settings = MonitorSettings::<f32>::DEFAULT.with_schedule(Schedule::new(50, 50, 100)?);
    /// # Ok::<(), eigenstream::SettingsError>(())
    /// ```
    #[must_use]
    pub const fn with_schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = schedule;
        self
    }

    /// How the channels are brought to one scale.
    ///
    /// ```
    /// use eigenstream::monitor::{MonitorSettings, StandardizerSettings};
    /// let standardizer = StandardizerSettings::DEFAULT.with_limit(20.0)?;
    /// let settings = MonitorSettings::<f32>::DEFAULT.with_standardizer(standardizer);
    /// # Ok::<(), eigenstream::SettingsError>(())
    /// ```
    #[must_use]
    pub const fn with_standardizer(mut self, standardizer: StandardizerSettings<T>) -> Self {
        self.standardizer = standardizer;
        self
    }

    /// Whether the scale is learned along while watching.
    ///
    /// ```
    /// use eigenstream::monitor::{MonitorSettings, Scaling};
    /// let settings = MonitorSettings::<f32>::DEFAULT.with_scaling(Scaling::Following);
    /// ```
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
    ///
    /// ```
    /// use eigenstream::monitor::MonitorSettings;
    /// let settings = MonitorSettings::<f32>::DEFAULT.with_input_smoothing(15);
    /// assert_ne!(settings, MonitorSettings::DEFAULT);
    /// ```
    #[must_use]
    pub const fn with_input_smoothing(mut self, samples: u32) -> Self {
        self.input_smoothing = samples;
        self
    }

    /// What counts as unusual.
    ///
    /// ```
    /// use eigenstream::monitor::{MonitorSettings, Score};
    /// let settings = MonitorSettings::<f32>::DEFAULT.with_score(Score::Relative);
    /// ```
    #[must_use]
    pub const fn with_score(mut self, score: Score) -> Self {
        self.score = score;
        self
    }

    /// Averages the score over about so many samples; 0 and 1 do not.
    ///
    /// ```
    /// use eigenstream::monitor::MonitorSettings;
    /// let settings = MonitorSettings::<f32>::DEFAULT.with_smoothing(60);
    /// ```
    #[must_use]
    pub const fn with_smoothing(mut self, samples: u32) -> Self {
        self.smoothing = samples;
        self
    }

    /// Where unusual begins.
    ///
    /// ```
    /// use eigenstream::monitor::{MonitorSettings, Threshold};
    /// let settings = MonitorSettings::<f32>::DEFAULT.with_threshold(Threshold::fixed(10.0)?);
    /// # Ok::<(), eigenstream::SettingsError>(())
    /// ```
    #[must_use]
    pub const fn with_threshold(mut self, threshold: Threshold<T>) -> Self {
        self.threshold = threshold;
        self
    }

    /// When an alarm is raised and released.
    ///
    /// ```
    /// use eigenstream::monitor::{DecisionSettings, MonitorSettings};
    /// let settings = MonitorSettings::<f32>::DEFAULT.with_decision(DecisionSettings::new(0.8)?.with_confirm(3));
    /// # Ok::<(), eigenstream::SettingsError>(())
    /// ```
    #[must_use]
    pub const fn with_decision(mut self, decision: DecisionSettings<T>) -> Self {
        self.decision = decision;
        self
    }

    /// What is learned while watching.
    ///
    /// ```
    /// use eigenstream::monitor::{Learning, MonitorSettings};
    /// let settings = MonitorSettings::<f32>::DEFAULT.with_learning(Learning::Frozen);
    /// ```
    #[must_use]
    pub const fn with_learning(mut self, learning: Learning) -> Self {
        self.learning = learning;
        self
    }

    /// What NaN in a sample means.
    ///
    /// ```
    /// use eigenstream::monitor::{Missing, MonitorSettings};
    /// let settings = MonitorSettings::<f32>::DEFAULT.with_missing(Missing::Impute);
    /// ```
    #[must_use]
    pub const fn with_missing(mut self, missing: Missing) -> Self {
        self.missing = missing;
        self
    }
}

stored_choice!(Learning { 0 = Always, 1 = WhileNormal, 2 = Frozen });
stored_choice!(Scaling { 0 = Settled, 1 = Fixed, 2 = Following });
stored!([] Schedule { settle, learn, calibrate } if validate);

impl Schedule {
    fn validate(&self) -> Result<(), CodecError> {
        Self::new(self.settle, self.learn, self.calibrate)?;
        Ok(())
    }
}

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
