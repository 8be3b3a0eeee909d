//! Passes a sample through all stages of the monitor.
//! In: a sample as the sensors give it. Out: a verdict, and the monitor after this sample.
//! Method: check → deviations from the level → smooth → fill in → score → smooth → learn → decide. Each stage has its own file;
//! this file connects the stages. The sample is checked before any step changes the monitor. If the learner then refuses to fill
//! in or to score the sample, only the spread of an unknown channel and the counts of `wild` can have changed.
//! Training is warm-up and calibration. Other files define more words: `level` an unknown channel, `new_level` the second state
//! and the record of an alarm, `gate` a lesson, `wild` a wild sample.
//! Cost: the head of the module `monitor` has the numbers.

use super::gate::{Lesson, Treatment};
use super::new_level::{Course, Episode};
use super::score::sum;
use super::stages::{Settling, impute};
use super::standardizer::check;
use super::threshold::Rule;
use super::wild::Reading;
use super::{Learning, Missing, Monitor, Phase, Score, State, Verdict};
use crate::spectrum::vector::scale;
use crate::{Learner, SampleError, Scalar};

/// While the monitor watches, and in `score`, deviations are limited to ± this many spreads. A larger deviation gives no more
/// information, and a sensor at the end of its range must not hide other sensors.
const LIMIT: f64 = 100.0;

/// While the monitor watches, the distance of a channel from its level is measured in spreads (usual standard deviations). If the
/// channel stood still in training, its largest distance so far counts as this many spreads.
const UNKNOWN_LIMIT: f64 = 7.0;

/// If a channel stood still while level and spread were found, its first movement in training counts as this many spreads.
const FIRST_MOVEMENT: f64 = 3.0;

/// While the monitor watches, the score of a single sample is limited to this many times the threshold. A threshold of 0 sets no
/// limit.
const FAR_BEYOND: f64 = 32.0;

/// While the monitor watches with `Learning::WhileNormal`, the learner learns from at most one of this many samples, by
/// `Learner::refine`. The default learner gives this one sample the weight of all these samples.
const REFINE_EVERY: u32 = 8;

/// While the monitor watches with `Learning::WhileNormal`, the memory of the default learner is about this many times the memory
/// of the level, because the relations of the channels usually change more slowly than the level.
const SHAPE_MEMORY: u32 = 30;

/// If the median score of the calibration is below this number, the variances of the default learner are about four times those
/// of the calibration or more, for example after a long transient in the warm-up. If the learner forgot the transient while the
/// monitor watches, the scores would rise above the threshold, and most normal samples would be in alarm. So the shape is kept.
/// The scores of other learners have other units, but these learners ignore the memory of `refine`.
const TOO_WIDE: f64 = 0.25;

/// The channels of a sample that have no value. A channel of spread zero is ignored: it is neither marked nor counted.
struct Gaps<const DIM: usize> {
    missing: [bool; DIM],
    count: usize,
}

impl<T: Scalar, L: Learner<T, DIM>, const DIM: usize, const MEDIAN: usize> Monitor<T, L, DIM, MEDIAN> {
    /// Judges a sample, then learns from the sample if phase and settings allow it.
    ///
    /// # Errors
    /// [`SampleError`]. With [`Missing::Impute`](super::Missing::Impute) a NaN channel is not an error, unless all channels are
    /// NaN.
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

    /// The score of a single sample, without smoothing. Changes nothing. If there is a second normal state, the result is the
    /// smaller of two scores, one for each state. The deviation of a channel without spread counts as zero, so until the spreads
    /// are found every deviation counts as zero.
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

    /// The part of each channel in the score of the last observed sample: [`Verdict::contribution`] of this sample. Zero before the
    /// first score, and after [`set_settings`](Self::set_settings) with another smoothing.
    #[must_use]
    pub const fn contribution(&self) -> &[T; DIM] {
        self.smoothing.parts()
    }

    fn second_state(&self, deviations: &[T; DIM]) -> Option<[T; DIM]> {
        self.episode.parts(self.settling.rows(), deviations, self.gate.usual())
    }

