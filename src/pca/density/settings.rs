//! The settings of [`DensityPca`](crate::pca::DensityPca).
//! In: learning rate, share (the part α of the density matrix that is replaced by another matrix after each sample), ceiling (the
//! upper limit of the evidence). Out: checked settings.
//! Cost: 4 numbers (the share has two, its kind and α), in flash if the program stores the settings as a constant.

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
    /// The part α, and the kind of matrix that is mixed into the density matrix with the weight α, [WK08] section 8.
    pub(super) share: Share<T>,
    /// The upper limit of the evidence g after a learned sample; a direction is kept with probability 1 − e⁻ᵍ. Infinity: no
    /// limit, but with a share of past densities the limit is then ln(1/ε) − 2.
    pub(super) ceiling: T,
}

impl<T: Scalar> DensitySettings<T> {
    /// \[WK08\] Algorithm 5 with learning rate η = 1: no share, no ceiling.
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

    /// Sets the share. After each sample the density matrix W becomes (1−α)·W + α·M, where M is the uniform matrix I/DIM or the
    /// mean of earlier density matrices. [`Share::Nothing`] leaves W as it is. An α below `MIN_POSITIVE`/ε counts as zero.
    ///
    /// # Errors
    /// [`SettingsError::Share`] unless 0 ≤ α ≤ 1.
    pub const fn with_share(self, share: Share<T>) -> Result<Self, SettingsError> {
        Ok(Self {
            share: tried!(share.checked()),
            ..self
        })
    }

    /// Limits the evidence g of every direction to `ceiling` when a sample or an instance is learned; a start is not limited. A
    /// direction is kept with probability 1 − e⁻ᵍ. So an old direction that gets no new energy is replaced soon after a new
    /// direction has gained the evidence `ceiling`. The ceiling reduces the sum of the keep probabilities, which is KEEP without
    /// a ceiling, by at most DIM·e^(−ceiling). A ceiling of 14 suits `f32`.
    ///
    /// # Errors
    /// [`SettingsError::Ceiling`] unless `ceiling` is positive. Infinity means no ceiling.
    pub const fn with_ceiling(self, ceiling: T) -> Result<Self, SettingsError> {
        if of_number!(ceiling => ceiling > 0.0) {
            Ok(Self { ceiling, ..self })
        } else {
            Err(SettingsError::Ceiling)
        }
    }

    /// Removes the limit of the evidence, as in \[WK08\]. With [`Share::PastAverage`] and [`Share::PastPosteriors`] the limit
    /// ln(1/ε) − 2 remains.
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
