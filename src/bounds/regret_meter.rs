//! Compares the losses of a learner with a bound.
//! In: the loss of each trial, the loss of the best subspace in hindsight, a bound. Out: total loss, regret, and
//! whether the bound holds.
//! Cost: two numbers and a count.

use crate::Scalar;
use crate::codec::stored;
use crate::scalar::sum::CompensatedSum;

/// Sums the losses of a learner; small losses count even if the total is large.
///
/// ```
/// use eigenstream::bounds::{Bounds, RegretMeter};
///
/// let mut meter = RegretMeter::<f32>::new();
/// for loss in [0.5, 0.25, 0.25] {
///     meter.record(loss);
/// }
/// let best_loss = 0.75;
/// assert_eq!(meter.regret(best_loss), 0.25);
/// assert!(meter.within(Bounds::new(20, 2).loss(best_loss, 1.0)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct RegretMeter<T> {
    total: CompensatedSum<T>,
    trials: usize,
}

impl<T: Scalar> RegretMeter<T> {
    /// A meter without losses.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            total: CompensatedSum::ZERO,
            trials: 0,
        }
    }

    /// Adds the loss of one trial.
    ///
    /// A loss that is not finite is ignored. A loss that would make the total infinite is not added, but its trial
    /// counts.
    pub fn record(&mut self, loss: T) {
        if !loss.is_finite() {
            return;
        }
        let mut total = self.total;
        total.add(loss);
        if total.sum.is_finite() {
            self.total = total;
        }
        self.trials = self.trials.saturating_add(1);
    }

    /// The sum of all losses that were added.
    #[must_use]
    pub fn total_loss(&self) -> T {
        self.total.sum
    }

    /// The total loss divided by the number of trials; zero before the first trial.
    #[must_use]
    pub fn mean_loss(&self) -> T {
        self.total.sum / T::from_usize(self.trials.max(1))
    }

    /// The number of trials with a finite loss.
    #[must_use]
    pub fn trials(&self) -> usize {
        self.trials
    }

    /// The total loss minus `best_loss`, the loss of the best subspace in hindsight.
    ///
    /// It is negative if the learner lost less than every fixed subspace, for example because it followed a change.
    #[must_use]
    pub fn regret(&self, best_loss: T) -> T {
        self.total.sum - best_loss
    }

    /// Whether the total loss is at most the bound.
    #[must_use]
    pub fn within(&self, bound: T) -> bool {
        self.total.sum <= bound
    }
}

stored!([T: Scalar] RegretMeter<T>: Regret [] of T { total, trials });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_losses_still_count_in_a_large_total() {
        let mut meter = RegretMeter::<f32>::new();
        meter.record(16_777_216.0);
        for _ in 0..1_000 {
            meter.record(0.5);
        }
        assert_eq!(meter.total_loss(), 16_777_716.0);
    }

    #[test]
    fn a_loss_that_would_overflow_the_total_counts_as_a_trial() {
        let mut meter = RegretMeter::<f32>::new();
        meter.record(f32::MAX);
        meter.record(f32::MAX);
        assert_eq!((meter.total_loss(), meter.trials()), (f32::MAX, 2));
        meter.record(-f32::MAX);
        assert_eq!((meter.total_loss(), meter.trials()), (0.0, 3));
    }
}
