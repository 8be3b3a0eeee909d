//! Hedge over sets of experts, [WK08] section 4.1: every set of d experts is one expert.
//! In: every trial, one loss per expert. Out: the expected loss of a drawn set, the probability of each expert, random
//! sets.
//! Method: the weight of a set is ∏ e^(−ηL) over its members. [`SubsetExperts::from_logarithms`] sums over all sets.
//! The bound has B = ln C(N, d) where [WK08] (5) prints k·ln(n/k): `guide::mathematics`, "The bound for sets of
//! experts".
//! Cost: at most 5·N·d `exp` or `ln`. Kept: the settings and `N` numbers. Scratch: `N²` numbers.

use super::HedgeSettings;
use super::check::all_finite;
use super::subset::Subset;
use super::subset_experts::SubsetExperts;
use crate::codec::{stored, validate};
use crate::error::{CodecError, WeightsError};
use crate::scalar::Scalar;
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
    /// The logarithms −ηLᵢ of the experts' weights, minus the largest of them.
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

    /// The probability that each expert is in a drawn set; these probabilities sum to d.
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
    /// L* is `best_loss`, and B = ln C(N, d) with the binomial coefficient C. A bound that overflows is
    /// [`Scalar::MAX`].
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
    /// L*, d and B are those of [`loss_bound`](Self::loss_bound). The rate of this learner has no influence. A bound
    /// that overflows is [`Scalar::MAX`].
    #[must_use]
    pub fn tuned_loss_bound(&self, best_loss: T) -> T {
        let weight = T::from_usize(self.set_size()) * self.log_sets();
        best_loss + (T::TWO * best_loss * weight).min(T::MAX).sqrt() + weight
    }

    /// Removes all that was learned.
    pub fn reset(&mut self) {
        *self = Self::new(self.settings);
    }

    /// The set size d, at most `N`.
    fn set_size(&self) -> usize {
        self.settings.set_size.min(N)
    }

    /// B = ln C(N, d), the logarithm of the number of sets.
    fn log_sets(&self) -> T {
        let rest = N - self.set_size();
        let mut sum = T::ZERO;
        for member in 1..=self.set_size() {
            sum += (T::from_usize(rest.wrapping_add(member)) / T::from_usize(member)).ln();
        }
        sum
    }

    /// The distribution over the sets; the result is never an error, because the logarithms are finite and d is at most
    /// `N`.
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
mod tests {
    use super::*;
    use crate::error::SettingsError;

    #[test]
    fn a_bound_that_overflows_is_the_largest_number() -> Result<(), SettingsError> {
        let slow = SetExperts::<f32, 4>::new(HedgeSettings::new(1e-39)?.with_set_size(2)?);
        assert_eq!(slow.loss_bound(0.0), f32::MAX);
        assert_eq!(slow.tuned_loss_bound(f32::MAX), f32::MAX);
        Ok(())
    }

    #[test]
    fn the_expected_loss_is_a_number_for_the_largest_losses() -> Result<(), SettingsError> {
        let mut experts = SetExperts::<f32, 8>::new(HedgeSettings::new(1.0)?.with_set_size(4)?);
        let losses = [6.363, 4.208, 38.179, 13.599, 31.007, 32.125, 30.977, 25.174];
        assert!(experts.step(&losses).is_ok());
        // By rounding, two probabilities are above one, so their products with the largest losses overflow.
        assert!(experts.marginals().iter().take(2).all(|&probability| probability > 1.0));
        let mut largest = [0.0; 8];
        (largest[0], largest[1]) = (f32::MAX, -f32::MAX);
        assert_eq!(experts.step(&largest), Ok(0.0));
        Ok(())
    }

