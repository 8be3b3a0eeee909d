//! Starts a [`CenteredPca`] from a given model, for example a factory model.
//! In: `KEEP` directions with keep probabilities, or a [`BatchPca`] with its mean and count. Out: the learner, started from this
//! model.
//! Method: C is the scatter, η the learning rate after division by the energy of the scale. The learner computes its evidence
//! from η·C. The matrix G⁰ is the wanted evidence: g = −ln(1 − p) for a given direction of keep probability p. Every other
//! direction has the keep probability (k − Σp)/(n − k) with k = KEEP and n = DIM. So the scatter starts at C⁰ = G⁰/η, minus a
//! multiple of I, which changes no probability of `ReadOut::Randomized`. From a batch: its mean, scatter and count are copied;
//! with `Center::Weighted`, m⁰ (the centre before the first sample) counts in addition.
//! Cost: DIM·KEEP·(DIM + KEEP)/2 multiply-adds from directions, DIM² from a batch with `Center::Weighted`; and one
//! eigendecomposition.

use super::CenteredPca;
use crate::pca::start::check_start;
use crate::pca::{BatchPca, Center};
use crate::spectrum::symmetric::{add_diagonal, add_outer};
use crate::{Centering, FitError, MatrixError, Scalar};
use nalgebra::SMatrix;

