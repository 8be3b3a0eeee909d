//! Two [`TrackingPca`] as one.
//! In: two learners with the same settings. Out: one with the evidence of both.
//! Method: G ← G_a + G_b in units of one energy, then threshold, rank cap and ceiling. With a running scale the evidence of each is
//! converted to the mean energy of both first.
//! Cost: DIM²·RANK multiply-adds, (2/3)·DIM³ for the eigenvalues, RANK eigenvectors. Scratch: 2·DIM² + 14·DIM numbers.

use super::TrackingPca;
use super::evidence::{Evidence, Update};
use crate::spectrum::{PartialEigen, symmetric::add_outer};
use crate::{MergeError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

impl<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize> TrackingPca<T, DIM, KEEP, RANK> {
    /// Takes in the evidence of another learner.
    ///
    /// This is not the learner that has seen both streams. Each learner has clipped its own evidence at zero in every trial, at the
    /// ceiling and at the rank cap; the sum of two clipped matrices is not the clipped sum. For the exact result merge
    /// [`BatchPca`](crate::pca::BatchPca) or [`CenteredPca`](crate::pca::CenteredPca). A start counts in each learner that had it.
    /// The two may be swapped; the order among three or more matters a little. The bounds hold from here on, with the merged W as W⁰
    /// of [`start_from`](Self::start_from).
    ///
    /// # Errors
    /// [`MergeError::Settings`] if the settings differ in more than the draw, [`MergeError::Forgetting`] if the running energy of
    /// the scale forgets, [`MergeError::Overflow`] if the count of both does not fit. The learner is then as it was.
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
    /// // It knows now what either knew.
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
            // Evidence is finite, and so is the sum of two: nothing is refused.
            let _ = eigen.decompose(&sum).map_err(|_| MergeError::Overflow)?;
            self.evidence.replace(&eigen, T::ONE, KEEP, &self.update_of_a_start());
        } else {
            self.evidence = other.evidence.clone();
            self.evidence.forget_excess();
        }
        self.scale = scale;
        // A learner that has seen samples has it; settings in a `const` do not.
        self.settings.update.ceiling_drop = (-self.settings.update.ceiling).exp();
        self.samples_seen = self.samples_seen.saturating_add(other.samples_seen);
        Ok(())
    }
}

impl<T: Scalar, const DIM: usize, const RANK: usize> Evidence<T, DIM, RANK> {
    /// sum ← sum + unit·(G − b·I), upper triangle. The threshold takes any multiple of I away.
    fn add_to(&self, sum: &mut SMatrix<T, DIM, DIM>, unit: T) {
        for (&value, direction) in self.values().iter().zip(self.directions()) {
            let above = T::ZERO.max(value - self.bulk());
            add_outer(sum, (unit * above).min(Update::largest()), direction);
        }
    }
}
