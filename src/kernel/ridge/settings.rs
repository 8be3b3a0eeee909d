//! How a [`KernelRidge`](super::KernelRidge) is fitted.
//! In: the weight of smoothness. Out: settings that were checked.
//! Cost: 1 number, in flash if the program stores it in a constant.

use crate::codec::stored;
use crate::learner::default_is_constant;
use crate::scalar::constant::of_number;
use crate::{Scalar, SettingsError};

/// The weight ρ of smoothness: the fit f minimises the sum of its squared errors plus ρ‖f‖².
///
/// ```
/// use eigenstream::{SettingsError, kernel::RidgeSettings};
/// assert!(RidgeSettings::new(0.1_f32).is_ok());
/// assert_eq!(RidgeSettings::new(-0.1_f32), Err(SettingsError::Regularization));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct RidgeSettings<T> {
    /// The weight ρ of smoothness.
    pub(super) regularization: T,
}

impl<T: Scalar> RidgeSettings<T> {
    /// The weight ρ = 1.
    pub const DEFAULT: Self = Self { regularization: T::ONE };

    /// Creates settings with the weight ρ of ‖f‖² against the squared errors of the fitted function f. With ρ = 0, f passes, up
    /// to rounding, through every target; this needs a Gram matrix that is positive definite.
    ///
    /// # Errors
    /// [`SettingsError::Regularization`] if ρ is negative or not finite.
    pub const fn new(regularization: T) -> Result<Self, SettingsError> {
        if of_number!(regularization => regularization >= 0.0 && regularization.is_finite()) {
            Ok(Self { regularization })
        } else {
            Err(SettingsError::Regularization)
        }
    }
}

default_is_constant!(RidgeSettings);

stored!([T: Scalar] RidgeSettings<T> { regularization } by new(regularization));
