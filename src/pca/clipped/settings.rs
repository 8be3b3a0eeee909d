//! The settings of [`Clipped`](crate::pca::Clipped): the ratio c of the largest learned energy to the mean energy, and the memory
//! of the mean energy.
//! In: numbers. Out: settings that were checked once and can be stored in flash.

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
    /// c: the limit of the energy of a learned sample, divided by the mean energy.
    pub(super) ratio: T,
    /// How fast the mean energy forgets.
    pub(super) forgetting: Forgetting<T>,
}

impl<T: Scalar> ClipSettings<T> {
    /// Ratio c = 4, and a mean energy over about 100 samples.
    ///
    /// With c = 4, about 2 % of the samples are above the limit if their energies have an exponential distribution, for example
    /// two independent normal channels of equal variance: e⁻⁴ = 1.8 % of the energies are above 4 times their mean, and the clip
    /// lowers the mean by 2 %. A smaller ratio weakens outliers more and scales down more of the usual samples. With a longer
    /// memory, the limit follows a lasting growth of the energies more slowly.
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

    /// Sets how fast the mean energy forgets. With [`Forgetting::NONE`] and the ratio c, if all energies grow by a factor R > c
    /// after N samples, the limit (c times the mean energy) reaches the new energies after about N·((R/c)^(1/(c − 1)) − 1) more
    /// samples: 1.9·N for R = 100 and c = 4.
    #[must_use]
    pub const fn with_forgetting(mut self, forgetting: Forgetting<T>) -> Self {
        self.forgetting = forgetting;
        self
    }
}

default_is_constant!(ClipSettings);
stored!([T: Scalar] ClipSettings<T> { ratio, forgetting } by new(ratio));
