//! The monitor: the whole pipeline around a learner, one call a sample.
//! In: samples as the sensors give them. Out: a verdict on each.
//! Method: check → smooth the input → standardise → fill in → score → learn → smooth → decide, each a stage of its own; this
//! file only connects them and counts the phases. Whatever can refuse a sample comes before anything that changes.
//! Cost: that of the learner's residual and of its learning, and about 100 instructions a channel.
//! Kept: the learner, the settings, 5·DIM + 2·MEDIAN + 12 numbers and some counts.

use super::score::sum;
use super::smoothing::Smoothing;
use super::standardizer::admit;
use super::threshold::Rule;
use super::{
    Decision, ExponentialMean, Learning, Missing, MonitorSettings, Phase, Quantile, Scaling, Scorer, Standardizer,
    Verdict, impute,
};
use crate::codec::{Learned, learned, sound, stored};
use crate::{CodecError, Learner, SampleError, Scalar};

/// Watches `DIM` channels with the learner `L`; a `MEDIAN` above one takes spikes out of the score.
///
/// ```
/// use eigenstream::monitor::{Monitor, MonitorSettings, Phase};
/// use eigenstream::pca::{TrackingPca, TrackingSettings};
///
/// type Pca = TrackingPca<f32, 3, 1, 3>;
/// let mut monitor = Monitor::<f32, Pca, 3>::new(MonitorSettings::DEFAULT, Pca::new(TrackingSettings::DEFAULT));
/// // Three channels that move together, each with a little noise of its own.
/// let machine = |i: u32| {
///     let noise = |k: u32| ((i * k) % 17) as f32 / 17.0 - 0.5;
///     let load = noise(5) * 10.0;
///     [20.0 + load + noise(7), 50.0 + 2.0 * load + noise(11), 1.0 - 0.1 * load + 0.1 * noise(13)]
/// };
/// for i in 0..600 {
///     assert!(!monitor.observe(&machine(i))?.alarm);
/// }
/// assert_eq!(monitor.phase(), Phase::Watching);
/// // A fault on the second channel.
/// let mut verdict = monitor.observe(&machine(600))?;
/// for i in 601..620 {
///     let [a, b, c] = machine(i);
///     verdict = monitor.observe(&[a, b + 15.0, c])?;
/// }
/// assert!(verdict.alarm);
/// assert_eq!(verdict.guilty(), 1);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Monitor<T, L, const DIM: usize, const MEDIAN: usize = 1> {
    settings: MonitorSettings<T>,
    learner: L,
    /// The samples, smoothed.
    input: ExponentialMean<T, DIM>,
    standardizer: Standardizer<T, DIM>,
    scorer: Scorer<T>,
    smoothing: Smoothing<T, DIM, MEDIAN>,
    quantile: Quantile<T>,
    threshold: T,
    /// The largest score of a single sample in calibration, before smoothing.
    loudest: T,
    decision: Decision<T>,
    phase: Phase,
}

impl<T: Scalar, L: Learner<T, DIM>, const DIM: usize, const MEDIAN: usize> Monitor<T, L, DIM, MEDIAN> {
    /// A monitor that has seen nothing, around a learner that may have.
    ///
    /// ```
    /// use eigenstream::monitor::{Monitor, MonitorSettings, Phase};
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// type Pca = TrackingPca<f32, 6, 2, 6>;
    /// static MONITOR: Monitor<f32, Pca, 6> = Monitor::new(MonitorSettings::DEFAULT, Pca::new(TrackingSettings::DEFAULT));
    /// assert_eq!(MONITOR.phase(), Phase::Warmup { seen: 0, need: 256 });
    /// ```
    #[must_use]
    pub const fn new(settings: MonitorSettings<T>, learner: L) -> Self {
        let schedule = settings.schedule;
        Self {
            settings,
            learner,
            input: ExponentialMean::new(settings.input_smoothing),
            standardizer: Standardizer::new(settings.standardizer),
            // What is usual settles over the last part of the warm-up, when the learner knows most.
            scorer: Scorer::new(settings.score, schedule.learn / 4),
            smoothing: Smoothing::new(settings.smoothing),
            quantile: Quantile::at(T::HALF),
            threshold: T::MAX,
            loudest: T::ZERO,
            decision: Decision::new(settings.decision),
            phase: Phase::Warmup {
                seen: 0,
                need: schedule.warmup(),
            },
        }
    }

