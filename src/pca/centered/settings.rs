//! The settings of [`CenteredPca`](crate::pca::CenteredPca): learning rate, centre, forgetting, read-out and scale.

use crate::codec::{stored, stored_choice};
use crate::learner::{checked_rate, default_is_constant};
use crate::pca::Center;
use crate::scalar::constant::tried;
use crate::{Forgetting, Scalar, ScaleSettings, SettingsError};

/// How a learner selects the directions to keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum ReadOut {
    /// Every direction is kept with its probability: \[WK08\] Algorithm 6, the default.
    ///
    /// Without scale and forgetting, the expected total loss has a bound on every stream of bounded samples (\[WK08\]
    /// Theorem 8, Corollary 9).
    #[default]
    Randomized,
    /// The `KEEP` directions of largest variance are kept, and nothing is drawn: Follow the Leader.
    ///
    /// With forgetting this is the usual exponentially weighted PCA. Only `start_from` uses the learning rate. No
    /// theorem bounds the loss.
    Leader,
}

/// How a [`CenteredPca`](crate::pca::CenteredPca) learns.
///
/// ```
/// use eigenstream::Forgetting;
/// use eigenstream::pca::{Center, CenteredSettings, ReadOut};
///
/// let tracker = CenteredSettings::<f32>::DEFAULT
///     .with_forgetting(Forgetting::memory(1_000.0)?)
///     .with_read_out(ReadOut::Leader);
/// let paper = CenteredSettings::unscaled(0.5_f32)?.with_center(Center::Fixed)?;
/// assert_ne!(tracker, paper);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct CenteredSettings<T> {
    /// The learning rate η before its division by the scale.
    pub(super) learning_rate: T,
    pub(super) center: Center<T>,
    pub(super) forgetting: Forgetting<T>,
    pub(super) read_out: ReadOut,
    pub(super) scale: ScaleSettings<T>,
}

impl<T: Scalar> CenteredSettings<T> {
    /// For raw data: learning rate 1 divided by the mean energy, centre at the mean, no forgetting, directions kept at
    /// random.
    pub const DEFAULT: Self = Self {
        learning_rate: T::ONE,
        center: Center::Mean,
        forgetting: Forgetting::NONE,
        read_out: ReadOut::Randomized,
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

    /// The form of \[WK08\], for samples of ‖x‖ ≤ 1: the learning rate is not divided by an energy.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless the rate is positive and finite.
    pub const fn unscaled(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(tried!(Self::new(learning_rate)).with_scale(ScaleSettings::OFF))
    }

    /// Sets the rule for the centre.
    ///
    /// # Errors
    /// [`SettingsError::CenterRate`] if the weight of [`Center::Weighted`] is negative or not finite.
    pub const fn with_center(self, center: Center<T>) -> Result<Self, SettingsError> {
        let center = tried!(center.checked());
        Ok(Self { center, ..self })
    }

    /// Sets the forgetting factor of centre and scatter; the scale has another one.
    #[must_use]
    pub const fn with_forgetting(self, forgetting: Forgetting<T>) -> Self {
        Self { forgetting, ..self }
    }

    /// Sets how the directions to keep are selected.
    #[must_use]
    pub const fn with_read_out(self, read_out: ReadOut) -> Self {
        Self { read_out, ..self }
    }

    /// Sets the divisor of the learning rate: the mean energy about the centre, a known bound of the energy, or 1.
    #[must_use]
    pub const fn with_scale(self, scale: ScaleSettings<T>) -> Self {
        Self { scale, ..self }
    }
}

default_is_constant!(CenteredSettings);
stored_choice!([] ReadOut { 0 = Randomized, 1 = Leader });
stored!([T: Scalar] CenteredSettings<T> { learning_rate, center, forgetting, read_out, scale } by new(learning_rate));
