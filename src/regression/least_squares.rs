//! Recursive least squares with forgetting and error bars: the linear online case of kernel ridge regression [C15].
//! In: in every trial the features of a sample and the measured value. Out: the expected value and its standard
//! deviation.
//! Method: `guide::mathematics`, "The recursion". Each trial rotates one centred row into U.
//! Cost: per sample one row of `triangle` and FEATURES + 2 divisions; with forgetting, and in `f32` from 2²¹ samples
//! on, two rows. A prediction: about FEATURES²/2 multiply-adds and FEATURES + 4 divisions. Kept:
//! FEATURES² + 3·FEATURES + 7 numbers, an index and a flag.

use super::LeastSquaresSettings;
use super::triangle::Triangle;
use crate::codec::{stored, validate};
use crate::learner::{Progress, energy_of, refusal};
use crate::scalar::sum::{CompensatedSum, CompensatedVector};
use crate::spectrum::vector::{dot, scale};
use crate::{CodecError, SampleError, Scalar};

/// A predicted value and the standard deviation of its error.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Prediction<T> {
    /// The expected value.
    pub value: T,
    /// The standard deviation of the measured value about [`value`](Self::value), from noise and from the uncertainty of the
    /// relation.
    ///
    /// `None` unless there are more samples than FEATURES + 1; with forgetting, they are counted as in
    /// [`noise`](RecursiveLeastSquares::noise).
    pub deviation: Option<T>,
}

/// Predicts a value from `FEATURES` numbers.
///
/// ```
/// use eigenstream::regression::{LeastSquaresSettings, RecursiveLeastSquares};
///
/// let mut sensor = RecursiveLeastSquares::<f32, 2>::new(LeastSquaresSettings::DEFAULT);
/// for i in 0..200 {
///     let features = [(i % 7) as f32, (i % 11) as f32];
///     let noise = 0.1 * ((i % 5) as f32 - 2.0);
///     sensor.learn(&features, 3.0 + 2.0 * features[0] - features[1] + noise)?;
/// }
/// let prediction = sensor.predict(&[1.0, 4.0])?;
/// assert!((prediction.value - 1.0).abs() < 0.05);
/// // The noise has a standard deviation of 0.14.
/// assert!(prediction.deviation.is_some_and(|deviation| (0.13..0.16).contains(&deviation)));
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
///
/// `FEATURES` = 0 does not compile:
/// ```compile_fail,E0080
/// use eigenstream::regression::{LeastSquaresSettings, RecursiveLeastSquares};
/// let sensor = RecursiveLeastSquares::<f32, 0>::new(LeastSquaresSettings::DEFAULT);
/// ```
#[derive(Clone, Debug)]
pub struct RecursiveLeastSquares<T, const FEATURES: usize> {
    settings: LeastSquaresSettings<T>,
    progress: Progress,
    triangle: Triangle<T, FEATURES>,
    /// The weighted mean of the features.
    center: CompensatedVector<T, FEATURES>,
    /// The weighted mean of the values.
    mean: CompensatedSum<T>,
    /// The sum W of the weights of the samples.
    weight: T,
    /// The sum W₂ of the squares of these weights.
    squared_weight: T,
    /// The feature whose ridge `fade` restores next.
    axis: usize,
}

impl<T: Scalar, const FEATURES: usize> RecursiveLeastSquares<T, FEATURES> {
    /// Creates a learner without samples: every predicted value is zero.
    #[must_use]
    pub const fn new(settings: LeastSquaresSettings<T>) -> Self {
        const { assert!(FEATURES > 0, "a prediction needs at least one feature") };
        Self {
            settings,
            progress: Progress::Fresh,
            triangle: Triangle::new(),
            center: CompensatedVector::ZERO,
            mean: CompensatedSum::ZERO,
            weight: T::ZERO,
            squared_weight: T::ZERO,
            axis: 0,
        }
    }

    /// Predicts the value for these features, with its error bar; learns nothing.
    ///
    /// # Errors
    /// [`SampleError`] if a feature is not finite, or if the sum of their squares, the value or a term of its error bar
    /// overflows.
    pub fn predict(&self, features: &[T; FEATURES]) -> Result<Prediction<T>, SampleError> {
        energy_of(features)?;
        let coordinates = self.triangle.coordinates(&self.center.before(features));
        let value = self.mean.sum + (self.mean.rounding + self.triangle.value_at(&coordinates));
        let leverage = dot(&coordinates, &coordinates);
        if !(value.is_finite() && leverage.is_finite()) {
            return Err(refusal(features));
        }
        let deviation = self.noise().map(|noise| {
            let share = self.squared_weight / self.weight;
            let spread = T::ONE + share * (T::ONE / self.weight + leverage);
            (noise * spread.sqrt()).min(T::MAX)
        });
        Ok(Prediction { value, deviation })
    }

