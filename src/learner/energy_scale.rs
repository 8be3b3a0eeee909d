//! Scales the learning rate, so that one rate fits samples of any magnitude.
//! In: the energy of every sample. Out: 1/E, a factor for η; E is 1, a known bound on the energy, or the mean energy so
//! far (the running energy).
//! Method: [WK08] has ‖x‖ ≤ 1 and uses η only in η·x·xᵀ, so dividing η by E is as good as dividing the samples by √E.
//! Cost: two numbers and the settings; two divisions per sample, one if the energy is fixed.

use super::default_is_constant;
use super::forgetting::Forgetting;
use crate::codec::{stored, stored_choice, validate};
use crate::error::{CodecError, MergeError, SettingsError};
use crate::scalar::Scalar;
use crate::scalar::constant::{number, of_number};

/// The energy by which the learning rate is divided: 1, a known bound, or the mean energy of the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ScaleSettings<T> {
    reference: Reference<T>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum Reference<T> {
    /// The energy 1.
    Unscaled,
    KnownEnergy(T),
    /// The mean energy of the samples so far.
    RunningEnergy(Forgetting<T>),
}

impl<T: Scalar> ScaleSettings<T> {
    /// Divides by the mean energy of the samples so far: a rate near one is then a good start in any unit.
    ///
    /// In `f32`, after n samples, rounding can hide a new energy that differs from the mean by up to n·6·10⁻⁸ of the mean: 6 %
    /// after 10⁶ samples, 12.5 % from 2²¹ samples on.
    pub const DEFAULT: Self = Self {
        reference: Reference::RunningEnergy(Forgetting::NONE),
    };

    /// Divides by 1, as in \[WK08\]: for samples with ‖x‖ ≤ 1.
    pub const OFF: Self = Self {
        reference: Reference::Unscaled,
    };

    /// Divides by `norm_bound`², for samples with ‖x‖ ≤ `norm_bound`.
    ///
    /// # Errors
    /// [`SettingsError::NormBound`] if the bound is not positive, or if its square is infinite, zero or subnormal.
    pub const fn bound(norm_bound: T) -> Result<Self, SettingsError> {
        if is_norm_bound(norm_bound) {
            Ok(Self {
                reference: Reference::KnownEnergy(number!(norm_bound => norm_bound * norm_bound)),
            })
        } else {
            Err(SettingsError::NormBound)
        }
    }

    /// Divides by a weighted mean of the energies, in which older samples lose weight.
    ///
    /// A forgetting factor below ε counts as ε: rounding could otherwise make the mean zero after a large energy.
    #[must_use]
    pub const fn running(forgetting: Forgetting<T>) -> Self {
        Self {
            reference: Reference::RunningEnergy(forgetting.at_least_epsilon()),
        }
    }
}

/// Whether Q = `norm_bound` is positive and Q² is finite, not zero and not subnormal.
pub(crate) const fn is_norm_bound<T: Scalar>(norm_bound: T) -> bool {
    of_number!(norm_bound => {
        let energy = norm_bound * norm_bound;
        norm_bound > 0.0 && energy.is_finite() && energy >= Real::MIN_POSITIVE
    })
}

/// The factor for a learning rate, updated with the stream.
///
/// ```
/// use eigenstream::{EnergyScale, ScaleSettings};
///
/// let mut scale = EnergyScale::<f32>::new(ScaleSettings::DEFAULT);
/// assert_eq!(scale.factor(), 1.0); // no sample yet
/// scale.observe(100.0);
/// scale.observe(300.0);
/// assert_eq!(scale.factor(), 1.0 / 200.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct EnergyScale<T> {
    settings: ScaleSettings<T>,
    /// The mean energy so far; zero if the settings name a fixed energy.
    energy: T,
    /// The number of samples in the mean energy, minus the forgotten part.
    weight: T,
}

impl<T: Scalar> EnergyScale<T> {
    /// Creates an energy scale without samples.
    #[must_use]
    pub const fn new(settings: ScaleSettings<T>) -> Self {
        Self {
            settings,
            energy: T::ZERO,
            weight: T::ZERO,
        }
    }

    /// Updates the mean with the energy of one sample, or does nothing if the settings name a fixed energy.
    ///
    /// NaN, infinite and negative energies are ignored.
    pub fn observe(&mut self, energy: T) {
        if energy >= T::ZERO && energy <= T::MAX {
            self.update(energy);
        }
    }

