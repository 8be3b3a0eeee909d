//! The settings of [`OnlineKernelPca`](crate::kernel::OnlineKernelPca): learning rate, ambient, centering, stride
//! and novelty.
//! In: the values of these settings. Out: checked settings, which can be a constant in flash.

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
    /// The learning rate η of [KW07] Algorithm 6.
    pub(super) learning_rate: T,
    pub(super) ambient: Ambient,
    pub(super) centering: Centering,
    /// After a stored sample, `stride` − 1 samples are skipped.
    pub(super) stride: u32,
    /// The limit ν of `with_novelty`. With ν = 0 no sample is skipped as a duplicate.
    pub(super) novelty: T,
}

impl<T: Scalar> OnlineKernelSettings<T> {
    /// Learning rate 1, suitable for kernels with k(x, x) ≤ 1. All other settings are those of \[KW07\] Algorithm 6 in an
    /// infinite feature space: uncentered, every sample stored.
    pub const DEFAULT: Self = Self {
        learning_rate: T::ONE,
        ambient: Ambient::Infinite,
        centering: Centering::Uncentered,
        stride: 1,
        novelty: T::ZERO,
    };

    /// The default with another learning rate, η in \[KW07\] Algorithm 6.
    ///
    /// The loss bounds of \[KW07\] hold for k(x, x) ≤ 1. If k(x, x) is near a number E, η = 1/E learns as fast as η = 1 does if
    /// k(x, x) is near 1.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless η is positive and finite.
    pub const fn new(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(Self {
            learning_rate: tried!(checked_rate(learning_rate)),
            ..Self::DEFAULT
        })
    }

    /// Sets the assumption about the directions that the stored points do not span.
    #[must_use]
    pub const fn with_ambient(mut self, ambient: Ambient) -> Self {
        self.ambient = ambient;
        self
    }

    /// Sets whether the directions are computed about the mean of the features of the stored points or about zero.
    #[must_use]
    pub const fn with_centering(mut self, centering: Centering) -> Self {
        self.centering = centering;
        self
    }

    /// After a stored sample, skips `stride` − 1 samples, so that the window covers more time.
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

    /// Skips duplicates, so that the window covers more different samples. A sample x is a duplicate if its features φ(x) are
    /// nearly a multiple of the features φ(xᵢ) of a stored point xᵢ: 1 − k(x, xᵢ)²/(k(x, x)·k(xᵢ, xᵢ)) ≤ ν, with ν = `novelty`.
    /// The left side is the fraction of ‖φ(x)‖² that is orthogonal to φ(xᵢ). If k(x, x) or k(xᵢ, xᵢ) is zero, x is a duplicate of
    /// xᵢ only if both are zero. With ν = 0 no sample is skipped as a duplicate.
    ///
    /// A skipped sample replaces no point: while the stream does not change, the old points stay.
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
