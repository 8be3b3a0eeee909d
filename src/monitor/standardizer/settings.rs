//! The settings of a [`Standardizer`](super::Standardizer), which scales channels to mean zero and spread one.
//! In: forgetting, smallest spread, and the limit of a deviation. Out: settings that were checked.
//! Cost: 3 numbers, in flash if the program stores them in a constant.

use crate::codec::{stored, validate};
use crate::learner::default_is_constant;
use crate::scalar::constant::of_number;
use crate::{CodecError, Forgetting, Scalar, SettingsError};

/// The settings of a [`Standardizer`](crate::monitor::Standardizer).
///
/// ```
/// use eigenstream::monitor::StandardizerSettings;
/// // The channels count in steps of 1. With a smallest spread of half a step, the first change of a constant channel by one step
/// // is a deviation of 2. With the default settings it is the limit, 100, if the value of the channel is below 20,000.
/// let settings = StandardizerSettings::<f32>::DEFAULT.with_smallest_spread(0.5)?;
/// assert_ne!(settings, StandardizerSettings::DEFAULT);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct StandardizerSettings<T> {
    pub(super) forgetting: Forgetting<T>,
    pub(super) smallest_spread: T,
    /// Zero stands for the default limit, because a constant of a generic type `T` cannot contain the number 100.
    limit: T,
}

/// The default limit, in spreads. A larger deviation gives no more information, and a sensor at the end of its range must not
/// hide the other sensors.
const DEFAULT_LIMIT: f64 = 100.0;

impl<T: Scalar> StandardizerSettings<T> {
    /// Forgetting is [`Forgetting::NONE`], the smallest spread is zero, and deviations are limited to ±100 spreads.
    pub const DEFAULT: Self = Self {
        forgetting: Forgetting::NONE,
        smallest_spread: T::ZERO,
        limit: T::ZERO,
    };

    /// Lets mean and spread follow the stream, by forgetting old samples.
    #[must_use]
    pub const fn with_forgetting(mut self, forgetting: Forgetting<T>) -> Self {
        self.forgetting = forgetting;
        self
    }

    /// Sets the smallest spread, one number for all channels, in the unit of the channels: one step of the converter, for
    /// example.
    ///
    /// # Errors
    /// [`SettingsError::Spread`] if `spread` is negative or not finite.
    pub const fn with_smallest_spread(mut self, spread: T) -> Result<Self, SettingsError> {
        if of_number!(spread => spread >= 0.0 && spread.is_finite()) {
            self.smallest_spread = spread;
            Ok(self)
        } else {
            Err(SettingsError::Spread)
        }
    }

    /// Limits deviations to ±`limit` spreads.
    ///
    /// # Errors
    /// [`SettingsError::Limit`] unless 1 ≤ limit ≤ 10⁶.
    pub const fn with_limit(mut self, limit: T) -> Result<Self, SettingsError> {
        if of_number!(limit => limit >= 1.0 && limit <= 1e6) {
            self.limit = limit;
            Ok(self)
        } else {
            Err(SettingsError::Limit)
        }
    }

    pub(super) fn limit(&self) -> T {
        if self.limit > T::ZERO {
            self.limit
        } else {
            T::from_f64(DEFAULT_LIMIT)
        }
    }
}

default_is_constant!(StandardizerSettings);

stored!([T: Scalar] StandardizerSettings<T> { forgetting, smallest_spread, limit } if validate);

impl<T: Scalar> StandardizerSettings<T> {
    fn validate(&self) -> Result<(), CodecError> {
        self.with_smallest_spread(self.smallest_spread)?;
        self.with_limit(self.limit())?;
        validate::not_negative(&[self.limit])
    }
}
