//! The lower bound on the regret (total loss minus L*) of every learner, for comparison with the upper bounds.
//! In: the loss L* of the best subspace in hindsight, and a small ε > 0. Out: a number. If L*/d and n/d are large enough for this
//! ε (n dimensions, d dropped directions), every learner has at least this regret on some stream, which depends on the learner.
//! Method: \[WK08\] equation 19, (1−ε)·√(L*·d·ln(n/d)). The n directions are divided into d blocks of n/d. In each trial
//! a fair coin decides the loss of each direction, 0 or 1. So every learner that drops d directions loses d/2 in a trial on
//! average. In hindsight, the loss of the best direction of a block is about √(L*·ln(n/d)/d) below half of the number of
//! trials. The bound is the sum of these differences over the d blocks. In the printed proof only one block at a time has losses;
//! then a learner that keeps at least n/d directions could keep this whole block and lose nothing.
//! Cost: two square roots and one `ln`.

use super::{Bounds, ln_of_one_and};
use crate::Scalar;

impl<T: Scalar> Bounds<T> {
    /// The lower bound (1 − ε)·Q·√(L·D), with ε = `slack`, L = `best_loss`, the largest length Q of a sample, and D = d·ln(n/d)
    /// if d of n directions are dropped: \[WK08\] equation 19. For every ε > 0, and n/d and L/d large enough for this ε, every
    /// learner has a stream on which its regret (its loss minus L) is at least this number.
    ///
    /// - For small n/d, ε is not small. The proof divides the n directions into d blocks. If n/d = 2 and a fair coin decides
    ///   which of the two directions of a block has the loss 1, then 1 − ε = 1/√(π ln 2) = 0.68.
    /// - For n/d < 2 at least one block has only one direction and there is no proof: this method returns zero.
    /// - If n is not known ([`dimension_free`](Self::dimension_free), [`from_divergence`](Self::from_divergence)), this method
    ///   returns zero.
    /// - The upper bound [`tuned_loss`](Self::tuned_loss) allows a regret of √(2LD) + D for Q = 1. For Q = 1 and large n/d
    ///   and L/d, no learner has an upper bound on its regret below (1 − ε)·√(LD).
    /// - The stream of the proof consists of instance matrices with eigenvalues zero and one, in place of x xᵀ of a sample x. The
    ///   proof does not cover streams of samples, because x xᵀ has rank one.
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
        // D = d·ln(n/d) with d = `dropped` and n = `dim`, without the additions of `certificate`. If both sizes are infinite, n/d
        // is NaN and the comparison is false.
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
        // The excess of a learner changes only the upper bounds.
        assert_eq!(bounds.with_excess(5.0).lower(10.0, 0.0), bounds.lower(10.0, 0.0));
        // The bound is zero if a block has only one direction (n/d < 2), if no direction is dropped, and if n is not known.
        let known = [Bounds::new(20, 2), Bounds::new(4, 4), Bounds::dimension_free(2)];
        assert_eq!(known.map(|it: Bounds<f64>| it.lower(10.0, 0.0)), [0.0; 3]);
        // The bound is zero for a slack of one or more, and for a negative loss.
        assert_eq!((bounds.lower(10.0, 2.0), bounds.lower(-1.0, 0.0)), (0.0, 0.0));
    }
}
