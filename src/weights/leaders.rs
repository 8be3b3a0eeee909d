//! Follow the Leader and Follow the Perturbed Leader, [WK08] section 7: experts with the smallest total losses.
//! In: every trial, one loss per expert. Out: the d leaders, also after a perturbation of the totals.
//! Method: Gumbel noise subtracts −ln(−ln u)/η from each total, with a new uniform number u. For d = 1 the probabilities
//! are those of Hedge; for d > 1 they are not those of Capped Hedge.
//! Cost: `N` additions to learn, `N · d` comparisons to choose, 2·N logarithms for the noise. Kept: `N` scalars.

use super::HedgeSettings;
use super::check::all_finite;
use super::subset::Subset;
use crate::codec::stored;
use crate::error::WeightsError;
use crate::scalar::Scalar;
use rand_core::Rng;

/// The total losses of `N` experts, and the choice of the leaders.
///
/// This learner is a baseline: an adversary can make it lose `N`/d times as much as the best set of d experts.
///
/// ```
/// use eigenstream::weights::FollowTheLeader;
///
/// let mut follower = FollowTheLeader::<f32, 3>::new();
/// follower.learn(&[0.5, 0.25, 1.0])?;
/// assert!(follower.leaders(2).iter().eq([0, 1]));
/// # Ok::<(), eigenstream::WeightsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct FollowTheLeader<T, const N: usize> {
    cumulative_losses: [T; N],
}

impl<T: Scalar, const N: usize> FollowTheLeader<T, N> {
    /// Creates a learner without losses: the lowest indices lead.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(N > 0, "somebody has to lead") };
        Self {
            cumulative_losses: [T::ZERO; N],
        }
    }

    /// Adds the losses of one trial; a total is limited to ±[`Scalar::MAX`].
    ///
    /// The totals are plain sums: in `f32` a total of 2²⁴ no longer grows by losses of at most 1. Before that, call
    /// [`reset`](Self::reset), or use `f64`.
    ///
    /// # Errors
    /// [`WeightsError::NotANumber`] for a loss that is not finite; then nothing is added.
    pub fn learn(&mut self, losses: &[T; N]) -> Result<(), WeightsError> {
        all_finite(losses)?;
        for (total, &loss) in self.cumulative_losses.iter_mut().zip(losses) {
            *total = (*total + loss).min(T::MAX).max(-T::MAX);
        }
        Ok(())
    }

    /// The `set_size` experts with the smallest total losses; all experts if `set_size` is above `N`.
    ///
    /// Of equal totals the lower index is chosen first.
    ///
    /// ```
    /// use eigenstream::weights::FollowTheLeader;
    ///
    /// let mut follower = FollowTheLeader::<f32, 4>::new();
    /// follower.learn(&[0.5, 0.0, 0.5, 1.0])?;
    /// assert!(follower.leaders(2).iter().eq([0, 1]));
    /// # Ok::<(), eigenstream::WeightsError>(())
    /// ```
    #[must_use]
    pub fn leaders(&self, set_size: usize) -> Subset<N> {
        self.perturbed_leaders(&[T::ZERO; N], set_size)
    }

    /// The experts with the smallest sums of total loss and perturbation, as in [`leaders`](Self::leaders).
    ///
    /// A NaN perturbation counts as +∞.
    ///
    /// ```
    /// use eigenstream::weights::FollowTheLeader;
    ///
    /// let follower = FollowTheLeader::<f32, 3>::new();
    /// assert!(follower.perturbed_leaders(&[0.5, -0.5, 0.0], 2).iter().eq([1, 2]));
    /// ```
    #[must_use]
    pub fn perturbed_leaders(&self, perturbation: &[T; N], set_size: usize) -> Subset<N> {
        let gains = self.cumulative_losses.iter().zip(perturbation).map(|(&total, &shift)| {
            // In this order of the arguments NaN becomes +∞.
            -T::INFINITY.min(total + shift)
        });
        let mut leaders = Subset::EMPTY;
        leaders.fill_with_largest(gains.enumerate(), set_size);
        leaders
    }

    /// The total losses.
    #[must_use]
    pub const fn cumulative_losses(&self) -> &[T; N] {
        &self.cumulative_losses
    }

    /// Removes all losses.
    pub fn reset(&mut self) {
        *self = Self::new();
    }
}

impl<T: Scalar, const N: usize> Default for FollowTheLeader<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

stored!([T: Scalar, const N: usize] FollowTheLeader<T, N>: Leader [N] of T { cumulative_losses });

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
        all_finite(losses)?;
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
            // The logarithm of u = 0 is infinite, so u is at least `MIN_POSITIVE`.
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
    fn a_plain_sum_stops_growing() -> Result<(), WeightsError> {
        let mut follower = FollowTheLeader::<f32, 2>::new();
        follower.learn(&[16_777_216.0, 8_388_608.0])?;
        follower.learn(&[1.0, 0.5])?;
        assert_eq!(follower.cumulative_losses(), &[16_777_216.0, 8_388_608.0]);
        Ok(())
    }

    #[test]
    fn an_adversary_that_hits_the_leader_makes_it_lose_every_trial() {
        // [WK08] section 7 with n = 5, d = 1: the follower loses 1 in every trial, each expert only in every fifth trial.
        let mut follower = FollowTheLeader::<f32, 5>::new();
        let mut lost = 0.0;
        for _ in 0..100 {
            let leader = follower.leaders(1);
            let losses = core::array::from_fn(|index| if leader.contains(index) { 1.0 } else { 0.0 });
            lost += leader.iter().map(|index| losses[index]).sum::<f32>();
            assert_eq!(follower.learn(&losses), Ok(()));
        }
        assert_eq!(lost, 100.0);
        assert_eq!(follower.cumulative_losses(), &[20.0; 5]);
    }

    #[test]
    fn totals_stay_finite() {
        let mut follower = FollowTheLeader::<f32, 2>::new();
        for _ in 0..3 {
            assert_eq!(follower.learn(&[f32::MAX, -f32::MAX]), Ok(()));
        }
        assert_eq!(follower.cumulative_losses(), &[f32::MAX, -f32::MAX]);
        assert!(follower.leaders(1).contains(1));
    }

    #[test]
    fn a_perturbation_that_is_no_number_comes_last() {
        let follower = FollowTheLeader::<f32, 3>::new();
        assert!(
            follower
                .perturbed_leaders(&[f32::NAN, 1e30, f32::INFINITY], 1)
                .contains(1)
        );
        assert_eq!(follower.perturbed_leaders(&[f32::NAN; 3], 2).len(), 2);
        assert_eq!(follower.leaders(9).len(), 3);
    }

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
            // The standard deviation of `off` is at most 1.6·10⁻³, and the limit is five times as large.
            assert!(off.abs() < 8e-3, "{off}");
        }
    }
}
