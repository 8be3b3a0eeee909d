//! The monitor: all stages around a learner, its phases, and new settings for a monitor that has learned.
//! In: settings and a learner. Out: a monitor in its first phase; `observe` passes samples through the stages.
//! Method: warm-up, calibration (unless the threshold is fixed), watching. The search for the scale is repeated if no channel has a
//! spread or the scale does not fit, the calibration if its scores are too few, give no threshold or rise.
//! Cost: see the head of the module `monitor`.

use super::alarm::Rule;
use super::gate::Gate;
use super::level::MOST_SPREADS;
use super::new_level::Episode;
use super::settling::WildSamples;
use super::smoothing::{Smoothing, counted};
use super::stages::{Decision, ExponentialMean, Histogram, Level, Scorer, Settling, Stillness};
use super::{ChannelHealth, Health, Learning, MonitorSettings, Phase, Threshold};
use crate::codec::{Learned, stored, validate};
use crate::pca::{Mahalanobis, MahalanobisSettings};
use crate::{CodecError, Learner, Scalar};

/// The effect of new settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
pub enum Adaptation {
    /// The monitor continues; while it watches, the threshold is computed again by the new rule.
    ///
    /// If the scale is not found yet, a changed schedule starts the search again; in [`Phase::Standstill`] every call does.
    GoesOn,
    /// Scale and learner are kept, and a new calibration starts, because the scores change or none are stored.
    ///
    /// If the new threshold is fixed, the monitor watches at once.
    Recalibrates,
    /// Nothing was changed, because the settings have another kind of score: create a new monitor with [`Monitor::new`].
    NotTaken,
}

/// Watches `DIM` channels with the learner `L`.
///
/// The running median of the last `MEDIAN` scores (an odd number; 1 switches the median off) removes spikes of up to (`MEDIAN`
/// − 1)/2 scores. The mean of the samples makes a spike longer: with
/// [`with_input_smoothing(1)`](MonitorSettings::with_input_smoothing) one wild sample gives one high score.
///
/// ```
/// use eigenstream::monitor::{MonitorSettings, Phase, SensorMonitor};
///
/// let mut monitor = SensorMonitor::<f32, 3>::standard(MonitorSettings::DEFAULT.with_training(600));
/// // Three channels that move together, each with some noise.
/// let machine = |i: u32| {
///     let noise = |k: u32| ((i * k) % 17) as f32 / 17.0 - 0.5;
///     let load = noise(5) * 10.0;
///     [20.0 + load + noise(7), 50.0 + 2.0 * load + noise(11), 1.0 - 0.1 * load + 0.1 * noise(13)]
/// };
/// for i in 0..700 {
///     assert!(!monitor.observe(&machine(i))?.alarm);
/// }
/// assert_eq!(monitor.phase(), Phase::Watching);
/// // A fault on the second channel.
/// let mut verdict = monitor.observe(&machine(700))?;
/// for i in 701..720 {
///     let [a, b, c] = machine(i);
///     verdict = monitor.observe(&[a, b + 15.0, c])?;
/// }
/// assert!(verdict.alarm);
/// assert_eq!(verdict.guilty(), 1);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Monitor<T, L, const DIM: usize, const MEDIAN: usize = 1> {
    pub(super) settings: MonitorSettings<T>,
    pub(super) learner: L,
    pub(super) settling: Settling<T, DIM>,
    pub(super) level: Level<T, DIM>,
    /// The smoothed deviations from the level.
    pub(super) input: ExponentialMean<T, DIM>,
    pub(super) stillness: Stillness<T, DIM>,
    pub(super) wild: WildSamples,
    pub(super) scorer: Scorer<T>,
    pub(super) smoothing: Smoothing<T, DIM, MEDIAN>,
    /// The mean of the scores in training: the middle of the next histogram.
    pub(super) training_score: ExponentialMean<T, 1>,
    pub(super) histogram: Histogram<T>,
    /// The number of scores above twice `histogram.middle()` in each half of the calibration.
    pub(super) high_scores: [u32; 2],
    pub(super) gate: Gate<T, DIM>,
    pub(super) threshold: T,
    pub(super) decision: Decision<T>,
    /// The numbers of the episode for each channel are in the rows of `settling`, which are free after the scale is found.
    pub(super) episode: Episode,
    pub(super) in_second_state: u32,
    pub(super) phase: Phase,
    /// The number of samples of this calibration, or since the monitor last began to watch.
    pub(super) counted: u32,
    pub(super) alarms: u32,
    pub(super) alarm_samples: u32,
    pub(super) locked_out: u32,
}

