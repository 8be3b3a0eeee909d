//! How much every learner has to lose on some stream: the lower bound beside the upper ones.
//! In: the loss L* of the best subspace in hindsight, and ε. Out: a regret that no learner can stay below on all streams.
//! Method: \[WK08\] equation 19, (1−ε)·√(L*·d·ln(n/d)): d blocks of n/d directions are played in parallel, each as experts of whom
//! one is dropped. A fair coin decides every loss, so that no learner can expect less than half of all, while the luckiest
//! direction of a block had √(L*·ln(n/d)/d) less. In print the blocks come one after the other, and a learner could then keep
//! the whole block that is played.
//! Cost: two square roots.

use super::{Bounds, ln_of_one_and};
use crate::Scalar;

impl<T: Scalar> Bounds<T> {
    /// Regret that some stream forces on every learner: (1 − ε)·Q·√(L·D) with ε = `slack`, \[WK08\] equation 19.
    ///
    /// It is a limit: for every ε > 0 there is such a stream once n/d and L/d are large enough. Where n/d is small, ε is not: for
    /// n/d = 2, fair coins reach 1 − ε = 1/√(π ln 2) = 0.68. For n/d < 2 a block has one direction and nothing is proved: the bound is
    /// then zero, and zero where n is not known ([`dimension_free`](Self::dimension_free), [`from_divergence`](Self::from_divergence)). The upper bound, [`tuned_loss`](Self::tuned_loss), has a regret of
    /// √(2LD) + D: by a factor of √2 and D apart, no learner has a better one. The bound speaks of instance matrices with
    /// eigenvalues of zero and one; samples are instances of rank one.
    ///
    /// ```
    /// use eigenstream::bounds::Bounds;
    ///
    /// let bounds = Bounds::<f64>::new(20, 18);
    /// let (lower, upper) = (bounds.lower(100.0, 0.0), bounds.tuned_loss(100.0) - 100.0);
    /// assert!((lower - 21.46).abs() < 0.01 && (upper - 34.95).abs() < 0.01);
    /// ```
    #[must_use]
    pub fn lower(&self, best_loss: T, slack: T) -> T {
        let part = T::ZERO.max(T::ONE - slack);
        // The charges of a learner are no part of the problem. Two infinite sizes fail the comparison of n/d as well.
        let divergence = if self.dropped > T::ZERO && self.dim / self.dropped >= T::TWO {
            self.dropped * ln_of_one_and((self.dim - self.dropped) / self.dropped)
        } else {
            T::ZERO
        };
        part * self.norm_bound * T::ZERO.max(best_loss).sqrt() * divergence.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_below_the_upper_bound_by_the_root_of_two_and_d() {
        let bounds = Bounds::<f64>::new(64, 60);
        for best_loss in [0.0, 1e-3, 10.0, 1e6] {
            let upper = bounds.tuned_loss(best_loss) - best_loss;
            let wanted = (upper - bounds.divergence()) / 2.0_f64.sqrt();
            assert!((bounds.lower(best_loss, 0.0) - wanted).abs() <= 1e-9 * (1.0 + wanted));
            assert!((bounds.lower(best_loss, 0.25) - 0.75 * wanted).abs() <= 1e-9 * (1.0 + wanted));
        }
        // A learner that gives evidence away is charged above, not below.
        assert_eq!(bounds.with_excess(5.0).lower(10.0, 0.0), bounds.lower(10.0, 0.0));
        // Nothing is proved for blocks of one direction, and none where sizes are not known.
        let known = [Bounds::new(20, 2), Bounds::new(4, 4), Bounds::dimension_free(2)];
        assert_eq!(known.map(|it: Bounds<f64>| it.lower(10.0, 0.0)), [0.0; 3]);
        // A slack of one or more promises nothing, and neither does a loss below zero.
        assert_eq!((bounds.lower(10.0, 2.0), bounds.lower(-1.0, 0.0)), (0.0, 0.0));
    }
}
