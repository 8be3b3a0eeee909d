//! Centered online PCA, [WK08] Algorithm 6: learns centre and subspace at once.
//! Method: each sample updates the centre m and the scatter C. The evidence of a trial follows from the eigenvalues λᵢ
//! of C: gᵢ = max(0, ηλᵢ − τ), pᵢ = 1 − exp(−gᵢ). Forgetting, scale and `ReadOut::Leader` are additions.
//! Cost in multiply-adds: DIM²/2 for C (DIM² with forgetting or, in `f32`, after 2²¹ samples), plus the directions (see
//! `prediction`); a score takes 2·DIM per direction.

mod prediction;
mod settings;

pub use settings::{CenteredSettings, ReadOut};

use super::batch::{leading, part_unit};
use super::checks::check_start;
use super::moments::{Deviation, Moments};
use super::projection::{as_columns, energy_in, leverage, reconstruct, residual, share_of};
use super::{BatchPca, Center};
use crate::codec::stored;
use crate::learner::{energy_of, own_verbs};
use crate::rand_core::Rng;
use crate::spectrum::symmetric::{add_diagonal, add_outer, clear, mirror, scale_upper, trace};
use crate::spectrum::vector::dot;
use crate::weights::{ByCorners, Draw, Systematic};
use crate::{Centering, EnergyScale, FitError, Learner, MatrixError, MergeError, SampleError, Scalar, Trial};
use nalgebra::{SMatrix, SVector};
use prediction::Prediction;

