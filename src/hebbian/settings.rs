//! The settings of the Hebbian learners, linear and kernel alike.

use super::RateSettings;
use crate::codec::{stored, stored_choice};
use crate::learner::default_is_constant;
use crate::scalar::constant::{of_number, tried};
use crate::{Scalar, SettingsError};

/// The deflation factor β, which multiplies the parts of earlier components in the input of a component.
///
/// \[K01\] uses β = 1 and β = 2; [`GhaSettings::with_deflation_factor`] takes any finite β of at least one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Deflation {
    /// β = 1: the generalised Hebbian algorithm. The default.
    #[default]
    Sanger,
    /// β = 2: stochastic gradient ascent.
    GradientAscent,
}

impl Deflation {
    const fn factor<T: Scalar>(self) -> T {
        match self {
            Self::Sanger => T::ONE,
            Self::GradientAscent => T::TWO,
        }
    }
}

/// How [`Gha`](super::Gha), [`Oja`](super::Oja) and their variants with a kernel learn.
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
    /// The deflation factor β.
    pub(super) deflation: T,
}

impl<T: Scalar> GhaSettings<T> {
    /// The rate of [`RateSettings::DEFAULT`], and β = 1.
    pub const DEFAULT: Self = Self {
        rate: RateSettings::DEFAULT,
        deflation: T::ONE,
    };

    /// [`DEFAULT`](Self::DEFAULT) with another learning rate, which is divided by the mean energy so far.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless the rate is positive and finite.
    pub const fn new(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(Self::DEFAULT.with_rate(tried!(RateSettings::new(learning_rate))))
    }

    /// The form of \[K01\]: a constant learning rate that is not divided by an energy.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless the rate is positive and finite.
    pub const fn unscaled(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(Self::DEFAULT.with_rate(tried!(RateSettings::constant(learning_rate))))
    }

    /// Sets the rule of the learning rate.
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

    /// Sets β to any finite number of at least one.
    ///
    /// A larger β turns each component away from the earlier ones more strongly. In the limit of small rates the
    /// learned components do not depend on β. A β far above two needs a smaller rate.
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
    /// Each component but the last is finished after it has learned this number of samples; if zero, only the caller
    /// finishes components.
    pub(super) span: u32,
}

impl<T: Scalar> ApexSettings<T> {
    /// The rate of [`RateSettings::DEFAULT`], and a thousand samples for each component but the last.
    pub const DEFAULT: Self = Self {
        rate: RateSettings::DEFAULT,
        span: 1_000,
    };

    /// [`DEFAULT`](Self::DEFAULT) with another learning rate, which is divided by the mean energy so far.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless the rate is positive and finite.
    pub const fn new(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(Self::DEFAULT.with_rate(tried!(RateSettings::new(learning_rate))))
    }

    /// The form of \[K01\]: a constant learning rate that is not divided by an energy.
    ///
    /// Only the caller finishes components, as after [`with_span(0)`](Self::with_span).
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless the rate is positive and finite.
    pub const fn unscaled(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(Self {
            rate: tried!(RateSettings::constant(learning_rate)),
            span: 0,
        })
    }

    /// Sets the rule of the learning rate; a falling rate starts again with each component.
    #[must_use]
    pub const fn with_rate(self, rate: RateSettings<T>) -> Self {
        Self { rate, ..self }
    }

    /// Finishes each component but the last after it has learned `samples` samples.
    ///
    /// If `samples` is zero, only the caller finishes components.
    #[must_use]
    pub const fn with_span(self, samples: u32) -> Self {
        Self { span: samples, ..self }
    }
}

default_is_constant!(ApexSettings, GhaSettings);

/// The rule by which a learner with a kernel removes a point from a full list, and whether components then keep their
/// lengths.
///
/// ```
/// use eigenstream::hebbian::{Eviction, PointBudget, Norm};
/// assert_eq!(PointBudget::DEFAULT, PointBudget::new(Eviction::LeastContribution, Norm::Preserved));
/// assert_eq!(PointBudget::DEFAULT, PointBudget::new(Eviction::default(), Norm::default()));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct PointBudget {
    pub(super) eviction: Eviction,
    pub(super) norm: Norm,
}

/// The point that a full list loses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Eviction {
    /// The oldest point.
    Fifo,
    /// The point with the smallest contribution, which can be the new point; of several such points, the oldest.
    ///
    /// The contribution of point zᵢ is maxₚ |Aₚᵢ|·√k(zᵢ, zᵢ), with its coefficient Aₚᵢ in component p.
    #[default]
    LeastContribution,
}

/// Whether a component keeps its length when a point is removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Norm {
    /// Each component is scaled back to its length before the removal, unless almost nothing is left of it.
    ///
    /// Almost nothing means at most 1e-12 of its squared length, or only rounding error.
    #[default]
    Preserved,
    /// Each component loses the term of the point, and is not scaled.
    Reduced,
}

impl PointBudget {
    /// Removes the point of least contribution and preserves the lengths of components.
    pub const DEFAULT: Self = Self::new(Eviction::LeastContribution, Norm::Preserved);

    /// Creates a point budget.
    #[must_use]
    pub const fn new(eviction: Eviction, norm: Norm) -> Self {
        Self { eviction, norm }
    }
}

stored_choice!([] Eviction { 0 = Fifo, 1 = LeastContribution });
stored_choice!([] Norm { 0 = Preserved, 1 = Reduced });
stored!([] PointBudget { eviction, norm });
