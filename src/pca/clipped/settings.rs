//! The settings of [`Clipped`](crate::pca::Clipped): ratio and forgetting.

use crate::codec::stored;
use crate::learner::default_is_constant;
use crate::scalar::constant::{number, of_number};
use crate::{Forgetting, Scalar, SettingsError};

/// When a [`Clipped`](crate::pca::Clipped) scales a sample down.
///
/// ```
/// use eigenstream::{Forgetting, SettingsError, pca::ClipSettings};
/// let settings = ClipSettings::new(6.0_f32)?.with_forgetting(Forgetting::memory(500.0)?);
/// assert_ne!(settings, ClipSettings::DEFAULT);
/// assert_eq!(ClipSettings::new(1.0_f32), Err(SettingsError::Clip));
/// # Ok::<(), SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ClipSettings<T> {
    /// c: the limit divided by the mean energy.
    pub(super) ratio: T,
    /// How fast the mean energy forgets.
    pub(super) forgetting: Forgetting<T>,
}

impl<T: Scalar> ClipSettings<T> {
    /// Ratio c = 4, and a mean energy over about 100 samples.
    ///
    /// About 2 % of samples with exponentially distributed energies are above the limit (e⁻⁴ = 1.8 %), which lowers
    /// the mean by 2 %. A smaller ratio clips more; a longer memory follows a lasting growth more slowly.
    pub const DEFAULT: Self = Self {
        ratio: {
            let one = T::ONE;
            number!(one => 4.0 * one)
        },
        forgetting: {
            let one = T::ONE;
            match Forgetting::memory(number!(one => 100.0 * one)) {
                Ok(forgetting) => forgetting,
                Err(_) => Forgetting::NONE,
            }
        },
    };

    /// [`DEFAULT`](Self::DEFAULT) with another ratio c.
    ///
    /// # Errors
    /// [`SettingsError::Clip`] unless c is finite and above one.
    pub const fn new(ratio: T) -> Result<Self, SettingsError> {
        if of_number!(ratio => ratio > 1.0 && ratio.is_finite()) {
            Ok(Self { ratio, ..Self::DEFAULT })
        } else {
            Err(SettingsError::Clip)
        }
    }

    /// Sets how fast the mean energy forgets.
    ///
    /// With [`Forgetting::NONE`], if all energies grow by R > c after N samples, the limit reaches them after about
    /// N·((R/c)^(1/(c − 1)) − 1) more: 1.9·N for R = 100 and c = 4.
    #[must_use]
    pub const fn with_forgetting(mut self, forgetting: Forgetting<T>) -> Self {
        self.forgetting = forgetting;
        self
    }
}

default_is_constant!(ClipSettings);
stored!([T: Scalar] ClipSettings<T> { ratio, forgetting } by new(ratio));
