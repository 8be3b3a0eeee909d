//! Hedge, [WK08] Algorithm 1, and Capped Hedge, [WK08] Algorithm 3: large weights for experts with small total losses.
//! In: every trial, one loss per expert. Out: the expected loss of a drawn set, the weights, and a random set.
//! Method: w ← w·e^(−ηℓ), normalised (Algorithm 3 prints the normaliser without w), capped, then the share step. The
//! state is ln(d·w), because w can underflow.
//! Cost: at most N²/2 comparisons and 2N `exp`; a share step adds up to 2N `exp` and N `ln`. Kept: 2·`N` scalars.

mod settings;

pub use settings::HedgeSettings;

use super::check::{all_finite, largest_weight, set_fits};
use super::log_capping::keeping;
use super::sampling::systematic;
use super::share::{PastWeights, Share, mix};
use super::subset::Subset;
use crate::codec::{stored, validate};
use crate::error::{CodecError, WeightsError};
use crate::learner::Progress;
use crate::scalar::Scalar;
use rand_core::Rng;

/// Weights on `N` experts, learned from their losses.
///
/// If the set size is above `N`, the set contains all experts.
///
/// ```
/// use eigenstream::weights::{Hedge, HedgeSettings};
///
/// let mut hedge = Hedge::<f64, 3>::new(HedgeSettings::new(1.0).unwrap());
/// let expected_loss = hedge.step(&[1.0, 0.0, 1.0])?;
/// assert!((expected_loss - 2.0 / 3.0).abs() < 1e-15);
/// // The weights now have the ratios 1/e : 1 : 1/e.
/// assert!((hedge.weights()[1] - 0.576_116_884_765_829).abs() < 1e-12);
/// # Ok::<(), eigenstream::WeightsError>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Hedge<T, const N: usize> {
    settings: HedgeSettings<T>,
    /// The logarithms ln(d·w), at most zero. While `progress` is `Fresh` all are zero: equal and not normalised.
    log_probabilities: [T; N],
    /// The mean of d·w over the earlier trials; empty without a share step that needs it.
    past: PastWeights<T, N>,
    /// `Fresh` at first, because a const constructor cannot compute ln(d/N).
    progress: Progress,
}

impl<T: Scalar, const N: usize> Hedge<T, N> {
    /// Creates a learner with equal weights.
    ///
    /// `N` = 0 does not compile:
    ///
    /// ```compile_fail,E0080
    /// use eigenstream::weights::{Hedge, HedgeSettings};
    /// let hedge = Hedge::<f32, 0>::new(HedgeSettings::new(1.0).unwrap().with_set_size(2).unwrap());
    /// ```
    #[must_use]
    pub const fn new(settings: HedgeSettings<T>) -> Self {
        const { assert!(N > 0, "Hedge needs at least one expert") }
        Self {
            settings,
            log_probabilities: [T::ZERO; N],
            past: PastWeights::new(),
            progress: Progress::Fresh,
        }
    }

