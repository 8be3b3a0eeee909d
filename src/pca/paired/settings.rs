//! How a [`PairedPca`](super::PairedPca) learns.
//! In: learning rate, forgetting and scale (the value of ‖x‖·‖y‖ by which the rate is divided). x and y are the samples of the
//! two groups, M = Σ x yᵀ. Out: settings that were checked.
//! Cost: 4 numbers, in flash if the program stores them in a constant.

use crate::codec::stored;
use crate::learner::{checked_rate, default_is_constant};
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
    /// Learning rate η: the evidence of a direction is η times its eigenvalue, minus a threshold, or zero.
    pub(super) learning_rate: T,
    /// The forgetting factor f in M ← f·M + x yᵀ.
    pub(super) forgetting: Forgetting<T>,
    /// The value of ‖x‖·‖y‖ by which η is divided.
    pub(super) scale: ScaleSettings<T>,
}

impl<T: Scalar> PairedSettings<T> {
    /// η = 1 relative to the running mean of ‖x‖·‖y‖; nothing is forgotten.
    pub const DEFAULT: Self = Self {
        learning_rate: T::ONE,
        forgetting: Forgetting::NONE,
        scale: ScaleSettings::DEFAULT,
    };

    /// [`DEFAULT`](Self::DEFAULT) with another learning rate.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless the rate is positive and finite.
    pub fn new(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(Self {
            learning_rate: checked_rate(learning_rate)?,
            ..Self::DEFAULT
        })
    }

    /// The form of the papers: η is not scaled. For samples with ‖x‖·‖y‖ ≤ 1.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless η is positive and finite.
    pub fn unscaled(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(Self::new(learning_rate)?.with_scale(ScaleSettings::OFF))
    }

    /// Sets the forgetting factor f: each new sample multiplies the weight of all earlier samples by f.
    #[must_use]
    pub const fn with_forgetting(self, forgetting: Forgetting<T>) -> Self {
        Self { forgetting, ..self }
    }

    /// Sets the value of ‖x‖·‖y‖ by which η is divided, so that one rate fits data of any scale.
    #[must_use]
    pub const fn with_scale(self, scale: ScaleSettings<T>) -> Self {
        Self { scale, ..self }
    }
}

default_is_constant!(PairedSettings);
stored!([T: Scalar] PairedSettings<T> { learning_rate, forgetting, scale } by new(learning_rate));
