//! Hedge over sets of experts, [WK08] section 4.1: every set of d experts is one expert.
//! In: every trial, one loss per expert. Out: the expected loss of a drawn set, the probability of each expert, random
//! sets.
//! Method: the weight of a set is ∏ e^(−ηL) over its members. [`SubsetExperts::from_logarithms`] sums over all sets.
//! The bound has B = ln C(N, d) where [WK08] (5) prints k·ln(n/k): `guide::mathematics`, "The bound for sets of
//! experts".
//! Cost: about 5·N·d `exp` or `ln`. Kept: the settings and `N` numbers. Scratch: `N²` numbers.

use super::HedgeSettings;
use super::check::all_finite;
use super::subset::Subset;
use super::subset_experts::SubsetExperts;
use crate::codec::{stored, validate};
use crate::{CodecError, Scalar, WeightsError};
use rand_core::Rng;

/// Weights on all sets of d of `N` experts.
///
/// If the set size is above `N`, the set contains all experts. The setting `share` is ignored.
///
/// ```
/// use eigenstream::weights::{HedgeSettings, SetExperts};
///
/// let settings = HedgeSettings::new(1.0_f64)?.with_set_size(2)?;
/// let mut experts = SetExperts::<f64, 4>::new(settings);
/// assert!((experts.step(&[0.0, 0.0, 1.0, 1.0])? - 1.0).abs() < 1e-12);
/// // One set has the loss 0, four have 1, one has 2. Their weights are 1, 1/e and 1/e².
/// let (one, two) = ((-1.0_f64).exp(), (-2.0_f64).exp());
/// let expected = (4.0 * one + 2.0 * two) / (1.0 + 4.0 * one + two);
/// assert!((experts.step(&[0.0, 0.0, 1.0, 1.0])? - expected).abs() < 1e-12);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct SetExperts<T, const N: usize> {
    settings: HedgeSettings<T>,
    /// −ηLᵢ minus the largest −ηLⱼ.
    log_weights: [T; N],
}

impl<T: Scalar, const N: usize> SetExperts<T, N> {
    /// Creates a learner with equal weights.
    ///
    /// `N` = 0 does not compile:
    ///
    /// ```compile_fail,E0080
    /// use eigenstream::weights::{HedgeSettings, SetExperts};
    /// let experts = SetExperts::<f32, 0>::new(HedgeSettings::DEFAULT);
    /// ```
    #[must_use]
    pub const fn new(settings: HedgeSettings<T>) -> Self {
        const { assert!(N > 0, "set experts need at least one member") }
        Self {
            settings,
            log_weights: [T::ZERO; N],
        }
    }

    /// One trial: learns the losses and returns the expected loss of a set drawn with the weights before.
    ///
    /// Any finite loss is learned; [`loss_bound`](Self::loss_bound) holds for losses in [0, 1]. A result that overflows
    /// is ±[`Scalar::MAX`].
    ///
    /// # Errors
    /// [`WeightsError::NotANumber`] for a loss that is not finite; nothing is learned.
    pub fn step(&mut self, losses: &[T; N]) -> Result<T, WeightsError> {
        all_finite(losses)?;
        let mut expected_loss = T::ZERO;
        for (&probability, &loss) in self.marginals().iter().zip(losses) {
            // Rounding can give a probability above one, and ∞ − ∞ is NaN.
            expected_loss += (probability * loss).min(T::MAX).max(-T::MAX);
        }
        let mut largest = -T::MAX;
        for (log_weight, &loss) in self.log_weights.iter_mut().zip(losses) {
            *log_weight = (*log_weight - self.settings.learning_rate * loss)
                .min(T::MAX)
                .max(-T::MAX);
            largest = largest.max(*log_weight);
        }
        for log_weight in &mut self.log_weights {
            *log_weight = (*log_weight - largest).max(-T::MAX);
        }
        Ok(expected_loss.min(T::MAX).max(-T::MAX))
    }

    /// The probability that each expert is in a drawn set; they sum to d.
    #[must_use]
    pub fn marginals(&self) -> [T; N] {
        let mut marginals = [T::ZERO; N];
        if let Ok(experts) = self.experts() {
            experts.marginals(&mut marginals);
        }
        marginals
    }

    /// Draws a set of d experts.
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> Subset<N> {
        self.experts().map_or(Subset::EMPTY, |experts| experts.draw(rng))
    }

    /// A bound on the total expected loss, d·(ηL* + B)/(1 − e^(−ηd)), for losses in [0, 1].
    ///
    /// L* is `best_loss`, and B = ln C(N, d). A bound that overflows is [`Scalar::MAX`].
    ///
    /// ```
    /// use eigenstream::weights::{HedgeSettings, SetExperts};
    /// let experts = SetExperts::<f64, 4>::new(HedgeSettings::new(1.0)?.with_set_size(2)?);
    /// // B = ln 6.
    /// assert!((experts.loss_bound(0.0) - 2.0 * 6.0_f64.ln() / (1.0 - (-2.0_f64).exp())).abs() < 1e-12);
    /// # Ok::<(), eigenstream::SettingsError>(())
    /// ```
    #[must_use]
    pub fn loss_bound(&self, best_loss: T) -> T {
        let (rate, size) = (self.settings.learning_rate, T::from_usize(self.set_size()));
        (size * (rate * best_loss + self.log_sets()) / -(-rate * size).exp_m1()).min(T::MAX)
    }

    /// The bound L* + √(2·L*·d·B) + d·B of a learner with the best rate, ln(1 + √(2·d·B/L*))/d.
    ///
    /// L*, d and B as in [`loss_bound`](Self::loss_bound). The rate of this learner has no influence. A bound that
    /// overflows is
    /// [`Scalar::MAX`].
    #[must_use]
    pub fn tuned_loss_bound(&self, best_loss: T) -> T {
        let weight = T::from_usize(self.set_size()) * self.log_sets();
        best_loss + (T::TWO * best_loss * weight).min(T::MAX).sqrt() + weight
    }

    /// Removes all that was learned.
    pub fn reset(&mut self) {
        *self = Self::new(self.settings);
    }

    /// d, at most `N`.
    fn set_size(&self) -> usize {
        self.settings.set_size.min(N)
    }

    /// B = ln C(N, d).
    fn log_sets(&self) -> T {
        let rest = N - self.set_size();
        let mut sum = T::ZERO;
        for member in 1..=self.set_size() {
            sum += (T::from_usize(rest.wrapping_add(member)) / T::from_usize(member)).ln();
        }
        sum
    }

    /// The distribution over the sets; never an error, because the logarithms are finite and d is at most `N`.
    fn experts(&self) -> Result<SubsetExperts<T, N>, WeightsError> {
        SubsetExperts::from_logarithms(&self.log_weights, self.set_size())
    }
}

stored!(
    [T: Scalar, const N: usize] SetExperts<T, N>: SetExperts [N] of T { settings, log_weights }
    if validate
);

impl<T: Scalar, const N: usize> SetExperts<T, N> {
    fn validate(&self) -> Result<(), CodecError> {
        validate::accept(
            self.log_weights.iter().all(|&log_weight| log_weight <= T::ZERO),
            CodecError::Range,
        )
    }
}

#[cfg(test)]
mod tests;
