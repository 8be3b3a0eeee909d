//! Starts a [`TrackingPca`] from a given model, for example a factory model.
//! In: `KEEP` directions with keep probabilities, or a fitted [`BatchPca`]. Out: a learner that starts from this model, with the
//! density matrix W⁰.
//! Method: the evidence matrix is G⁰ = −ln(d·W⁰) with n = DIM, k = KEEP, d = n − k. A given direction of keep probability p gets
//! the evidence g = −ln(1 − p). Every other direction gets the keep probability (k − Σp)/(n − k). No g is above the ceiling. From
//! a fit: G⁰ = η·scatter, then threshold, merging of directions, rank cap and ceiling as in `evidence`. η is the learning rate
//! times the factor of the scale.
//! Cost: 1.5·DIM·KEEP·(KEEP + 1) multiply-adds from directions, O(DIM³) if a given direction is less likely than the other
//! directions; RANK eigenvectors from a fit.

use super::TrackingPca;
use super::evidence::Update;
use crate::pca::BatchPca;
use crate::pca::start::check_start;
use crate::{FitError, MatrixError, Scalar};
use nalgebra::SMatrix;

impl<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize> TrackingPca<T, DIM, KEEP, RANK> {
    /// Starts again from `KEEP` orthonormal directions, one per column, each with the probability p that the direction is kept,
    /// 0 ≤ p < 1. Every other direction is kept with probability (k − Σp)/(n − k), n = `DIM`, so that all probabilities sum to
    /// k = `KEEP`. Then the ceiling limits each probability to 1 − e^(−ceiling).
    ///
    /// In the bounds, the start changes D = d·ln(n/d) with d = n − k
    /// ([`Bounds::from_divergence`](crate::bounds::Bounds::from_divergence)). Let W⁰ be the density matrix of the start, vᵢ its n
    /// directions with the evidence gᵢ = −ln(1 − pᵢ), P the projection onto the best subspace, U = (I − P)/d, and Δ the relative
    /// entropy. Then D = d·Δ(U, W⁰) = Σ gᵢ(1 − ‖Pvᵢ‖²), the evidence outside the best subspace. A start from the best subspace
    /// with p near one makes D almost zero. Each given direction that is orthogonal to the best subspace and has p = 1 − δ adds
    /// ln(1/δ) to D, at most the ceiling. If the ceiling reduces a probability, the trace of W⁰ is above one; then add
    /// 4·k·e^(−ceiling) to D.
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] for an entry that is not finite, [`MatrixError::NotOrthonormal`] if the directions are not
    /// orthonormal up to 16√ε, [`MatrixError::Probability`] for a p outside 0 ≤ p < 1; the index is `KEEP` if the computed
    /// probability of the other directions is outside this range. With `RANK` < `DIM`, [`MatrixError::Probability`] also for a
    /// given direction that is less likely than the other directions, because all `DIM` directions would have to be stored. After
    /// an error the learner is unchanged.
    ///
    /// ```
    /// use eigenstream::{nalgebra::SMatrix, pca::{TrackingPca, TrackingSettings}};
    ///
    /// let mut pca = TrackingPca::<f32, 5, 1, 3>::new(TrackingSettings::DEFAULT);
    /// let known = SMatrix::<f32, 5, 1>::new(0.6, 0.8, 0.0, 0.0, 0.0);
    /// pca.start_from(&known, &[0.96])?;
    /// assert!((pca.score(&[0.6, 0.8, 0.0, 0.0, 0.0])? - 0.04).abs() < 1e-6);
    /// assert!((pca.score(&[0.0, 0.0, 1.0, 0.0, 0.0])? - 0.99).abs() < 1e-6);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn start_from(
        &mut self,
        directions: &SMatrix<T, DIM, KEEP>,
        probabilities: &[T; KEEP],
    ) -> Result<(), MatrixError> {
        let others = check_start(directions, probabilities)?;
        self.evidence
            .start_from(directions, probabilities, others, &self.update_of_a_start())?;
        self.scale.reset();
        self.samples_seen = 0;
        Ok(())
    }

    /// Starts again from the last fit of a batch PCA: the evidence matrix is G⁰ = η·scatter, then threshold, merging of
    /// directions, rank cap and ceiling are applied. The scatter is the sum of x·xᵀ, for a centered fit with the mean subtracted
    /// from x. η is the learning rate times the factor of the scale. A running scale starts with the number of samples of the fit
    /// (in `f32` more than 2²¹ learned samples count as about 2²¹), and with the trace of the scatter divided by this number as
    /// the mean energy. After a fit without samples, or a centered fit of one sample, the running scale starts without samples.
    ///
    /// This learner has no centre. After an uncentered fit, pass samples as they are. After a centered fit, subtract
    /// [`BatchPca::mean`] from every sample first.
    ///
    /// # Errors
    /// [`FitError::NotFitted`] before the first [`BatchPca::fit`], and after [`BatchPca::reset`] until the next fit. The learner
    /// is then unchanged.
    ///
    /// ```
    /// use eigenstream::Centering;
    /// use eigenstream::pca::{BatchPca, TrackingPca, TrackingSettings};
    ///
    /// // On the PC, or merged from many devices:
    /// let mut factory = BatchPca::<f32, 3, 1>::new(Centering::Uncentered);
    /// for i in 1..50 {
    ///     factory.learn(&[0.6 * i as f32, 0.0, 0.8 * i as f32])?;
    /// }
    /// let _ = factory.fit();
    /// // On the chip:
    /// let mut pca = TrackingPca::<f32, 3, 1, 3>::new(TrackingSettings::DEFAULT);
    /// pca.start_from_batch(&factory)?;
    /// assert!(pca.score(&[0.6, 0.0, 0.8])? < 1e-5);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn start_from_batch<const COUNT: usize>(&mut self, batch: &BatchPca<T, DIM, COUNT>) -> Result<(), FitError> {
        let eigen = batch.decomposition().ok_or(FitError::NotFitted)?;
        self.reset();
        let weight = batch.weight_at_fit();
        if weight > T::ZERO {
            let mut energy = T::ZERO;
            for &value in eigen.values().iter() {
                energy += T::ZERO.max(value) / weight;
            }
            self.scale.start(energy.min(T::MAX), weight);
        }
        let rate = (self.settings.update.rate * self.scale.factor()).min(T::MAX);
        self.evidence.replace(eigen, rate, KEEP, &self.update_of_a_start());
        Ok(())
    }

    /// Returns the settings for an update that makes a start or merges two learners: with the ceiling, without a share.
    pub(super) fn update_of_a_start(&self) -> Update<T> {
        Update {
            share: T::ZERO,
            // The `const fn`s of the settings cannot compute this exponential.
            ceiling_drop: (-self.settings.update.ceiling).exp(),
            ..self.settings.update
        }
    }
}
