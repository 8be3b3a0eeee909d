//! The settings of [`VarianceMinimizer`](super::VarianceMinimizer).

use crate::codec::stored;
use crate::learner::{checked_rate, default_is_constant};
use crate::scalar::constant::tried;
use crate::{Scalar, SettingsError};

/// How a [`VarianceMinimizer`](crate::pca::VarianceMinimizer) learns.
///
/// ```
/// use eigenstream::pca::VarianceSettings;
/// assert_eq!(VarianceSettings::<f32>::new(1.0)?, VarianceSettings::DEFAULT);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct VarianceSettings<T> {
    /// Learning rate, η.
    pub(super) learning_rate: T,
}

impl<T: Scalar> VarianceSettings<T> {
    /// Learning rate 1, for matrices whose eigenvalues lie in [0, 1].
    pub const DEFAULT: Self = Self { learning_rate: T::ONE };

    /// Settings with the learning rate η.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless η is positive and finite.
    pub const fn new(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(Self {
            learning_rate: tried!(checked_rate(learning_rate)),
        })
    }
}

default_is_constant!(VarianceSettings);

stored!([T: Scalar] VarianceSettings<T> { learning_rate } by new(learning_rate));
