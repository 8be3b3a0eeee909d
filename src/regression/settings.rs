//! How a [`RecursiveLeastSquares`](super::RecursiveLeastSquares) learns.
//! In: ridge and forgetting. Out: settings that are known to be good.
//! Cost: 2 numbers, in flash if the program has them as a constant.

use crate::codec::stored;
use crate::learner::default_is_constant;
use crate::scalar::constant::{number, of_number};
use crate::{Forgetting, Scalar, SettingsError};

/// How a [`RecursiveLeastSquares`](crate::regression::RecursiveLeastSquares) learns.
///
/// ```
/// use eigenstream::{Forgetting, SettingsError, regression::LeastSquaresSettings};
/// let settings = LeastSquaresSettings::new(0.01_f32)?.with_forgetting(Forgetting::memory(1_000.0)?);
/// assert_ne!(settings, LeastSquaresSettings::DEFAULT);
/// assert_eq!(LeastSquaresSettings::new(0.0_f32), Err(SettingsError::Regularization));
/// # Ok::<(), SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct LeastSquaresSettings<T> {
    /// ρ, in squared units of the features.
    pub(super) ridge: T,
    /// f, by which every past sample weighs less at each new one.
    pub(super) forgetting: Forgetting<T>,
}

impl<T: Scalar> LeastSquaresSettings<T> {
    /// ρ = 1/1024, for features of order one; nothing is forgotten.
    pub const DEFAULT: Self = Self {
        ridge: {
            let one = T::ONE;
            number!(one => one / 1024.0)
        },
        forgetting: Forgetting::NONE,
    };

    /// [`DEFAULT`](Self::DEFAULT) with another ridge ρ: the weights have a cost of ρ·‖w‖² beside the squared errors. It has to be small beside the sum
    /// of a feature's squares, and decides how far off a prediction from features that have not moved for long may be.
    ///
    /// # Errors
    /// [`SettingsError::Regularization`] unless ρ is positive and finite.
    pub const fn new(ridge: T) -> Result<Self, SettingsError> {
        if of_number!(ridge => ridge > 0.0 && ridge.is_finite()) {
            Ok(Self { ridge, ..Self::DEFAULT })
        } else {
            Err(SettingsError::Regularization)
        }
    }

    /// Weighs all past samples down by a factor at each new one, so that a relation that changes is followed.
    #[must_use]
    pub const fn with_forgetting(self, forgetting: Forgetting<T>) -> Self {
        Self { forgetting, ..self }
    }
}

default_is_constant!(LeastSquaresSettings);
stored!([T: Scalar] LeastSquaresSettings<T> { ridge, forgetting } by new(ridge));
