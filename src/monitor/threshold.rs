//! Where unusual begins.
//! In: a level that is known, or what to make of the scores of normal samples. Out: a threshold to compare scores with.
//! Method: fixed; or max(floor, factor · quantile of the calibration scores).
//! Cost: that of the quantile.

use super::quantile;
use crate::codec::{stored, stored_choice};
use crate::learner::default_is_constant;
use crate::{CodecError, Scalar, SettingsError};

/// How a threshold comes about.
///
/// ```
/// use eigenstream::monitor::Threshold;
/// let threshold = Threshold::quantile(0.99_f32)?.with_factor(1.5)?.with_floor(0.1)?;
/// assert_ne!(threshold, Threshold::DEFAULT);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Threshold<T> {
    pub(super) rule: Rule<T>,
    factor: T,
    floor: T,
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) enum Rule<T> {
    /// A level that is known beforehand.
    Fixed(T),
    /// The quantile at 0.99, a number that a constant of a generic type cannot spell.
    UsualQuantile,
    /// The quantile at this probability.
    Quantile(T),
}

impl<T: Scalar> Threshold<T> {
    /// Twice the 0.99 quantile.
    pub const DEFAULT: Self = Self {
        rule: Rule::UsualQuantile,
        factor: T::TWO,
        floor: T::ZERO,
    };

    /// A level that is known beforehand; nothing is calibrated.
    ///
    /// # Errors
    /// [`SettingsError::Threshold`] if it is negative or not finite.
    ///
    /// ```
    /// use eigenstream::monitor::Threshold;
    /// assert_eq!(Threshold::fixed(3.0_f32)?.level(0.25), 3.0);
    /// # Ok::<(), eigenstream::SettingsError>(())
    /// ```
    pub fn fixed(level: T) -> Result<Self, SettingsError> {
        usable(level).map(|level| Self {
            rule: Rule::Fixed(level),
            ..Self::DEFAULT
        })
    }

    /// Twice the quantile at `probability` of the calibration scores.
    ///
    /// # Errors
    /// [`SettingsError::Quantile`] unless 0 < probability < 1.
    ///
    /// ```
    /// use eigenstream::{SettingsError, monitor::Threshold};
    /// assert_eq!(Threshold::quantile(1.5_f32), Err(SettingsError::Quantile));
    /// ```
    pub fn quantile(probability: T) -> Result<Self, SettingsError> {
        quantile::checked(probability).map(|probability| Self {
            rule: Rule::Quantile(probability),
            ..Self::DEFAULT
        })
    }

    /// How many times the quantile.
    ///
    /// # Errors
    /// [`SettingsError::Threshold`] if it is negative or not finite.
    pub fn with_factor(mut self, factor: T) -> Result<Self, SettingsError> {
        self.factor = usable(factor)?;
        Ok(self)
    }

    /// No threshold below this, however small the calibration scores were: a learner of data without noise scores zero.
    ///
    /// # Errors
    /// [`SettingsError::Threshold`] if it is negative or not finite.
    pub fn with_floor(mut self, floor: T) -> Result<Self, SettingsError> {
        self.floor = usable(floor)?;
        Ok(self)
    }

    /// The threshold, given the quantile of the calibration scores.
    ///
    /// ```
    /// use eigenstream::monitor::Threshold;
    /// assert_eq!(Threshold::<f32>::DEFAULT.level(3.0), 6.0);
    /// ```
    #[must_use]
    pub fn level(&self, quantile: T) -> T {
        match self.rule {
            Rule::Fixed(level) => level,
            Rule::UsualQuantile | Rule::Quantile(_) => (self.factor * quantile).min(T::MAX).max(self.floor),
        }
    }

    /// The probability whose quantile is wanted; any will do where none is.
    pub(super) fn probability(&self) -> T {
        match self.rule {
            Rule::Quantile(probability) => probability,
            Rule::UsualQuantile | Rule::Fixed(_) => T::from_f64(0.99),
        }
    }
}

fn usable<T: Scalar>(level: T) -> Result<T, SettingsError> {
    if level >= T::ZERO && level.is_finite() {
        Ok(level)
    } else {
        Err(SettingsError::Threshold)
    }
}

stored!([T: Scalar] Threshold<T> { rule, factor, floor } if validate);

impl<T: Scalar> Threshold<T> {
    fn validate(&self) -> Result<(), CodecError> {
        usable(self.factor)?;
        usable(self.floor)?;
        Ok(())
    }
}

stored_choice!(
    [T: Scalar] Rule<T>: [at: T = T::ZERO] { 0 = Fixed(at), 1 = UsualQuantile, 2 = Quantile(at) } if checked
);

impl<T: Scalar> Rule<T> {
    fn checked(self) -> Result<Self, SettingsError> {
        match self {
            Self::Fixed(level) => usable(level).map(Self::Fixed),
            Self::UsualQuantile => Ok(Self::UsualQuantile),
            Self::Quantile(probability) => quantile::checked(probability).map(Self::Quantile),
        }
    }
}

default_is_constant!(Threshold);