    /// The probability of each expert, from a list of all sets of `set_size` experts. Weights are relative to the heaviest set.
    fn slowly<const N: usize>(log_weights: &[f64; N], set_size: u32) -> [f64; N] {
        let sets = || (0_u32..1 << N).filter(|set| set.count_ones() == set_size);
        let weight = |set: u32| {
            (0..N)
                .filter(|i| set >> i & 1 == 1)
                .map(|i| log_weights[i])
                .sum::<f64>()
        };
        let heaviest = sets().map(weight).fold(f64::MIN, f64::max);
        let total: f64 = sets().map(|set| (weight(set) - heaviest).exp()).sum();
        core::array::from_fn(|i| {
            let with = sets().filter(|set| set >> i & 1 == 1);
            with.map(|set| (weight(set) - heaviest).exp()).sum::<f64>() / total
        })
    }

    #[test]
    fn weights_of_ten_to_the_minus_five_hundred_are_told_apart() -> Result<(), SettingsError> {
        // ln 10⁵⁰⁰ = 1151.3. Two experts are in the set with probability one up to rounding. The weights of the three others,
        // which decide the third member, underflow in `f64`.
        let settings = HedgeSettings::new(1.0)?.with_set_size(3)?;
        let mut experts = SetExperts::<f64, 5>::new(settings);
        let losses = [1151.0, 0.0, 1152.0, 0.5, 1151.5];
        assert!(experts.step(&losses).is_ok());
        let wanted = slowly(&losses.map(|loss| -loss), 3);
        for (got, wanted) in experts.marginals().into_iter().zip(wanted) {
            assert!((got - wanted).abs() < 1e-11, "{got} {wanted}");
        }
        let mut single = SetExperts::<f32, 5>::new(HedgeSettings::new(1.0)?.with_set_size(3)?);
        assert!(single.step(&losses.map(|loss| loss as f32)).is_ok());
        for (got, wanted) in single.marginals().into_iter().zip(wanted) {
            // Logarithms near 1151 have a spacing of 1.2·10⁻⁴ in f32.
            assert!((f64::from(got) - wanted).abs() < 3e-4, "{got} {wanted}");
        }
        Ok(())
    }

    #[test]
    fn the_total_stays_below_both_bounds_against_an_adversary() -> Result<(), SettingsError> {
        // Every expert with at least the mean probability d/N = 0.4 has the loss 1. The sets have d = 2 of N = 5
        // experts, and η = 0.5.
        let mut experts = SetExperts::<f64, 5>::new(HedgeSettings::new(0.5)?.with_set_size(2)?);
        let (mut total, mut sums) = (0.0, [0.0; 5]);
        for _ in 0..400 {
            let marginals = experts.marginals();
            let losses = marginals.map(|probability| f64::from(u8::from(probability > 0.4 - 1e-12)));
            sums.iter_mut().zip(losses).for_each(|(sum, loss)| *sum += loss);
            total += experts.step(&losses).unwrap_or(f64::NAN);
        }
        sums.sort_by(f64::total_cmp);
        let best = sums[0] + sums[1];
        assert!(
            total <= experts.loss_bound(best),
            "{total} {}",
            experts.loss_bound(best)
        );
        // The best rate, for which `tuned_loss_bound` is computed: ln(1 + √(2dB/L*))/d with B = ln C(5, 2) = ln 10.
        let rate = (1.0 + (4.0 * 10.0_f64.ln() / best).sqrt()).ln() / 2.0;
        let tuned = SetExperts::<f64, 5>::new(HedgeSettings::new(rate)?.with_set_size(2)?);
        assert!(tuned.loss_bound(best) <= tuned.tuned_loss_bound(best));
        Ok(())
    }

    #[test]
    fn the_largest_weight_is_one_and_all_logarithms_are_finite() -> Result<(), SettingsError> {
        let mut experts = SetExperts::<f32, 3>::new(HedgeSettings::new(1.0)?.with_set_size(2)?);
        assert!(experts.step(&[1.0, 2.0, 4.0]).is_ok());
        assert_eq!(experts.log_weights, [0.0, -1.0, -3.0]);
        assert!(experts.step(&[f32::MAX, -f32::MAX, 0.0]).is_ok());
        assert_eq!(experts.log_weights, [-f32::MAX, 0.0, -f32::MAX]);
        assert_eq!(experts.validate(), Ok(()));
        experts.log_weights[1] = 0.5;
        assert_eq!(experts.validate(), Err(CodecError::Range));
        Ok(())
    }
}
