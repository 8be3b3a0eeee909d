//! The settings of [`DensityPca`](crate::pca::DensityPca).
//! In: learning rate, share (the part α of the weight that is mixed with other directions after each sample), ceiling (the upper
//! limit of the evidence). Out: checked settings.
//! Cost: 4 numbers (the share has two), in flash if the program stores the settings as a constant.

use crate::codec::{Field, Layout, Reader, Stored, Writer};
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
    /// Learning rate, η in [WK08] Algorithm 5.
    pub(super) learning_rate: T,
    /// The part α, and the matrix that is mixed in with the weight α, [WK08] section 8.
    pub(super) share: Share<T>,
    /// The largest evidence g. Infinity means no ceiling.
    pub(super) ceiling: T,
}

impl<T: Scalar> DensitySettings<T> {
    /// The paper's algorithm without changes, with learning rate η = 1.
    pub const DEFAULT: Self = Self {
        learning_rate: T::ONE,
        share: Share::Nothing,
        ceiling: T::INFINITY,
    };

    /// The paper's algorithm with learning rate η.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] if η is not positive and finite.
    pub const fn new(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(Self {
            learning_rate: tried!(checked_rate(learning_rate)),
            ..Self::DEFAULT
        })
    }

    /// Sets the share: after each sample the part α of the total weight is mixed with the uniform matrix or with the mean of
    /// earlier density matrices.
    ///
    /// # Errors
    /// [`SettingsError::Share`] if α is not between zero and one.
    pub const fn with_share(self, share: Share<T>) -> Result<Self, SettingsError> {
        Ok(Self {
            share: tried!(share.checked()),
            ..self
        })
    }

    /// Limits the evidence to `ceiling`. The limit bounds how long the learner remembers the past, and how long the learner needs
    /// to recover from a change of the data. The keep probabilities sum to KEEP with an error of at most DIM·exp(−ceiling). A
    /// ceiling of 14 suits `f32`.
    ///
    /// # Errors
    /// [`SettingsError::Ceiling`] if `ceiling` is not positive. Infinity means no ceiling.
    pub const fn with_ceiling(self, ceiling: T) -> Result<Self, SettingsError> {
        if of_number!(ceiling => ceiling > 0.0) {
            Ok(Self { ceiling, ..self })
        } else {
            Err(SettingsError::Ceiling)
        }
    }

    /// Removes the limit of the evidence, as in the paper.
    #[must_use]
    pub const fn without_ceiling(self) -> Self {
        Self {
            ceiling: T::INFINITY,
            ..self
        }
    }
}

default_is_constant!(DensitySettings);

// Without a ceiling the field `ceiling` is infinite. Encoded numbers must be finite, so the codec stores an `Option`.
impl<T: Scalar> Stored for DensitySettings<T> {
    const CONTENT: Layout = Layout::Group(
        const {
            &[
                Field::of("learning_rate", |settings: &Self| &settings.learning_rate),
                Field::of("share", |settings: &Self| &settings.share),
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
