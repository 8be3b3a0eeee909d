//! Merges two [`CenteredPca`] into one.
//! In: two learners with the same settings and, unless the centre is the mean of the samples, the same start m⁰ (the centre
//! before the first sample). Out: one learner that has seen the samples of both.
//! Method: `moments::merge` combines centre, scatter and count. Then directions and probabilities are computed from the merged
//! scatter.
//! Cost: DIM² multiply-adds, twice that with `Center::Weighted`, and one eigendecomposition.

use super::CenteredPca;
use crate::pca::Center;
use crate::{MergeError, Scalar};

impl<T: Scalar, const DIM: usize, const KEEP: usize> CenteredPca<T, DIM, KEEP> {
    /// Adds the samples of another learner. Up to rounding, the result is that of one pass over all samples, in any order of
    /// merging. In `f32`, a learner that has learned more than 2²¹ samples one by one counts as about 2²¹ samples. The start m⁰
    /// (the centre before the first sample) of [`Center::Weighted`] counts once.
    ///
    /// If both learners were started from one model by [`start_from`](Self::start_from) or
    /// [`start_from_batch`](Self::start_from_batch), this model counts twice. So start at most one of the two learners from it.
    ///
    /// # Errors
    /// [`MergeError::Settings`] if the settings differ, or if the starts m⁰ differ and the centre is not [`Center::Mean`].
    /// [`MergeError::Forgetting`] if the learner or its scale (`EnergyScale`) forgets.
    /// [`MergeError::Overflow`] if the merged scatter could overflow, or if the sum of the weights overflows. After an error the
    /// learner is unchanged.
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
        // `scale.merge` is called for its checks. `predict_anew` then replaces the mean energy of the scale by the mean energy of
        // the merged scatter.
        let mut scale = self.scale;
        scale.merge(&other.scale)?;
        self.moments.merge(&other.moments, self.settings.center, &self.start)?;
        self.scale = scale;
        self.predict_anew();
        Ok(())
    }
}