    /// Like [`observe`](Self::observe), for an energy that is finite and not negative.
    pub(crate) fn update(&mut self, energy: T) {
        if let Reference::RunningEnergy(forgetting) = self.settings.reference {
            forgetting.count(&mut self.weight);
            self.energy += (energy - self.energy) / self.weight;
        }
    }

    /// The factor for the learning rate: one divided by the energy that the settings choose.
    ///
    /// While the mean energy is zero or subnormal, as before the first sample, the factor is 1.
    #[must_use]
    pub fn factor(&self) -> T {
        let energy = match self.settings.reference {
            Reference::Unscaled => T::ONE,
            Reference::KnownEnergy(energy) => energy,
            Reference::RunningEnergy(_) => self.energy,
        };
        // Below `MIN_POSITIVE` the reciprocal can overflow.
        if energy >= T::MIN_POSITIVE {
            T::ONE / energy
        } else {
            T::ONE
        }
    }

    /// Adds the samples of another energy scale, or does nothing if the settings name a fixed energy.
    ///
    /// Up to 2²¹ samples together (`f64`: 2⁵⁰) the result is the mean over all samples, in any order of merging, up to
    /// rounding.
    ///
    /// # Errors
    /// [`MergeError::Settings`] if the settings differ, [`MergeError::Forgetting`] if the running energy forgets,
    /// [`MergeError::Overflow`] if the sum of the weights of both overflows. Then nothing is changed.
    ///
    /// ```
    /// use eigenstream::{EnergyScale, ScaleSettings};
    /// let mut scale = EnergyScale::<f32>::new(ScaleSettings::DEFAULT);
    /// let mut other = scale;
    /// scale.observe(1.0);
    /// (0..3).for_each(|_| other.observe(5.0));
    /// scale.merge(&other)?;
    /// assert_eq!(scale.factor(), 1.0 / 4.0);
    /// # Ok::<(), eigenstream::MergeError>(())
    /// ```
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        if self.settings != other.settings {
            return Err(MergeError::Settings);
        }
        let Reference::RunningEnergy(forgetting) = self.settings.reference else {
            return Ok(());
        };
        if forgetting.forgets() {
            return Err(MergeError::Forgetting);
        }
        let weight = self.weight + other.weight;
        if !weight.is_finite() {
            return Err(MergeError::Overflow);
        }
        if weight > T::ZERO {
            self.energy += (other.energy - self.energy) * (other.weight / weight);
            self.weight = weight;
        }
        Ok(())
    }

    /// Sets mean energy and weight, if the energy is a running one.
    pub(crate) fn start(&mut self, energy: T, weight: T) {
        if let Reference::RunningEnergy(_) = self.settings.reference {
            (self.energy, self.weight) = (energy, weight);
        }
    }

    /// The mean energy divided by that of `whole`, at most `MAX`; 1 if one of them is zero or subnormal.
    pub(crate) fn energy_in(&self, whole: &Self) -> T {
        if self.energy >= T::MIN_POSITIVE && whole.energy >= T::MIN_POSITIVE {
            (self.energy / whole.energy).min(T::MAX)
        } else {
            T::ONE
        }
    }

    /// The factor, or `None` if samples can change it.
    pub(crate) fn fixed_factor(&self) -> Option<T> {
        let runs = matches!(self.settings.reference, Reference::RunningEnergy(_));
        (!runs).then(|| self.factor())
    }

    /// Forgets all samples.
    pub fn reset(&mut self) {
        *self = Self::new(self.settings);
    }

    fn validate(&self) -> Result<(), CodecError> {
        validate::not_negative(&[self.energy, self.weight])
    }
}

stored!([T: Scalar] EnergyScale<T>: Scale [] of T { settings, energy, weight } if validate);

stored!([T: Scalar] ScaleSettings<T> as wrapper { reference });

stored_choice!(
    [T: Scalar] Reference<T>: [value: T = T::ONE] {
        0 = Unscaled, 1 = KnownEnergy(value), 2 = RunningEnergy(Forgetting { factor: value })
    }
    if checked
);

impl<T: Scalar> Reference<T> {
    fn checked(self) -> Result<Self, SettingsError> {
        match self {
            Self::KnownEnergy(energy) if energy < T::MIN_POSITIVE => Err(SettingsError::NormBound),
            Self::RunningEnergy(forgetting) => Forgetting::factor(forgetting.factor)
                .map(|forgetting| Self::RunningEnergy(forgetting.at_least_epsilon())),
            usable => Ok(usable),
        }
    }
}

