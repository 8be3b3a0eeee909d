//! Scales every channel to mean zero and spread one, learned from the stream.
//! In: samples in any unit. Out: the deviation of each channel from its mean, in spreads, within ±limit.
//! Method: Welford's update, with the value x, mean m, variance s², forgetting factor f and weight t: t ← f·t + 1, δ =
//! x − m, m ← m + δ/t, s² ← s² + ((1 − 1/t)·δ² − s²)/t.
//! Cost: a few dozen instructions per channel to learn, as many to standardise. Kept: 3·DIM + 4 numbers and a count.

use super::observe::check;
use crate::codec::{stored, validate};
use crate::learner::default_is_constant;
use crate::scalar::constant::of_number;
use crate::scalar::sum::CompensatedVector;
use crate::{CodecError, Forgetting, MergeError, SampleError, Scalar, SettingsError};

/// The settings of a [`Standardizer`].
///
/// ```
/// use eigenstream::monitor::StandardizerSettings;
/// // The channels count in steps of 1. With a smallest spread of half a step, the first change of a constant channel by one step
/// // is a deviation of 2. With the default settings this deviation is the limit, 100, if the channel is below 20,000.
/// let settings = StandardizerSettings::<f32>::DEFAULT.with_smallest_spread(0.5)?;
/// assert_ne!(settings, StandardizerSettings::DEFAULT);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct StandardizerSettings<T> {
    forgetting: Forgetting<T>,
    smallest_spread: T,
    /// Zero stands for the default, because a constant of a generic type `T` cannot be 100.
    limit: T,
}

/// The default limit of a deviation. A larger deviation gives no more information, and a sensor at the end of its range must not
/// hide the others.
const DEFAULT_LIMIT: f64 = 100.0;

impl<T: Scalar> StandardizerSettings<T> {
    /// Nothing is forgotten, the smallest spread is zero, and deviations are limited to ±100 spreads.
    pub const DEFAULT: Self = Self {
        forgetting: Forgetting::NONE,
        smallest_spread: T::ZERO,
        limit: T::ZERO,
    };

    /// Lets mean and spread follow the stream, by forgetting old samples.
    #[must_use]
    pub const fn with_forgetting(mut self, forgetting: Forgetting<T>) -> Self {
        self.forgetting = forgetting;
        self
    }

    /// Sets the smallest spread of all channels, in their unit, for example one step of the converter.
    ///
    /// # Errors
    /// [`SettingsError::Spread`] if `spread` is negative or not finite.
    pub const fn with_smallest_spread(mut self, spread: T) -> Result<Self, SettingsError> {
        if of_number!(spread => spread >= 0.0 && spread.is_finite()) {
            self.smallest_spread = spread;
            Ok(self)
        } else {
            Err(SettingsError::Spread)
        }
    }

    /// Limits deviations to ±`limit` spreads.
    ///
    /// # Errors
    /// [`SettingsError::Limit`] unless 1 ≤ limit ≤ 10⁶.
    pub const fn with_limit(mut self, limit: T) -> Result<Self, SettingsError> {
        if of_number!(limit => limit >= 1.0 && limit <= 1e6) {
            self.limit = limit;
            Ok(self)
        } else {
            Err(SettingsError::Limit)
        }
    }

    fn limit(&self) -> T {
        if self.limit > T::ZERO {
            self.limit
        } else {
            T::from_f64(DEFAULT_LIMIT)
        }
    }

    fn validate(&self) -> Result<(), CodecError> {
        self.with_smallest_spread(self.smallest_spread)?;
        self.with_limit(self.limit())?;
        validate::not_negative(&[self.limit])
    }
}

default_is_constant!(StandardizerSettings);

stored!([T: Scalar] StandardizerSettings<T> { forgetting, smallest_spread, limit } if validate);

/// Running mean and spread of each channel.
///
/// In `f32` a spread below about 10⁻²² underflows, and the channel counts as constant;
/// [`SensorMonitor`](super::SensorMonitor) does not have this limit.
///
/// ```
/// use eigenstream::monitor::{Standardizer, StandardizerSettings};
///
/// let mut standardizer = Standardizer::<f32, 2>::new(StandardizerSettings::DEFAULT);
/// for i in 0..100 {
///     // One channel alternates between 255 and 257, the other is constant at 7.
///     let swing = if i % 2 == 0 { 1.0 } else { -1.0 };
///     standardizer.learn(&[256.0 + swing, 7.0])?;
/// }
/// let [swinging, stuck] = standardizer.standardize(&[258.0, 7.0])?;
/// assert!((swinging - 2.0).abs() < 0.02 && stuck == 0.0);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Standardizer<T, const DIM: usize> {
    settings: StandardizerSettings<T>,
    mean: CompensatedVector<T, DIM>,
    variance: [T; DIM],
    /// The sum t of the weights of the samples. Without forgetting it is the number of samples, up to 2²¹ in `f32` (2⁵⁰ in
    /// `f64`); a merge can make it larger.
    weight: T,
    samples_seen: u32,
}