    /// Passes a sample through the stages of the current phase.
    // A separate stack frame: the stack for the verdict and for the change of phase does not add to the stack of this function.
    #[inline(never)]
    fn update(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        let gaps = self.gaps(sample)?;
        if self.phase.settles(self.settings.schedule.settle) {
            self.stillness.learn(sample);
            self.settling.push(sample);
            if let Phase::Warmup { seen, .. } = &mut self.phase {
                *seen = seen.wrapping_add(1);
            }
            return Ok(());
        }
        let training = !self.phase.is_watching();
        if training && gaps.count > 0 {
            // Level, learner and threshold learn from complete samples only. A calibration without complete samples is repeated.
            self.stillness.push(sample);
            self.learner.interrupt();
            self.count();
            return Ok(());
        }
        let limit = if training {
            // In training the limit is the root of the number of training samples (`total`), so a single sample has little
            // influence.
            T::from_usize(self.settings.schedule.total() as usize).sqrt()
        } else {
            T::from_f64(LIMIT)
        };
        let first = T::from_f64(FIRST_MOVEMENT);
        let unknown_limit = if training { limit } else { T::from_f64(UNKNOWN_LIMIT) };
        self.level
            .widen(sample, if training { first } else { unknown_limit }, unknown_limit);
        if training && self.learns_nothing_of(sample) {
            return Ok(());
        }
        let mut deviations = self.level.deviations(sample, limit);
        for ((deviation, &missing), &mean) in deviations.iter_mut().zip(&gaps.missing).zip(self.input.mean()) {
            if missing {
                // A missing channel gets the mean of its earlier deviations, so that this mean does not change.
                *deviation = mean;
            }
        }
        self.judge(sample, &deviations, &gaps)
    }

