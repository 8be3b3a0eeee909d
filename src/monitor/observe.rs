//! The way of a sample through the monitor.
//! In: a sample as the sensors give it. Out: a verdict, and a monitor that has seen the sample.
//! Method: check → smooth the input → standardise → fill in → score → learn → smooth → decide, each a stage of its own; this
//! file only connects them. Whatever can refuse a sample comes before anything that changes.
//! Cost: that of the learner's residual and of its learning, and about 100 instructions a channel.

use super::score::sum;
use super::standardizer::check;
use super::{Learning, Missing, Monitor, Phase, Scaling, Verdict, impute};
use crate::{Learner, SampleError, Scalar};

/// How a learner treats a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Treatment {
    Learn,
    Pass,
}

/// The channels of a sample that have no value.
struct Gaps<const DIM: usize> {
    missing: [bool; DIM],
    count: usize,
}

impl<T: Scalar, L: Learner<T, DIM>, const DIM: usize, const MEDIAN: usize> Monitor<T, L, DIM, MEDIAN> {
    /// Judges a sample, then learns from it if that is due.
    ///
    /// # Errors
    /// [`SampleError`]: NaN, infinite, or too large. With [`Missing::Impute`](super::Missing::Impute) a NaN channel is no error,
    /// unless all channels are NaN.
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
        self.update(sample)?;
        let verdict = self.verdict();
        self.advance();
        Ok(verdict)
    }

    /// Sends a sample through all stages, or as many as its phase has.
    fn update(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        let mut whole = *sample;
        let gaps = self.bridge(&mut whole)?;
        if gaps.count > 0 && matches!(self.phase, Phase::Warmup { .. } | Phase::Calibrating) {
            // Scale, subspace and threshold are learned from whole samples only.
            return Ok(());
        }
        let smooth = self.input.after(&whole);
        let mut phase = self.phase;
        let mut settles = false;
        if let Phase::Warmup { seen, .. } = &mut phase {
            *seen += 1;
            settles = *seen <= self.settings.schedule.settle;
        }
        if settles {
            self.standardizer.update(&smooth);
        } else {
            self.judge(&smooth, &gaps, phase)?;
        }
        self.input.push(&whole);
        self.phase = phase;
        Ok(())
    }

    /// Finds the channels that are missing, if they may be, and puts there what leaves the smoothed channel where it is.
    fn bridge(&self, sample: &mut [T; DIM]) -> Result<Gaps<DIM>, SampleError> {
        let mut gaps = Gaps {
            missing: [false; DIM],
            count: 0,
        };
        if self.settings.missing == Missing::Impute {
            for ((value, missing), &mean) in sample.iter_mut().zip(&mut gaps.missing).zip(self.input.mean()) {
                // NaN alone is unequal to itself; an infinity is no missing value but a wrong one.
                #[allow(clippy::eq_op)]
                if *value != *value {
                    *value = mean;
                    *missing = true;
                    gaps.count += 1;
                }
            }
        }
        if gaps.count < DIM {
            check(sample).map(|()| gaps)
        } else {
            Err(SampleError::NotANumber { channel: 0 })
        }
    }

    /// Scores a sample on the channels' own scale, learns from it if that is due, and decides.
    fn judge(&mut self, smooth: &[T; DIM], gaps: &Gaps<DIM>, phase: Phase) -> Result<(), SampleError> {
        let mut standard = self.standardizer.deviations(smooth);
        if gaps.count > 0 {
            impute(&self.learner, &mut standard, &gaps.missing)?;
        }
        let measured = self.scorer.measure(&self.learner, &standard)?;
        let loudness = sum(&measured.parts);
        let lesson = if gaps.count > 0 {
            // What the learner has made up itself it need not learn.
            Treatment::Pass
        } else {
            self.lesson(phase, loudness)
        };
        // The last stage that may refuse the sample.
        match lesson {
            Treatment::Pass => self.learner.pass(&standard)?,
            Treatment::Learn => {
                self.learner.learn(&standard)?;
                if self.scale_is_learned(phase) {
                    self.standardizer.update(smooth);
                }
            }
        }
        self.smoothing.push(&measured.parts);
        let score = sum(self.smoothing.parts());
        match phase {
            Phase::Warmup { .. } => self.scorer.update(&measured),
            Phase::Calibrating => {
                self.quantile.push(score);
                self.loudest = self.loudest.max(loudness);
            }
            Phase::Watching | Phase::Frozen => {
                self.decision.decide(score, self.threshold);
            }
        }
        Ok(())
    }

    /// Whether the learner learns from a sample that is this loud by itself.
    fn lesson(&self, phase: Phase, loudness: T) -> Treatment {
        let learns = match (phase, self.settings.learning) {
            (Phase::Warmup { .. }, _) | (Phase::Watching, Learning::Always) => true,
            // The learner is calibrated as it will watch.
            (Phase::Calibrating, learning) => learning != Learning::Frozen,
            // A single wild sample hardly moves a smoothed score, and would move the learner all the more.
            (Phase::Watching, Learning::WhileNormal) => {
                loudness <= self.loudest
                    && sum(self.smoothing.parts()) <= self.settings.decision.release_level(self.threshold)
            }
            (Phase::Watching, Learning::Frozen) | (Phase::Frozen, _) => false,
        };
        if learns { Treatment::Learn } else { Treatment::Pass }
    }

    /// Calibration needs a scale that stands still.
    fn scale_is_learned(&self, phase: Phase) -> bool {
        match self.settings.scaling {
            Scaling::Settled => false,
            Scaling::Fixed => matches!(phase, Phase::Warmup { .. }),
            Scaling::Following => matches!(phase, Phase::Warmup { .. } | Phase::Watching),
        }
    }

    /// Of the last sample.
    fn verdict(&self) -> Verdict<T, DIM> {
        Verdict {
            score: sum(self.smoothing.parts()),
            threshold: self.threshold,
            alarm: self.decision.is_alarm(),
            phase: self.phase,
            contribution: *self.smoothing.parts(),
        }
    }

    /// The next phase, when this one has had all its samples.
    fn advance(&mut self) {
        match self.phase {
            Phase::Warmup { seen, need } if seen >= need => self.calibrate(),
            Phase::Calibrating if self.quantile.values_seen() >= self.settings.schedule.calibrate => self.watch(),
            _ => (),
        }
    }
}
