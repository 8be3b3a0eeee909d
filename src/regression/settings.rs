use crate::codec::stored;
use crate::learner::default_is_constant;
use crate::scalar::constant::{number, of_number};
use crate::{Forgetting, Scalar, SettingsError};

/// The settings of [`RecursiveLeastSquares`](super::RecursiveLeastSquares).
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
    /// The ridge ρ, in squared units of the features.
    pub(super) ridge: T,
    pub(super) forgetting: Forgetting<T>,
}

impl<T: Scalar> LeastSquaresSettings<T> {
    /// Ridge 1/1024, for features of order one; nothing is forgotten.
    pub const DEFAULT: Self = Self {
        ridge: {
            let one = T::ONE;
            number!(one => one / 1024.0)
        },
        forgetting: Forgetting::NONE,
    };

    /// [`DEFAULT`](Self::DEFAULT) with another ridge ρ, which pulls the regression weights towards zero.
    ///
    /// ρ has to be small compared with the sum of squares of each feature about its mean. With forgetting, ρ also
    /// limits the weights of features that have not changed for a long time.
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

    /// Follows a relation that changes: each new sample multiplies the weight of all past samples by a factor.
    #[must_use]
    pub const fn with_forgetting(self, forgetting: Forgetting<T>) -> Self {
        Self { forgetting, ..self }
    }
}

default_is_constant!(LeastSquaresSettings);
stored!([T: Scalar] LeastSquaresSettings<T> { ridge, forgetting } by new(ridge));
