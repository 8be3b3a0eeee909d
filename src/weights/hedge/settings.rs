//! The settings of [`Hedge`](super::Hedge), `SetExperts` and `PerturbedLeader`.
//! In: learning rate, set size, share step. Out: settings that were checked.
//! Cost: 2 numbers, a count and a choice.

use crate::codec::stored;
use crate::error::{CodecError, SettingsError};
use crate::learner::{checked_rate, default_is_constant};
use crate::scalar::Scalar;
use crate::scalar::constant::tried;
use crate::weights::share::Share;

/// The settings of [`Hedge`](crate::weights::Hedge), [`SetExperts`](crate::weights::SetExperts) and
/// [`PerturbedLeader`](crate::weights::PerturbedLeader).
///
/// ```
/// use eigenstream::weights::HedgeSettings;
/// let settings = HedgeSettings::new(0.5_f32)?.with_set_size(3)?;
/// assert_ne!(settings, HedgeSettings::DEFAULT);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct HedgeSettings<T> {
    pub(in crate::weights) learning_rate: T,
    pub(in crate::weights) set_size: usize,
    pub(super) share: Share<T>,
}

impl<T: Scalar> HedgeSettings<T> {
    /// Plain Hedge: learning rate 1, one expert drawn in a trial, no share step.
    pub const DEFAULT: Self = Self {
        learning_rate: T::ONE,
        set_size: 1,
        share: Share::Nothing,
    };

    /// [`DEFAULT`](Self::DEFAULT) with another learning rate, η.
    ///
    /// # Errors
    /// [`SettingsError::LearningRate`] unless η is positive and finite.
    pub const fn new(learning_rate: T) -> Result<Self, SettingsError> {
        Ok(Self {
            learning_rate: tried!(checked_rate(learning_rate)),
            ..Self::DEFAULT
        })
    }

    /// Sets the number d of experts that are drawn in a trial.
    ///
    /// With d > 1, [`Hedge`](crate::weights::Hedge) is Capped Hedge.
    ///
    /// # Errors
    /// [`SettingsError::SetSize`] if d = 0.
    pub const fn with_set_size(self, set_size: usize) -> Result<Self, SettingsError> {
        if set_size == 0 {
            return Err(SettingsError::SetSize);
        }
        Ok(Self { set_size, ..self })
    }

    /// Sets the share step after each trial, with which an expert with large old losses can soon recover.
    ///
    /// [`SetExperts`](crate::weights::SetExperts) and [`PerturbedLeader`](crate::weights::PerturbedLeader) ignore it. For
    /// [`Share::Uniform`](crate::pca::Share::Uniform), [`Bounds::with_share`](crate::bounds::Bounds::with_share) bounds the loss.
    ///
    /// # Errors
    /// [`SettingsError::Share`] unless 0 ≤ α ≤ 1.
    ///
    /// ```
    /// use eigenstream::{pca::Share, weights::{Hedge, HedgeSettings}};
    ///
    /// let settings = HedgeSettings::new(1.0_f32)?;
    /// let mut plain = Hedge::<f32, 2>::new(settings);
    /// let mut sharing = Hedge::<f32, 2>::new(settings.with_share(Share::Uniform(0.01))?);
    /// for losses in [[1.0, 0.0]; 50] {
    ///     let _ = (plain.step(&losses), sharing.step(&losses));
    /// }
    /// // 50 trials favour the second expert. Then six trials that favour the first suffice for the learner with a share step.
    /// for losses in [[0.0, 1.0]; 6] {
    ///     let _ = (plain.step(&losses), sharing.step(&losses));
    /// }
    /// assert!(plain.weights()[0] < 1e-15 && sharing.weights()[0] > 0.5);
    /// # Ok::<(), eigenstream::SettingsError>(())
    /// ```
    pub const fn with_share(mut self, share: Share<T>) -> Result<Self, SettingsError> {
        self.share = tried!(share.checked());
        Ok(self)
    }
}

default_is_constant!(HedgeSettings);

stored!([T: Scalar] HedgeSettings<T> { learning_rate, set_size, share } if validate);

impl<T: Scalar> HedgeSettings<T> {
    fn validate(&self) -> Result<(), CodecError> {
        Self::new(self.learning_rate)?.with_set_size(self.set_size)?;
        Ok(())
    }
}
