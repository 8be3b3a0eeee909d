//! The bound of a batch answer that an online learner has given.
//! In: number of trials T, loss L* of the best subspace in T samples, learning rate. Out: the expected loss of one fresh sample.
//! Method: [WK08] section 6.3: the bound on the total loss divided by T, (ηL* + D)/((1 − e^−η)·T).
//! Cost: that of the bound, and a division.

use super::Bounds;
use crate::Scalar;

impl<T: Scalar> Bounds<T> {
    /// Expected loss of a fresh sample after `trials` of learning: at most [`loss`](Self::loss) / T.
    ///
    /// It holds for the answer of [`AverageDensity`](crate::pca::AverageDensity) and of [`RandomStop`](crate::pca::RandomStop), in expectation over samples that are drawn
    /// independently from one distribution. `best_loss` is the loss to expect of the best fixed subspace in all T samples together. Without
    /// trials no sample loses more than its energy, Q².
    ///
    /// ```
    /// use eigenstream::bounds::Bounds;
    /// let bounds = Bounds::<f64>::new(20, 2);
    /// // The best plane loses 0.1 of each sample. 100 samples are not enough to know it well, 10,000 are.
    /// let rate = |trials: f64| bounds.learning_rate(0.1 * trials);
    /// assert!(bounds.fresh_loss(10.0, rate(100.0), 100) > 0.16);
    /// assert!(bounds.fresh_loss(1_000.0, rate(10_000.0), 10_000) < 0.107);
    /// ```
    #[must_use]
    pub fn fresh_loss(&self, best_loss: T, learning_rate: T, trials: usize) -> T {
        if trials == 0 {
            return self.energy_bound();
        }
        self.loss(best_loss, learning_rate) / T::from_usize(trials)
    }
}