default_is_constant!(ScaleSettings);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_is_finite_for_every_energy() {
        for energy in [0.0, 1e-45, f32::MIN_POSITIVE, 1.0, f32::MAX] {
            let mut scale = EnergyScale::<f32>::new(ScaleSettings::DEFAULT);
            scale.observe(energy);
            assert!(scale.factor().is_finite() && scale.factor() > 0.0, "energy {energy}");
        }
    }

    /// The example of `ScaleSettings::DEFAULT`.
    #[test]
    fn rounding_hides_a_small_late_change_of_energy() {
        let mut scale = EnergyScale::<f32>::new(ScaleSettings::DEFAULT);
        (0..1_000_000).for_each(|_| scale.observe(1.0));
        (0..1_000_000).for_each(|_| scale.observe(1.05));
        assert_eq!(scale.factor(), 1.0);
        (0..1_000_000).for_each(|_| scale.observe(2.0));
        assert!((1.0 / scale.factor() - 1.0).abs() > 0.25);
    }

    #[test]
    fn a_short_memory_follows_a_change_of_scale() {
        // With a memory of 4, each sample multiplies the weight of the old energy by 0.75: 0.75²⁰ = 0.3 % after 20 samples.
        let settings = ScaleSettings::running(Forgetting::memory(4.0_f64).unwrap_or(Forgetting::NONE));
        let mut scale = EnergyScale::new(settings);
        (0..100).for_each(|_| scale.observe(1.0));
        (0..20).for_each(|_| scale.observe(100.0));
        assert!((1.0 / scale.factor() - (100.0 - 99.0 * 0.75_f64.powi(20))).abs() < 1e-9);
    }

    #[test]
    fn the_shortest_memory_does_not_lose_a_small_energy_after_a_large_one() {
        for factor in [1e-30, f32::EPSILON] {
            let settings = ScaleSettings::running(Forgetting { factor });
            let mut scale = EnergyScale::new(settings);
            scale.observe(1e30);
            for _ in 0..5 {
                scale.observe(100.0);
                assert!(scale.factor() > 0.0 && scale.factor() <= 0.01, "{}", scale.factor());
            }
            assert!((scale.factor() - 0.01).abs() < 1e-6, "{}", scale.factor());
        }
    }

    #[test]
    fn a_bound_ignores_the_stream() {
        let mut scale = EnergyScale::new(ScaleSettings {
            reference: Reference::KnownEnergy(4.0_f32),
        });
        scale.observe(1_000.0);
        assert_eq!(scale.factor(), 0.25);
    }

    #[test]
    fn an_energy_that_is_none_is_ignored() {
        let mut scale = EnergyScale::<f32>::new(ScaleSettings::DEFAULT);
        scale.observe(4.0);
        [f32::INFINITY, f32::NAN, -1.0]
            .into_iter()
            .for_each(|energy| scale.observe(energy));
        assert_eq!(scale.factor(), 0.25);
    }

    #[test]
    fn weights_whose_sum_overflows_are_not_merged() {
        let mut scale = EnergyScale::<f32>::new(ScaleSettings::DEFAULT);
        scale.start(2.0, 3e38);
        let before = scale;
        assert_eq!(scale.merge(&before), Err(MergeError::Overflow));
        assert_eq!(scale, before);
    }

    #[test]
    fn a_ratio_of_energies_is_finite() {
        let scale = |energy| EnergyScale {
            energy,
            ..EnergyScale::new(ScaleSettings::DEFAULT)
        };
        assert_eq!(scale(f32::MAX).energy_in(&scale(f32::MIN_POSITIVE)), f32::MAX);
        assert_eq!(scale(6.0_f32).energy_in(&scale(4.0)), 1.5);
    }

    #[test]
    fn an_impossible_scale_is_refused() {
        let mut scale = EnergyScale::<f32>::new(ScaleSettings::DEFAULT);
        assert_eq!(scale.validate(), Ok(()));
        scale.weight = -1.0;
        assert_eq!(scale.validate(), Err(CodecError::Range));
        assert_eq!(
            Reference::KnownEnergy(1e-40_f32).checked(),
            Err(SettingsError::NormBound)
        );
        let short = |factor| Reference::RunningEnergy(Forgetting { factor });
        assert_eq!(short(1e-30).checked(), Ok(short(f32::EPSILON)));
    }
}