/// The monitor with the default learner, the Mahalanobis distance.
///
/// ```
/// use eigenstream::monitor::{MonitorSettings, SensorMonitor};
/// static MONITOR: SensorMonitor<f32, 6> = SensorMonitor::standard(MonitorSettings::DEFAULT);
/// ```
pub type SensorMonitor<T, const DIM: usize> = Monitor<T, Mahalanobis<T, DIM>, DIM>;

impl<T: Scalar, const DIM: usize> SensorMonitor<T, DIM> {
    /// Creates a monitor with the default learner.
    #[must_use]
    pub const fn standard(settings: MonitorSettings<T>) -> Self {
        Self::new(settings, Mahalanobis::new(MahalanobisSettings::DEFAULT))
    }
}

impl<T: Scalar, L: Learner<T, DIM>, const DIM: usize, const MEDIAN: usize> Monitor<T, L, DIM, MEDIAN> {
    /// Creates a monitor with a learner that is new or already trained.
    #[must_use]
    pub const fn new(settings: MonitorSettings<T>, learner: L) -> Self {
        let schedule = settings.schedule;
        let need = schedule.warmup();
        Self {
            settings,
            learner,
            settling: Settling::new(schedule.settle),
            level: Level::new(settings.level_memory),
            input: ExponentialMean::new(settings.input_smoothing),
            stillness: Stillness::new(),
            wild: WildSamples::new(),
            // Scorer and `training_score` average over about the last quarter of the learning, because by then the learner
            // has learned most of the samples.
            scorer: Scorer::new(settings.score, schedule.learn / 4),
            smoothing: Smoothing::new(settings.smoothing),
            training_score: ExponentialMean::new(schedule.learn / 4),
            histogram: Histogram::new(),
            high_scores: [0; 2],
            gate: Gate::new(),
            threshold: T::MAX,
            decision: Decision::new(settings.decision),
            episode: Episode::new(settings.new_level),
            in_second_state: 0,
            phase: Phase::Warmup { seen: 0, need },
            counted: 0,
            alarms: 0,
            alarm_samples: 0,
            locked_out: 0,
        }
    }

    /// Tells the learner that samples were dropped, so the next sample does not follow the last one.
    ///
    /// Only learners of several samples in a row ([`Lagged`](super::Lagged)) need this call. Until such a learner is ready again,
    /// samples score zero, so a running alarm can end.
    ///
    /// ```
    /// use eigenstream::monitor::{Lagged, Monitor, MonitorSettings};
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// type Pca = Lagged<f32, TrackingPca<f32, 12, 2, 6>, 6, 2, 12>;
    /// let pca = Pca::new(TrackingPca::new(TrackingSettings::DEFAULT));
    /// let mut monitor = Monitor::<f32, Pca, 6>::new(MonitorSettings::DEFAULT, pca);
    /// monitor.interrupt();
    /// ```
    pub fn interrupt(&mut self) {
        self.learner.interrupt();
    }

    /// Sets which samples level and learner learn from, from the next sample on.
    pub fn set_learning(&mut self, learning: Learning) {
        self.settings.learning = learning;
        if self.phase.is_watching() {
            self.phase = self.watching();
        }
    }

