//! Passes a sample through all stages of the monitor.
//! In: a sample as the sensors give it. Out: a verdict, and the monitor after this sample.
//! Method: check → deviations from the level → smooth → fill in → score → smooth → learn → decide. If the learner refuses to score
//! a sample, only the spread of an unknown channel and the counts of wild samples can have changed.
//! Cost: see the head of the module `monitor`.

use super::alarm::Rule;
use super::gate::{Lesson, Treatment};
use super::new_level::{Course, Episode};
use super::score::sum;
use super::settling::Reading;
use super::stages::{Settling, impute};
use super::{Learning, Missing, Monitor, Phase, Score, State, Verdict};
use crate::learner::refusal;
use crate::spectrum::vector::scale;
use crate::{Learner, SampleError, Scalar, logging};

/// The largest deviation of a watched sample, in spreads, because a sensor at the end of its range must not hide other sensors.
const LIMIT: f64 = 100.0;

/// The largest deviation so far of a watched channel that stood still in training counts as this many spreads.
const UNKNOWN_LIMIT: f64 = 7.0;

/// The first movement in training of a channel without spread counts as this many spreads.
const FIRST_MOVEMENT: f64 = 3.0;

/// The largest score of a watched sample, as a multiple of the threshold, so that an alarm ends soon after its fault. With the
/// threshold 0 there is no limit.
const FAR_BEYOND: f64 = 32.0;

/// With `Learning::WhileNormal`, the learner learns from at most one of this many samples while the monitor watches.
const REFINE_EVERY: u32 = 8;

/// The memory of the learner in samples of the stream, as a multiple of the memory of the level: the relations of the channels
/// change more slowly than the level.
const SHAPE_MEMORY: u32 = 30;

/// If the median score is below this, the variances were probably learned in a transient. A learner that forgets the transient
/// would give scores above the threshold.
// Learners other than `Mahalanobis` have scores in other units, but they ignore the memory of `refine`.
const TOO_WIDE: f64 = 0.25;

/// The channels of a sample that have no value, except those of spread zero.
struct Gaps<const DIM: usize> {
    missing: [bool; DIM],
    count: usize,
}

