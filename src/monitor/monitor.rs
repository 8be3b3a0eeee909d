//! The monitor: the whole pipeline around a learner, and the phases that it goes through.
//! In: settings and a learner. Out: a monitor that knows in which phase it is; `observe` leads the samples through it.
//! Method: warm-up, then calibration where the threshold is not known, then watching, each after so many samples.
//! Kept: the learner, the settings, 5·DIM + 2·MEDIAN + 12 numbers and some counts.

use super::smoothing::Smoothing;
use super::threshold::Rule;
use super::{Decision, ExponentialMean, Learning, MonitorSettings, Phase, Quantile, Scorer, Standardizer};
use crate::codec::{Learned, stored, validate};
use crate::{CodecError, Learner, Scalar};

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
    pub(super) settings: MonitorSettings<T>,
    pub(super) learner: L,
    /// The samples, smoothed.
    pub(super) input: ExponentialMean<T, DIM>,
    pub(super) standardizer: Standardizer<T, DIM>,
    pub(super) scorer: Scorer<T>,
    pub(super) smoothing: Smoothing<T, DIM, MEDIAN>,
    pub(super) quantile: Quantile<T>,
    pub(super) threshold: T,
    /// The largest score of a single sample in calibration, before smoothing.
    pub(super) loudest: T,
    pub(super) decision: Decision<T>,
    pub(super) phase: Phase,
}

impl<T: Scalar, L: Learner<T, DIM>, const DIM: usize, const MEDIAN: usize> Monitor<T, L, DIM, MEDIAN> {
    /// A monitor that has seen nothing, around a learner that may have.
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

    /// The current phase.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// The threshold of the alarm; [`Scalar::MAX`] until it is calibrated.
    #[must_use]
    pub const fn threshold(&self) -> T {
        self.threshold
    }

    /// The learner inside.
    #[must_use]
    pub const fn learner(&self) -> &L {
        &self.learner
    }

    /// Mean and spread of the channels.
    #[must_use]
    pub const fn standardizer(&self) -> &Standardizer<T, DIM> {
        &self.standardizer
    }

    /// Begins to calibrate; a threshold that is known needs no calibration.
    pub(super) fn calibrate(&mut self) {
        self.quantile = Quantile::at(self.settings.threshold.probability());
        self.decision.reset();
        self.threshold = T::MAX;
        self.loudest = T::ZERO;
        self.phase = Phase::Calibrating;
        if let Rule::Fixed(level) = self.settings.threshold.rule {
            (self.loudest, self.threshold) = (level, level);
            self.phase = self.watching();
        }
    }

    /// Begins to watch.
    pub(super) fn watch(&mut self) {
        self.threshold = self.settings.threshold.level(self.quantile.value());
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
        settings, input, standardizer, scorer, smoothing, quantile, threshold, loudest, decision, phase
    }
    around learner if validate
);

impl<T: Scalar, L: Learned, const DIM: usize, const MEDIAN: usize> Monitor<T, L, DIM, MEDIAN> {
    fn validate(&self) -> Result<(), CodecError> {
        if let Phase::Warmup { need, .. } = self.phase {
            validate::accept(need == self.settings.schedule.warmup(), CodecError::Count)?;
        }
        validate::not_negative(&[self.threshold, self.loudest])
    }
}
