//! How a [`PairedPca`](super::PairedPca) learns.
//! In: learning rate, forgetting and scale, the divisor of the rate. Out: settings that were checked.
//! Cost: three numbers and a choice, in flash if the program stores them in a constant.

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
    /// The learning rate before `scale` divides it. η is the rate after the division. S = ½[[0, x yᵀ], [y xᵀ, 0]] is the matrix
    /// of a sample x, y, and λ is an eigenvalue of ΣS over all samples (with forgetting, a weighted sum). The eigenvector of λ is
    /// a direction with the evidence g = max(0, ηλ − τ), with a threshold τ. The direction is kept with probability 1 − e⁻ᵍ.
    pub(super) learning_rate: T,
    /// The forgetting factor f: each sample x, y updates the sum M = Σ x yᵀ by M ← f·M + x yᵀ.
    pub(super) forgetting: Forgetting<T>,
    pub(super) scale: ScaleSettings<T>,
}

impl<T: Scalar> PairedSettings<T> {
    /// Learning rate 1 divided by the running mean of ‖x‖·‖y‖, for samples x and y of the two groups; nothing is forgotten.
    pub const DEFAULT: Self = Self {
        learning_rate: T::ONE,
        forgetting: Forgetting::NONE,
        scale: ScaleSettings::DEFAULT,
    };

    /// [`DEFAULT`](Self::DEFAULT) with another learning rate. As in `DEFAULT`, it is divided by the running mean of ‖x‖·‖y‖.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless the rate is positive and finite.
    pub const fn new(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(Self {
            learning_rate: tried!(checked_rate(learning_rate)),
            ..Self::DEFAULT
        })
    }

    /// The form of \[WK08\] section 9: the learning rate η is not divided. For samples x and y with ‖x‖·‖y‖ ≤ 1.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless η is positive and finite.
    pub const fn unscaled(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(tried!(Self::new(learning_rate)).with_scale(ScaleSettings::OFF))
    }

    /// Sets the forgetting factor f: each new sample multiplies the weight of all earlier samples by f.
    #[must_use]
    pub const fn with_forgetting(self, forgetting: Forgetting<T>) -> Self {
        Self { forgetting, ..self }
    }

    /// Sets by what the learning rate is divided: the running mean of ‖x‖·‖y‖ (samples x and y of the two groups), a known
    /// bound Q² on ‖x‖·‖y‖, or 1. With the running mean, one rate fits data of any magnitude.
    #[must_use]
    pub const fn with_scale(self, scale: ScaleSettings<T>) -> Self {
        Self { scale, ..self }
    }
}

default_is_constant!(PairedSettings);
stored!([T: Scalar] PairedSettings<T> { learning_rate, forgetting, scale } by new(learning_rate));