/// Online PCA about a centre, which is learned too unless it is [`Center::Fixed`](super::Center::Fixed).
///
/// ```
/// use eigenstream::{pca::{CenteredPca, CenteredSettings}, rand_core::SeedableRng};
///
/// let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(1);
/// let mut pca = CenteredPca::<f32, 3, 1>::new(CenteredSettings::DEFAULT);
/// for i in 0..200 {
///     // Three channels far from zero. The first two rise together while the third falls.
///     let swing = (i % 10) as f32;
///     pca.step(&[100.0 + swing, 200.0 + swing, 300.0 - swing], &mut rng)?;
/// }
/// assert!(pca.score(&[104.0, 204.0, 296.0])? < 0.1);
/// assert!(pca.score(&[104.0, 196.0, 296.0])? > 20.0);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct CenteredPca<T, const DIM: usize, const KEEP: usize> {
    settings: CenteredSettings<T>,
    /// m⁰: the centre before the first sample.
    start: [T; DIM],
    moments: Moments<T, DIM>,
    scale: EnergyScale<T>,
    prediction: Prediction<T, DIM, KEEP>,
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> CenteredPca<T, DIM, KEEP> {
    /// A learner that has seen no sample, with the centre at zero.
    ///
    /// `KEEP` = 0 and `KEEP` ≥ `DIM` do not compile:
    /// ```compile_fail,E0080
    /// use eigenstream::pca::{CenteredPca, CenteredSettings};
    /// let pca = CenteredPca::<f32, 3, 3>::new(CenteredSettings::DEFAULT);
    /// ```
    #[must_use]
    pub const fn new(settings: CenteredSettings<T>) -> Self {
        const { assert!(KEEP > 0, "online PCA keeps at least one direction: KEEP >= 1") };
        const { assert!(KEEP < DIM, "online PCA drops at least one direction: KEEP < DIM") };
        Self {
            settings,
            start: [T::ZERO; DIM],
            moments: Moments::new(),
            scale: EnergyScale::new(settings.scale),
            prediction: Prediction::new(settings.read_out),
        }
    }

    /// One trial: draws the directions to keep, computes code and loss, then learns the sample.
    ///
    /// [`ReadOut::Leader`](super::ReadOut::Leader) draws nothing.
    ///
    /// # Errors
    /// [`SampleError`].
    ///
    /// ```
    /// use eigenstream::{pca::{CenteredPca, CenteredSettings}, rand_core::SeedableRng};
    /// let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(1);
    /// let mut pca = CenteredPca::<f32, 2, 1>::new(CenteredSettings::DEFAULT);
    /// let trial = pca.step(&[3.0, 3.0], &mut rng)?;
    /// // One of the two axes was kept, so half of the energy is lost.
    /// assert_eq!((trial.code, trial.loss), ([3.0], 9.0));
    /// assert!((trial.expected_loss - 9.0).abs() < 1e-5);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn step<R: Rng + ?Sized>(&mut self, sample: &[T; DIM], rng: &mut R) -> Result<Trial<T, KEEP>, SampleError> {
        self.try_sample::<Systematic, R>(sample, rng)
    }

    /// [`step`](Self::step) with the draw of the paper, see
    /// [`TrackingPca::step_with_corners`](crate::pca::TrackingPca::step_with_corners).
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn step_with_corners<R: Rng + ?Sized>(
        &mut self,
        sample: &[T; DIM],
        rng: &mut R,
    ) -> Result<Trial<T, KEEP>, SampleError> {
        self.try_sample::<ByCorners, R>(sample, rng)
    }

    fn try_sample<D: Draw, R: Rng + ?Sized>(
        &mut self,
        sample: &[T; DIM],
        rng: &mut R,
    ) -> Result<Trial<T, KEEP>, SampleError> {
        let deviation = self.moments.deviation(sample)?;
        self.moments.check(&deviation)?;
        let expected = self.residual_of(&deviation);
        let kept = self.prediction.draw::<D, R>(rng);
        let kept = self.prediction.chosen(&kept);
        let mut code = [T::ZERO; KEEP];
        for (coordinate, direction) in code.iter_mut().zip(kept.clone()) {
            *coordinate = dot(direction, &deviation.values);
        }
        let missed = residual(&deviation.values, kept.map(|direction| (T::ONE, direction)));
        self.update(&deviation);
        Ok(Trial {
            code,
            loss: energy_in(&missed),
            expected_loss: energy_in(&expected),
        })
    }

    /// The expected loss of a sample x, ‖x − m‖² − Σ pⱼ(vⱼ·(x − m))².
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        Ok(energy_in(&self.residual(sample)?))
    }

    /// The unexpected part of each channel; the squares sum to the score.
    ///
    /// It is x − m − Σ (1 − √(1 − pⱼ))·(vⱼ·(x − m))·vⱼ.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn residual(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        Ok(self.residual_of(&self.moments.deviation(sample)?))
    }

    /// Learns a sample; draws nothing and computes no loss.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn learn(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        let deviation = self.moments.deviation(sample)?;
        self.moments.check(&deviation)?;
        self.update(&deviation);
        Ok(())
    }

    /// How many samples were learned.
    #[must_use]
    pub fn samples_seen(&self) -> u64 {
        self.moments.samples_seen()
    }

    /// Forgets everything that was learned; the centre is again the start.
    ///
    /// The start is zero, the centre given to `reset_about`, or with `Center::Fixed` the mean of the batch of
    /// `start_from_batch`.
    pub fn reset(&mut self) {
        self.moments.reset(&self.start);
        self.scale.reset();
        self.prediction.reset();
    }

    /// Forgets everything that was learned and starts from a new centre.
    ///
    /// # Errors
    /// [`SampleError`]: a channel of the centre is not finite, or the centre is too large.
    ///
    /// ```
    /// use eigenstream::pca::{Center, CenteredPca, CenteredSettings};
    /// let settings = CenteredSettings::unscaled(1.0_f32)?.with_center(Center::Fixed)?;
    /// let mut pca = CenteredPca::<f32, 2, 1>::new(settings);
    /// pca.reset_about(&[20.0, 50.0])?;
    /// assert_eq!(pca.score(&[20.0, 50.0])?, 0.0);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn reset_about(&mut self, center: &[T; DIM]) -> Result<(), SampleError> {
        energy_of(center)?;
        self.start = *center;
        self.reset();
        Ok(())
    }

    /// Adds the samples of another learner, as if this learner had learned them; the order of merging does not matter.
    ///
    /// A model of [`start_from`](Self::start_from) or [`start_from_batch`](Self::start_from_batch) counts in each
    /// learner that started from it: start at most one of the two learners from a model. The start of
    /// [`Center::Weighted`] counts once.
    ///
    /// # Errors
    /// [`MergeError::Settings`] for other settings, or for another start unless the centre is [`Center::Mean`].
    /// [`MergeError::Forgetting`] if the learner or its scale forgets. [`MergeError::Overflow`] if scatter or weight
    /// could overflow.
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
        // This merge serves only for its checks: `predict_anew` computes the mean energy from the merged scatter.
        let mut scale = self.scale;
        scale.merge(&other.scale)?;
        self.moments.merge(&other.moments, self.settings.center, &self.start)?;
        self.scale = scale;
        self.predict_anew();
        Ok(())
    }

    /// Starts again from `KEEP` orthonormal directions, one per column, with their keep probabilities 0 ≤ p < 1.
    ///
    /// Every other direction is kept with probability (`KEEP` − Σp)/(`DIM` − `KEEP`);
    /// [`ReadOut::Leader`](crate::pca::ReadOut::Leader) keeps the directions of largest p, but none whose p is the
    /// smallest of all. Forgetting reduces the weight of the start, too. For the bounds see
    /// [`TrackingPca::start_from`](crate::pca::TrackingPca::start_from).
    ///
    /// # Errors
    /// As [`TrackingPca::start_from`](crate::pca::TrackingPca::start_from) with `RANK` = `DIM`. [`MatrixError::Scale`]
    /// if the scale follows the energy of the samples, as in [`DEFAULT`](crate::pca::CenteredSettings::DEFAULT): use
    /// [`ScaleSettings::bound`](crate::ScaleSettings::bound). [`MatrixError::Overflow`] if the learning rate is so
    /// small that the scatter could overflow.
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
        // A p within rounding of the smallest counts as the smallest. Otherwise equal p could give a scatter of
        // rounding errors, whose directions `ReadOut::Leader` would keep.
        let smallest = probabilities.iter().fold(others, |least, &p| least.min(p));
        let rounding = T::from_usize(4 * KEEP) * T::EPSILON;
        let scatter_of = |probability: T| {
            let alike = probability - smallest <= rounding;
            -(T::ONE - if alike { smallest } else { probability }).ln() * unit
        };
        let others = scatter_of(others);
        let values = probabilities.map(scatter_of);
        // A multiple of I in the scatter only shifts τ, so the smallest value is subtracted from all.
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
    /// The batch need not be fitted. With [`Center::Weighted`] the start counts in addition; with [`Center::Fixed`] the
    /// mean of the batch becomes centre and start.
    ///
    /// # Errors
    /// [`FitError::Centering`] for an uncentered batch, except with [`Center::Fixed`]. [`FitError::NotANumber`] if
    /// scatter or weight overflows with [`Center::Weighted`].
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
        let mut moments = batch.moments.clone();
        match (self.settings.center, batch.centering) {
            (Center::Mean, Centering::Centered) => (),
            (Center::Weighted(inverse_rate), Centering::Centered) => {
                moments.reset(&self.start);
                moments
                    .begin_with(&batch.moments, inverse_rate)
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

    /// The code of a sample x in the `KEEP` most likely directions: vⱼ·(x − m); nothing is drawn.
    ///
    /// With [`ReadOut::Leader`](crate::pca::ReadOut::Leader), the last entries are zero while the data have fewer than
    /// `KEEP` directions.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn transform(&self, sample: &[T; DIM]) -> Result<[T; KEEP], SampleError> {
        let deviation = self.moments.deviation(sample)?;
        let mut code = [T::ZERO; KEEP];
        for (coordinate, (probability, direction)) in code.iter_mut().zip(self.directions()) {
            if probability > T::ZERO {
                *coordinate = dot(direction, &deviation.values);
            }
        }
        Ok(code)
    }

    /// Rebuilds a sample from a code: m + Σ codeⱼ·vⱼ.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn inverse_transform(&self, code: &[T; KEEP]) -> Result<[T; DIM], SampleError> {
        let directions = self.directions().map(|(_, direction)| direction);
        reconstruct(self.moments.mean(), code, directions)
    }

    /// The `KEEP` most likely directions, one per column.
    #[must_use]
    pub fn components(&self) -> SMatrix<T, DIM, KEEP> {
        as_columns(self.directions().map(|(_, direction)| direction))
    }

    /// Every direction of positive keep probability p, together with p, by descending p.
    ///
    /// If fewer than `KEEP` have a positive p, directions of p = 0 follow, `KEEP` in total. Before the first sample or
    /// start it yields all `DIM` axes.
    pub fn directions(&self) -> impl Iterator<Item = (T, &[T; DIM])> + Clone {
        self.prediction.directions()
    }

    /// The keep probability of each eigenvector of the scatter, descending.
    ///
    /// They sum to `KEEP`. With [`ReadOut::Leader`](crate::pca::ReadOut::Leader) each is one or zero, and the sum is
    /// smaller while the data have fewer than `KEEP` directions.
    #[must_use]
    pub fn keep_probabilities(&self) -> [T; DIM] {
        self.prediction.probabilities()
    }

    /// Writes the density matrix W = Σ (1 − pᵢ)/(DIM − KEEP)·vᵢvᵢᵀ.
    pub fn density(&self, matrix: &mut SMatrix<T, DIM, DIM>) {
        clear(matrix);
        add_diagonal(matrix, T::ONE);
        for (probability, direction) in self.directions() {
            add_outer(matrix, -probability, direction);
        }
        scale_upper(matrix, T::ONE / T::from_usize(DIM - KEEP));
        mirror(matrix);
    }

    /// The centre m.
    #[must_use]
    pub fn mean(&self) -> &SVector<T, DIM> {
        self.moments.mean()
    }

    /// Writes the scatter C = Σ (x − m)(x − m)ᵀ, where older samples count less with forgetting.
    ///
    /// A start ([`Center::Weighted`](crate::pca::Center::Weighted), `start_from`) is part of the sum.
    pub fn scatter(&self, matrix: &mut SMatrix<T, DIM, DIM>) {
        matrix.clone_from(self.moments.scatter());
        mirror(matrix);
    }

    /// The variance along each of the [`components`](Self::components).
    ///
    /// It is the eigenvalue of the scatter divided by t, or by t − 1 for [`Center::Mean`](crate::pca::Center::Mean);
    /// zero if the divisor is not positive. t is the number of samples minus the forgotten part, without a start.
    #[must_use]
    pub fn explained_variance(&self) -> [T; KEEP] {
        let unit = self.moments.variance_unit(self.settings.center);
        leading(self.prediction.eigenvalues(), unit)
    }

    /// The fraction of the total variance along each of the [`components`](Self::components).
    ///
    /// It is zero if the trace of the scatter is zero or subnormal.
    #[must_use]
    pub fn explained_variance_ratio(&self) -> [T; KEEP] {
        let parts: [T; KEEP] = leading(self.prediction.eigenvalues(), part_unit(trace(self.moments.scatter())));
        // Decoded eigenvalues can be larger than the trace of the decoded scatter.
        parts.map(|part| part.min(T::ONE))
    }

    fn residual_of(&self, deviation: &Deviation<T, DIM>) -> [T; DIM] {
        let shares = self
            .directions()
            .map(|(probability, direction)| (share_of(probability), direction));
        residual(&deviation.values, shares)
    }

    /// Learns a sample that `Moments::check` has accepted.
    fn update(&mut self, deviation: &Deviation<T, DIM>) {
        let change = self
            .moments
            .learn(deviation, self.settings.center, self.settings.forgetting);
        self.scale.observe(change.weight * change.energy);
        let learning_rate = self.learning_rate();
        self.prediction.refresh(self.moments.scatter(), change, learning_rate);
    }

    fn learning_rate(&self) -> T {
        (self.settings.learning_rate * self.scale.factor()).min(T::MAX)
    }

    /// Computes scale and prediction from the whole scatter, after a start or a merge.
    fn predict_anew(&mut self) {
        let weight = self.moments.weight();
        if weight > T::ZERO {
            // Without forgetting, the energies that `update` passes to the scale sum to the trace of the scatter.
            self.scale.start(trace(self.moments.scatter()) / weight, weight);
        }
        let learning_rate = self.learning_rate();
        self.prediction.find(self.moments.scatter(), learning_rate);
    }
}

