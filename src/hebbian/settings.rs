//! The settings of the Hebbian learners: [`GhaSettings`] for Oja and GHA, [`ApexSettings`] for APEX, linear and kernel alike.
//! In: a learning rate, and for APEX how long each component learns. Out: settings that were checked once and can sit in flash.

use super::RateSettings;
use crate::learner::default_is_constant;
use crate::scalar::constant::{of_number, tried};
use crate::{Scalar, SettingsError};

/// The input of a component: the sample minus β times the parts that the components before it hold. The two values of \[K01\];
/// [`GhaSettings::with_deflation_factor`] takes any other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Deflation {
    /// β = 1: the generalised Hebbian algorithm. The default.
    #[default]
    Sanger,
    /// β = 2: stochastic gradient ascent, which turns components apart faster.
    GradientAscent,
}

impl Deflation {
    /// β.
    const fn factor<T: Scalar>(self) -> T {
        match self {
            Self::Sanger => T::ONE,
            Self::GradientAscent => T::TWO,
        }
    }
}

/// How [`Gha`](super::Gha), [`Oja`](super::Oja) and their kernel versions learn.
///
/// ```
/// use eigenstream::hebbian::{Deflation, GhaSettings};
/// let settings = GhaSettings::new(0.01_f32)?.with_deflation(Deflation::GradientAscent);
/// assert_ne!(settings, GhaSettings::DEFAULT);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct GhaSettings<T> {
    pub(super) rate: RateSettings<T>,
    /// β.
    pub(super) deflation: T,
}

impl<T: Scalar> GhaSettings<T> {
    /// For raw data of any scale: the rate of [`RateSettings::DEFAULT`], β = 1.
    pub const DEFAULT: Self = Self {
        rate: RateSettings::DEFAULT,
        deflation: T::ONE,
    };

    /// [`DEFAULT`](Self::DEFAULT) with another learning rate, relative to the running energy.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless the rate is positive and finite.
    pub const fn new(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(Self::DEFAULT.with_rate(tried!(RateSettings::new(learning_rate))))
    }

    /// The paper's form, \[K01\]: a constant learning rate η that is not scaled.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless η is positive and finite.
    pub const fn unscaled(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(Self::DEFAULT.with_rate(tried!(RateSettings::constant(learning_rate))))
    }

    /// Sets the learning rate.
    #[must_use]
    pub const fn with_rate(self, rate: RateSettings<T>) -> Self {
        Self { rate, ..self }
    }

    /// Sets β to one or two.
    #[must_use]
    pub const fn with_deflation(self, deflation: Deflation) -> Self {
        Self {
            deflation: deflation.factor(),
            ..self
        }
    }

    /// Sets β to any number from one on: the larger it is, the harder components push those after them out of their directions. The
    /// components are the same for every β in the limit of small rates; a β far above two needs a smaller rate.
    ///
    /// # Errors
    /// [`SettingsError::Deflation`] if β is below one or not finite.
    pub const fn with_deflation_factor(self, factor: T) -> Result<Self, SettingsError> {
        Ok(Self {
            deflation: tried!(checked_deflation(factor)),
            ..self
        })
    }
}

/// A β that can be used.
pub(super) const fn checked_deflation<T: Scalar>(factor: T) -> Result<T, SettingsError> {
    if of_number!(factor => factor >= 1.0 && factor.is_finite()) {
        Ok(factor)
    } else {
        Err(SettingsError::Deflation)
    }
}

/// How [`Apex`](super::Apex) and [`KernelApex`](super::KernelApex) learn.
///
/// ```
/// use eigenstream::hebbian::ApexSettings;
/// let settings = ApexSettings::new(0.01_f32)?.with_span(2_000);
/// assert_ne!(settings, ApexSettings::DEFAULT);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ApexSettings<T> {
    pub(super) rate: RateSettings<T>,
    pub(super) span: u32,
}

impl<T: Scalar> ApexSettings<T> {
    /// For raw data of any scale: the rate of [`RateSettings::DEFAULT`], a thousand samples for each component.
    pub const DEFAULT: Self = Self {
        rate: RateSettings::DEFAULT,
        span: 1_000,
    };

    /// [`DEFAULT`](Self::DEFAULT) with another learning rate, relative to the running energy.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless the rate is positive and finite.
    pub const fn new(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(Self::DEFAULT.with_rate(tried!(RateSettings::new(learning_rate))))
    }

    /// The paper's form, \[K01\]: a constant learning rate η that is not scaled, and a span of zero: the caller says when a component is
    /// finished.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless η is positive and finite.
    pub const fn unscaled(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(Self {
            rate: tried!(RateSettings::constant(learning_rate)),
            span: 0,
        })
    }

    /// Sets the learning rate. A falling rate starts again with each component.
    #[must_use]
    pub const fn with_rate(self, rate: RateSettings<T>) -> Self {
        Self { rate, ..self }
    }

    /// A component is finished after `samples`, all but the last, which goes on learning; zero: only when the caller says so.
    #[must_use]
    pub const fn with_span(self, samples: u32) -> Self {
        Self { span: samples, ..self }
    }
}

default_is_constant!(ApexSettings, GhaSettings);
