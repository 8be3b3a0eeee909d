//! The settings of [`Mahalanobis`](crate::pca::Mahalanobis): shrinkage α and memory.

use crate::codec::{stored, validate};
use crate::learner::default_is_constant;
use crate::scalar::constant::of_number;
use crate::{CodecError, Scalar, SettingsError};

const DEFAULT_SHRINKAGE: f64 = 0.005;

/// The longest memory. The weight of a sample is then 2⁻²⁰, 16 times the relative rounding error 2⁻²⁴ of `f32`.
const LONGEST: u32 = 1 << 20;

/// How a [`Mahalanobis`](crate::pca::Mahalanobis) learns.
///
/// ```
/// use eigenstream::{SettingsError, pca::MahalanobisSettings};
/// let settings = MahalanobisSettings::new(0.1_f32)?.with_memory(5_000);
/// assert_ne!(settings, MahalanobisSettings::DEFAULT);
/// assert_eq!(MahalanobisSettings::new(0.0_f32), Err(SettingsError::Shrinkage));
/// # Ok::<(), SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct MahalanobisSettings<T> {
    /// The shrinkage α; zero stands for `DEFAULT_SHRINKAGE`.
    shrinkage: T,
    pub(super) memory: u32,
}

impl<T: Scalar> MahalanobisSettings<T> {
    /// Shrinkage 0.005 and a memory of 2²⁰ samples.
    ///
    /// In `f32`, with a full memory, rounding hides a product of two channels that differs from its mean by less than
    /// 3 to 6 %; with a memory of 2¹⁶ samples by less than 0.2 to 0.4 %.
    pub const DEFAULT: Self = Self {
        shrinkage: T::ZERO,
        memory: LONGEST,
    };

    /// [`DEFAULT`](Self::DEFAULT) with another shrinkage α.
    ///
    /// # Errors
    /// [`SettingsError::Shrinkage`] unless α is at least 10⁻⁴ and at most one.
    pub const fn new(shrinkage: T) -> Result<Self, SettingsError> {
        if of_number!(shrinkage => shrinkage >= 1e-4 && shrinkage <= 1.0) {
            Ok(Self {
                shrinkage,
                ..Self::DEFAULT
            })
        } else {
            Err(SettingsError::Shrinkage)
        }
    }

    /// Sets the memory: from this number of samples on, each new one has the weight 1/`samples`.
    ///
    /// 0 and 1 count as 2, and numbers above 2²⁰ count as 2²⁰.
    #[must_use]
    pub const fn with_memory(mut self, samples: u32) -> Self {
        self.memory = match samples {
            0 => 1,
            1..=LONGEST => samples,
            _ => LONGEST,
        };
        self
    }

    pub(super) fn shrinkage(&self) -> T {
        if self.shrinkage > T::ZERO {
            self.shrinkage
        } else {
            T::from_f64(DEFAULT_SHRINKAGE)
        }
    }
}

stored!([T: Scalar] MahalanobisSettings<T> { shrinkage, memory } if validate);

impl<T: Scalar> MahalanobisSettings<T> {
    fn validate(&self) -> Result<(), CodecError> {
        validate::accept((1..=LONGEST).contains(&self.memory), CodecError::Count)?;
        if self.shrinkage != T::ZERO {
            Self::new(self.shrinkage)?;
        }
        Ok(())
    }
}

default_is_constant!(MahalanobisSettings);
