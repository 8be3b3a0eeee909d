//! The gate: decides which samples the monitor learns from while it watches, and how fast.
//! In: the scores and the deviations of the samples. Out: a [`Lesson`] for each sample.
//! Method: with `WhileNormal`, level and learner learn nothing while the score is above a limit h, or while the
//! machine hardly moves. h is the default threshold, so that a lower alarm threshold does not reduce learning; without a
//! calibration, h is the fixed threshold. Equations: `guide::mathematics`, "The monitor", **Gate**.
//! Cost: five arithmetic operations per channel. Kept: DIM + 4 numbers and a count.

use super::level::MOST_SPREADS;
use crate::codec::{stored, validate};
use crate::{CodecError, Scalar};

/// The movement is averaged over about this number of samples.
const MOVEMENT_MEMORY: f64 = 64.0;

/// A movement below this number of squared spreads is silence: if the default learner learned it, its variances would
/// fall towards zero.
const SILENCE: f64 = 1e-4;

/// How the monitor learns from a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lesson<T> {
    /// The speed of the level, from 0 (the level does not move) to 1 (full speed).
    pub(super) pace: T,
    /// The limit of a deviation that moves the level, in spreads; a larger deviation counts as this number.
    pub(super) reach: T,
    pub(super) treatment: Treatment,
}

/// Whether a learner may learn from a sample, or is only shown the sample (`Learner::pass`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    Learn,
    Pass,
}

impl<T: Scalar> Lesson<T> {
    pub(super) const NONE: Self = Self {
        pace: T::ZERO,
        reach: T::ZERO,
        treatment: Treatment::Pass,
    };

    pub(super) const ALL: Self = Self {
        pace: T::ONE,
        reach: T::TWO,
        treatment: Treatment::Learn,
    };
}

/// The limits of the score, and the movement: the mean squared distance of the last samples from their mean.
#[derive(Clone, Debug)]
pub(super) struct Gate<T, const DIM: usize> {
    /// The usual score, [`Health::usual_score`](super::Health::usual_score).
    usual: T,
    /// The default threshold h of the last calibration, or else the fixed threshold; `MAX` until the monitor first watches.
    limit: T,
    /// The mean deviation of each channel over the last samples.
    middle: [T; DIM],
    /// The mean squared distance of the last samples from `middle`.
    movement: T,
    /// The mean of `movement` over the calibration; zero without a calibration.
    calibrated: T,
    /// The number of samples in `calibrated`.
    counted: u32,
}

impl<T: Scalar, const DIM: usize> Gate<T, DIM> {
    pub(super) const fn new() -> Self {
        Self {
            usual: T::ZERO,
            limit: T::MAX,
            middle: [T::ZERO; DIM],
            movement: T::ZERO,
            calibrated: T::ZERO,
            counted: 0,
        }
    }

    /// Forgets the movement of the last calibration.
    pub(super) fn begin(&mut self) {
        self.calibrated = T::ZERO;
        self.counted = 0;
    }

    pub(super) fn feel(&mut self, deviations: &[T; DIM]) {
        let step = T::from_f64(1.0 / MOVEMENT_MEMORY);
        let mut square = T::ZERO;
        for (middle, &deviation) in self.middle.iter_mut().zip(deviations) {
            let offset = deviation - *middle;
            *middle += step * offset;
            square += offset * offset;
        }
        self.movement += step * (square - self.movement);
    }

    /// Adds the current movement to the mean over the calibration.
    pub(super) fn calibrate(&mut self) {
        self.counted = self.counted.saturating_add(1);
        self.calibrated += (self.movement - self.calibrated) / T::from_usize(self.counted as usize);
    }

    /// Stores the usual score and the limit h.
    pub(super) fn settle(&mut self, usual: T, limit: T) {
        (self.usual, self.limit) = (usual, limit);
    }

    pub(super) const fn usual(&self) -> T {
        self.usual
    }

