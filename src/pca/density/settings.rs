//! How a [`DensityPca`](crate::pca::DensityPca) learns.
//! In: learning rate, share, ceiling and way of drawing. Out: settings that are known to be good.
//! Cost: 6 numbers, in flash if the program has them as a constant.

use crate::codec::{Field, Layout, Reader, Stored, Writer};
use crate::learner::{checked_rate, default_is_constant};
use crate::pca::Share;
use crate::scalar::constant::{of_number, tried};
use crate::weights::Draw;
use crate::{CodecError, Scalar, SettingsError};

/// How a [`DensityPca`](crate::pca::DensityPca) learns.
///
/// ```
/// use eigenstream::{pca::{DensitySettings, Share}, weights::Draw};
/// let settings = DensitySettings::new(0.5_f32)?
///     .with_share(Share::Uniform(1e-3))?
///     .with_ceiling(14.0)?
///     .with_draw(Draw::Corners);
/// assert_ne!(settings, DensitySettings::DEFAULT);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct DensitySettings<T> {
    /// Learning rate, η in [WK08] Algorithm 5.
    pub(super) learning_rate: T,
    /// α and where it goes, [WK08] section 8.
    pub(super) share: Share<T>,
    /// Largest evidence g; infinite for none.
    pub(super) ceiling: T,
    pub(super) draw: Draw,
}

impl<T: Scalar> DensitySettings<T> {
    /// The paper's algorithm as it stands, with η = 1.
    pub const DEFAULT: Self = Self {
        learning_rate: T::ONE,
        share: Share::Nothing,
        ceiling: T::INFINITY,
        draw: Draw::Systematic,
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

    /// Shares a part α of all weight after each sample.
    ///
    /// # Errors
    /// [`SettingsError::Share`] if α is not between zero and one.
    pub const fn with_share(self, share: Share<T>) -> Result<Self, SettingsError> {
        Ok(Self {
            share: tried!(share.checked()),
            ..self
        })
    }

    /// Limits the evidence to `ceiling`. The limit bounds how long the past is remembered, and how long the learner needs
    /// to recover from a shift. The keep probabilities sum to KEEP within DIM·exp(−ceiling); 14 suits `f32`.
    ///
    /// # Errors
    /// [`SettingsError::Ceiling`] if it is not positive; infinity is none.
    pub const fn with_ceiling(self, ceiling: T) -> Result<Self, SettingsError> {
        if of_number!(ceiling => ceiling > 0.0) {
            Ok(Self { ceiling, ..self })
        } else {
            Err(SettingsError::Ceiling)
        }
    }

    /// Evidence without limit: the paper's algorithm.
    #[must_use]
    pub const fn without_ceiling(self) -> Self {
        Self {
            ceiling: T::INFINITY,
            ..self
        }
    }

    /// Sets how directions are drawn.
    #[must_use]
    pub const fn with_draw(self, draw: Draw) -> Self {
        Self { draw, ..self }
    }
}

default_is_constant!(DensitySettings);

// No ceiling is infinite, which no other number in an image may be: the image says whether there is one.
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
                Field::of("draw", |settings: &Self| &settings.draw),
            ]
        },
    );

    fn store(&self, image: &mut Writer<'_>) {
        self.learning_rate.store(image);
        self.share.store(image);
        self.ceiling.is_finite().then_some(self.ceiling).store(image);
        self.draw.store(image);
    }

    fn load(image: &mut Reader<'_>) -> Result<Self, CodecError> {
        let settings = Self::new(T::load(image)?)?.with_share(Share::load(image)?)?;
        let settings = match Option::load(image)? {
            Some(ceiling) => settings.with_ceiling(ceiling)?,
            None => settings.without_ceiling(),
        };
        Ok(settings.with_draw(Draw::load(image)?))
    }
}
