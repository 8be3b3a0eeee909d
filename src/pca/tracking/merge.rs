//! Merges two [`TrackingPca`] of equal settings into one.
//! Method: G ← G_a + G_b, then threshold, merging of directions, rank cap and ceiling as in `evidence`. With a running
//! scale, the evidence of each learner is first multiplied by the mean energy of this learner divided by that of both,
//! if neither is zero or subnormal.
//! Cost: DIM²·RANK multiply-adds, (2/3)·DIM³ for the eigenvalues, RANK eigenvectors. Scratch: 2·DIM² + 9·DIM + 1
//! numbers.

use super::TrackingPca;
use super::evidence::{Evidence, Update};
use crate::spectrum::{PartialEigen, symmetric::add_outer};
use crate::{MergeError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

impl<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize> TrackingPca<T, DIM, KEEP, RANK> {
    /// Adds the evidence of another learner.
    ///
    /// The result differs from one learner that saw both streams, because threshold, ceiling and rank cap have limited
    /// the evidence of each; [`BatchPca`](crate::pca::BatchPca) and [`CenteredPca`](crate::pca::CenteredPca) have no
    /// such limits. A model that both started from counts twice. With three or more learners the order matters a
    /// little. The bounds hold for the samples after the merge, with the merged W as the start, see
    /// [`start_from`](Self::start_from).
    ///
    /// # Errors
    /// [`MergeError::Settings`] if the settings differ, [`MergeError::Forgetting`] if the scale forgets,
    /// [`MergeError::Overflow`] if the weights of the running energies overflow.
    ///
    /// ```
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// let mut pca = TrackingPca::<f32, 4, 2, 4>::new(TrackingSettings::DEFAULT);
    /// let mut other = pca.clone();
    /// for _ in 0..20 {
    ///     pca.learn(&[1.0, 0.0, 0.0, 0.0])?;
    ///     other.learn(&[0.0, 0.0, 1.0, 0.0])?;
    /// }
    /// pca.merge(&other)?;
    /// // The merged learner has the directions of both.
    /// assert!(pca.score(&[1.0, 0.0, 1.0, 0.0])? < 1e-4);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        if !self.settings.update.is_like(&other.settings.update) {
            return Err(MergeError::Settings);
        }
        let mut scale = self.scale;
        scale.merge(&other.scale)?;
        if !other.evidence.has_begun() {
            return Ok(());
        }
        if self.evidence.has_begun() {
            let mut sum = SMatrix::from_array_storage(ArrayStorage([[T::ZERO; DIM]; DIM]));
            for part in [&*self, other] {
                part.evidence.add_to(&mut sum, part.scale.energy_in(&scale));
            }
            let mut eigen = PartialEigen::new();
            // All evidence is at most MAX/8: the sum is finite.
            let _ = eigen.decompose(&sum).map_err(|_| MergeError::Overflow)?;
            self.evidence.replace(&eigen, T::ONE, KEEP, &self.update_of_a_start());
        } else {
            self.evidence = other.evidence.clone();
            self.evidence.forget_excess();
        }
        self.scale = scale;
        // Without an earlier sample, `ceiling_drop` can belong to another ceiling.
        self.settings.update.ceiling_drop = (-self.settings.update.ceiling).exp();
        self.samples_seen = self.samples_seen.saturating_add(other.samples_seen);
        Ok(())
    }
}

impl<T: Scalar, const DIM: usize, const RANK: usize> Evidence<T, DIM, RANK> {
    /// Adds `unit`·(G − b·I), each eigenvalue at most MAX/8, with b the evidence of the bulk: a multiple of I only
    /// shifts the threshold.
    fn add_to(&self, sum: &mut SMatrix<T, DIM, DIM>, unit: T) {
        for (&value, direction) in self.values().iter().zip(self.directions()) {
            let above = T::ZERO.max(value - self.bulk());
            add_outer(sum, (unit * above).min(Update::largest()), direction);
        }
    }
}