    /// Calibrates again, to find a threshold for the samples that are normal now.
    ///
    /// Scale, learner and the second normal state are kept; level and learner continue to learn, except with `Learning::Frozen`.
    /// With a fixed threshold there is no calibration: the alarm of the score ends, and the counts of [`Health`] and the drift
    /// start again at zero. Does nothing before the end of the warm-up.
    ///
    /// Use [`relearn`](Self::relearn) instead if a channel is now more than √n spreads from its level, with n training samples: the
    /// calibration limits deviations to √n, so normal samples can raise an alarm, a fault of this channel can stay hidden, and with
    /// one channel the calibration may not end.
    ///
    /// ```
    /// use eigenstream::monitor::{Monitor, MonitorSettings, Phase, Schedule};
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// type Pca = TrackingPca<f32, 2, 1, 2>;
    /// let settings = MonitorSettings::DEFAULT.with_schedule(Schedule::new(20, 20, 20)?);
    /// let mut monitor = Monitor::<f32, Pca, 2>::new(settings, Pca::new(TrackingSettings::DEFAULT));
    /// for i in 0..200 {
    ///     monitor.observe(&[(i % 7) as f32, (i % 5) as f32])?;
    /// }
    /// assert_eq!(monitor.phase(), Phase::Watching);
    /// monitor.recalibrate();
    /// assert_eq!(monitor.phase(), Phase::Calibrating);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn recalibrate(&mut self) {
        if !matches!(self.phase, Phase::Warmup { .. } | Phase::Standstill) {
            self.wild = WildSamples::of_kept_scale();
            self.calibrate();
        }
    }

    /// Makes the level of the alarm normal, in addition to the learned level, and ends the alarm of the score.
    ///
    /// Call this after [`State::Steady`](super::State::Steady) with [`NewLevel::Ask`](super::NewLevel::Ask). A level accepted
    /// before is replaced. The next samples can raise the alarm again until the smoothed score has fallen. The alarm of a stuck
    /// sensor is not recorded and does not end.
    ///
    /// Returns false, and changes nothing, if fewer than 16 alarm samples are recorded. The record ends after 16 samples in a row
    /// without alarm of the score, when a level is accepted, and by `recalibrate`; `set_settings` can end it too.
    pub fn acknowledge(&mut self) -> bool {
        let accepted = self.episode.accept(self.settling.rows_mut());
        if accepted {
            self.decision.reset();
        }
        accepted
    }

    /// Starts again with a new learner and the settings of this monitor, and returns the monitor as it was.
    ///
    /// Assign the returned monitor back to undo the call; the returned monitor takes as much memory as the new one until it is
    /// dropped.
    ///
    /// ```
    /// use eigenstream::monitor::{Monitor, MonitorSettings, Phase};
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// type Pca = TrackingPca<f32, 6, 2, 6>;
    /// let fresh = || Pca::new(TrackingSettings::DEFAULT);
    /// let mut monitor = Monitor::<f32, Pca, 6>::new(MonitorSettings::DEFAULT, fresh());
    /// monitor.observe(&[0.0, 0.1, 9.8, 0.0, 0.0, 0.0])?;
    ///
    /// let before = monitor.relearn(fresh());
    /// assert_eq!(monitor.phase(), Phase::Warmup { seen: 0, need: 1_434 });
    /// monitor = before; // undo
    /// assert_eq!(monitor.phase(), Phase::Warmup { seen: 1, need: 1_434 });
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn relearn(&mut self, fresh: L) -> Self {
        let anew = Self::new(self.settings, fresh);
        core::mem::replace(self, anew)
    }

    /// Replaces the learner, for example by one that was trained elsewhere, and keeps everything else.
    ///
    /// ```
    /// use eigenstream::monitor::{MonitorSettings, SensorMonitor};
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// let monitor = SensorMonitor::<f32, 6>::standard(MonitorSettings::DEFAULT);
    /// let phase = monitor.phase();
    /// let monitor = monitor.around(TrackingPca::<f32, 6, 2, 6>::new(TrackingSettings::DEFAULT));
    /// assert_eq!(monitor.phase(), phase);
    /// ```
    #[must_use]
    pub fn around<M: Learner<T, DIM>>(self, learner: M) -> Monitor<T, M, DIM, MEDIAN> {
        Monitor {
            settings: self.settings,
            learner,
            settling: self.settling,
            level: self.level,
            input: self.input,
            stillness: self.stillness,
            wild: self.wild,
            scorer: self.scorer,
            smoothing: self.smoothing,
            training_score: self.training_score,
            histogram: self.histogram,
            high_scores: self.high_scores,
            gate: self.gate,
            threshold: self.threshold,
            decision: self.decision,
            episode: self.episode,
            in_second_state: self.in_second_state,
            phase: self.phase,
            counted: self.counted,
            alarms: self.alarms,
            alarm_samples: self.alarm_samples,
            locked_out: self.locked_out,
        }
    }

    /// Replaces the settings and keeps the learned state, for example after an update of the firmware.
    ///
    /// The schedule takes effect for the phases that are not over. After the warm-up, a change of a smoothing starts a new
    /// calibration; so does a change from a fixed threshold to a rule if no scores are stored. In calibration a fixed threshold
    /// lets the monitor watch at once. All other settings take effect from the next sample on. A change of the kind of score is
    /// refused. The settings of the inner learner stay.
    ///
    /// ```
    /// use eigenstream::Codec;
    /// use eigenstream::monitor::{Adaptation, MonitorSettings, SensorMonitor, Threshold};
    ///
    /// type Watch = SensorMonitor<f32, 2>;
    /// let mut image = [0; Watch::ENCODED_LEN]; // read the bytes from flash into this buffer
    /// # let mut old = Watch::standard(MonitorSettings::DEFAULT.with_training(100));
    /// # for i in 0..150 { old.observe(&[((i * 37) % 11) as f32 * 0.31, ((i * 29) % 13) as f32 * 0.17])?; }
    /// # old.encode(&mut image)?;
    /// // The new firmware asks for fewer false alarms than the firmware that saved the monitor.
    /// let settings = MonitorSettings::DEFAULT.with_training(100).with_threshold(Threshold::false_alarms(1e-9)?);
    /// let mut monitor = Watch::standard(settings);
    /// monitor.decode_into(&mut image)?;
    /// assert_eq!(monitor.set_settings(settings), Adaptation::GoesOn);
    /// # assert!(monitor.threshold() > old.threshold());
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn set_settings(&mut self, settings: MonitorSettings<T>) -> Adaptation {
        let before = core::mem::replace(&mut self.settings, settings);
        if before.score != settings.score {
            // The averages of `Score::Combined` are learned in the warm-up only.
            self.settings = before;
            return Adaptation::NotTaken;
        }
        self.level.set_memory(settings.level_memory);
        self.decision.set_settings(settings.decision);
        self.episode.set_policy(settings.new_level);
        // Two settings can count as one memory: 0 and 1 both switch the smoothing off.
        let other_scores = counted(before.smoothing) != counted(settings.smoothing)
            || counted(before.input_smoothing) != counted(settings.input_smoothing);
        if other_scores {
            self.input = ExponentialMean::new(settings.input_smoothing);
            self.smoothing = Smoothing::new(settings.smoothing);
        }
        match self.phase {
            Phase::Warmup { seen, .. } => {
                let schedule = settings.schedule;
                if before.schedule != schedule {
                    let need = schedule.warmup();
                    let seen = if seen < before.schedule.settle {
                        self.settle_again();
                        0
                    } else {
                        // The scale is known, and at least one sample of the warm-up must be left.
                        seen.max(schedule.settle).min(need.saturating_sub(1))
                    };
                    self.phase = Phase::Warmup { seen, need };
                }
                return Adaptation::GoesOn;
            }
            Phase::Standstill => {
                self.settle_again();
                return Adaptation::GoesOn;
            }
            Phase::Calibrating | Phase::Unsettled | Phase::Watching | Phase::Frozen => (),
        }
        let fixed = matches!(settings.threshold.rule, Rule::Fixed(_));
        let unknown = !fixed && self.histogram.scores() == 0;
        if other_scores || (self.phase.is_watching() && unknown) {
            self.recalibrate();
            return Adaptation::Recalibrates;
        }
        if self.phase.is_watching() {
            self.threshold = settings.threshold.level(&self.histogram);
            if self.histogram.scores() == 0 {
                // Old and new threshold are fixed: the gate uses the new threshold.
                self.gate.settle(self.gate.usual(), self.threshold);
            }
            self.phase = self.watching();
        } else if fixed {
            // A fixed threshold needs no calibration.
            self.recalibrate();
        }
        Adaptation::GoesOn
    }

    /// Begins the search for the scale again, and empties the averages of scores, which can be of another scale.
    fn settle_again(&mut self) {
        let schedule = self.settings.schedule;
        self.settling = Settling::new(schedule.settle);
        self.scorer = Scorer::new(self.settings.score, schedule.learn / 4);
        self.training_score = ExponentialMean::new(schedule.learn / 4);
    }

    /// The current phase.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// The threshold of the alarm; [`Scalar::MAX`] in warm-up and calibration.
    #[must_use]
    pub const fn threshold(&self) -> T {
        self.threshold
    }

    /// The inner learner.
    #[must_use]
    pub const fn learner(&self) -> &L {
        &self.learner
    }

    /// Level and spread of the channels.
    #[must_use]
    pub const fn level(&self) -> &Level<T, DIM> {
        &self.level
    }

    /// The settings.
    #[must_use]
    pub const fn settings(&self) -> &MonitorSettings<T> {
        &self.settings
    }

    /// Reports how far a verdict can be trusted.
    ///
    /// ```
    /// use eigenstream::monitor::{ChannelHealth, MonitorSettings, SensorMonitor};
    /// let mut monitor = SensorMonitor::<f32, 2>::standard(MonitorSettings::DEFAULT.with_training(100));
    /// for i in 0..100 {
    ///     monitor.observe(&[((i * 37) % 11) as f32 * 0.31, 5.0])?;
    /// }
    /// let health = monitor.health();
    /// assert_eq!(health.channels, [ChannelHealth::Quantised, ChannelHealth::Unknown]);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    #[must_use]
    pub fn health(&self) -> Health<T, DIM> {
        let mut channels = [ChannelHealth::Good; DIM];
        let steps = self.stillness.step().iter().zip(self.level.spread());
        for (channel, (health, (&step, &spread))) in channels.iter_mut().zip(steps).enumerate() {
            *health = if self.stillness.is_missing(channel) {
                ChannelHealth::Missing
            } else if self.stillness.is_stuck(channel) {
                ChannelHealth::Stuck
            } else if self.level.stood_still(channel) || spread <= T::ZERO {
                ChannelHealth::Unknown
            } else if spread < T::TWO * step {
                ChannelHealth::Quantised
            } else {
                ChannelHealth::Good
            };
        }
        Health {
            channels,
            moved: core::array::from_fn(|channel| self.level.moved(channel)),
            explained: self.learner.explained(),
            usual_score: self.gate.usual(),
            watched: if self.phase.is_watching() { self.counted } else { 0 },
            alarm_samples: self.alarm_samples,
            alarms: self.alarms,
            locked_out: self.locked_out,
        }
    }

    /// Ends the search for the scale: begins to train the learner, or searches again if no channel has a spread.
    pub(super) fn begin(&mut self) {
        let scale = if self.wild.found_misfit() {
            self.settling.wide_scale()
        } else {
            self.settling.scale()
        };
        self.level.begin(&scale);
        let schedule = self.settings.schedule;
        self.settling = Settling::new(schedule.settle);
        if self.level.is_unknown() {
            self.phase = Phase::Standstill;
            return;
        }
        // A spread below half a step of the converter is not reliable.
        let mut half_steps = *self.stillness.step();
        half_steps.iter_mut().for_each(|step| *step *= T::HALF);
        self.level.at_least(&half_steps);
        let (seen, need) = (schedule.settle, schedule.warmup());
        self.phase = Phase::Warmup { seen, need };
    }

    /// Begins the calibration; if the threshold is fixed, begins to watch at once.
    pub(super) fn calibrate(&mut self) {
        let [usual] = *self.training_score.mean();
        self.histogram = Histogram::around(usual);
        self.decision.reset();
        self.episode.end();
        self.gate.begin();
        self.high_scores = [0; 2];
        self.threshold = T::MAX;
        (self.counted, self.alarms, self.alarm_samples, self.locked_out) = (0, 0, 0, 0);
        self.phase = Phase::Calibrating;
        if let Rule::Fixed(level) = self.settings.threshold.rule {
            self.threshold = level;
            // With a usual score of zero, the second normal state would make every sample normal.
            let known = usual >= T::MIN_POSITIVE;
            self.gate.settle(if known { usual } else { T::ONE }, level);
            self.watch();
        }
    }

    /// Begins to watch if there are enough scores, which give a threshold and did not rise; otherwise continues or repeats
    /// the calibration.
    pub(super) fn finish_calibration(&mut self) {
        // A very long calibration counts only some of its scores, so 16,384 are enough.
        if self.histogram.scores() < (self.settings.schedule.calibrate / 4).min(16_384) {
            self.counted = 0;
            self.phase = Phase::Unsettled;
            return;
        }
        let [first, second] = self.high_scores;
        let rises = second.saturating_sub(first) > self.settings.schedule.calibrate / 4;
        if self.histogram.is_useless() || rises {
            self.calibrate();
            self.phase = Phase::Unsettled;
            return;
        }
        self.threshold = self.settings.threshold.level(&self.histogram);
        let limit = Threshold::DEFAULT.level(&self.histogram);
        self.gate.settle(self.histogram.quantile(T::HALF), limit);
        self.watch();
    }

    fn watch(&mut self) {
        self.level.mark();
        self.counted = 0;
        self.phase = self.watching();
    }

    const fn watching(&self) -> Phase {
        match self.settings.learning {
            Learning::Frozen => Phase::Frozen,
            Learning::Always | Learning::WhileNormal => Phase::Watching,
        }
    }
}

stored!(
    [T: Scalar, L: Learned, const DIM: usize, const MEDIAN: usize]
    Monitor<T, L, DIM, MEDIAN>: Monitor [DIM, MEDIAN] of T {
        settings, settling, level, input, stillness, wild, scorer, smoothing, training_score, histogram, high_scores, gate,
        threshold, decision, episode, in_second_state, phase, counted, alarms, alarm_samples, locked_out
    }
    around learner if validate
);

impl<T: Scalar, L: Learned, const DIM: usize, const MEDIAN: usize> Monitor<T, L, DIM, MEDIAN> {
    fn validate(&self) -> Result<(), CodecError> {
        if let Phase::Warmup { need, .. } = self.phase {
            validate::accept(need == self.settings.schedule.warmup(), CodecError::Count)?;
        }
        if self.phase.settles(self.settings.schedule.settle) {
            validate::accept(self.episode.is_unused(), CodecError::Count)?;
        } else {
            self.episode.check(self.settling.rows())?;
        }
        validate::slice_within(T::from_f64(MOST_SPREADS), self.input.mean())?;
        validate::not_negative(&[self.threshold])
    }
}

#[cfg(test)]
mod tests;