stored!(
    [T: Scalar, const DIM: usize, const KEEP: usize]
    CenteredPca<T, DIM, KEEP>: Centered [DIM, KEEP] of T { settings, start, moments, scale, prediction }
);

impl<T: Scalar, const DIM: usize, const KEEP: usize> Learner<T, DIM> for CenteredPca<T, DIM, KEEP> {
    own_verbs!();

    fn energy(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        Ok(self.moments.deviation(sample)?.energy)
    }

    fn leverage(&self, sample: &[T; DIM]) -> Result<Option<[T; DIM]>, SampleError> {
        let deviation = self.moments.deviation(sample)?;
        let variances = self.explained_variance().into_iter();
        Ok(Some(leverage(
            &deviation.values,
            variances.zip(self.directions().map(|(_, direction)| direction)),
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_the_sum_of_its_parts() {
        const DIM: usize = 20;
        const KEEP: usize = 3;
        let words = DIM // start
            + DIM * DIM + 2 * DIM + 1 // scatter, centre, rounding error of the centre, weight
            + 2 // energy scale: energy and weight
            + DIM * DIM + 4 * DIM + 1 // eigen
            + DIM * DIM // directions
            + DIM // probabilities
            + DIM; // eigenvalues
        let counts = size_of::<u64>() + size_of::<usize>() + 8;
        let settings = size_of::<CenteredSettings<f64>>() + size_of::<crate::ScaleSettings<f64>>();
        assert_eq!(size_of::<CenteredPca<f64, DIM, KEEP>>(), 8 * words + counts + settings);
    }
}