impl<T: Scalar, const DIM: usize, const KEEP: usize> CenteredPca<T, DIM, KEEP> {
    /// Starts again from `KEEP` orthonormal directions, one per column, each with the probability p that the direction is kept,
    /// 0 ≤ p < 1. Every other direction is kept with probability (k − Σp)/(n − k), k = `KEEP`, n = `DIM`.
    /// [`ReadOut::Leader`](crate::pca::ReadOut::Leader) draws nothing: it keeps the `KEEP` directions of largest p, except a
    /// direction whose p equals, up to rounding, the smallest p of all `DIM` directions. The centre is again m⁰, the centre
    /// before the first sample.
    ///
    /// vᵢ are all `DIM` directions of the start, gᵢ = −ln(1 − pᵢ) is their evidence, and P the projection onto the best subspace.
    /// In the bounds, the divergence D from the best subspace to the start becomes Σ gᵢ(1 − ‖Pvᵢ‖²), as in
    /// [`TrackingPca::start_from`](crate::pca::TrackingPca::start_from). Forgetting reduces the weight of the start as it reduces
    /// the weight of a sample.
    ///
    /// # Errors
    /// The errors of [`TrackingPca::start_from`](crate::pca::TrackingPca::start_from) with `RANK` = `DIM`.
    /// [`MatrixError::Scale`] if the scale follows the energy of the samples, as in
    /// [`CenteredSettings::DEFAULT`](crate::pca::CenteredSettings::DEFAULT): the scatter for a given probability then depends on
    /// the samples. Use [`ScaleSettings::bound`](crate::ScaleSettings::bound) or
    /// [`start_from_batch`](Self::start_from_batch) instead. [`MatrixError::Overflow`] if the learning rate is so small that the
    /// scatter could overflow. After an error the learner is unchanged.
    ///
    /// ```
    /// use eigenstream::{nalgebra::SMatrix, pca::{CenteredPca, CenteredSettings}};
    ///
    /// let mut pca = CenteredPca::<f32, 5, 1>::new(CenteredSettings::unscaled(0.5)?);
    /// pca.start_from(&SMatrix::<f32, 5, 1>::new(0.6, 0.8, 0.0, 0.0, 0.0), &[0.96])?;
    /// assert!((pca.score(&[0.6, 0.8, 0.0, 0.0, 0.0])? - 0.04).abs() < 1e-6);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn start_from(
        &mut self,
        directions: &SMatrix<T, DIM, KEEP>,
        probabilities: &[T; KEEP],
    ) -> Result<(), MatrixError> {
        let others = check_start(directions, probabilities)?;
        let factor = self.scale.fixed_factor().ok_or(MatrixError::Scale)?;
        let unit = T::ONE / (self.settings.learning_rate * factor).min(T::MAX);
        // A p that is above the smallest p only by rounding counts as the smallest p. Otherwise, if all p are alike, the scatter
        // would consist of these rounding errors, and `ReadOut::Leader` would keep their directions.
        let smallest = probabilities.iter().fold(others, |least, &p| least.min(p));
        let rounding = T::from_usize(4 * KEEP) * T::EPSILON;
        let scatter_of = |probability: T| {
            let alike = probability - smallest <= rounding;
            -(T::ONE - if alike { smallest } else { probability }).ln() * unit
        };
        let others = scatter_of(others);
        let values = probabilities.map(scatter_of);
        // With `ReadOut::Randomized`, a multiple of I in the scatter only shifts the threshold τ and changes no probability. So
        // the smallest value is subtracted from all values.
        let least = values.iter().fold(others, |least, &value| least.min(value));
        let mut largest = others;
        for &value in &values {
            largest += value;
        }
        // Twice the trace of the scatter must be finite, as `Moments::check` demands. `largest`·DIM is at least the trace.
        if !(largest * T::from_usize(2 * DIM)).is_finite() {
            return Err(MatrixError::Overflow);
        }
        self.reset();
        let scatter = self.moments.scatter_mut();
        add_diagonal(scatter, others - least);
        for (&value, direction) in values.iter().zip(&directions.data.0) {
            add_outer(scatter, value - others, direction);
        }
        self.predict_anew();
        Ok(())
    }

    /// Starts again from the samples of a batch PCA: takes over mean, scatter and count, as if this learner had learned these
    /// samples without forgetting. The batch need not be fitted.
    ///
    /// With [`Center::Weighted`] the start m⁰ of the centre counts in addition to the samples. With [`Center::Fixed`] the mean of
    /// the batch (zero if the batch is uncentered) becomes the centre and m⁰.
    ///
    /// # Errors
    /// [`FitError::Centering`] for an uncentered batch with [`Center::Mean`] or [`Center::Weighted`], because this batch does not
    /// contain the mean of the samples. With [`Center::Weighted`], [`FitError::NotANumber`] if twice the trace of the scatter of
    /// the samples and m⁰, or the sum of their weights, overflows. After an error the learner is unchanged.
    ///
    /// ```
    /// use eigenstream::Centering;
    /// use eigenstream::pca::{BatchPca, CenteredPca, CenteredSettings};
    ///
    /// let mut factory = BatchPca::<f32, 3, 1>::new(Centering::Centered);
    /// for i in 0..50 {
    ///     factory.learn(&[100.0 + i as f32, 7.0, 200.0 - i as f32])?;
    /// }
    /// let mut pca = CenteredPca::<f32, 3, 1>::new(CenteredSettings::DEFAULT);
    /// pca.start_from_batch(&factory)?;
    /// assert_eq!(pca.samples_seen(), 50);
    /// assert!(pca.score(&[110.0, 7.0, 190.0])? < 1e-3);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn start_from_batch<const COUNT: usize>(&mut self, batch: &BatchPca<T, DIM, COUNT>) -> Result<(), FitError> {
        let mut moments = batch.moments().clone();
        match (self.settings.center, batch.centering()) {
            (Center::Mean, Centering::Centered) => (),
            (Center::Weighted(inverse_rate), Centering::Centered) => {
                moments.reset(&self.start);
                moments
                    .begin_with(batch.moments(), inverse_rate)
                    .map_err(|_| FitError::NotANumber)?;
            }
            (Center::Fixed, _) => {
                for (start, &mean) in self.start.iter_mut().zip(moments.mean().iter()) {
                    *start = mean;
                }
            }
            (Center::Mean | Center::Weighted(_), Centering::Uncentered) => return Err(FitError::Centering),
        }
        self.reset();
        self.moments = moments;
        self.predict_anew();
        Ok(())
    }
}