    /// Judges a sample, then learns from it if that is due.
    ///
    /// # Errors
    /// [`SampleError`] if a channel is not finite, or the energy overflows, or the learner refuses the sample; the monitor is
    /// then as before. A missing channel is no error where the settings say so, unless all are missing.
    ///
    /// ```
    /// use eigenstream::monitor::{Monitor, MonitorSettings, Phase};
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// type Pca = TrackingPca<f32, 6, 2, 6>;
    /// let mut monitor = Monitor::<f32, Pca, 6>::new(MonitorSettings::DEFAULT, Pca::new(TrackingSettings::DEFAULT));
    /// let verdict = monitor.observe(&[0.0, 0.1, 9.8, 0.0, 0.0, 0.0])?;
    /// assert_eq!(verdict.phase, Phase::Warmup { seen: 1, need: 256 });
    /// assert!(!verdict.alarm);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn observe(&mut self, sample: &[T; DIM]) -> Result<Verdict<T, DIM>, SampleError> {
        let missing = self.missing_in(sample)?;
        let Some(missing) = missing else {
            return self.observe_complete(sample, None);
        };
        if matches!(self.phase, Phase::Warmup { .. } | Phase::Calibrating) {
            // Scale, subspace and threshold are learned from whole samples only.
            return Ok(self.verdict(self.phase));
        }
        let mut filled = *sample;
        for ((value, &missing), &mean) in filled.iter_mut().zip(&missing).zip(self.input.mean()) {
            // The smoothed channel then stays where it is.
            if missing {
                *value = mean;
            }
        }
        self.observe_complete(&filled, Some(&missing))
    }

    /// Samples were dropped: what comes next does not follow what came last. Only learners with lags mind.
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

    /// Changes what is learned while watching, from the next sample on.
    ///
    /// ```
    /// use eigenstream::monitor::{Learning, Monitor, MonitorSettings};
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// type Pca = TrackingPca<f32, 6, 2, 6>;
    /// let mut monitor = Monitor::<f32, Pca, 6>::new(MonitorSettings::DEFAULT, Pca::new(TrackingSettings::DEFAULT));
    /// // Once it watches, nothing more will be learned.
    /// monitor.set_learning(Learning::Frozen);
    /// ```
    pub fn set_learning(&mut self, learning: Learning) {
        self.settings.learning = learning;
        if matches!(self.phase, Phase::Watching | Phase::Frozen) {
            self.phase = self.watching();
        }
    }

    /// Finds a new threshold for what is normal now; scale and subspace stay and are learned along.
    ///
    /// Before the warm-up is over there is nothing to find one for, and nothing happens.
    ///
    /// ```
    /// use eigenstream::monitor::{Monitor, MonitorSettings, Phase, Schedule};
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// type Pca = TrackingPca<f32, 2, 1, 2>;
    /// let settings = MonitorSettings::DEFAULT.with_schedule(Schedule::new(2, 2, 2)?);
    /// let mut monitor = Monitor::<f32, Pca, 2>::new(settings, Pca::new(TrackingSettings::DEFAULT));
    /// for i in 0..10 {
    ///     monitor.observe(&[i as f32, -(i as f32)])?;
    /// }
    /// monitor.recalibrate();
    /// assert_eq!(monitor.phase(), Phase::Calibrating);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn recalibrate(&mut self) {
        if !matches!(self.phase, Phase::Warmup { .. }) {
            self.calibrate();
        }
    }

    /// Starts anew with a fresh learner, and returns the monitor as it was: keep it to go back, drop it if you will not.
    ///
    /// Going back is an assignment, and costs the memory of a second monitor for as long as it is kept.
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
    /// assert_eq!(monitor.phase(), Phase::Warmup { seen: 0, need: 256 });
    /// monitor = before; // second thoughts
    /// assert_eq!(monitor.phase(), Phase::Warmup { seen: 1, need: 256 });
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn relearn(&mut self, fresh: L) -> Self {
        let anew = Self::new(self.settings, fresh);
        core::mem::replace(self, anew)
    }

    /// What the monitor does now.
    ///
    /// ```
    /// use eigenstream::monitor::{Monitor, MonitorSettings, Phase};
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// type Pca = TrackingPca<f32, 6, 2, 6>;
    /// let monitor = Monitor::<f32, Pca, 6>::new(MonitorSettings::DEFAULT, Pca::new(TrackingSettings::DEFAULT));
    /// assert!(matches!(monitor.phase(), Phase::Warmup { .. }));
    /// ```
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Where unusual begins; [`Scalar::MAX`] as long as that is not known.
    ///
    /// ```
    /// use eigenstream::monitor::{Monitor, MonitorSettings};
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// type Pca = TrackingPca<f32, 6, 2, 6>;
    /// let monitor = Monitor::<f32, Pca, 6>::new(MonitorSettings::DEFAULT, Pca::new(TrackingSettings::DEFAULT));
    /// assert_eq!(monitor.threshold(), f32::MAX);
    /// ```
    #[must_use]
    pub const fn threshold(&self) -> T {
        self.threshold
    }

    /// The learner inside.
    ///
    /// ```
    /// use eigenstream::monitor::{Monitor, MonitorSettings};
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// type Pca = TrackingPca<f32, 6, 2, 6>;
    /// let monitor = Monitor::<f32, Pca, 6>::new(MonitorSettings::DEFAULT, Pca::new(TrackingSettings::DEFAULT));
    /// assert_eq!(monitor.learner().samples_seen(), 0);
    /// ```
    #[must_use]
    pub const fn learner(&self) -> &L {
        &self.learner
    }

    /// Mean and spread of the channels.
    ///
    /// ```
    /// use eigenstream::monitor::{Monitor, MonitorSettings};
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// type Pca = TrackingPca<f32, 6, 2, 6>;
    /// let monitor = Monitor::<f32, Pca, 6>::new(MonitorSettings::DEFAULT, Pca::new(TrackingSettings::DEFAULT));
    /// assert_eq!(monitor.standardizer().samples_seen(), 0);
    /// ```
    #[must_use]
    pub const fn standardizer(&self) -> &Standardizer<T, DIM> {
        &self.standardizer
    }

    /// Which channels are missing, if some are and may be.
    fn missing_in(&self, sample: &[T; DIM]) -> Result<Option<[bool; DIM]>, SampleError> {
        let mut missing = [false; DIM];
        let mut present = *sample;
        let mut count = 0;
        if self.settings.missing == Missing::Impute {
            for (value, missing) in present.iter_mut().zip(&mut missing) {
                // NaN alone is unequal to itself; an infinity is no missing value but a wrong one.
                #[allow(clippy::eq_op)]
                if *value != *value {
                    *value = T::ZERO;
                    *missing = true;
                    count += 1;
                }
            }
        }
        admit(&present)?;
        match count {
            0 => Ok(None),
            _ if count == DIM => Err(SampleError::NotANumber { channel: 0 }),
            _ => Ok(Some(missing)),
        }
    }

    /// The way of a sample without gaps, or with gaps that the learner fills in.
    fn observe_complete(
        &mut self,
        sample: &[T; DIM],
        missing: Option<&[bool; DIM]>,
    ) -> Result<Verdict<T, DIM>, SampleError> {
        let phase = self.next_phase();
        let smooth = self.input.after(sample);
        if let Phase::Warmup { seen, .. } = phase
            && seen <= self.settings.schedule.settle
        {
            self.standardizer.learn(&smooth)?;
            self.input.push(sample);
            self.phase = phase;
            return Ok(self.verdict(phase));
        }
        let mut standard = self.standardizer.standardize(&smooth)?;
        if let Some(missing) = missing {
            impute(&self.learner, &mut standard, missing)?;
        }
        let parts = self.scorer.contributions(&self.learner, &standard)?;
        let usual = match phase {
            Phase::Warmup { .. } => self.scorer.measure(&self.learner, &standard)?,
            _ => None,
        };
        let lesson = match missing {
            None => self.lesson(phase, sum(&parts)),
            // What the learner has made up itself it need not learn.
            Some(_) => Lesson::Pass,
        };
        match lesson {
            Lesson::Learn => self.learner.learn(&standard)?,
            Lesson::Pass => self.learner.pass(&standard)?,
        }
        // From here on nothing refuses the sample.
        if lesson == Lesson::Learn && self.scale_is_learned(phase) {
            self.standardizer.learn(&smooth)?;
        }
        self.input.push(sample);
        self.scorer.take_in(usual);
        self.smoothing.push(&parts);
        Ok(self.conclude(phase, sum(&parts)))
    }

    /// Threshold and alarm for a sample that has been scored, and what comes next.
    fn conclude(&mut self, phase: Phase, loudness: T) -> Verdict<T, DIM> {
        let score = sum(self.smoothing.parts());
        match phase {
            Phase::Warmup { .. } => (),
            Phase::Calibrating => {
                self.quantile.push(score);
                self.loudest = self.loudest.max(loudness);
            }
            Phase::Watching | Phase::Frozen => {
                self.decision.decide(score, self.threshold);
            }
        }
        self.phase = phase;
        let verdict = self.verdict(phase);
        match phase {
            Phase::Warmup { seen, need } if seen >= need => self.calibrate(),
            Phase::Calibrating if self.quantile.values_seen() >= self.settings.schedule.calibrate => self.watch(),
            _ => (),
        }
        verdict
    }

    /// The phase that the next sample falls into.
    fn next_phase(&self) -> Phase {
        match self.phase {
            Phase::Warmup { seen, need } => Phase::Warmup { seen: seen + 1, need },
            other => other,
        }
    }

    /// Begins to calibrate; a threshold that is known needs no calibration.
    fn calibrate(&mut self) {
        self.quantile = Quantile::at(self.settings.threshold.probability());
        self.decision.reset();
        self.threshold = T::MAX;
        self.loudest = T::ZERO;
        self.phase = Phase::Calibrating;
        if let Rule::Fixed(level) = self.settings.threshold.rule {
            self.loudest = level;
            self.watch();
        }
    }

    /// Begins to watch.
    fn watch(&mut self) {
        self.threshold = self.settings.threshold.level(self.quantile.value());
        self.phase = self.watching();
    }

    const fn watching(&self) -> Phase {
        match self.settings.learning {
            Learning::Frozen => Phase::Frozen,
            Learning::Always | Learning::WhileNormal => Phase::Watching,
        }
    }

    /// Whether the learner learns from a sample that is this loud by itself.
    fn lesson(&self, phase: Phase, loudness: T) -> Lesson {
        let learns = match (phase, self.settings.learning) {
            (Phase::Warmup { .. }, _) | (Phase::Watching, Learning::Always) => true,
            // The learner is calibrated as it will watch.
            (Phase::Calibrating, learning) => learning != Learning::Frozen,
            // A single wild sample hardly moves a smoothed score, and would move the learner all the more.
            (Phase::Watching, Learning::WhileNormal) => {
                !self.decision.is_alarm()
                    && loudness <= self.loudest
                    && sum(self.smoothing.parts()) <= self.settings.decision.release_level(self.threshold)
            }
            (Phase::Watching, Learning::Frozen) | (Phase::Frozen, _) => false,
        };
        if learns { Lesson::Learn } else { Lesson::Pass }
    }

    /// Calibration needs a scale that stands still.
    fn scale_is_learned(&self, phase: Phase) -> bool {
        match self.settings.scaling {
            Scaling::Settled => false,
            Scaling::Fixed => matches!(phase, Phase::Warmup { .. }),
            Scaling::Following => matches!(phase, Phase::Warmup { .. } | Phase::Watching),
        }
    }

    fn verdict(&self, phase: Phase) -> Verdict<T, DIM> {
        let contribution = *self.smoothing.parts();
        Verdict {
            score: sum(&contribution),
            threshold: self.threshold,
            alarm: self.decision.is_alarm(),
            phase,
            contribution,
        }
    }
}

/// What a learner does with a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lesson {
    Learn,
    Pass,
}

learned!(
    [T: Scalar, L: Learned, const DIM: usize, const MEDIAN: usize] Monitor<T, L, DIM, MEDIAN>: Monitor [DIM, MEDIAN] of T
);
stored!(
    [T: Scalar, L: Learned, const DIM: usize, const MEDIAN: usize] Monitor<T, L, DIM, MEDIAN> {
        settings, input, standardizer, scorer, smoothing, quantile, threshold, loudest, decision, phase
    }
    around learner
    if sound
);

impl<T: Scalar, L: Learned, const DIM: usize, const MEDIAN: usize> Monitor<T, L, DIM, MEDIAN> {
    fn sound(&self) -> Result<(), CodecError> {
        if let Phase::Warmup { need, .. } = self.phase {
            sound::accept(need == self.settings.schedule.warmup(), CodecError::Count)?;
        }
        sound::not_negative(&[self.threshold, self.loudest])?;
        sound::not_negative(self.smoothing.parts())
    }
}
