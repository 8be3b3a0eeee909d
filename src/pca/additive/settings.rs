//! The settings of [`AdditivePca`](super::AdditivePca).

use crate::codec::stored;
use crate::learner::{checked_rate, default_is_constant};
use crate::scalar::constant::tried;
use crate::{Scalar, ScaleSettings, SettingsError};

/// How an [`AdditivePca`](crate::pca::AdditivePca) learns.
///
/// ```
/// use eigenstream::{SettingsError, pca::AdditiveSettings};
/// assert_ne!(AdditiveSettings::new(0.5_f32)?, AdditiveSettings::DEFAULT);
/// assert_eq!(AdditiveSettings::new(-1.0_f32), Err(SettingsError::LearningRate));
/// # Ok::<(), SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct AdditiveSettings<T> {
    /// The learning rate η before its division by the scale. η divided by the scale is limited to DIM/‖x‖².
    pub(super) learning_rate: T,
    pub(super) scale: ScaleSettings<T>,
}

impl<T: Scalar> AdditiveSettings<T> {
    /// Learning rate 1/32, divided by the running mean energy.
    ///
    /// With `RANK` = `DIM`, 32 to 64 samples, all of the mean energy and along one direction, raise the keep
    /// probability of this direction from 0 to 1.
    pub const DEFAULT: Self = Self {
        learning_rate: T::THIRTY_SECOND,
        scale: ScaleSettings::DEFAULT,
    };

    /// [`DEFAULT`](Self::DEFAULT) with another learning rate.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless the rate is positive and finite.
    pub const fn new(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(Self {
            learning_rate: tried!(checked_rate(learning_rate)),
            ..Self::DEFAULT
        })
    }

    /// Settings with a learning rate that is not divided by an energy.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless the rate is positive and finite.
    pub const fn unscaled(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(tried!(Self::new(learning_rate)).with_scale(ScaleSettings::OFF))
    }

    /// Sets the divisor of the learning rate: the mean of ‖x‖², a known bound of ‖x‖², or 1.
    #[must_use]
    pub const fn with_scale(self, scale: ScaleSettings<T>) -> Self {
        Self { scale, ..self }
    }
}

default_is_constant!(AdditiveSettings);
stored!([T: Scalar] AdditiveSettings<T> { learning_rate, scale } by new(learning_rate));