    /// One trial: predicts, then learns the value that was measured.
    ///
    /// # Errors
    /// Those of [`predict`](Self::predict) and [`learn`](Self::learn). Nothing is learned then.
    ///
    /// ```
    /// use eigenstream::regression::{LeastSquaresSettings, RecursiveLeastSquares};
    /// let mut sensor = RecursiveLeastSquares::<f32, 1>::new(LeastSquaresSettings::DEFAULT);
    /// assert_eq!(sensor.step(&[1.0], 5.0)?.value, 0.0);
    /// assert_eq!(sensor.step(&[1.0], 5.0)?.value, 5.0);
    /// assert!(sensor.step(&[f32::NAN], 5.0).is_err());
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn step(&mut self, features: &[T; FEATURES], value: T) -> Result<Prediction<T>, SampleError> {
        let prediction = self.predict(features)?;
        self.learn(features, value)?;
        Ok(prediction)
    }

    /// Learns the value that was measured with these features.
    ///
    /// # Errors
    /// [`SampleError`] if a number is not finite, or if the sum of the squared features or the square of the value overflows. In
    /// the error, channel `FEATURES` means the value. Nothing is learned then.
    pub fn learn(&mut self, features: &[T; FEATURES], value: T) -> Result<(), SampleError> {
        energy_of(features)?;
        energy_of(&[value]).map_err(|error| match error {
            SampleError::NotANumber { .. } => SampleError::NotANumber { channel: FEATURES },
            SampleError::TooLarge { .. } => SampleError::TooLarge { channel: FEATURES },
        })?;
        if self.progress == Progress::Fresh {
            self.progress = Progress::Learned;
            for index in 0..FEATURES {
                self.triangle.add_axis(index, self.settings.ridge.sqrt());
            }
        }
        let before = self.weight;
        let retention = self.settings.forgetting.count(&mut self.weight);
        self.squared_weight = retention * retention * self.squared_weight + T::ONE;
        if retention < T::ONE {
            self.fade(retention);
        }
        let share = (retention * before / self.weight).sqrt();
        let mut row = self.center.before(features);
        self.center.add(row.iter().map(|&entry| entry / self.weight));
        scale(&mut row, share);
        let difference = self.mean.before(value);
        self.mean.add(difference / self.weight);
        self.triangle.add(row, share * difference);
        Ok(())
    }

    /// The regression weights w: how much the value changes with each feature.
    #[must_use]
    pub fn weights(&self) -> [T; FEATURES] {
        self.triangle.weights()
    }

    /// The standard deviation of the value about its best prediction; `None` unless there are more than `FEATURES` + 1 samples.
    ///
    /// With forgetting, W²/W₂ counts as the number of samples. With a short memory this number can stay too small for ever.
    #[must_use]
    pub fn noise(&self) -> Option<T> {
        let used = T::from_usize(FEATURES + 1) * (self.squared_weight / self.weight);
        let freedom = self.weight - used;
        // Without samples `freedom` is NaN; with few samples it is negative or rounding error.
        if freedom > T::from_usize(FEATURES + 1) * T::EPSILON.sqrt() {
            Some((self.triangle.error() / freedom.sqrt()).min(T::MAX))
        } else {
            None
        }
    }

    /// W, the sum of the weights of the samples: at most about 2²¹ in `f32` and 2⁵⁰ in `f64`.
    ///
    /// Without forgetting it is the number of samples, with forgetting at most the memory 1/(1 − f).
    #[must_use]
    pub const fn weight(&self) -> T {
        self.weight
    }

    /// Forgets everything but the settings.
    pub fn reset(&mut self) {
        *self = Self::new(self.settings);
    }

    /// Reduces the weight of past samples, and restores for one feature about the part of the ridge that this feature
    /// loses in `FEATURES` samples.
    fn fade(&mut self, retention: T) {
        self.triangle.fade(retention.sqrt());
        let renewed = T::from_usize(FEATURES) * (T::ONE - retention) * self.settings.ridge;
        self.triangle.add_axis(self.axis, renewed.min(T::MAX).sqrt());
        // `axis` is below `FEATURES`.
        let next = self.axis + 1;
        self.axis = if next < FEATURES { next } else { 0 };
    }

