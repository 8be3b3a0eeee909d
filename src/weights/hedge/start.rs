//! A [`Hedge`] that starts from given weights.
//! In: weights w⁰. Out: a learner that starts from these weights, capped.
//! Method: ln(d·w⁰) by the rule of `log_capping`, with the set size d. Weights that sum to one and do not exceed the cap 1/d stay
//! unchanged up to rounding.
//! Cost: `N` numbers of stack, at most N²/2 comparisons, N `ln` and about N `exp`.

use super::Hedge;
use crate::learner::Progress;
use crate::weights::check::{largest_weight, set_fits};
use crate::weights::share::PastWeights;
use crate::{Scalar, WeightsError};

impl<T: Scalar, const N: usize> Hedge<T, N> {
    /// Restarts from the weights w⁰. The weights are divided by their sum and capped at 1/d, with the set size d. So only their
    /// ratios matter.
    ///
    /// In the loss bound of [`step`](Self::step), D = d·ln(N/d) is replaced by the sum of ln(1/(d·w⁰ᵢ)) over the d members i of
    /// the best set, with the capped w⁰. This sum is the divergence of
    /// [`Bounds::from_divergence`](crate::bounds::Bounds::from_divergence). Without a share step an expert of weight zero is
    /// not drawn, unless the learning rate times a total loss comes near ±[`Scalar::MAX`].
    ///
    /// # Errors
    /// [`WeightsError::NotANumber`] or [`WeightsError::Negative`] for an invalid weight, [`WeightsError::AllZero`] if all weights
    /// are zero, [`WeightsError::SetSize`] if fewer than d weights are positive. After an error the learner is unchanged.
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
        // The logarithm of zero is −∞; it is replaced by the most negative finite number.
        let logarithm = |weight: T| if weight > T::ZERO { weight.ln() } else { -T::MAX };
        self.log_probabilities = weights.map(logarithm);
        self.cap();
        self.past = PastWeights::new();
        self.progress = Progress::Learned;
        Ok(())
    }
}
