//! Changes the settings of a monitor and keeps its learned state, for example after a firmware update.
//! In: a monitor in any phase, for example decoded from saved bytes, and settings. Out: the monitor with these settings, and an
//! [`Adaptation`] that says what happened.
//! Method: [`Monitor::set_settings`] says when each setting takes effect. While the monitor watches, a threshold that is not
//! fixed is computed again from the stored scores of the last calibration. A change of the kind of score is refused, because the
//! averages of `Score::Combined` are learned only in the warm-up.
//! Cost: at most three quantiles.

use super::smoothing::{Smoothing, counted};
use super::stages::{ExponentialMean, Scorer, Settling};
use super::threshold::Rule;
use super::{Learning, Monitor, MonitorSettings, Phase};
use crate::{Learner, Scalar};

/// The effect of new settings. [`NotTaken`](Self::NotTaken) means that they were refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
pub enum Adaptation {
    /// The monitor continues. While it watches, the threshold is computed again by the new rule. If level and spread are not
    /// found yet, a changed schedule starts the search for them again. In [`Phase::Standstill`] every accepted call of
    /// `set_settings` starts this search again. In calibration a fixed threshold lets the monitor watch at once.
    GoesOn,
    /// Level and spread of the channels and the learner are kept, and a new calibration starts. The reason is that a changed
    /// smoothing changes the scores, or that no scores are stored for the new rule (the old threshold was fixed). If the new
    /// threshold is fixed, the monitor watches at once.
    Recalibrates,
    /// Nothing was changed, because the settings have another kind of score. For these settings create a new monitor with
    /// [`Monitor::new`]; [`Monitor::relearn`] starts again with the old settings.
    NotTaken,
}

impl<T: Scalar, L: Learner<T, DIM>, const DIM: usize, const MEDIAN: usize> Monitor<T, L, DIM, MEDIAN> {
    /// Replaces the settings and keeps the learned state. The settings of the inner learner stay.
    ///
    /// The settings of decision, learning, level memory, missing channels and new levels take effect from the next sample on.
    /// While the monitor watches, the new threshold also takes effect from the next sample on. The schedule takes effect for the
    /// phases that are not over. After the warm-up, a change of the smoothing of samples or scores starts a new calibration.
    /// While the monitor watches, a change from a fixed threshold to a rule also starts a calibration if no scores are stored. In
    /// calibration a fixed threshold lets the monitor watch at once. A change of the kind of score is refused.
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
            Phase::Warmup { seen, need } => {
                let schedule = settings.schedule;
                self.phase = if seen < before.schedule.settle && before.schedule != schedule {
                    self.settle_again();
                    Phase::Warmup {
                        seen: 0,
                        need: schedule.warmup(),
                    }
                } else if before.schedule != schedule {
                    Phase::Warmup {
                        // Level and spread are known, so `seen` must be at least the new `settle`. It stays below `need`, so that
                        // at least one sample of the warm-up is left.
                        seen: seen.max(schedule.settle).min(schedule.warmup().wrapping_sub(1)),
                        need: schedule.warmup(),
                    }
                } else {
                    Phase::Warmup { seen, need }
                };
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
            self.phase = match settings.learning {
                Learning::Frozen => Phase::Frozen,
                Learning::Always | Learning::WhileNormal => Phase::Watching,
            };
        } else if fixed {
            // A fixed threshold needs no calibration.
            self.recalibrate();
        }
        Adaptation::GoesOn
    }

    /// Begins the search for centre and spread again, with the schedule of the settings. Both means are empty then: the learner has
    /// not scored a sample yet, or it has scored samples with another scale (`wild`).
    fn settle_again(&mut self) {
        let schedule = self.settings.schedule;
        self.settling = Settling::new(schedule.settle);
        self.scorer = Scorer::new(self.settings.score, schedule.learn / 4);
        self.training_score = ExponentialMean::new(schedule.learn / 4);
    }
}
