//! The settings of [`TrackingPca`](crate::pca::TrackingPca): learning rate, scale, ceiling and share.

use super::evidence::Update;
use crate::codec::{stored, validate};
use crate::learner::{checked_rate, default_is_constant};
use crate::pca::Share;
use crate::scalar::constant::{number, of_number, tried};
use crate::{CodecError, Scalar, ScaleSettings, SettingsError};

/// How a [`TrackingPca`](crate::pca::TrackingPca) learns.
///
/// ```
/// use eigenstream::pca::{Share, TrackingSettings};
/// let settings = TrackingSettings::new(0.5_f32)?.with_share(Share::Uniform(1e-3))?;
/// assert_ne!(settings, TrackingSettings::DEFAULT);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TrackingSettings<T> {
    pub(super) update: Update<T>,
    pub(super) scale: ScaleSettings<T>,
}

impl<T: Scalar> TrackingSettings<T> {
    /// For raw data: learning rate 3 divided by the running mean of ‖x‖², ceiling 14, no share.
    ///
    /// With rate 1 the learner recovers later from a change, and loses a little less in noise and between outliers.
    pub const DEFAULT: Self = Self {
        update: Update {
            rate: {
                let one = T::ONE;
                number!(one => 3.0 * one)
            },
            ceiling: T::FOURTEEN,
            ceiling_drop: T::EXP_MINUS_FOURTEEN,
            share: T::ZERO,
        },
        scale: ScaleSettings::DEFAULT,
    };

    /// [`DEFAULT`](Self::DEFAULT) with another learning rate.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless the rate is positive and finite.
    pub const fn new(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(Self {
            update: Update {
                rate: tried!(checked_rate(learning_rate)),
                ..Self::DEFAULT.update
            },
            ..Self::DEFAULT
        })
    }

    /// A learning rate that is not scaled, η in \[WK08\] Algorithm 5; the ceiling stays 14.
    ///
    /// The bounds of \[WK08\] hold for ‖x‖² ≤ 1. For samples of energy 4, the rate η/4 learns as fast as η does for
    /// energy 1.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless η is positive and finite.
    ///
    /// ```
    /// use eigenstream::{ScaleSettings, SettingsError, pca::TrackingSettings};
    /// let scaled = TrackingSettings::unscaled(0.5_f32)?.with_scale(ScaleSettings::DEFAULT);
    /// assert_eq!(scaled, TrackingSettings::new(0.5)?);
    /// assert_eq!(TrackingSettings::unscaled(0.0_f32), Err(SettingsError::LearningRate));
    /// # Ok::<(), SettingsError>(())
    /// ```
    pub const fn unscaled(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(tried!(Self::new(learning_rate)).with_scale(ScaleSettings::OFF))
    }

    /// Limits the evidence of every direction to `ceiling` in each update, before a share.
    ///
    /// An old direction without new energy is replaced soon after the evidence of a new direction has reached
    /// `ceiling`. A sample adds the scaled learning rate times its energy along the direction.
    ///
    /// # Errors
    /// [`SettingsError::Ceiling`] unless `ceiling` is positive. Infinity means no ceiling.
    pub const fn with_ceiling(mut self, ceiling: T) -> Result<Self, SettingsError> {
        if of_number!(ceiling => ceiling > 0.0) {
            self.update.ceiling = number!(ceiling => {
                let largest = Update::<Real>::largest();
                if ceiling > largest { largest } else { ceiling }
            });
            Ok(self)
        } else {
            Err(SettingsError::Ceiling)
        }
    }

    /// Removes the limit of the evidence, as in \[WK08\].
    ///
    /// Recovery from a change then takes about as long as the time before the change. In `f32` keep η‖x‖² of every
    /// sample below 5·10³, or use `f64`: an evidence g has a rounding error of up to 6·10⁻⁸·g, which can hide a small
    /// sample. The running scale of [`DEFAULT`](Self::DEFAULT) keeps this limit unless a sample has more than a
    /// thousand times the mean energy. Measured differences: [`guide::mathematics`](crate::guide::mathematics),
    /// "Without a ceiling in `f32`".
    #[must_use]
    pub const fn without_ceiling(mut self) -> Self {
        self.update.ceiling = Update::largest();
        self
    }

    /// Sets the share: [`Share::Nothing`], or [`Share::Uniform`] with a part α, \[WK08\] section 8.
    ///
    /// After each sample the part α of the trace of W is distributed evenly, so the learner can find new best
    /// directions after a change. With α = 10⁻³ the loss depends less on the learning rate.
    ///
    /// # Errors
    /// [`SettingsError::Share`] unless 0 ≤ α ≤ 1, and for [`Share::PastAverage`] and [`Share::PastPosteriors`]; only
    /// [`DensityPca`](crate::pca::DensityPca) has these two. An α so small that α·ε is zero or subnormal counts as
    /// none.
    ///
    /// ```
    /// use eigenstream::{SettingsError, pca::{Share, TrackingSettings}};
    /// let settings = TrackingSettings::<f32>::DEFAULT;
    /// assert!(settings.with_share(Share::Uniform(1e-3)).is_ok());
    /// assert_eq!(settings.with_share(Share::PastAverage(1e-3)), Err(SettingsError::Share));
    /// ```
    pub const fn with_share(mut self, share: Share<T>) -> Result<Self, SettingsError> {
        self.update.share = match tried!(share.checked()) {
            Share::Nothing => T::ZERO,
            Share::Uniform(part) => part,
            Share::PastAverage(_) | Share::PastPosteriors(_) => return Err(SettingsError::Share),
        };
        Ok(self)
    }

    /// Sets the divisor of the learning rate: the mean of ‖x‖², a known bound of it, or 1.
    #[must_use]
    pub const fn with_scale(mut self, scale: ScaleSettings<T>) -> Self {
        self.scale = scale;
        self
    }
}

default_is_constant!(TrackingSettings);
stored!([T: Scalar] TrackingSettings<T> { update, scale } if validate);

impl<T: Scalar> TrackingSettings<T> {
    fn validate(&self) -> Result<(), CodecError> {
        let checked = Self::new(self.update.rate)?
            .with_ceiling(self.update.ceiling)?
            .with_share(Share::Uniform(self.update.share))?;
        validate::accept(
            checked.update.ceiling == self.update.ceiling && checked.update.share == self.update.share,
            CodecError::Range,
        )?;
        validate::probabilities(&[self.update.ceiling_drop])
    }
}