    /// Restarts from the weights w⁰, divided by their sum and capped.
    ///
    /// In the loss bound of [`step`](Self::step), D becomes the sum of ln(1/(d·wᵢ)) over the best set, with these
    /// capped weights w: see [`Bounds::from_divergence`](crate::bounds::Bounds::from_divergence). Without a share step
    /// an expert of weight zero is not drawn, unless η times a total loss comes near ±[`Scalar::MAX`].
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
        // ln 0 is −∞ and is replaced by the most negative finite number.
        let logarithm = |weight: T| if weight > T::ZERO { weight.ln() } else { -T::MAX };
        self.log_probabilities = weights.map(logarithm);
        self.cap();
        self.past = PastWeights::new();
        self.progress = Progress::Learned;
        Ok(())
    }

    /// One trial: learns the losses ℓ and returns the expected loss d·Σ wᵢℓᵢ of the weights before.
    ///
    /// Without a share step, from equal weights and for losses in [0, 1], the total expected loss is at most (ηL* +
    /// D)/(1 − exp(−η)), with D = d·ln(N/d). Any finite loss is learned. A result that overflows is ±[`Scalar::MAX`].
    ///
    /// # Errors
    /// [`WeightsError::NotANumber`] for a loss that is not finite; nothing is learned.
    ///
    /// ```
    /// use eigenstream::weights::{Hedge, HedgeSettings};
    ///
    /// let mut hedge = Hedge::<f32, 4>::new(HedgeSettings::new(1.0).unwrap().with_set_size(2).unwrap());
    /// assert_eq!(hedge.step(&[1.0, 0.0, 0.0, 1.0])?, 1.0); // each expert is drawn with probability 1/2
    /// assert!(hedge.step(&[1.0, 0.0, 0.0, 1.0])? < 1.0);
    /// assert!(hedge.step(&[f32::NAN; 4]).is_err());
    /// # Ok::<(), eigenstream::WeightsError>(())
    /// ```
    pub fn step(&mut self, losses: &[T; N]) -> Result<T, WeightsError> {
        all_finite(losses)?;
        let mut expected_loss = T::ZERO;
        for (probability, &loss) in self.probabilities().iter().zip(losses) {
            expected_loss += *probability * loss;
        }
        self.learn(losses);
        Ok(expected_loss.min(T::MAX).max(-T::MAX))
    }

    /// The capped weights w: they sum to one, and none is above 1/d.
    #[must_use]
    pub fn weights(&self) -> [T; N] {
        let cap = T::ONE / T::from_usize(self.set_size());
        self.probabilities().map(|probability| probability * cap)
    }

    /// Draws a set of d experts from one random number; the set contains expert i with probability d·wᵢ.
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> Subset<N> {
        // `systematic` returns no error: there are N probabilities in [0, 1], and the set size is at most N.
        systematic(&self.probabilities(), self.set_size(), T::uniform(rng)).unwrap_or_default()
    }

    /// Removes all that was learned: all weights are equal again.
    pub fn reset(&mut self) {
        *self = Self::new(self.settings);
    }

    /// The set size d, at most `N`.
    fn set_size(&self) -> usize {
        self.settings.set_size.min(N)
    }

    /// The probabilities q = d·w.
    fn probabilities(&self) -> [T; N] {
        match self.progress {
            Progress::Fresh => [T::from_usize(self.set_size()) / T::from_usize(N); N],
            Progress::Learned => self.log_probabilities.map(T::exp),
        }
    }

    /// ln q ← ln q − ηℓ, then the capping, then the share step.
    fn learn(&mut self, losses: &[T; N]) {
        match self.settings.share {
            Share::PastAverage(_) => self.past.update(&self.probabilities()),
            Share::PastPosteriors(_) if self.past.is_empty() => self.past.update(&self.probabilities()),
            _ => {}
        }
        for (log_probability, &loss) in self.log_probabilities.iter_mut().zip(losses) {
            // The result is limited to finite values: an expert at −∞ could never get weight again, and ∞ − ∞ is NaN.
            let moved = *log_probability - self.settings.learning_rate * loss;
            *log_probability = moved.min(T::MAX).max(-T::MAX);
        }
        self.cap();
        self.progress = Progress::Learned;
        self.share();
    }

    fn cap(&mut self) {
        let set_size = self.set_size();
        if set_size == N {
            self.log_probabilities = [T::ZERO; N];
        } else {
            let mut scratch = [T::ZERO; N];
            let keeping = keeping(self.log_probabilities.iter().copied(), N, set_size, &mut scratch);
            for log_probability in &mut self.log_probabilities {
                *log_probability = (-keeping.evidence(-*log_probability)).max(-T::MAX);
            }
        }
    }

    /// The share step: q ← (1−α)q + αr, where r is d/N or the mean of earlier q. Up to rounding, q stays capped.
    fn share(&mut self) {
        if self.settings.share == Share::Nothing {
            return;
        }
        let mut probabilities = self.probabilities();
        match self.settings.share {
            // This case returned above, before the exponentials of `probabilities` were computed.
            Share::Nothing => {}
            Share::Uniform(part) => {
                let uniform = T::from_usize(self.set_size()) / T::from_usize(N);
                mix(&mut probabilities, &[uniform; N], part);
            }
            Share::PastAverage(part) => mix(&mut probabilities, self.past.mean(), part),
            Share::PastPosteriors(part) => {
                let posterior = probabilities;
                mix(&mut probabilities, self.past.mean(), part);
                self.past.update(&posterior);
            }
        }
        // Limits the logarithm, because ln 0 is −∞ and rounding can give a probability above one.
        self.log_probabilities = probabilities.map(|probability| probability.ln().min(T::ZERO).max(-T::MAX));
    }
}

