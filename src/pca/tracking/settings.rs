//! The settings of [`TrackingPca`](crate::pca::TrackingPca): learning rate, scale of the learning rate, ceiling and share.
//! Words: the evidence g of a direction grows with the energy of the samples along the direction; the direction is kept with
//! probability 1 − e⁻ᵍ. The ceiling is the upper limit of g. A share is a part of the total weight (the trace of the density
//! matrix) that is distributed evenly over all directions.
//! In: numbers. Out: settings that were checked once and can be stored in flash.

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
    /// For raw data of any scale: learning rate 3 divided by the running energy (the mean ‖x‖² so far), ceiling 14 (the limit of
    /// the evidence g; a direction is kept with probability 1 − e⁻ᵍ), no share.
    /// With rate 1 the learner recovers later from a change, but its loss is a little smaller in noise, and on the samples
    /// between outliers.
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

    /// [`DEFAULT`](Self::DEFAULT) with another learning rate, which is divided by the running energy.
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

    /// A learning rate that is not scaled, η in \[WK08\] Algorithm 5. The ceiling stays 14; the papers have no ceiling.
    ///
    /// The bounds of \[WK08\] hold for samples of energy ‖x‖² ≤ 1. For samples of energy E, η/E learns as fast as η does for
    /// energy one.
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

    /// Limits the evidence of every direction to `ceiling` in each update, before a share is applied. Each sample adds evidence
    /// to a direction: the scaled learning rate times the energy of the sample along the direction. So an old direction that gets
    /// no new energy is replaced soon after the samples have added the evidence `ceiling` to a new direction. If no new direction
    /// appears, the old directions stay.
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

    /// Removes the limit of the evidence, as in \[WK08\]. Recovery from a change then takes about as long as the time before the
    /// change.
    ///
    /// In `f32` evidence of size g has a rounding error of up to 6·10⁻⁸·g, so a sample with η‖x‖² below this error can leave the
    /// evidence unchanged. This matters if a few samples have a far larger norm ‖x‖ than the other samples. The table shows by
    /// which part of the total energy Σ‖x‖² the total expected loss in `f32` can differ from the total expected loss in `f64`.
    /// Each entry is a limit that 300 runs did not exceed: 100 random streams of 100 samples of 10 channels, each with `KEEP` =
    /// 1, 5 and 9.
    ///
    /// | largest η‖x‖² of a sample | all ‖x‖ within 1 decade | 2 decades | 4 decades | 8 decades |
    /// |---|---|---|---|---|
    /// | 0.5 | 10⁻⁶ | 10⁻⁶ | 10⁻⁶ | 10⁻⁶ |
    /// | 50 | 10⁻⁶ | 10⁻⁶ | 10⁻⁵ | 10⁻⁵ |
    /// | 5·10³ | 10⁻⁶ | 10⁻⁵ | 3·10⁻⁴ | 3·10⁻⁴ |
    /// | 5·10⁵ | 10⁻⁶ | 3·10⁻⁵ | 0.3 % | 5 % |
    /// | 5·10⁷ | 10⁻⁶ | 3·10⁻⁵ | 3 % | 20 % |
    ///
    /// So keep η‖x‖² of every sample below 5·10³ in `f32`, or use `f64`. The running scale of [`DEFAULT`](Self::DEFAULT) does
    /// this unless a sample has more than a thousand times the mean energy so far.
    #[must_use]
    pub const fn without_ceiling(mut self) -> Self {
        self.update.ceiling = Update::largest();
        self
    }

    /// Sets the share: [`Share::Nothing`], or [`Share::Uniform`] with a part α. The share distributes the part α of the total
    /// weight (the trace of the density matrix) evenly over all directions after each sample (\[WK08\] section 8). So after a
    /// change of the data the learner can find any new best directions. With α = 10⁻³ the total loss depends less on the choice
    /// of the learning rate η than without a share.
    ///
    /// # Errors
    /// [`SettingsError::Share`] unless 0 ≤ α ≤ 1. An α ≥ 0 so small that α·ε is zero or subnormal counts as `Share::Nothing`,
    /// with every kind of share. With every larger α, `Share::PastAverage` and `Share::PastPosteriors` give this error, because
    /// this learner does not store past densities; [`DensityPca`](crate::pca::DensityPca) stores past densities.
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

    /// Sets the divisor of the learning rate: the mean of ‖x‖² so far, a known bound of ‖x‖², or 1. With the mean or a bound, one
    /// rate fits data of any scale.
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
