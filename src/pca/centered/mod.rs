//! Centered online PCA, [WK08] Algorithm 6: learns centre and subspace at once.
//! In: samples. Out: code, loss and expected loss of each, from before the sample is learned.
//! Method: each sample updates the centre m and the scatter C. In each trial the evidence follows from the eigenvalues
//! λᵢ of C: gᵢ = max(0, ηλᵢ − τ), pᵢ = 1 − exp(−gᵢ). Not in the paper: forgetting, the scale, Follow the Leader.
//! Cost in multiply-adds: DIM²/2 for C (DIM² with forgetting or, in `f32`, after 2²¹ samples), plus the directions
//! (see `prediction`); a score 2·DIM per direction.
//! Kept: 3·DIM² + 9·DIM + 4 numbers, two counts, two choices and the settings. Scratch: 8·DIM numbers for a
//! decomposition, DIM + 170 for an update.

mod merge;
mod prediction;
mod readings;
mod settings;
mod start;

pub use settings::{CenteredSettings, ReadOut};

use super::moments::{Deviation, Moments};
use super::projection::{energy_in, leverage, residual, share_of};
use crate::codec::stored;
use crate::learner::{energy_of, own_verbs};
use crate::rand_core::Rng;
use crate::spectrum::symmetric::trace;
use crate::spectrum::vector::dot;
use crate::weights::{ByCorners, Draw, Systematic};
use crate::{EnergyScale, Learner, SampleError, Scalar, Trial};
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
    /// [`ReadOut::Leader`](super::ReadOut::Leader) draws nothing; entries of the code for directions that the data do
    /// not have are zero.
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
        let residual = self.residual(sample)?;
        Ok(energy_in(&residual))
    }

    /// The unexpected part of each channel; the squares sum to the score.
    ///
    /// x − m − Σ (1 − √(1 − pⱼ))·(vⱼ·(x − m))·vⱼ.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn residual(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        Ok(self.residual_of(&self.moments.deviation(sample)?))
    }

    /// Learns a sample, without a draw and a loss.
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
    /// The start is zero, or that of `reset_about`, or with `Center::Fixed` that of `start_from_batch`.
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
