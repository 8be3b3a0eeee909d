//! The monitor: all stages around a learner, and the phases of the monitor.
//! In: settings and a learner. Out: a monitor in its first phase; `observe` passes the samples through the stages.
//! Method: warm-up, then calibration (unless the threshold is fixed), then watching. Warm-up and calibration each last a given
//! number of samples. The first part of the warm-up finds level and spread of each channel. This part is repeated if no channel
//! has a spread above zero. The calibration is repeated if its scores give no threshold or rise.
//! Cost: the head of the module `monitor` has the numbers.

use super::gate::Gate;
use super::level::MOST_SPREADS;
use super::new_level::Episode;
use super::smoothing::Smoothing;
use super::stages::{Decision, ExponentialMean, Histogram, Level, Scorer, Settling, Stillness};
use super::threshold::Rule;
use super::wild::WildSamples;
use super::{ChannelHealth, Health, Learning, MonitorSettings, Phase, Threshold};
use crate::codec::{Learned, stored, validate};
use crate::pca::{Mahalanobis, MahalanobisSettings};
use crate::{CodecError, Learner, Scalar};

/// Watches `DIM` channels with the learner `L`. The score is smoothed by the running median of the last `MEDIAN` scores, then by
/// an exponential mean. `MEDIAN` is odd. The median removes spikes of up to (`MEDIAN` − 1)/2 scores. The mean of the samples makes
/// a spike longer: with [`with_input_smoothing(1)`](MonitorSettings::with_input_smoothing) one wild sample gives one high score.
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
    /// The deviations from the level, smoothed.
    pub(super) input: ExponentialMean<T, DIM>,
    pub(super) stillness: Stillness<T, DIM>,
    pub(super) wild: WildSamples,
    pub(super) scorer: Scorer<T>,
    pub(super) smoothing: Smoothing<T, DIM, MEDIAN>,
    /// The exponential mean of the smoothed scores in training, over about `learn` / 4 scores (at most 2²⁰). A calibration begins
    /// with a histogram around this mean.
    pub(super) training_score: ExponentialMean<T, 1>,
    pub(super) histogram: Histogram<T>,
    /// The number of scores above twice `histogram.middle()`, in the first and in the second half of the calibration.
    pub(super) high_scores: [u32; 2],
    pub(super) gate: Gate<T, DIM>,
    pub(super) threshold: T,
    pub(super) decision: Decision<T>,
    /// The record of an alarm and the second normal state (`new_level`). Their numbers for each channel are stored in the rows of
    /// `settling`, which are free after level and spread of the channels are found.
    pub(super) episode: Episode,
    pub(super) in_second_state: u32,
    pub(super) phase: Phase,
    /// The number of samples of this calibration; after the calibration, the number of samples watched.
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
        Self {
            settings,
            learner,
            settling: Settling::new(schedule.settle),
            level: Level::new(settings.level_memory),
            input: ExponentialMean::new(settings.input_smoothing),
            stillness: Stillness::new(),
            wild: WildSamples::new(),
            // Averages loss and leverage over about the last quarter of the `learn` samples (at most 2²⁰), because by then the
            // learner has learned most of these samples.
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
            phase: Phase::Warmup {
                seen: 0,
                need: schedule.warmup(),
            },
            counted: 0,
            alarms: 0,
            alarm_samples: 0,
            locked_out: 0,
        }
    }

    /// Tells the learner that samples were dropped: the next sample does not follow the last one. Only learners of several
    /// samples in a row ([`Lagged`](super::Lagged)) need this call. Until such a learner is ready again, samples score zero, so
    /// a running alarm can end.
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

    /// Sets which samples level and learner learn from while the monitor watches, from the next sample on. `Frozen` also stops
    /// them in calibration.
    pub fn set_learning(&mut self, learning: Learning) {
        self.settings.learning = learning;
        if self.phase.is_watching() {
            self.phase = self.watching();
        }
    }

    /// Calibrates again, to find a threshold for the samples that are normal now. Level, spread, learner and the second normal
    /// state ([`NewLevel`](super::NewLevel)) are kept. Level and learner continue to learn, except with `Learning::Frozen`. With
    /// a fixed threshold there is no calibration: the alarm of the score ends, and the counts of [`Health`] and the drift
    /// ([`Verdict::moved`](super::Verdict::moved)) start again at zero. Does nothing before the end of the warm-up.
    ///
    /// Calibration limits a deviation to √n spreads, with the number n of training samples. A monitor that watches limits it
    /// to 100. So if a channel is now more than √n spreads from its level, normal samples can raise an alarm until
    /// [`NewLevel`](super::NewLevel) accepts the level, and a fault of this channel can stay hidden. If this is the only channel,
    /// its scores can be equal, and then the calibration does not end. Use [`relearn`](Self::relearn) instead.
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

    /// Makes the averages of the channels over the recorded alarm samples normal, in addition to the learned level, and ends the
    /// alarm of the score. Averages accepted before are replaced. The next samples can raise the alarm again, until the smoothed
    /// score has fallen to the threshold. An alarm that only a stuck sensor raises is not recorded and does not end. Call this
    /// after [`State::Steady`](super::State::Steady) with [`NewLevel::Ask`](super::NewLevel::Ask).
    ///
    /// Returns false, and changes nothing, if fewer than 16 alarm samples are recorded. The record ends after 16 samples in a row
    /// without alarm of the score, when a level is accepted, by `recalibrate`, and by a `set_settings` that recalibrates or
    /// changes the number of samples in [`NewLevel`](super::NewLevel).
    pub fn acknowledge(&mut self) -> bool {
        let accepted = self.episode.accept(self.settling.rows_mut());
        if accepted {
            self.decision.reset();
        }
        accepted
    }

    /// Starts again with a new learner and the settings of this monitor, and returns the monitor as it was.
    ///
    /// Assign the returned monitor back to undo the call. The returned monitor takes as much memory as the new monitor until it
    /// is dropped.
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

    /// Replaces the learner; everything else is kept. This is for a learner that was trained elsewhere, or for a learner of
    /// another type that was trained on these data.
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

    /// Sets level and spread of each channel. If no channel has a spread above zero, the phase becomes `Standstill`; otherwise
    /// the second part of the warm-up, which trains the learner, begins.
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
        // A converter rounds to steps; the smallest change of a channel so far is taken as its step. A spread that is above zero
        // and below half a step is not reliable: half a step is used instead. A spread of zero (unknown) stays zero.
        let mut half_steps = *self.stillness.step();
        half_steps.iter_mut().for_each(|step| *step *= T::HALF);
        self.level.at_least(&half_steps);
        self.phase = Phase::Warmup {
            seen: schedule.settle,
            need: schedule.warmup(),
        };
    }

    /// Begins the calibration. With a fixed threshold the monitor watches at once.
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
            // The score for the second normal state is a multiple of the usual score. With a usual score of zero, the second
            // normal state would make every sample normal.
            let known = usual >= T::MIN_POSITIVE;
            self.gate.settle(if known { usual } else { T::ONE }, level);
            self.watch();
        }
    }

    /// Begins to watch if the scores give a threshold and did not rise; otherwise calibrates again. The scores rose if the second
    /// half of the calibration has more high scores (`high_scores`) than the first half, by more than a quarter of the samples of
    /// a calibration. Samples with missing channels give no score. If fewer than a quarter of the samples have a score, more scores
    /// are added to these. 16,384 scores are always enough, because a very long calibration counts only some of its scores.
    pub(super) fn finish_calibration(&mut self) {
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
