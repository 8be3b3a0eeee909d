//! Merges two [`TrackingPca`] into one.
//! In: two learners a and b with equal settings. Out: one learner with the evidence of both.
//! Method: G ← G_a + G_b with the evidence matrices of both learners, then threshold, merging of directions, rank cap and ceiling
//! as in `evidence`. With a running scale, the evidence of each learner is first multiplied by the mean energy of its samples and
//! divided by the mean energy of all samples, unless one of these two means is zero or subnormal. If only one learner has samples
//! or a start, its evidence is the result.
//! Cost: DIM²·RANK multiply-adds, (2/3)·DIM³ for the eigenvalues, RANK eigenvectors. Scratch: 2·DIM² + 9·DIM + 1 numbers.

use super::TrackingPca;
use super::evidence::{Evidence, Update};
use crate::spectrum::{PartialEigen, symmetric::add_outer};
use crate::{MergeError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

impl<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize> TrackingPca<T, DIM, KEEP, RANK> {
    /// Adds the evidence of another learner.
    ///
    /// In general the result is not equal to a learner that has seen both streams. In every trial each learner clips its evidence
    /// at zero, at the ceiling and at the rank cap; the sum of two clipped matrices is not the clipped sum.
    /// [`BatchPca`](crate::pca::BatchPca) and [`CenteredPca`](crate::pca::CenteredPca) store a scatter that is not clipped: merge
    /// them for the result of one pass over both streams, up to rounding. If both learners were started from a model, both starts
    /// count. Merging a into b and merging b into a give equal evidence, up to rounding; with three or more learners the order
    /// matters a little. The bounds hold for the samples after the merge, with the merged density matrix W as the start W⁰ of
    /// [`start_from`](Self::start_from).
    ///
    /// # Errors
    /// [`MergeError::Settings`] if the settings differ, [`MergeError::Forgetting`] if the running energy of the scale forgets old
    /// samples, [`MergeError::Overflow`] if the sum of the weights of both running energies overflows. The learner is then
    /// unchanged.
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
            // All evidence is finite, and the sum of two evidence matrices is finite: `decompose` returns no error.
            let _ = eigen.decompose(&sum).map_err(|_| MergeError::Overflow)?;
            self.evidence.replace(&eigen, T::ONE, KEEP, &self.update_of_a_start());
        } else {
            self.evidence = other.evidence.clone();
            self.evidence.forget_excess();
        }
        self.scale = scale;
        // A learner computes e^(−ceiling) at its first sample, which may be still to come. So this number is computed here too.
        self.settings.update.ceiling_drop = (-self.settings.update.ceiling).exp();
        self.samples_seen = self.samples_seen.saturating_add(other.samples_seen);
        Ok(())
    }
}

impl<T: Scalar, const DIM: usize, const RANK: usize> Evidence<T, DIM, RANK> {
    /// Adds `unit`·(G − b·I) to the upper triangle of `sum`, where b is the evidence of the bulk, the directions that are not
    /// stored. The term b·I is left out, because a multiple of I only shifts the threshold. Each eigenvalue that is added is
    /// limited to MAX/8.
    fn add_to(&self, sum: &mut SMatrix<T, DIM, DIM>, unit: T) {
        for (&value, direction) in self.values().iter().zip(self.directions()) {
            let above = T::ZERO.max(value - self.bulk());
            add_outer(sum, (unit * above).min(Update::largest()), direction);
        }
    }
}