impl<T: Scalar, L: Learner<T, DIM>, const DIM: usize, const MEDIAN: usize> Monitor<T, L, DIM, MEDIAN> {
    /// Judges a sample, then learns from it if phase and settings allow it.
    ///
    /// # Errors
    /// [`SampleError`]. With [`Missing::Impute`](super::Missing::Impute), NaN is an error only if all channels are NaN.
    ///
    /// ```
    /// use eigenstream::monitor::{MonitorSettings, Phase, SensorMonitor};
    /// let mut monitor = SensorMonitor::<f32, 6>::standard(MonitorSettings::DEFAULT);
    /// let verdict = monitor.observe(&[0.0, 0.1, 9.8, 0.0, 0.0, 0.0])?;
    /// assert_eq!(verdict.phase, Phase::Warmup { seen: 1, need: 1_434 });
    /// assert!(!verdict.alarm);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn observe(&mut self, sample: &[T; DIM]) -> Result<Verdict<T, DIM>, SampleError> {
        self.update(sample)?;
        let verdict = self.verdict();
        self.advance();
        Ok(verdict)
    }

    /// The score of a single sample, without smoothing; changes nothing.
    ///
    /// With a second normal state, the result is the smaller one of the scores for the two states. The deviation of a channel
    /// without spread counts as zero.
    ///
    /// # Errors
    /// [`SampleError`]; a NaN channel is always an error here.
    ///
    /// ```
    /// use eigenstream::monitor::{MonitorSettings, SensorMonitor};
    /// let mut monitor = SensorMonitor::<f32, 1>::standard(MonitorSettings::DEFAULT.with_training(100));
    /// for i in 0..100 {
    ///     monitor.observe(&[((i * 37) % 11) as f32])?;
    /// }
    /// assert!(monitor.score(&[5.0])? < 1.0);
    /// assert!(monitor.score(&[50.0])? > 10.0);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        check(sample)?;
        let deviations = self.level.deviations(sample, T::from_f64(LIMIT));
        let parts = self.scorer.contributions(&self.learner, &deviations)?;
        let second = self.second_state(&deviations);
        let first = sum(&parts);
        Ok(second.map_or(first, |second| sum(&second).min(first)))
    }

    /// The [`Verdict::contribution`] of the last observed sample, or zero before the first score.
    #[must_use]
    pub const fn contribution(&self) -> &[T; DIM] {
        self.smoothing.parts()
    }

    fn second_state(&self, deviations: &[T; DIM]) -> Option<[T; DIM]> {
        self.episode.parts(self.settling.rows(), deviations, self.gate.usual())
    }

    /// Passes a sample through the stages of the current phase.
    // The function is not inlined, to save stack: its variables are freed before the verdict and the change of phase
    // use stack.
    #[inline(never)]
    fn update(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        let gaps = self.gaps(sample)?;
        if self.phase.settles(self.settings.schedule.settle) {
            self.stillness.learn(sample);
            self.settling.push(sample);
            if let Phase::Warmup { seen, .. } = &mut self.phase {
                *seen = seen.saturating_add(1);
            }
            return Ok(());
        }
        let training = !self.phase.is_watching();
        if training && gaps.count > 0 {
            // In training, level, learner and threshold learn from complete samples only.
            self.stillness.push(sample);
            self.learner.interrupt();
            self.count();
            return Ok(());
        }
        let (limit, first, most) = if training {
            // This limit gives a single sample little influence.
            let limit = T::from_usize(self.settings.schedule.total() as usize).sqrt();
            (limit, T::from_f64(FIRST_MOVEMENT), limit)
        } else {
            let most = T::from_f64(UNKNOWN_LIMIT);
            (T::from_f64(LIMIT), most, most)
        };
        self.level.widen(sample, first, most);
        if training && self.learns_nothing_of(sample) {
            return Ok(());
        }
        let mut deviations = self.level.deviations(sample, limit);
        for ((deviation, &missing), &mean) in deviations.iter_mut().zip(&gaps.missing).zip(self.input.mean()) {
            if missing {
                // With this deviation, the mean of the channel does not change.
                *deviation = mean;
            }
        }
        self.judge(sample, &deviations, &gaps)
    }

    /// Whether a training sample is held back as wild; the warm-up begins again if the scale does not fit.
    fn learns_nothing_of(&mut self, sample: &[T; DIM]) -> bool {
        let schedule = self.settings.schedule;
        let reading = self.wild.judge(self.level.farthest(sample), schedule.total());
        if reading == Reading::Usable {
            return false;
        }
        self.learner.interrupt();
        self.count();
        if reading != Reading::HeldBack {
            if reading == Reading::WrongScale {
                self.learner.forget();
            }
            // A shorter search stores samples at other times: a cycle of the machine may have matched the times of the last search.
            self.settling = Settling::new(schedule.settle - schedule.settle / 16);
            let need = schedule.warmup();
            self.phase = Phase::Warmup { seen: 0, need };
        }
        true
    }

    /// Checks a sample and finds its missing channels.
    fn gaps(&self, sample: &[T; DIM]) -> Result<Gaps<DIM>, SampleError> {
        let mut gaps = Gaps {
            missing: [false; DIM],
            count: 0,
        };
        let mut values = *sample;
        if self.settings.missing == Missing::Impute {
            let mut present = 0_usize;
            let places = values.iter_mut().zip(&mut gaps.missing).zip(self.level.spread());
            for ((value, missing), &spread) in places {
                // Only NaN is unequal to itself; `check` refuses an infinite value.
                #[allow(clippy::eq_op)]
                if *value != *value {
                    *value = T::ZERO;
                    *missing = spread > T::ZERO;
                    gaps.count = gaps.count.saturating_add(usize::from(*missing));
                } else {
                    present = present.saturating_add(1);
                }
            }
            if present == 0 {
                return Err(SampleError::NotANumber { channel: 0 });
            }
        }
        check(&values).map(|()| gaps)
    }

    /// Scores a sample, learns from it as far as the lesson allows, and decides about the alarm.
    fn judge(&mut self, sample: &[T; DIM], deviations: &[T; DIM], gaps: &Gaps<DIM>) -> Result<(), SampleError> {
        let mut smooth = self.input.after(deviations);
        if !self.phase.is_watching() && !self.learner.is_ready() {
            // The learner cannot judge yet and only stores the sample.
            self.learner.pass(&smooth)?;
            self.input.push(deviations);
            self.stillness.learn(sample);
            self.count();
            return Ok(());
        }
        if gaps.count > 0 {
            impute(&self.learner, &mut smooth, &gaps.missing)?;
        }
        let mut measured = self.scorer.measure(&self.learner, &smooth)?;
        let mut loudness = sum(&measured.parts);
        let mut in_second_state = 0;
        if let Some(mut second) = self.second_state(&smooth) {
            // A filled-in value belongs to the first state, so it is left out of this score.
            for (part, _) in second.iter_mut().zip(gaps.missing).filter(|&(_, missing)| missing) {
                *part = T::ZERO;
            }
            let other = sum(&second);
            if other < loudness {
                (measured.parts, loudness, in_second_state) = (second, other, 1);
            }
        }
        if self.phase.is_watching() {
            self.cut(&mut measured.parts, loudness);
        }
        // From here on only the learning can return an error.
        self.in_second_state = in_second_state;
        self.input.push(deviations);
        self.smoothing.push(&measured.parts);
        let score = sum(self.smoothing.parts());
        self.gate.feel(deviations);
        if self.phase.is_watching() {
            self.stillness.push(sample);
        } else {
            self.stillness.learn(sample);
        }
        let stuck = self.stuck().is_some();
        let lesson = if gaps.count > 0 || stuck || !self.learner.is_ready() {
            // Nothing is learned from filled-in values, while a sensor is stuck, or while the learner is not ready and its score is
            // zero.
            Lesson::NONE
        } else if in_second_state > 0 {
            // The learner was not trained at this level: only the centre of the second state follows the sample.
            let Lesson { pace, reach, .. } = self.lesson(score, loudness);
            let step = pace / T::from_usize(self.level.memory() as usize);
            Episode::follow(self.settling.rows_mut(), &smooth, step, reach);
            Lesson::NONE
        } else {
            self.lesson(score, loudness)
        };
        self.learn(&smooth, deviations, &lesson)?;
        match self.phase {
            Phase::Warmup { .. } | Phase::Standstill => {
                self.scorer.update(&measured);
                self.training_score.push(&[score]);
            }
            Phase::Calibrating | Phase::Unsettled => {
                // A full bin of the histogram halves all bins, so a calibration of 65,535 samples or more uses only some scores.
                let interval = self.settings.schedule.calibrate / u32::from(u16::MAX) + 1;
                if self.counted.is_multiple_of(interval) {
                    self.histogram.push(score);
                }
                self.gate.calibrate();
                if score > T::TWO * self.histogram.middle() {
                    let half = usize::from(self.counted >= self.settings.schedule.calibrate / 2);
                    if let Some(count) = self.high_scores.get_mut(half) {
                        *count = count.saturating_add(1);
                    }
                }
                self.training_score.push(&[score]);
            }
            Phase::Watching | Phase::Frozen => self.decide(score, &smooth, stuck),
        }
        self.count();
        Ok(())
    }

    /// Makes the parts smaller if the score is far above the threshold.
    fn cut(&self, parts: &mut [T; DIM], loudness: T) {
        let most = T::from_f64(FAR_BEYOND) * self.threshold;
        if most > T::ZERO && loudness > most {
            scale(parts, most / loudness);
        }
    }

    /// Raises or releases the alarm, and updates the record of the alarm and the counts of alarms.
    fn decide(&mut self, score: T, smooth: &[T; DIM], stuck: bool) {
        if self.decision.decide(score, self.threshold) {
            self.episode.push(self.settling.rows_mut(), smooth);
        } else {
            self.episode.rest();
        }
        if self.decision.is_alarm() || stuck {
            self.alarms = self.alarms.saturating_add(u32::from(self.locked_out == 0));
            // `alarm_samples` stops when `counted` reaches the end of its range, so that their ratio remains a rate.
            let counting = self.counted < u32::MAX - REFINE_EVERY;
            self.alarm_samples = self.alarm_samples.saturating_add(u32::from(counting));
            self.locked_out = self.locked_out.saturating_add(1);
        } else {
            self.locked_out = 0;
        }
    }

    /// How level and learner learn from a sample with the smoothed score `score` and, without smoothing, the score `loudness`.
    fn lesson(&self, score: T, loudness: T) -> Lesson<T> {
        match (self.phase.is_watching(), self.settings.learning) {
            // With `Frozen`, nothing is learned in the calibration: the threshold is then set for exactly the learner that will
            // watch.
            (false, Learning::Frozen) if matches!(self.phase, Phase::Calibrating | Phase::Unsettled) => Lesson::NONE,
            (false, _) => Lesson::ALL,
            (true, Learning::Always) => self.gate.whole_lesson(),
            (true, Learning::WhileNormal) => self.gate.lesson(score, loudness),
            (true, Learning::Frozen) => Lesson::NONE,
        }
    }

    // The function is not inlined, to save stack: the variables of the score are no longer needed.
    #[inline(never)]
    fn learn(&mut self, smooth: &[T; DIM], deviations: &[T; DIM], lesson: &Lesson<T>) -> Result<(), SampleError> {
        if lesson.pace > T::ZERO {
            self.level.follow(deviations, lesson.pace, lesson.reach);
        }
        let slowly = self.phase.is_watching() && self.settings.learning == Learning::WhileNormal;
        match lesson.treatment {
            Treatment::Learn if !slowly => self.learner.learn(smooth),
            Treatment::Learn if self.counted.is_multiple_of(REFINE_EVERY) => {
                let memory = self.level.memory().saturating_mul(SHAPE_MEMORY) / REFINE_EVERY;
                self.learner
                    .refine(smooth, if self.is_too_wide() { u32::MAX } else { memory })
            }
            Treatment::Learn | Treatment::Pass => self.learner.pass(smooth),
        }
    }

    /// Whether the default learner must keep its covariance. With a fixed threshold it need not, because there is then no
    /// calibration whose scores set the threshold.
    fn is_too_wide(&self) -> bool {
        self.settings.score == Score::Loss
            && !matches!(self.settings.threshold.rule, Rule::Fixed(_))
            && self.gate.usual() < T::from_f64(TOO_WIDE)
    }

    fn count(&mut self) {
        if let Phase::Warmup { seen, .. } = &mut self.phase {
            *seen = seen.saturating_add(1);
        } else {
            // At the end of its range, `counted` repeats its last eight values, so that the learner continues to learn.
            self.counted = self.counted.checked_add(1).unwrap_or(u32::MAX - (REFINE_EVERY - 1));
        }
    }

    fn stuck(&self) -> Option<usize> {
        self.stillness.stuck().filter(|_| self.phase.is_watching())
    }

    fn verdict(&self) -> Verdict<T, DIM> {
        let stuck = self.stuck();
        let unusual = self.decision.is_alarm();
        let state = match (self.phase.is_watching(), stuck, self.episode.course()) {
            (false, ..) => State::Learning,
            (true, Some(_), _) => State::Stuck,
            (true, None, _) if !unusual && self.in_second_state > 0 => State::SecondNormal,
            (true, None, _) if !unusual => State::Normal,
            (true, None, Course::Young) => State::Unusual,
            (true, None, Course::Moving) => State::Moving,
            (true, None, Course::Steady) => State::Steady,
        };
        Verdict {
            threshold: self.threshold,
            alarm: unusual || stuck.is_some(),
            phase: self.phase,
            state,
            stuck,
            moved: (0..DIM).fold(T::ZERO, |moved, channel| moved.max(self.level.moved(channel))),
            ..Verdict::normal(*self.contribution())
        }
    }

    /// Starts the next phase if this one is complete.
    #[inline(never)]
    fn advance(&mut self) {
        match self.phase {
            Phase::Standstill if self.settling.is_done() => self.begin(),
            // The condition is not `is_done`, because a forged image can have another `need`.
            Phase::Warmup { seen, .. } if seen == self.settings.schedule.settle && !self.settling.is_empty() => {
                self.begin()
            }
            Phase::Warmup { seen, need } if seen >= need => self.calibrate(),
            Phase::Calibrating | Phase::Unsettled if self.counted >= self.settings.schedule.calibrate => {
                self.finish_calibration();
            }
            _ => (),
        }
    }
}

/// Refuses a sample x unless ‖2x‖² is finite, so that the squared distance of x from the mean of accepted samples is
/// finite, too.
pub(super) fn check<T: Scalar, const DIM: usize>(sample: &[T; DIM]) -> Result<(), SampleError> {
    let mut energy = T::ZERO;
    for &value in sample {
        let doubled = T::TWO * value;
        energy += doubled * doubled;
    }
    if energy.is_finite() {
        Ok(())
    } else {
        // The error is that of the sample, not of the doubled sample: twice a finite value can be infinite.
        Err(logging::refused(refusal(sample)))
    }
}

#[cfg(test)]
mod tests;