    /// The lesson with `Learning::Always`: the level follows at full speed; the learner learns, except in silence.
    pub(super) fn whole_lesson(&self) -> Lesson<T> {
        Lesson {
            reach: T::MAX,
            treatment: if self.is_silent() {
                Treatment::Pass
            } else {
                Treatment::Learn
            },
            ..Lesson::ALL
        }
    }

    fn is_silent(&self) -> bool {
        self.movement < T::from_f64(SILENCE)
    }

    /// The lesson with `Learning::WhileNormal`, from the smoothed `score` and from `loudness`, the score without smoothing.
    pub(super) fn lesson(&self, score: T, loudness: T) -> Lesson<T> {
        let still = if self.calibrated > T::ZERO {
            self.movement < self.calibrated * T::from_f64(0.5)
        } else {
            self.is_silent()
        };
        if still || score > self.limit {
            return Lesson::NONE;
        }
        // A fixed threshold can be below the usual score.
        let usual = self.usual.min(self.limit);
        let middle = usual + T::HALF * (self.limit - usual);
        let mut lesson = Lesson::ALL;
        if score > middle {
            lesson.pace = T::from_f64(0.25);
        }
        if loudness > T::from_f64(3.0) * self.limit {
            lesson.treatment = Treatment::Pass;
        }
        lesson
    }

    fn validate(&self) -> Result<(), CodecError> {
        validate::slice_within(T::from_f64(MOST_SPREADS), &self.middle)?;
        validate::not_negative(&[self.usual, self.limit, self.movement, self.calibrated])
    }
}

stored!([T: Scalar, const DIM: usize] Gate<T, DIM> { usual, limit, middle, movement, calibrated, counted } if validate);

#[cfg(test)]
mod tests {
    use super::*;

    /// A gate with the usual score 1, the limit 3, and this movement; the movement of the calibration is 1.
    fn gate(movement: f32) -> Gate<f32, 1> {
        Gate {
            usual: 1.0,
            limit: 3.0,
            movement,
            calibrated: 1.0,
            ..Gate::new()
        }
    }

    #[test]
    fn a_score_at_a_limit_is_not_above_it() {
        let pace = |score| gate(1.0).lesson(score, 0.0).pace;
        assert_eq!([1.5, 2.0, 2.01, 3.0, 3.01].map(pace), [1.0, 1.0, 0.25, 0.25, 0.0]);
        let treatment = |loudness| gate(1.0).lesson(1.0, loudness).treatment;
        assert_eq!([9.0, 9.01].map(treatment), [Treatment::Learn, Treatment::Pass]);
    }

    #[test]
    fn nothing_is_learned_below_half_of_the_movement_of_the_calibration() {
        let lessons = [0.5, 0.49].map(|movement| gate(movement).lesson(1.0, 1.0));
        assert_eq!(lessons, [Lesson::ALL, Lesson::NONE]);
    }

    #[test]
    fn the_movement_is_the_mean_square_about_the_mean_before_the_sample() {
        let mut gate = Gate::<f64, 2>::new();
        gate.feel(&[8.0, -16.0]);
        // With steps of 1/64 the movement becomes (8² + 16²)/64 = 5.
        assert_eq!((gate.middle, gate.movement), ([0.125, -0.25], 5.0));
        gate.feel(&[0.125, -0.25]);
        assert_eq!(gate.movement, 5.0 - 5.0 / 64.0);
    }

    #[test]
    fn a_new_calibration_forgets_the_movement_of_the_last_one() {
        let mut gate = gate(1.0);
        gate.begin();
        for movement in [2.0, 4.0] {
            gate.movement = movement;
            gate.calibrate();
        }
        assert_eq!(gate.calibrated, 3.0);
        gate.begin();
        gate.movement = 7.0;
        gate.calibrate();
        assert_eq!(gate.calibrated, 7.0);
    }

    #[test]
    fn a_movement_below_zero_is_refused() {
        assert_eq!(gate(0.0).validate(), Ok(()));
        assert_eq!(gate(-1.0).validate(), Err(CodecError::Range));
        let calibrated = Gate {
            calibrated: -1.0,
            ..gate(1.0)
        };
        assert_eq!(calibrated.validate(), Err(CodecError::Range));
    }
}
