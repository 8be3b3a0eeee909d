//! The settings of [`PairedPca`](super::PairedPca): learning rate, forgetting and scale.

use crate::codec::stored;
use crate::learner::{checked_rate, default_is_constant};
use crate::scalar::constant::tried;
use crate::{Forgetting, Scalar, ScaleSettings, SettingsError};

/// How a [`PairedPca`](crate::pca::PairedPca) learns.
///
/// ```
/// use eigenstream::{Forgetting, pca::PairedSettings};
/// let settings = PairedSettings::new(0.5_f32)?.with_forgetting(Forgetting::memory(1_000.0)?);
/// assert_ne!(settings, PairedSettings::DEFAULT);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct PairedSettings<T> {
    /// Learning rate before `scale` divides it.
    pub(super) learning_rate: T,
    pub(super) forgetting: Forgetting<T>,
    pub(super) scale: ScaleSettings<T>,
}

impl<T: Scalar> PairedSettings<T> {
    /// Learning rate 1 divided by the running mean of ‖x‖·‖y‖; nothing is forgotten.
    pub const DEFAULT: Self = Self {
        learning_rate: T::ONE,
        forgetting: Forgetting::NONE,
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

    /// The form of \[WK08\] section 9, for ‖x‖·‖y‖ ≤ 1: the learning rate is not divided.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless the rate is positive and finite.
    pub const fn unscaled(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(tried!(Self::new(learning_rate)).with_scale(ScaleSettings::OFF))
    }

    /// Sets the forgetting factor: each new sample multiplies the weight of all earlier ones by it.
    #[must_use]
    pub const fn with_forgetting(self, forgetting: Forgetting<T>) -> Self {
        Self { forgetting, ..self }
    }

    /// Sets the divisor of the learning rate: the mean of ‖x‖·‖y‖, a known bound of it, or 1.
    #[must_use]
    pub const fn with_scale(self, scale: ScaleSettings<T>) -> Self {
        Self { scale, ..self }
    }
}

default_is_constant!(PairedSettings);
stored!([T: Scalar] PairedSettings<T> { learning_rate, forgetting, scale } by new(learning_rate));