impl<T: Scalar, const DIM: usize> Standardizer<T, DIM> {
    /// Starts without samples.
    #[must_use]
    pub const fn new(settings: StandardizerSettings<T>) -> Self {
        Self {
            settings,
            mean: CompensatedVector::ZERO,
            variance: [T::ZERO; DIM],
            weight: T::ZERO,
            samples_seen: 0,
        }
    }

    /// Learns from a sample.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn learn(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        check(sample)?;
        self.update(sample);
        Ok(())
    }

    /// Learns from a sample that was checked before.
    pub(super) fn update(&mut self, sample: &[T; DIM]) {
        self.settings.forgetting.count(&mut self.weight);
        let step = T::ONE / self.weight;
        let deviations = self.mean.before(sample);
        self.mean.add(deviations.iter().map(|&deviation| step * deviation));
        for (variance, deviation) in self.variance.iter_mut().zip(deviations) {
            // Near the largest number, rounding can make the square infinite.
            let square = ((T::ONE - step) * deviation * deviation).min(T::MAX);
            *variance += step * (square - *variance);
        }
        self.samples_seen = self.samples_seen.saturating_add(1);
    }

    /// The deviation of each channel from its mean, in spreads, limited to ±limit; learns nothing.
    ///
    /// A channel that never varied has the smallest spread of the settings, but at least 4ε·|mean|, with the machine epsilon ε.
    /// With the default settings any change by more than 400ε·|mean| gives ±limit. Before the second sample no channel has varied.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn standardize(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        check(sample)?;
        Ok(self.deviations(sample))
    }

    /// Standardises a sample that was checked before.
    pub(super) fn deviations(&self, sample: &[T; DIM]) -> [T; DIM] {
        let limit = self.settings.limit();
        let mut deviations = self.mean.before(sample);
        let channels = self.mean.values().iter().zip(&self.variance);
        for (value, (&mean, &variance)) in deviations.iter_mut().zip(channels) {
            let deviation = *value;
            let spread = self.spread_of(mean, variance);
            // Compares before the division, because the quotient could overflow.
            *value = if deviation > limit * spread {
                limit
            } else if deviation < -(limit * spread) {
                -limit
            } else if spread > T::ZERO {
                deviation / spread
            } else {
                T::ZERO
            };
        }
        deviations
    }

    /// Adds the samples that another standardizer has learned; up to rounding, the order of merges does not matter.
    ///
    /// With weight a, mean m_a and variance s_a² of this standardizer, b, m_b and s_b² of the other, and δ = m_b − m_a:
    /// m ← m_a + b/(a + b)·δ, s² ← (a·s_a² + b·s_b²)/(a + b) + ab/(a + b)²·δ². Above 2²¹ samples together (`f64`: 2⁵⁰)
    /// the result differs from one standardizer that learned all samples.
    ///
    /// # Errors
    /// [`MergeError::Settings`] if the settings differ, [`MergeError::Forgetting`] if the settings forget,
    /// [`MergeError::Overflow`] if the weight or a variance would be infinite. Then nothing is changed.
    ///
    /// ```
    /// use eigenstream::monitor::{Standardizer, StandardizerSettings};
    /// let mut standardizer = Standardizer::<f32, 1>::new(StandardizerSettings::DEFAULT);
    /// let mut other = standardizer.clone();
    /// standardizer.learn(&[1.0])?;
    /// other.learn(&[5.0])?;
    /// standardizer.merge(&other)?;
    /// assert_eq!((standardizer.mean(), standardizer.spread()), (&[3.0], [2.0]));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        if self.settings != other.settings {
            return Err(MergeError::Settings);
        }
        if self.settings.forgetting.forgets() {
            return Err(MergeError::Forgetting);
        }
        let weight = self.weight + other.weight;
        if weight > T::ZERO {
            let (own, their) = (self.weight / weight, other.weight / weight);
            let mut merged = self.clone();
            let differences = other.mean.minus(&self.mean);
            merged
                .mean
                .add(differences.iter().map(|&difference| their * difference));
            let variances = merged.variance.iter_mut().zip(&other.variance);
            for ((variance, &other), difference) in variances.zip(differences) {
                let between = own * difference * (their * difference);
                *variance = (*variance + their * (other - *variance)) + between;
            }
            if !(weight.is_finite() && merged.variance.iter().all(|variance| variance.is_finite())) {
                return Err(MergeError::Overflow);
            }
            if own == T::ZERO {
                // A new standardizer takes the other mean bit for bit.
                merged.mean = other.mean;
            }
            merged.weight = weight;
            merged.samples_seen = self.samples_seen.saturating_add(other.samples_seen);
            *self = merged;
        }
        Ok(())
    }

    /// The mean of each channel.
    #[must_use]
    pub const fn mean(&self) -> &[T; DIM] {
        self.mean.values()
    }

    /// The spread of each channel: its standard deviation, but not below the smallest values that
    /// [`standardize`](Self::standardize) names.
    #[must_use]
    pub fn spread(&self) -> [T; DIM] {
        let mut spread = self.variance;
        for (spread, &mean) in spread.iter_mut().zip(self.mean.values()) {
            *spread = self.spread_of(mean, *spread);
        }
        spread
    }

    /// The number of samples learned.
    #[must_use]
    pub const fn samples_seen(&self) -> u32 {
        self.samples_seen
    }

    /// Forgets everything but the settings.
    pub fn reset(&mut self) {
        *self = Self::new(self.settings);
    }

    /// The standard deviation, but at least the smallest spread and 4ε·|mean|, about the rounding error of a constant channel.
    fn spread_of(&self, mean: T, variance: T) -> T {
        let rounding = T::from_f64(4.0) * T::EPSILON * mean.abs();
        variance.sqrt().max(self.settings.smallest_spread).max(rounding)
    }

    fn validate(&self) -> Result<(), CodecError> {
        validate::not_negative(&self.variance)?;
        validate::not_negative(&[self.weight])
    }
}