stored!([T: Scalar, const N: usize] Hedge<T, N>: Hedge [N] of T { settings, log_probabilities, past, progress } if validate);

impl<T: Scalar, const N: usize> Hedge<T, N> {
    fn validate(&self) -> Result<(), CodecError> {
        // Checks one by one, so that the probabilities are not all on the stack.
        for logarithm in &self.log_probabilities {
            validate::probabilities(&[logarithm.exp()])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::SettingsError;

    fn hedge<const N: usize>(learning_rate: f32, set_size: usize) -> Hedge<f32, N> {
        Hedge::new(HedgeSettings {
            learning_rate,
            set_size,
            share: Share::Nothing,
        })
    }

    #[test]
    fn an_expert_comes_back_after_the_largest_loss_there_is() {
        let mut hedge = hedge::<2>(1.0, 1);
        assert_eq!(hedge.step(&[f32::MAX, 0.0]), Ok(f32::MAX / 2.0));
        assert_eq!(hedge.weights(), [0.0, 1.0]);
        assert_eq!(hedge.step(&[0.0, f32::MAX]), Ok(f32::MAX));
        assert_eq!(hedge.weights(), [0.5, 0.5]);
    }

    #[test]
    fn a_refused_loss_leaves_the_state_as_it_was() {
        let mut hedge = hedge::<3>(1.0, 2);
        assert!(hedge.step(&[0.25, 0.5, 0.75]).is_ok());
        let before = hedge.log_probabilities;
        assert_eq!(
            hedge.step(&[0.0, 0.0, f32::INFINITY]),
            Err(WeightsError::NotANumber { index: 2 })
        );
        assert_eq!(hedge.log_probabilities, before);
    }

    #[test]
    fn a_set_of_all_experts_expects_the_sum_of_the_losses() {
        let mut hedge = hedge::<3>(1.0, 7);
        assert_eq!(hedge.step(&[0.25, 0.5, 0.125]), Ok(0.875));
        assert_eq!(hedge.step(&[0.25, 0.5, 0.125]), Ok(0.875));
        assert_eq!(hedge.weights(), [1.0 / 3.0; 3]);
    }

    #[test]
    fn a_million_equal_trials_change_nothing() {
        let mut hedge = hedge::<2>(3.0, 1);
        for _ in 0..1_000_000 {
            assert!(hedge.step(&[1.0, 1.0]).is_ok());
        }
        assert_eq!(hedge.weights(), [0.5; 2]);
    }

    #[test]
    fn settings_that_cannot_learn_are_refused() {
        for learning_rate in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert_eq!(HedgeSettings::new(learning_rate), Err(SettingsError::LearningRate));
        }
    }

    #[test]
    fn the_state_is_two_scalars_per_expert() {
        let settings = size_of::<HedgeSettings<f64>>();
        assert_eq!(
            size_of::<Hedge<f64, 20>>(),
            2 * 20 * size_of::<f64>() + settings + size_of::<u64>() + size_of::<usize>()
        );
    }

    #[test]
    fn the_largest_gains_of_two_experts_are_equal() {
        let mut hedge = hedge::<3>(10.0, 1);
        assert!(hedge.step(&[-f32::MAX, -f32::MAX, 0.0]).is_ok());
        assert_eq!(hedge.weights(), [0.5, 0.5, 0.0]);
    }

    #[test]
    fn a_probability_above_one_is_refused() {
        let mut hedge = hedge::<3>(1.0, 1);
        assert!(hedge.step(&[0.25, 0.5, 0.75]).is_ok());
        assert_eq!(hedge.validate(), Ok(()));
        hedge.log_probabilities[1] = 0.1;
        assert_eq!(hedge.validate(), Err(CodecError::Probability));
    }
}
