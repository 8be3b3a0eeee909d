//! New settings for a monitor that has learned: an update of the firmware keeps the state and brings settings of its own.
//! In: a monitor in any phase, restored from an image for one, and settings. Out: the monitor with these settings, and what that
//! takes.
//! Method: a setting that only says what follows from a score counts at once, and the threshold is found again from the scores of the
//! last calibration, which are kept. A setting that changes scores themselves leaves scale and learner and calibrates again. Another kind
//! of score is not taken: its usual size is learned in the warm-up alone.
//! Cost: three quantiles.

use super::smoothing::Smoothing;
use super::threshold::Rule;
use super::{ExponentialMean, Learning, Monitor, MonitorSettings, Phase, Settling};
use crate::{Learner, Scalar};

/// The effect of new settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Adaptation {
    /// The monitor goes on in its phase; a threshold that is known was found again by the new rule.
    GoesOn,
    /// Scale and learner stay, and a new threshold has to be found: the scores are other ones now, or there are none to find it by.
    Recalibrates,
    /// Nothing was changed: the score is another one. [`Monitor::relearn`] begins anew.
    NotTaken,
}

impl<T: Scalar, L: Learner<T, DIM>, const DIM: usize, const MEDIAN: usize> Monitor<T, L, DIM, MEDIAN> {
    /// Takes other settings and keeps what was learned. The settings of the learner inside stay.
    ///
    /// Threshold, decision, learning, level memory, missing channels and new levels count from the next sample on. The schedule counts for
    /// the phases that are not over. Another smoothing of samples or scores calibrates again. Another score is not taken.
    ///
    /// ```
    /// use eigenstream::Codec;
    /// use eigenstream::monitor::{Adaptation, MonitorSettings, SensorMonitor, Threshold};
    ///
    /// type Watch = SensorMonitor<f32, 2>;
    /// # let mut old = Watch::standard(MonitorSettings::DEFAULT.with_training(100));
    /// # for i in 0..150 { old.observe(&[((i * 37) % 11) as f32 * 0.31, ((i * 29) % 13) as f32 * 0.17])?; }
    /// # let mut image = [0; Watch::ENCODED_LEN];
    /// # old.encode(&mut image)?;
    /// // The new firmware asks for fewer false alarms than the one that has saved the image.
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
        let other_scores = before.smoothing != settings.smoothing || before.input_smoothing != settings.input_smoothing;
        if other_scores {
            self.input = ExponentialMean::new(settings.input_smoothing);
            self.smoothing = Smoothing::new(settings.smoothing);
        }
        match self.phase {
            Phase::Warmup { seen, need } => {
                let schedule = settings.schedule;
                self.phase = if seen < before.schedule.settle && before.schedule != schedule {
                    self.settling = Settling::new(schedule.settle);
                    Phase::Warmup {
                        seen: 0,
                        need: schedule.warmup(),
                    }
                } else if before.schedule != schedule {
                    Phase::Warmup {
                        // The scale is known: the phase after it goes on.
                        seen: seen.max(schedule.settle).min(schedule.warmup() - 1),
                        need: schedule.warmup(),
                    }
                } else {
                    Phase::Warmup { seen, need }
                };
                return Adaptation::GoesOn;
            }
            Phase::Standstill => {
                self.settling = Settling::new(settings.schedule.settle);
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
            self.phase = match settings.learning {
                Learning::Frozen => Phase::Frozen,
                Learning::Always | Learning::WhileNormal => Phase::Watching,
            };
        } else if fixed {
            // A threshold that is known needs no calibration.
            self.recalibrate();
        }
        Adaptation::GoesOn
    }
}
