//! Two [`CenteredPca`] as one.
//! In: two learners with the same settings and the same start. Out: one that has seen the samples of both.
//! Method: `moments::merge`. Directions and probabilities follow from the scatter in every trial, so they are found anew.
//! Cost: DIM² multiply-adds and one eigendecomposition.

use super::CenteredPca;
use crate::pca::Center;
use crate::{MergeError, Scalar};

impl<T: Scalar, const DIM: usize, const KEEP: usize> CenteredPca<T, DIM, KEEP> {
    /// Takes in the samples of another learner: the result is that of one pass over all samples, to rounding, in any order of
    /// merging. The start m⁰ of [`Center::Weighted`] counts once.
    ///
    /// A start given by [`start_from`](Self::start_from) or [`start_from_batch`](Self::start_from_batch) counts in each learner that
    /// had it: merge learners that began with nothing, then start from the result.
    ///
    /// # Errors
    /// [`MergeError::Settings`] if the settings differ in more than the draw, or the start m⁰ where it counts;
    /// [`MergeError::Forgetting`] if the learner or its scale forgets; [`MergeError::Overflow`] if the scatter of both is beyond the
    /// largest number. The learner is then as it was.
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
        let draw = self.settings.draw;
        let same_start = self.start == other.start || self.settings.center == Center::Mean;
        if self.settings != other.settings.with_draw(draw) || !same_start {
            return Err(MergeError::Settings);
        }
        if self.settings.forgetting.forgets() {
            return Err(MergeError::Forgetting);
        }
        // The energy of the whole follows from its scatter; here the other scale is asked whether it can be merged at all.
        let mut scale = self.scale;
        scale.merge(&other.scale)?;
        self.moments.merge(&other.moments, self.settings.center, &self.start)?;
        self.scale = scale;
        self.predict_anew();
        Ok(())
    }
}
