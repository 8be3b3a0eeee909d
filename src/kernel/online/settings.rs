//! The settings of [`OnlineKernelPca`](crate::kernel::OnlineKernelPca), which can be a constant in flash.

use crate::codec::stored;
use crate::kernel::Ambient;
use crate::learner::{checked_rate, default_is_constant};
use crate::scalar::constant::{of_number, tried};
use crate::{Centering, CodecError, Scalar, SettingsError};

/// The settings of an [`OnlineKernelPca`](crate::kernel::OnlineKernelPca).
///
/// ```
/// use eigenstream::kernel::{Ambient, OnlineKernelSettings};
/// let settings = OnlineKernelSettings::new(5.0_f32)?.with_ambient(Ambient::Points);
/// assert_ne!(settings, OnlineKernelSettings::DEFAULT);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct OnlineKernelSettings<T> {
    /// The rate η in [KW07] Algorithm 6.
    pub(super) learning_rate: T,
    pub(super) ambient: Ambient,
    pub(super) centering: Centering,
    /// After a stored sample, `stride` − 1 samples are skipped.
    pub(super) stride: u32,
    /// The number ν of `with_novelty`.
    pub(super) novelty: T,
}

impl<T: Scalar> OnlineKernelSettings<T> {
    /// The learning rate 1, for kernels with k(x, x) ≤ 1, and [`Ambient::Infinite`]; uncentered, and every sample is
    /// stored.
    pub const DEFAULT: Self = Self {
        learning_rate: T::ONE,
        ambient: Ambient::Infinite,
        centering: Centering::Uncentered,
        stride: 1,
        novelty: T::ZERO,
    };

    /// The default with another learning rate, η in \[KW07\] Algorithm 6.
    ///
    /// The loss bounds of \[KW07\] hold for k(x, x) ≤ 1. If k(x, x) is near a number E, divide η by E.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless η is positive and finite.
    pub const fn new(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(Self {
            learning_rate: tried!(checked_rate(learning_rate)),
            ..Self::DEFAULT
        })
    }

    /// Sets the assumption about the directions that the points do not span.
    #[must_use]
    pub const fn with_ambient(mut self, ambient: Ambient) -> Self {
        self.ambient = ambient;
        self
    }

    /// Sets whether μ is subtracted from the features.
    #[must_use]
    pub const fn with_centering(mut self, centering: Centering) -> Self {
        self.centering = centering;
        self
    }

    /// Skips `stride` − 1 samples after a stored one, so that the window covers more time.
    ///
    /// # Errors
    /// [`SettingsError::Stride`] for zero.
    pub const fn with_stride(mut self, stride: u32) -> Result<Self, SettingsError> {
        if stride == 0 {
            return Err(SettingsError::Stride);
        }
        self.stride = stride;
        Ok(self)
    }

    /// Skips duplicates, so that the window covers more different samples; ν = 0 skips none.
    ///
    /// A sample x is a duplicate of the point xᵢ if 1 − k(x, xᵢ)²/(k(x, x)·k(xᵢ, xᵢ)) ≤ ν. The left side is the
    /// fraction of ‖φ(x)‖² that is orthogonal to φ(xᵢ). If one of k(x, x) and k(xᵢ, xᵢ) is zero, x is a duplicate only
    /// if both are. While all samples are duplicates, the old points stay. Here k is never centred.
    ///
    /// # Errors
    /// [`SettingsError::Novelty`] unless 0 ≤ ν < 1.
    pub const fn with_novelty(mut self, novelty: T) -> Result<Self, SettingsError> {
        if !of_number!(novelty => novelty >= 0.0 && novelty < 1.0) {
            return Err(SettingsError::Novelty);
        }
        self.novelty = novelty;
        Ok(self)
    }
}

default_is_constant!(OnlineKernelSettings);

stored!([T: Scalar] OnlineKernelSettings<T> { learning_rate, ambient, centering, stride, novelty } if validate);

impl<T: Scalar> OnlineKernelSettings<T> {
    fn validate(&self) -> Result<(), CodecError> {
        Self::new(self.learning_rate)?
            .with_stride(self.stride)?
            .with_novelty(self.novelty)?;
        Ok(())
    }
}
