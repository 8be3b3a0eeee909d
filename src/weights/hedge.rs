//! Hedge, [WK08] Algorithm 1, and Capped Hedge, [WK08] Algorithm 3: gives large weights to the experts with small total losses.
//! In: every trial, one loss per expert. Out: the expected loss of a set of d experts drawn by the weights, the weights, and a
//! random set.
//! Method: [WK08] Algorithm 1 (d = 1) and Algorithm 3 (d > 1). Expert j has the weight w_j and the loss ℓ_j, and η is the
//! learning rate. The normaliser is Σ w_j exp(−ηℓ_j); the paper prints it without w_j. The state is ln(d·w), because the weights
//! w can underflow. After the capping (no weight above 1/d) the share step of the settings follows, [WK08] section 8: it mixes a
//! part α of other weights into the weights. The default settings have no share step.
//! Cost: a step needs at most N²/2 comparisons and about 2N `exp`, with a share step 3N to 4N `exp` and N `ln`. Kept: the
//! settings, 2·`N` scalars, a counter and a flag. Scratch: a few times `N` scalars.

mod settings;
mod start;

pub use settings::HedgeSettings;

use super::check::all_finite;
use super::log_capping::keeping;
use super::sampling::systematic;
use super::share::{PastWeights, Share, mix};
use super::subset::Subset;
use crate::codec::{stored, validate};
use crate::learner::Progress;
use crate::{CodecError, Scalar, WeightsError};
use rand_core::Rng;

/// Weights on `N` experts, learned from their losses.
///
/// If the set size is above `N`, the set contains all `N` experts.
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
    /// ln(d·w) for the set size d and the weights w, at most zero. If `progress` is `Fresh`, all entries are zero and not
    /// normalised.
    log_probabilities: [T; N],
    /// The mean of d·w over the earlier trials, for a share step with past weights. Without such a share step the mean contains
    /// no vector.
    past: PastWeights<T, N>,
    /// `Learned` if `log_probabilities` is valid. A new learner is `Fresh`, because a const constructor cannot compute ln(d/N),
    /// with the set size d.
    progress: Progress,
}

impl<T: Scalar, const N: usize> Hedge<T, N> {
    /// Creates a learner with equal weights.
    ///
    /// `N` = 0 does not compile:
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

    /// One trial: learns the losses ℓ and returns the expected loss d·Σ wᵢℓᵢ, with the set size d and the weights w before the
    /// trial.
    ///
    /// Let η be the learning rate, L* the total loss of the best set, and D = d·ln(N/d). Without a share step, from equal weights
    /// and for losses in [0, 1], the total expected loss is at most (ηL* + D)/(1 − exp(−η)). Finite losses outside [0, 1] are
    /// learned too. If a partial sum of Σ d·wᵢℓᵢ overflows, the returned loss is ±[`Scalar::MAX`].
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

    /// The capped weights w. They sum to one, and none is above 1/d, with the set size d.
    #[must_use]
    pub fn weights(&self) -> [T; N] {
        let cap = T::ONE / T::from_usize(self.set_size());
        self.probabilities().map(|probability| probability * cap)
    }

    /// Draws a set of d experts from one random number. Expert i of weight wᵢ is in the set with probability d·wᵢ.
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> Subset<N> {
        // `systematic` returns no error: there are N probabilities in [0, 1], and the set size is at most N.
        systematic(&self.probabilities(), self.set_size(), T::uniform(rng)).unwrap_or_default()
    }

    /// Removes all that was learned and the weights of [`start_from`](Self::start_from): all weights are equal again.
    pub fn reset(&mut self) {
        *self = Self::new(self.settings);
    }

    /// The set size d, at most `N`.
    fn set_size(&self) -> usize {
        self.settings.set_size.min(N)
    }

    /// The probabilities q = d·w that the experts are in the set.
    fn probabilities(&self) -> [T; N] {
        match self.progress {
            Progress::Fresh => [T::from_usize(self.set_size()) / T::from_usize(N); N],
            Progress::Learned => self.log_probabilities.map(T::exp),
        }
    }

    /// Learns the losses ℓ of one trial: ln q ← ln q − ηℓ for the probabilities q = d·w, then the capping, then the share step.
    fn learn(&mut self, losses: &[T; N]) {
        match self.settings.share {
            Share::PastAverage(_) => self.past.update(&self.probabilities()),
            Share::PastPosteriors(_) if self.past.is_empty() => self.past.update(&self.probabilities()),
            _ => {}
        }
        for (log_probability, &loss) in self.log_probabilities.iter_mut().zip(losses) {
            // Limited to finite values: an expert at −∞ could never get weight again, and ∞ − ∞ is NaN.
            let moved = *log_probability - self.settings.learning_rate * loss;
            *log_probability = moved.min(T::MAX).max(-T::MAX);
        }
        self.cap();
        self.progress = Progress::Learned;
        self.share();
    }

    /// Scales and caps, so that the probabilities sum to the set size d and none is above one.
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

    /// The share step, if the settings contain one: q ← (1−α)q + αr, with the part α of the settings. q_i is the probability that
    /// expert i is in the set of d experts. r is d/N for every expert, or the mean of earlier q (see `share`). Up to rounding,
    /// the sum of q stays d and no q_i is above 1. So no second capping is needed.
    fn share(&mut self) {
        if self.settings.share == Share::Nothing {
            return;
        }
        let mut probabilities = self.probabilities();
        match self.settings.share {
            // Handled above, before the exponentials of `probabilities`.
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
        // The logarithm is limited to finite values that are at most zero: ln 0 is −∞, and rounding can give a probability above
        // one.
        self.log_probabilities = probabilities.map(|probability| probability.ln().min(T::ZERO).max(-T::MAX));
    }
}

stored!([T: Scalar, const N: usize] Hedge<T, N>: Hedge [N] of T { settings, log_probabilities, past, progress } if validate);

impl<T: Scalar, const N: usize> Hedge<T, N> {
    fn validate(&self) -> Result<(), CodecError> {
        // One by one, so that the probabilities are not all on the stack.
        for logarithm in &self.log_probabilities {
            validate::probabilities(&[logarithm.exp()])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SettingsError;

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
        // The settings, the logarithms, the mean of the past weights, its counter and the progress.
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
