//! The bound on the loss of a batch result that is computed from the trials of an online learner.
//! In: the number of trials T, the loss L* of the best subspace in T samples, the learning rate η. Out: a bound on the expected
//! loss of one new sample.
//! Method: [WK08] section 6.3: the bound on the total loss divided by T, (ηL* + D)/((1 − e^(−η))·T) for samples of length at most
//! 1, with D of [`Bounds::divergence`].
//! Cost: one [`Bounds::loss`] and a division.

use super::Bounds;
use crate::Scalar;

impl<T: Scalar> Bounds<T> {
    /// The bound on the expected loss of a new sample after T = `trials` trials: [`loss`](Self::loss) / T.
    ///
    /// The bound holds for the result of [`AverageDensity`](crate::pca::AverageDensity) and of
    /// [`RandomStop`](crate::pca::RandomStop), in expectation over samples that are drawn independently from one distribution.
    /// `best_loss` is the expected total loss of the best fixed subspace on all T samples. For zero trials the bound is Q², the
    /// largest squared length of a sample.
    ///
    /// ```
    /// use eigenstream::bounds::Bounds;
    /// let bounds = Bounds::<f64>::new(20, 2);
    /// // The best plane loses 0.1 for each sample. The bound is above 0.16 after 100 samples, and near 0.1 after 10,000.
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
