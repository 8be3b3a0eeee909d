//! Follow the Perturbed Leader with Gumbel noise, [WK08] section 7.
//! In: every trial, one loss per expert. Out: the d leaders after a random perturbation.
//! Method: subtracts −ln(−ln u)/η from each total loss, with a new uniform number u. For d = 1 the probabilities are
//! those of Hedge; for d > 1 they are not those of Capped Hedge.
//! Cost: N random numbers, 2·N logarithms and N·d comparisons. Kept: the settings and `N` numbers.

use super::subset::Subset;
use super::{FollowTheLeader, HedgeSettings};
use crate::codec::stored;
use crate::{Scalar, WeightsError};
use rand_core::Rng;

/// Chooses the leaders of `N` experts: those with the smallest total losses after a random perturbation.
///
/// If the set size is above `N`, all experts are chosen. The setting `share` is ignored. In `f32` the totals stop
/// growing after many trials: see [`FollowTheLeader::learn`].
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

    /// One trial: draws d experts, learns the losses of all, and returns the loss of the drawn ones.
    ///
    /// A result that overflows is ±[`Scalar::MAX`].
    ///
    /// # Errors
    /// [`WeightsError::NotANumber`] for a loss that is not finite; then nothing is learned or drawn.
    pub fn step<R: Rng + ?Sized>(&mut self, losses: &[T; N], rng: &mut R) -> Result<T, WeightsError> {
        super::check::all_finite(losses)?;
        let mut loss = T::ZERO;
        for index in self.draw(rng).iter() {
            loss += losses.get(index).copied().unwrap_or(T::ZERO);
        }
        self.totals.learn(losses)?;
        Ok(loss.min(T::MAX).max(-T::MAX))
    }

    /// Draws d experts: the leaders after a new perturbation.
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> Subset<N> {
        let mut perturbation = [T::ZERO; N];
        for entry in &mut perturbation {
            // u = 0 has no finite logarithm.
            let uniform = T::uniform(rng).max(T::MIN_POSITIVE);
            *entry = ((-uniform.ln()).ln() / self.settings.learning_rate)
                .min(T::MAX)
                .max(-T::MAX);
        }
        self.totals.perturbed_leaders(&perturbation, self.settings.set_size)
    }

    /// The total loss of each expert.
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
            // Standard deviation at most 1.6·10⁻³; the limit is five of them: about one false alarm in 10⁶ tests.
            assert!(off.abs() < 8e-3, "{off}");
        }
    }
}
