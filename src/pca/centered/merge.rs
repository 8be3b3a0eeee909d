//! Merges two [`CenteredPca`] of the same settings into one.
//! Method: `moments::merge` combines centre, scatter and count; directions and probabilities are computed anew.
//! Cost: DIM² multiply-adds, twice that with `Center::Weighted`, and one eigendecomposition.

use super::CenteredPca;
use crate::pca::Center;
use crate::{MergeError, Scalar};

impl<T: Scalar, const DIM: usize, const KEEP: usize> CenteredPca<T, DIM, KEEP> {
    /// Adds the samples of another learner.
    ///
    /// Up to rounding, the result is that of one pass, in any order of merging. In `f32` more than 2²¹ samples count
    /// as about 2²¹. The start of [`Center::Weighted`] counts once, but a model of [`start_from`](Self::start_from) or
    /// [`start_from_batch`](Self::start_from_batch) counts in each learner: start at most one of the two from it.
    ///
    /// # Errors
    /// [`MergeError::Settings`] for other settings, or for another start unless the centre is [`Center::Mean`].
    /// [`MergeError::Forgetting`] if the learner or its scale forgets. [`MergeError::Overflow`] if the scatter or the
    /// sum of the weights could overflow. The learner is then unchanged.
    ///
    /// ```
    /// use eigenstream::pca::{CenteredPca, CenteredSettings};
    /// let mut pca = CenteredPca::<f32, 2, 1>::new(CenteredSettings::DEFAULT);
    /// let mut other = pca.clone();
    /// for i in 0..10 {
    ///     pca.learn(&[i as f32, 3.0])?;
    ///     other.learn(&[i as f32, 5.0])?;
    /// }
    /// pca.merge(&other)?;
    /// assert_eq!(pca.samples_seen(), 20);
    /// assert!((pca.mean()[1] - 4.0).abs() < 1e-6);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        let same_start = self.start == other.start || self.settings.center == Center::Mean;
        if self.settings != other.settings || !same_start {
            return Err(MergeError::Settings);
        }
        if self.settings.forgetting.forgets() {
            return Err(MergeError::Forgetting);
        }
        // Only for its checks: `predict_anew` computes the mean energy from the merged scatter.
        let mut scale = self.scale;
        scale.merge(&other.scale)?;
        self.moments.merge(&other.moments, self.settings.center, &self.start)?;
        self.scale = scale;
        self.predict_anew();
        Ok(())
    }
}
