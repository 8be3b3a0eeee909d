//! Starts a [`TrackingPca`] from directions with keep probabilities, or from a fitted [`BatchPca`].
//! Method: a given direction gets the evidence −ln(1 − p), every other the keep probability (KEEP − Σp)/(DIM − KEEP).
//! From a fit: the evidence matrix becomes η·scatter; then threshold, merging, rank cap and ceiling as in `evidence`.
//! Cost: 1.5·DIM·KEEP·(KEEP + 1) multiply-adds from directions, O(DIM³) if one is less likely than the others; RANK
//! eigenvectors from a fit.

use super::TrackingPca;
use super::evidence::Update;
use crate::pca::BatchPca;
use crate::pca::checks::check_start;
use crate::{FitError, MatrixError, Scalar};
use nalgebra::SMatrix;

impl<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize> TrackingPca<T, DIM, KEEP, RANK> {
    /// Starts again from `KEEP` orthonormal directions, one per column, with their keep probabilities 0 ≤ p < 1.
    ///
    /// Every other direction is kept with probability (`KEEP` − Σp)/(`DIM` − `KEEP`); the ceiling limits each
    /// probability to 1 − e^(−ceiling). In the bounds, D becomes the evidence outside the best subspace, Σ gᵢ(1 −
    /// ‖Pvᵢ‖²), with gᵢ = −ln(1 − pᵢ) of all directions and the projection P onto that subspace
    /// ([`Bounds::from_divergence`](crate::bounds::Bounds::from_divergence)). So the best subspace with p near one
    /// makes D almost zero, and each wrong direction adds its evidence. If the ceiling reduces a probability, add
    /// 4·`KEEP`·e^(−ceiling) to D.
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] for an entry that is not finite, [`MatrixError::NotOrthonormal`] for an error beyond
    /// 16√ε, [`MatrixError::Probability`] for a p outside 0 ≤ p < 1 (index `KEEP` means the p of all other directions),
    /// and, if `RANK` < `DIM`, for a p below that of the others.
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

    /// Starts again from the last fit of a batch PCA, with the evidence η·scatter.
    ///
    /// A running scale starts with the samples of the fit and their mean energy. This learner has no centre: after a
    /// centered fit, subtract [`BatchPca::mean`] from every sample.
    ///
    /// # Errors
    /// [`FitError::NotFitted`] without a fit since the creation or the last [`BatchPca::reset`].
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

    /// An update with the ceiling and without a share.
    pub(super) fn update_of_a_start(&self) -> Update<T> {
        Update {
            share: T::ZERO,
            // The `const fn`s of the settings cannot compute this exponential.
            ceiling_drop: (-self.settings.update.ceiling).exp(),
            ..self.settings.update
        }
    }
}
