//! Follow the Perturbed Leader with Gumbel noise as a learner, [WK08] section 7.
//! In: every trial, one loss per expert. Out: the d experts with the smallest total losses after a random perturbation.
//! Method: −ln(−ln u)/η is subtracted from each total loss Lᵢ, with the learning rate η and a new uniform number u for each
//! expert and draw. For d = 1 the probability of drawing expert i is then its weight in Hedge, e^(−ηLᵢ)/Σⱼ e^(−ηLⱼ), up to the
//! rounding of u. For d > 1 the probabilities are not the probabilities of Capped Hedge.
//! Cost: a trial takes N random numbers, 2·N logarithms and N·d comparisons. Kept: the settings and `N` numbers.

use super::subset::Subset;
use super::{FollowTheLeader, HedgeSettings};
use crate::codec::stored;
use crate::{Scalar, WeightsError};
use rand_core::Rng;

/// Chooses the leaders of `N` experts: the experts with the smallest total losses after a random perturbation.
///
/// If the set size is above `N`, all `N` experts are chosen. The setting `share` is ignored. In `f32` the total losses stop
/// growing after many trials, as [`FollowTheLeader::learn`] describes.
///
/// ```
/// use eigenstream::{rand_core::SeedableRng, weights::{HedgeSettings, PerturbedLeader}};
///
/// let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(1);
/// let mut leader = PerturbedLeader::<f32, 3>::new(HedgeSettings::DEFAULT);
/// for _ in 0..50 {
///     leader.step(&[1.0, 0.0, 1.0], &mut rng)?;
/// }
/// assert!(leader.draw(&mut rng).contains(1));
/// # Ok::<(), eigenstream::WeightsError>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct PerturbedLeader<T, const N: usize> {
    settings: HedgeSettings<T>,
    totals: FollowTheLeader<T, N>,
}

impl<T: Scalar, const N: usize> PerturbedLeader<T, N> {
    /// Creates a learner without losses: every set is equally likely.
    #[must_use]
    pub const fn new(settings: HedgeSettings<T>) -> Self {
        Self {
            settings,
            totals: FollowTheLeader::new(),
        }
    }

    /// One trial: draws d experts (d: the set size), learns the losses of all experts, and returns the sum of the losses of the
    /// drawn experts in this trial. If a partial sum overflows, the result is ±[`Scalar::MAX`].
    ///
    /// # Errors
    /// [`WeightsError::NotANumber`] for a loss that is not finite; then no loss is learned and no expert is drawn.
    pub fn step<R: Rng + ?Sized>(&mut self, losses: &[T; N], rng: &mut R) -> Result<T, WeightsError> {
        super::check::all_finite(losses)?;
        let mut loss = T::ZERO;
        for index in self.draw(rng).iter() {
            loss += losses.get(index).copied().unwrap_or(T::ZERO);
        }
        self.totals.learn(losses)?;
        Ok(loss.min(T::MAX).max(-T::MAX))
    }

    /// Draws d experts (d: the set size): the leaders after a new perturbation.
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> Subset<N> {
        let mut perturbation = [T::ZERO; N];
        for entry in &mut perturbation {
            // u = 0 has no finite logarithm. It is replaced by the smallest positive normal number.
            let uniform = T::uniform(rng).max(T::MIN_POSITIVE);
            *entry = ((-uniform.ln()).ln() / self.settings.learning_rate)
                .min(T::MAX)
                .max(-T::MAX);
        }
        self.totals.perturbed_leaders(&perturbation, self.settings.set_size)
    }

    /// The total loss L of each expert.
    #[must_use]
    pub const fn cumulative_losses(&self) -> &[T; N] {
        self.totals.cumulative_losses()
    }

    /// Removes all that was learned.
    pub fn reset(&mut self) {
        self.totals.reset();
    }
}

stored!([T: Scalar, const N: usize] PerturbedLeader<T, N>: PerturbedLeader [N] of T { settings, totals });

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::SeedableRng;

    #[test]
    fn one_leader_is_drawn_with_the_weights_of_hedge() {
        let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(7);
        let losses = [0.5_f64, 1.5, 0.0, 3.0];
        let mut leader = PerturbedLeader::<f64, 4>::new(HedgeSettings::DEFAULT);
        assert!(leader.step(&losses, &mut rng).is_ok());
        let total: f64 = losses.iter().map(|loss| (-loss).exp()).sum();
        const DRAWS: u32 = 100_000;
        let mut drawn = [0_u32; 4];
        for _ in 0..DRAWS {
            leader.draw(&mut rng).iter().for_each(|index| drawn[index] += 1);
        }
        for (count, loss) in drawn.into_iter().zip(losses) {
            let off = f64::from(count) / f64::from(DRAWS) - (-loss).exp() / total;
            // The standard deviation of `off` is at most 1.6·10⁻³. The limit is five standard deviations: about one false alarm
            // in 10⁶ tests.
            assert!(off.abs() < 8e-3, "{off}");
        }
    }
}