    /// Whether a training sample is held back as wild. A sample that is held back is counted, but level, learner, stillness and
    /// threshold do not learn from it, and a learner of several samples in a row forgets the samples before it. `widen` was
    /// called before, so the spread of an unknown channel can have changed. If the scale does not fit, the warm-up begins again.
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
            // A cycle of the machine can be in step with the samples that the settling stores. Other intervals end this.
            self.settling = Settling::new(schedule.settle - schedule.settle / 16);
            self.phase = Phase::Warmup {
                seen: 0,
                need: schedule.warmup(),
            };
        }
        true
    }

    /// Finds the missing channels. NaN is an error without `Missing::Impute`, or if all channels are NaN. An infinite value or a
    /// sample that is too large is always an error.
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
                // Only NaN is unequal to itself. An infinite value is not missing but wrong: `check` below returns an error for
                // it.
                #[allow(clippy::eq_op)]
                if *value != *value {
                    *value = T::ZERO;
                    // A channel of spread zero (for example, it never moved) is ignored and not counted as missing.
                    *missing = spread > T::ZERO;
                    gaps.count = gaps.count.wrapping_add(usize::from(*missing));
                } else {
                    present = present.wrapping_add(1);
                }
            }
            if present == 0 {
                return Err(SampleError::NotANumber { channel: 0 });
            }
        }
        check(&values).map(|()| gaps)
    }

    /// Scores the deviations of a sample, learns from the sample as far as the `Lesson` allows, and decides about the alarm.
    fn judge(&mut self, sample: &[T; DIM], deviations: &[T; DIM], gaps: &Gaps<DIM>) -> Result<(), SampleError> {
        let mut smooth = self.input.after(deviations);
        if !self.phase.is_watching() && !self.learner.is_ready() {
            // The learner cannot score this sample yet: it only stores the sample. The threshold does not count it.
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
            // The learner fills in a value of the first state, which says nothing about the second state.
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
        // The learner has scored the sample without an error. Until here only `widen` and `wild` can have changed the monitor.
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
        let stuck = self.phase.is_watching() && self.stillness.stuck().is_some();
        let lesson = if gaps.count > 0 || stuck || !self.learner.is_ready() {
            // Nothing is learned from filled-in values, while a sensor is stuck, or from the score zero after an interruption.
            Lesson::NONE
        } else if in_second_state > 0 {
            // The learner was not trained at the new level that was accepted: only the centre of this level follows the sample,
            // as far as the lesson allows.
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
                // No count of the histogram may become full: the histogram would halve its counts, and so forget its first scores.
                // In a calibration that is longer than a count, only some scores are counted, at equal intervals.
                let interval = self.settings.schedule.calibrate / u32::from(u16::MAX) + 1;
                if self.counted.is_multiple_of(interval) {
                    self.histogram.push(score);
                }
                self.gate.calibrate();
                if score > T::TWO * self.histogram.middle() {
                    let half = usize::from(self.counted >= self.settings.schedule.calibrate / 2);
                    if let Some(count) = self.high_scores.get_mut(half) {
                        *count = count.wrapping_add(1);
                    }
                }
                // The histogram of the next calibration, if there is one, is centred on this mean of the scores.
                self.training_score.push(&[score]);
            }
            Phase::Watching | Phase::Frozen => self.decide(score, &smooth, stuck),
        }
        self.count();
        Ok(())
    }

    /// Cuts a score that is far above the threshold, so that its effect on the smoothed score ends soon.
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
            // At the end of its range the number of watched samples stays. Then this number stays too, so their ratio is a rate.
            let counting = self.counted < u32::MAX - REFINE_EVERY;
            self.alarm_samples = self.alarm_samples.saturating_add(u32::from(counting));
            self.locked_out = self.locked_out.saturating_add(1);
        } else {
            self.locked_out = 0;
        }
    }

    /// The [`Lesson`] of a sample: how level and learner learn from it. `score` is the smoothed score; `loudness` is the score of
    /// this sample alone.
    fn lesson(&self, score: T, loudness: T) -> Lesson<T> {
        match (self.phase.is_watching(), self.settings.learning) {
            // A learner that is frozen while watching is already frozen in calibration, so that the threshold fits this learner.
            (false, Learning::Frozen) if matches!(self.phase, Phase::Calibrating | Phase::Unsettled) => Lesson::NONE,
            (false, _) => Lesson::ALL,
            (true, Learning::Always) => self.gate.whole_lesson(),
            (true, Learning::WhileNormal) => self.gate.lesson(score, loudness),
            (true, Learning::Frozen) => Lesson::NONE,
        }
    }

    // A separate stack frame: the stack for the score, which is computed before, is free again.
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

    /// Whether the default learner must keep its shape, because its variances are too large (`TOO_WIDE`). A fixed threshold does
    /// not depend on the scores of the calibration.
    fn is_too_wide(&self) -> bool {
        self.settings.score == Score::Loss
            && !matches!(self.settings.threshold.rule, Rule::Fixed(_))
            && self.gate.usual() < T::from_f64(TOO_WIDE)
    }

    /// Counts a sample of this phase.
    fn count(&mut self) {
        if let Phase::Warmup { seen, .. } = &mut self.phase {
            *seen = seen.wrapping_add(1);
        } else {
            // At the end of its range the count repeats its last `REFINE_EVERY` values, so that the learner continues to learn.
            self.counted = self.counted.checked_add(1).unwrap_or(u32::MAX - (REFINE_EVERY - 1));
        }
    }

    /// The verdict on the last sample.
    fn verdict(&self) -> Verdict<T, DIM> {
        let stuck = if self.phase.is_watching() {
            self.stillness.stuck()
        } else {
            None
        };
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
        let mut moved = T::ZERO;
        for channel in 0..DIM {
            moved = moved.max(self.level.moved(channel));
        }
        Verdict {
            score: sum(self.smoothing.parts()),
            threshold: self.threshold,
            alarm: unusual || stuck.is_some(),
            phase: self.phase,
            state,
            stuck,
            moved,
            contribution: *self.contribution(),
        }
    }

    /// Starts the next phase if this phase is complete.
    #[inline(never)]
    fn advance(&mut self) {
        match self.phase {
            Phase::Standstill if self.settling.is_done() => self.begin(),
            // `begin` empties `settling`. A forged image can have another `need`, so `is_done` is not used here.
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

#[cfg(test)]
mod tests;
