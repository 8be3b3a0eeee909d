//! The gate: which samples the monitor learns from while it watches, and how fast.
//! In: scores, and how much the channels move. Out: a [`Lesson`] for each sample.
//! Method: u is the median of the calibration scores, h the default threshold for them, whatever threshold the alarm has: who asks
//! for many alarms does not want to learn less. The level follows at full speed while the smoothed score
//! is at most u + (h − u)/2, at a quarter of it up to 2·h, and not beyond; the learner learns while the smoothed score is at most h
//! and the sample by itself at most 3·h. Both stop while the samples move less than half as much as in calibration, measured by
//! their squared distance from their own mean over 64 samples: silence teaches nothing and erases nothing.
//! Cost: five instructions a channel. Kept: DIM + 4 numbers and a count.

use super::level::MOST_SPREADS;
use crate::codec::{stored, validate};
use crate::{CodecError, Scalar};

/// Samples over which the movement is averaged.
const MOVEMENT_MEMORY: f64 = 64.0;

/// The part of the monitor that learns from a sample, and how fast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lesson<T> {
    /// How fast the level follows; zero stands still.
    pub(super) pace: T,
    /// The most spreads that count for a deviation of the level.
    pub(super) reach: T,
    /// Whether the learner learns the sample.
    pub(super) treatment: Treatment,
}

/// How a learner treats a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    Learn,
    Pass,
}

impl<T: Scalar> Lesson<T> {
    /// Nothing is learned.
    pub(super) const NONE: Self = Self {
        pace: T::ZERO,
        reach: T::ZERO,
        treatment: Treatment::Pass,
    };

    /// Everything is learned; deviations of the level count up to two spreads.
    pub(super) const ALL: Self = Self {
        pace: T::ONE,
        reach: T::TWO,
        treatment: Treatment::Learn,
    };
}

/// How samples usually score, and how much they move.
#[derive(Clone, Debug)]
pub(super) struct Gate<T, const DIM: usize> {
    /// The median score of calibration, u, and the default threshold for it, h.
    usual: T,
    limit: T,
    /// The mean of the last samples, channel by channel,
    middle: [T; DIM],
    /// how far they were from it, squared, and that of calibration.
    movement: T,
    calibrated: T,
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

    /// Forgets what calibration had.
    pub(super) fn begin(&mut self) {
        self.calibrated = T::ZERO;
        self.counted = 0;
    }

    /// Takes in a sample.
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

    /// Counts the last sample to the calibration.
    pub(super) fn calibrate(&mut self) {
        self.counted = self.counted.saturating_add(1);
        self.calibrated += (self.movement - self.calibrated) / T::from_usize(self.counted as usize);
    }

    /// Calibration is over: these are u and h.
    pub(super) fn settle(&mut self, usual: T, limit: T) {
        (self.usual, self.limit) = (usual, limit);
    }

    pub(super) const fn usual(&self) -> T {
        self.usual
    }

    /// The lesson of a sample. Its score by itself is `loudness`; averaged with the samples before it the score is `score`.
    pub(super) fn lesson(&self, score: T, loudness: T) -> Lesson<T> {
        if self.movement < self.calibrated * T::from_f64(0.5) {
            return Lesson::NONE;
        }
        let middle = self.usual + T::HALF * (self.limit - self.usual);
        let mut lesson = Lesson::ALL;
        if score > middle {
            let slow = score <= T::TWO * self.limit;
            lesson.pace = if slow { T::from_f64(0.25) } else { T::ZERO };
        }
        if score > self.limit || loudness > T::from_f64(3.0) * self.limit {
            lesson.treatment = Treatment::Pass;
        }
        lesson
    }
}

stored!([T: Scalar, const DIM: usize] Gate<T, DIM> { usual, limit, middle, movement, calibrated, counted } if validate);

impl<T: Scalar, const DIM: usize> Gate<T, DIM> {
    fn validate(&self) -> Result<(), CodecError> {
        validate::within(T::from_f64(MOST_SPREADS), &self.middle)?;
        validate::not_negative(&[self.usual, self.limit, self.movement, self.calibrated])
    }
}
