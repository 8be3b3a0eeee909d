//! A [`Hedge`] that starts from given weights, capped.
//! Cost: as a step, and N `ln`.

use super::Hedge;
use crate::learner::Progress;
use crate::weights::check::{largest_weight, set_fits};
use crate::weights::share::PastWeights;
use crate::{Scalar, WeightsError};

impl<T: Scalar, const N: usize> Hedge<T, N> {
    /// Restarts from the weights w⁰, divided by their sum and capped.
    ///
    /// In the loss bound of [`step`](Self::step), D becomes the sum of ln(1/(d·w⁰ᵢ)) over the best set: see
    /// [`Bounds::from_divergence`](crate::bounds::Bounds::from_divergence). Without a share step an expert of weight zero is
    /// not drawn, unless η times a total loss comes near ±[`Scalar::MAX`].
    ///
    /// # Errors
    /// [`WeightsError::NotANumber`], [`WeightsError::Negative`], [`WeightsError::AllZero`] for invalid weights;
    /// [`WeightsError::SetSize`] if fewer than d are positive. After an error the learner is unchanged.
    ///
    /// ```
    /// use eigenstream::weights::{Hedge, HedgeSettings};
    /// let mut hedge = Hedge::<f32, 3>::new(HedgeSettings::DEFAULT);
    /// hedge.start_from(&[0.125, 0.5, 0.375])?;
    /// assert!((hedge.step(&[0.0, 1.0, 0.0])? - 0.5).abs() < 1e-6);
    /// # Ok::<(), eigenstream::WeightsError>(())
    /// ```
    pub fn start_from(&mut self, weights: &[T; N]) -> Result<(), WeightsError> {
        let largest = largest_weight(weights)?;
        if largest == T::ZERO {
            return Err(WeightsError::AllZero);
        }
        set_fits(
            self.set_size(),
            weights.iter().filter(|&&weight| weight > T::ZERO).count(),
        )?;
        // ln 0 is −∞: replaced by the most negative finite number.
        let logarithm = |weight: T| if weight > T::ZERO { weight.ln() } else { -T::MAX };
        self.log_probabilities = weights.map(logarithm);
        self.cap();
        self.past = PastWeights::new();
        self.progress = Progress::Learned;
        Ok(())
    }
}