stored!(
    [T: Scalar, const DIM: usize]
    Standardizer<T, DIM>: Standardizer [DIM] of T { settings, mean, variance, weight, samples_seen }
    if validate
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_overflows_when_doubled_does_not_hide_a_later_channel() {
        let refused = [
            ([f32::MAX, f32::NAN], SampleError::NotANumber { channel: 1 }),
            ([0.6 * f32::MAX, -f32::MAX], SampleError::TooLarge { channel: 1 }),
            ([f32::MAX, 1.0], SampleError::TooLarge { channel: 0 }),
        ];
        for (sample, reason) in refused {
            assert_eq!(check(&sample), Err(reason));
        }
    }

    #[test]
    fn a_merge_counts_the_rounding_errors_of_both_means() -> Result<(), MergeError> {
        let mut left = Standardizer::<f32, 1>::new(StandardizerSettings::DEFAULT);
        (left.mean, left.weight, left.samples_seen) = (CompensatedVector::of([1e8]), 10.0, 10);
        let mut right = left.clone();
        right.mean.rounding = [2.0];
        left.merge(&right)?;
        // Numbers near 10⁸ have a spacing of 8.
        assert_eq!(
            (left.mean(), left.mean.rounding, left.samples_seen),
            (&[1e8], [1.0], 20)
        );
        // A new standardizer takes the mean bit for bit.
        let mut fresh = Standardizer::new(StandardizerSettings::DEFAULT);
        fresh.merge(&left)?;
        assert_eq!(
            (fresh.mean(), fresh.mean.rounding, fresh.samples_seen),
            (&[1e8], [1.0], 20)
        );
        Ok(())
    }

    #[test]
    fn the_count_of_samples_stops_at_its_largest_number() {
        let mut standardizer = Standardizer::<f32, 1>::new(StandardizerSettings::DEFAULT);
        standardizer.samples_seen = u32::MAX;
        assert_eq!(standardizer.learn(&[1.0]), Ok(()));
        assert_eq!(standardizer.samples_seen(), u32::MAX);
    }

    #[test]
    fn an_impossible_state_of_a_standardizer_is_refused() {
        let right = Standardizer::<f32, 1>::new(StandardizerSettings::DEFAULT);
        assert_eq!(right.validate(), Ok(()));
        let wrong = [
            Standardizer {
                weight: -1.0,
                ..right.clone()
            },
            Standardizer {
                variance: [-1.0],
                ..right
            },
        ];
        for wrong in wrong {
            assert_eq!(wrong.validate(), Err(CodecError::Range), "{wrong:?}");
        }
    }
}
