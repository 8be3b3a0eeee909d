//! A [`Hedge`] that does not start from equal weights.
//! In: weights w⁰. Out: a learner with these weights, capped, which goes on from there.
//! Method: ln(d·w⁰) by the rule of `log_capping`; weights within their cap stay as they are, to rounding.
//! Cost: `N` numbers of stack, N²/2 comparisons, N `ln` and about N `exp`.

use super::Hedge;
use crate::learner::Progress;
use crate::weights::check::{largest_weight, set_fits};
use crate::weights::share::PastWeights;
use crate::{Scalar, WeightsError};

impl<T: Scalar, const N: usize> Hedge<T, N> {
    /// Starts over from the weights w⁰. Only their ratios count: they are divided by their sum, and none stays above 1/d.
    ///
    /// In the bounds, D = d·ln(N/d) becomes D = d·Δ(u, w⁰): for one expert i it is ln(1/w⁰ᵢ), for a set of d experts
    /// Σ ln(1/(d·w⁰ᵢ)) over its members ([`Bounds::from_divergence`](crate::bounds::Bounds::from_divergence)). An expert of weight
    /// zero is as good as never drawn.
    ///
    /// # Errors
    /// [`WeightsError::NotANumber`] or [`WeightsError::Negative`] for a weight that is none, [`WeightsError::AllZero`] if no expert has
    /// a weight, [`WeightsError::SetSize`] if fewer than d have one. The learner is then as it was.
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
        // The logarithm of zero is −∞; the most negative finite number takes its place.
        let logarithm = |weight: T| if weight > T::ZERO { weight.ln() } else { -T::MAX };
        self.log_probabilities = weights.map(logarithm);
        self.cap();
        self.past = PastWeights::new();
        self.progress = Progress::Learned;
        Ok(())
    }
}
