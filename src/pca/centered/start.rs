//! Starts a [`CenteredPca`] from directions with keep probabilities, or from a [`BatchPca`].
//! Method: the evidence is computed from η·C, so C starts at G⁰/η, where G⁰ has the eigenvalues −ln(1 − p). A multiple
//! of I is subtracted, which changes no probability of `ReadOut::Randomized`.
//! Cost: DIM·KEEP·(DIM + KEEP)/2 multiply-adds from directions, DIM² from a batch with `Center::Weighted`; and one
//! eigendecomposition.

use super::CenteredPca;
use crate::pca::start::check_start;
use crate::pca::{BatchPca, Center};
use crate::spectrum::symmetric::{add_diagonal, add_outer};
use crate::{Centering, FitError, MatrixError, Scalar};
use nalgebra::SMatrix;

impl<T: Scalar, const DIM: usize, const KEEP: usize> CenteredPca<T, DIM, KEEP> {
    /// Starts again from `KEEP` orthonormal directions, one per column, with their keep probabilities 0 ≤ p < 1.
    ///
    /// Every other direction is kept with probability (`KEEP` − Σp)/(`DIM` − `KEEP`).
    /// [`ReadOut::Leader`](crate::pca::ReadOut::Leader) keeps the `KEEP` directions of largest p, except those that
    /// share the smallest p of all. The centre is again the start. Forgetting reduces the weight of the start as that
    /// of a sample. The divergence in the bounds is that of
    /// [`TrackingPca::start_from`](crate::pca::TrackingPca::start_from).
    ///
    /// # Errors
    /// As [`TrackingPca::start_from`](crate::pca::TrackingPca::start_from) with `RANK` = `DIM`. [`MatrixError::Scale`]
    /// if the scale follows the energy of the samples, as in [`DEFAULT`](crate::pca::CenteredSettings::DEFAULT): use
    /// [`ScaleSettings::bound`](crate::ScaleSettings::bound) or [`start_from_batch`](Self::start_from_batch).
    /// [`MatrixError::Overflow`] if the learning rate is so small that the scatter could overflow. The learner is then
    /// unchanged.
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
        // Otherwise, if all p are alike, the scatter would consist of rounding errors, and `ReadOut::Leader` would
        // keep them.
        let smallest = probabilities.iter().fold(others, |least, &p| least.min(p));
        let rounding = T::from_usize(4 * KEEP) * T::EPSILON;
        let scatter_of = |probability: T| {
            let alike = probability - smallest <= rounding;
            -(T::ONE - if alike { smallest } else { probability }).ln() * unit
        };
        let others = scatter_of(others);
        let values = probabilities.map(scatter_of);
        // A multiple of I only shifts τ.
        let least = values.iter().fold(others, |least, &value| least.min(value));
        let mut largest = others;
        for &value in &values {
            largest += value;
        }
        // `Moments::check` demands that twice the trace is finite; `largest`·DIM is at least the trace.
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

    /// Starts again from the samples of a batch PCA, as if this learner had learned them without forgetting.
    ///
    /// The batch need not be fitted. With [`Center::Weighted`] the start counts in addition; with [`Center::Fixed`]
    /// the mean of the batch becomes centre and start.
    ///
    /// # Errors
    /// [`FitError::Centering`] for an uncentered batch, except with [`Center::Fixed`]. [`FitError::NotANumber`] if
    /// scatter or weight overflows with [`Center::Weighted`]. The learner is then unchanged.
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
