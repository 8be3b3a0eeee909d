//! The learning rate of a Hebbian learner.
//! In: the energy of each sample, and the number of samples before it; APEX counts those of each component. Out: η =
//! rate × decay × scale. The decay is 1 or, for the t-th sample, 1/t; the scale is 1 or 1/energy. `stability` can
//! reduce η further.
//! Cost: four numbers; at most three divisions per sample.

use crate::codec::{stored, stored_choice};
use crate::learner::{checked_rate, default_is_constant};
use crate::scalar::constant::tried;
use crate::{CodecError, EnergyScale, Scalar, ScaleSettings, SettingsError};

/// The rule of the learning rate: constant or falling, and the energy by which the rate is divided.
///
/// ```
/// use eigenstream::hebbian::RateSettings;
/// let paper = RateSettings::constant(0.01_f32)?;
/// let settling = RateSettings::falling(10.0_f32)?;
/// assert_ne!(paper, settling);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct RateSettings<T> {
    rate: T,
    decay: Decay,
    scale: ScaleSettings<T>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum Decay {
    Constant,
    /// 1/t for sample number t, counted from 1; APEX counts for each component.
    Falling,
}

impl<T: Scalar> RateSettings<T> {
    /// The constant rate 1/32, divided by the mean energy so far; it fits raw data of any magnitude.
    pub const DEFAULT: Self = Self {
        rate: T::THIRTY_SECOND,
        decay: Decay::Constant,
        scale: ScaleSettings::DEFAULT,
    };

    /// A constant η = `rate`, not divided by an energy, as in \[K01\].
    ///
    /// With a larger η, components follow changes faster and fluctuate more; they never settle completely. A step that
    /// would be unstable with this rate uses a smaller one.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless η is positive and finite.
    pub const fn constant(rate: T) -> Result<Self, SettingsError> {
        Self::checked(rate, Decay::Constant, ScaleSettings::OFF)
    }

    /// `rate`/t for sample number t, counted from 1 (in APEX for each component); not divided by an energy.
    ///
    /// Components settle if the stream does not change, and hardly follow a late change. With a `rate` above 1/(2(λ₁ −
    /// λ₂)), for the two largest variances λ₁ > λ₂, the squared distance of the first component from its limit falls as
    /// 1/t; with a smaller `rate` it falls more slowly.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless `rate` is positive and finite.
    pub const fn falling(rate: T) -> Result<Self, SettingsError> {
        Self::checked(rate, Decay::Falling, ScaleSettings::OFF)
    }

    /// [`DEFAULT`](Self::DEFAULT) with another rate, usually below 1.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless the rate is positive and finite.
    pub const fn new(relative: T) -> Result<Self, SettingsError> {
        Self::checked(relative, Decay::Constant, ScaleSettings::DEFAULT)
    }

    /// Sets the number by which the rate is divided: a known bound of the energy, the mean energy so far, or 1.
    #[must_use]
    pub const fn with_scale(self, scale: ScaleSettings<T>) -> Self {
        Self { scale, ..self }
    }

    const fn checked(rate: T, decay: Decay, scale: ScaleSettings<T>) -> Result<Self, SettingsError> {
        Ok(Self {
            rate: tried!(checked_rate(rate)),
            decay,
            scale,
        })
    }
}

default_is_constant!(RateSettings);

/// The learning rate and the state that it depends on.
#[derive(Clone, Debug)]
pub(super) struct Pace<T> {
    rate: T,
    decay: Decay,
    scale: EnergyScale<T>,
}

impl<T: Scalar> Pace<T> {
    pub(super) const fn new(settings: RateSettings<T>) -> Self {
        Self {
            rate: settings.rate,
            decay: settings.decay,
            scale: EnergyScale::new(settings.scale),
        }
    }

    /// η for the next sample. `before` is the number of samples before this sample; APEX counts only those of the
    /// component.
    pub(super) fn next(&mut self, energy: T, before: u64) -> T {
        self.scale.observe(energy);
        let rate = self.rate * self.scale.factor();
        let rate = match self.decay {
            Decay::Constant => rate,
            // The count stops at 2³² − 1, so that chips and hosts compute equal rates.
            Decay::Falling => {
                rate / T::from_usize(u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1) as usize)
            }
        };
        rate.min(T::MAX)
    }

    pub(super) fn reset(&mut self) {
        self.scale.reset();
    }

    fn validate(&self) -> Result<(), CodecError> {
        RateSettings::constant(self.rate)?;
        Ok(())
    }
}

stored_choice!([] Decay { 0 = Constant, 1 = Falling });
stored!([T: Scalar] Pace<T> { rate, decay, scale } if validate);

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(settings: Result<RateSettings<f64>, SettingsError>) -> Pace<f64> {
        Pace::new(settings.unwrap_or(RateSettings::DEFAULT))
    }

    #[test]
    fn schedules_are_what_they_say() {
        assert_eq!(pace(RateSettings::constant(0.5)).next(9.0, 3), 0.5);
        assert_eq!(pace(RateSettings::falling(2.0)).next(9.0, 3), 0.5);
        let mut scaled = pace(RateSettings::new(0.5));
        assert_eq!([scaled.next(4.0, 0), scaled.next(6.0, 1)], [0.125, 0.1]);
    }

    #[test]
    fn a_rate_is_finite_however_small_the_energy() {
        let mut pace = Pace::new(RateSettings::new(f32::MAX).unwrap_or(RateSettings::DEFAULT));
        for (before, energy) in [0.0, 1e-45, f32::MIN_POSITIVE, f32::MAX].into_iter().enumerate() {
            assert!(pace.next(energy, before as u64).is_finite());
        }
    }
}