    fn validate(&self) -> Result<(), CodecError> {
        // Means of numbers with finite squares are within ±√MAX. The factor 2 allows for rounding.
        let limit = T::TWO * T::MAX.sqrt();
        validate::slice_within(limit, &[self.mean.sum, self.mean.rounding])?;
        validate::not_negative(&[self.weight, self.squared_weight])?;
        // No weight is above one, so W₂ ≤ W; the factor 2 allows for rounding. Both are at least 1 after one sample.
        validate::accept(self.squared_weight <= T::TWO * self.weight, CodecError::Range)?;
        let begun = self.weight >= T::HALF;
        validate::accept(begun == (self.progress == Progress::Learned), CodecError::Range)?;
        validate::accept(self.axis < FEATURES, CodecError::Count)
    }
}

stored!(
    [T: Scalar, const FEATURES: usize]
    RecursiveLeastSquares<T, FEATURES>: LeastSquares [FEATURES] of T
    { settings, progress, triangle, center, mean, weight, squared_weight, axis }
    if validate
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Forgetting;

    #[test]
    fn weights_are_finite_with_a_subnormal_ridge() {
        let settings = LeastSquaresSettings::new(1e-42_f32);
        let mut learner = RecursiveLeastSquares::<f32, 2>::new(settings.unwrap_or_default());
        assert_eq!(learner.learn(&[0.0, 0.0], 0.0), Ok(()));
        assert_eq!(learner.learn(&[0.0, 1e-20], 1e19), Ok(()));
        assert!(learner.weights().iter().all(|weight| weight.is_finite()));
    }

    #[test]
    fn a_line_through_three_points_is_the_textbook_line() {
        // The points (0, 1), (1, 2), (2, 6) have slope 5/2, mean value 3 at x = 1, errors ½, −1, ½ and σ² = 1.5/(3 − 2).
        let settings = LeastSquaresSettings::new(1e-12_f64).unwrap_or_default();
        let mut line = RecursiveLeastSquares::<f64, 1>::new(settings);
        for (x, y) in [(0.0, 1.0), (1.0, 2.0), (2.0, 6.0)] {
            assert_eq!(line.learn(&[x], y), Ok(()));
        }
        assert!((line.weights()[0] - 2.5).abs() < 1e-11);
        assert!(line.noise().is_some_and(|noise| (noise * noise - 1.5).abs() < 1e-11));
        let Ok(prediction) = line.predict(&[3.0]) else {
            unreachable!()
        };
        assert!((prediction.value - 8.0).abs() < 1e-11);
        // σ²·(1 + 1/3 + (x − x̄)²/Σ(xᵢ − x̄)²) = 1.5·(1 + 1/3 + 2²/2) = 5.
        assert!(
            prediction
                .deviation
                .is_some_and(|deviation| (deviation * deviation - 5.0).abs() < 1e-10)
        );
    }

    #[test]
    fn there_is_no_error_bar_until_there_are_more_samples_than_weights() {
        let mut sensor = RecursiveLeastSquares::<f32, 2>::new(LeastSquaresSettings::DEFAULT);
        for (time, sample) in [[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, -1.0]]
            .into_iter()
            .enumerate()
        {
            let prediction = sensor.step(&sample, 1.0 + sample[0]);
            assert!(prediction.is_ok_and(|it| it.deviation.is_none()), "{time}");
        }
        assert!(sensor.predict(&[0.0, 0.0]).is_ok_and(|it| it.deviation.is_some()));
        // With a memory of one and a half samples W²/W₂ never exceeds 2, and an error bar needs more than FEATURES + 1 = 3.
        let forgetting = Forgetting::memory(1.5_f32).unwrap_or(Forgetting::NONE);
        let mut short = RecursiveLeastSquares::<f32, 2>::new(LeastSquaresSettings::DEFAULT.with_forgetting(forgetting));
        for time in 0..100_u8 {
            assert_eq!(short.learn(&[f32::from(time), 1.0], 2.0), Ok(()));
        }
        assert_eq!(short.noise(), None);
    }

    #[test]
    fn a_refused_sample_changes_nothing() {
        let mut sensor = RecursiveLeastSquares::<f32, 1>::new(LeastSquaresSettings::DEFAULT);
        assert_eq!(sensor.learn(&[1.0], 2.0), Ok(()));
        let before = sensor.clone();
        let (feature, value) = (
            SampleError::NotANumber { channel: 0 },
            SampleError::NotANumber { channel: 1 },
        );
        assert_eq!(sensor.learn(&[f32::NAN], 0.0), Err(feature));
        assert_eq!(sensor.learn(&[0.0], f32::INFINITY), Err(value));
        assert_eq!(sensor.learn(&[0.0], 1e30), Err(SampleError::TooLarge { channel: 1 }));
        assert_eq!(sensor.step(&[1e30], 1.0), Err(SampleError::TooLarge { channel: 0 }));
        assert_eq!(
            (sensor.center, sensor.mean, sensor.weight),
            (before.center, before.mean, before.weight)
        );
        assert_eq!(sensor.weights(), before.weights());
    }
}
