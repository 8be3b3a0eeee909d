//! The settings of [`DensityPca`](crate::pca::DensityPca): learning rate, share and ceiling.

use crate::codec::{Field, Layout, Reader, Stored, Writer, field};
use crate::learner::{checked_rate, default_is_constant};
use crate::pca::Share;
use crate::scalar::constant::{of_number, tried};
use crate::{CodecError, Scalar, SettingsError};

/// How a [`DensityPca`](crate::pca::DensityPca) learns.
///
/// ```
/// use eigenstream::pca::{DensitySettings, Share};
/// let settings = DensitySettings::new(0.5_f32)?
///     .with_share(Share::Uniform(1e-3))?
///     .with_ceiling(14.0)?;
/// assert_ne!(settings, DensitySettings::DEFAULT);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct DensitySettings<T> {
    /// The learning rate η.
    pub(super) learning_rate: T,
    pub(super) share: Share<T>,
    /// The ceiling; infinite if there is none.
    pub(super) ceiling: T,
}

impl<T: Scalar> DensitySettings<T> {
    /// \[WK08\] Algorithm 5 with learning rate 1: no share, no ceiling.
    pub const DEFAULT: Self = Self {
        learning_rate: T::ONE,
        share: Share::Nothing,
        ceiling: T::INFINITY,
    };

    /// \[WK08\] Algorithm 5 with learning rate η: no share, no ceiling.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless η is positive and finite.
    pub const fn new(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(Self {
            learning_rate: tried!(checked_rate(learning_rate)),
            ..Self::DEFAULT
        })
    }

    /// Sets the share: after each sample W becomes (1−α)·W + α·M.
    ///
    /// M is the uniform matrix I/DIM or the mean of earlier W. An α below `MIN_POSITIVE`/ε counts as zero.
    ///
    /// # Errors
    /// [`SettingsError::Share`] unless 0 ≤ α ≤ 1.
    pub const fn with_share(self, share: Share<T>) -> Result<Self, SettingsError> {
        Ok(Self {
            share: tried!(share.checked()),
            ..self
        })
    }

    /// Limits the evidence of every direction to `ceiling` when a sample or an instance is learned.
    ///
    /// An old direction without new energy is then replaced soon after the evidence of a new direction has reached
    /// `ceiling`. The sum of the keep probabilities falls by at most DIM·e^(−ceiling). A ceiling of 14 suits `f32`.
    ///
    /// # Errors
    /// [`SettingsError::Ceiling`] unless `ceiling` is positive.
    pub const fn with_ceiling(self, ceiling: T) -> Result<Self, SettingsError> {
        if of_number!(ceiling => ceiling > 0.0) {
            Ok(Self { ceiling, ..self })
        } else {
            Err(SettingsError::Ceiling)
        }
    }

    /// Removes the ceiling, as in \[WK08\].
    ///
    /// With [`Share::PastAverage`] and [`Share::PastPosteriors`] the limit ln(1/ε) − 2 remains.
    #[must_use]
    pub const fn without_ceiling(self) -> Self {
        Self {
            ceiling: T::INFINITY,
            ..self
        }
    }
}

default_is_constant!(DensitySettings);

// Encoded numbers must be finite, so the ceiling is stored as an `Option`: `None` if there is no ceiling.
impl<T: Scalar> Stored for DensitySettings<T> {
    const CONTENT: Layout = Layout::Group(
        const {
            &[
                field("learning_rate", |settings: &Self| &settings.learning_rate),
                field("share", |settings: &Self| &settings.share),
                Field {
                    name: "ceiling",
                    layout: <Option<T>>::CONTENT,
                },
            ]
        },
    );

    fn store(&self, image: &mut Writer<'_>) {
        self.learning_rate.store(image);
        self.share.store(image);
        self.ceiling.is_finite().then_some(self.ceiling).store(image);
    }

    fn load(image: &mut Reader<'_>) -> Result<Self, CodecError> {
        let settings = Self::new(T::load(image)?)?.with_share(Share::load(image)?)?;
        match Option::load(image)? {
            Some(ceiling) => Ok(settings.with_ceiling(ceiling)?),
            None => Ok(settings.without_ceiling()),
        }
    }
}
