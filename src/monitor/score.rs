//! Computes how unusual a sample is, and the part of each channel in this score.
//! In: a learner and a sample x. Out: a part ≥ 0 for each channel; the parts sum to the score.
//! Method: r is the residual of the learner; the squares of r sum to the expected loss Q. w is the leverage of the learner: the
//! position inside the learned subspace, divided by the usual spread in each direction; the squares of w sum to T². If the
//! learner has no leverage, w = x − r; for a linear PCA without a centre whose keep probabilities are all 0 or 1, this is the
//! projection of x to the kept directions. The part of channel i is:
//! - for `Loss`, the part that the learner returns, rᵢ² for most learners;
//! - for `Relative`, rᵢ²/‖x‖², where ‖x‖² is the energy that the learner returns;
//! - for `Leverage`, wᵢ²;
//! - for `Combined`, rᵢ²/Q̄ + wᵢ²/T̄², where Q̄ and T̄² are the averages of Q and T² over normal samples.
//!
//! A divisor that is zero or subnormal counts as 1. A part is at most `T::MAX`/(4·DIM).
//! Cost: for `Loss` the parts of the learner; otherwise its residual, for `Relative` also its energy, for `Leverage` and
//! `Combined` also its leverage. Kept: two numbers, two counts and a choice.

use super::stages::ExponentialMean;
use crate::codec::{stored, stored_choice};
use crate::{Learner, SampleError, Scalar};

/// The score of a sample: which deviation counts as unusual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Score {
    /// The score of the learner: for a subspace learner the expected loss Q, which measures how far a sample lies outside the
    /// learned subspace; for the default learner the squared Mahalanobis distance divided by the number of channels. The default.
    #[default]
    Loss,
    /// Q/‖x‖², where ‖x‖² is the energy of the sample. For a subspace learner with orthonormal directions this is the fraction of
    /// the energy outside the learned subspace, from 0 to 1. With a Hebbian learner it can be above 1, because its components
    /// can be longer than 1. For a linear learner it depends only on the direction of the sample from the centre of the learner,
    /// not on the distance.
    ///
    /// A small normal sample can score as high as a fault. Then [`Learning::WhileNormal`](super::Learning::WhileNormal) also
    /// learns from faults, and a large fault can soon become normal: use [`Learning::Frozen`](super::Learning::Frozen) with
    /// this score.
    Relative,
    /// T²: the squared distance of a sample from the centre inside the learned subspace, in usual spreads of each direction if
    /// the learner has these spreads. Use this score with a linear PCA, or with a learner of your own that has
    /// a [`leverage`](Learner::leverage); the default learner has no such subspace.
    Leverage,
    /// Q and T², each divided by its average over normal samples, and added. Normal samples score about 2 on average. Use this
    /// score with the learners that `Leverage` names.
    Combined,
}

/// Scores samples channel by channel.
///
/// ```
/// use eigenstream::monitor::Score;
/// use eigenstream::monitor::stages::Scorer;
/// use eigenstream::pca::{TrackingPca, TrackingSettings};
///
/// let mut pca = TrackingPca::<f32, 3, 1, 3>::new(TrackingSettings::DEFAULT);
/// for _ in 0..30 {
///     pca.learn(&[1.0, 1.0, 0.0])?;
/// }
/// let scorer = Scorer::new(Score::Loss, 1);
/// let parts = scorer.contributions(&pca, &[1.0, 1.0, 2.0])?;
/// assert!((parts[2] - 4.0).abs() < 1e-3 && parts[0] < 1e-3);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scorer<T> {
    score: Score,
    /// The averages over normal samples: Q̄ of the loss Q, T̄² of the squared leverage T². Zero unless the score is `Combined`.
    usual: ExponentialMean<T, 2>,
}

impl<T: Scalar> Scorer<T> {
    /// A scorer that averages Q and T² over about `memory` normal samples. Only [`Score::Combined`] uses these averages.
    #[must_use]
    pub const fn new(score: Score, memory: u32) -> Self {
        Self {
            score,
            usual: ExponentialMean::new(memory),
        }
    }

    /// The part of each channel in the score of a sample. No part is negative.
    ///
    /// # Errors
    /// [`SampleError`]: the learner refuses the sample.
    ///
    /// ```
    /// use eigenstream::monitor::Score;
    /// use eigenstream::monitor::stages::Scorer;
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// let pca = TrackingPca::<f32, 4, 1, 4>::new(TrackingSettings::DEFAULT);
    /// // The learner is new: the expected loss is three quarters of the energy of any sample.
    /// let parts = Scorer::new(Score::Relative, 1).contributions(&pca, &[0.0, 5.0, 0.0, 0.0])?;
    /// assert!((parts[1] - 0.75).abs() < 1e-6);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn contributions<const DIM: usize>(
        &self,
        learner: &impl Learner<T, DIM>,
        sample: &[T; DIM],
    ) -> Result<[T; DIM], SampleError> {
        self.measure(learner, sample).map(|measured| measured.parts)
    }

    /// Adds a normal sample to the averages of loss and leverage, for [`Score::Combined`]. With another score nothing changes,
    /// because only `Combined` needs averages.
    ///
    /// # Errors
    /// [`SampleError`]: the learner refuses the sample.
    ///
    /// ```
    /// use eigenstream::monitor::Score;
    /// use eigenstream::monitor::stages::Scorer;
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// let pca = TrackingPca::<f32, 4, 1, 4>::new(TrackingSettings::DEFAULT);
    /// let mut scorer = Scorer::new(Score::Combined, 10);
    /// scorer.learn(&pca, &[0.0, 5.0, 0.0, 0.0])?;
    /// // The loss and the leverage of this sample are equal to the averages, so each adds 1 to the score.
    /// let parts = scorer.contributions(&pca, &[0.0, 0.0, -5.0, 0.0])?;
    /// assert!((parts[2] - 2.0).abs() < 1e-5);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn learn<const DIM: usize>(
        &mut self,
        learner: &impl Learner<T, DIM>,
        sample: &[T; DIM],
    ) -> Result<(), SampleError> {
        let measured = self.measure(learner, sample)?;
        self.update(&measured);
        Ok(())
    }

    /// Measures a sample with the learner.
    pub(super) fn measure<const DIM: usize>(
        &self,
        learner: &impl Learner<T, DIM>,
        sample: &[T; DIM],
    ) -> Result<Measured<T, DIM>, SampleError> {
        // Each part is limited to `largest`. Then the sum of `DIM` parts is at most `T::MAX`/4.
        let largest = T::MAX / T::from_usize(DIM.saturating_mul(4).max(1));
        if self.score == Score::Loss {
            let mut parts = learner.parts(sample)?;
            parts.iter_mut().for_each(|part| *part = part.min(largest));
            let totals = [T::ZERO; 2];
            return Ok(Measured { parts, totals });
        }
        let mut parts = learner.residual(sample)?;
        let mut leverage = [T::ZERO; DIM];
        if matches!(self.score, Score::Leverage | Score::Combined) {
            leverage = match learner.leverage(sample)? {
                Some(leverage) => leverage,
                None => difference(sample, &parts),
            };
        }
        let [usual_loss, usual_leverage] = *self.usual.mean();
        // The factors of the squares of residual and leverage. For all scores but `Leverage` and `Combined` the leverage is zero.
        let (loss_unit, leverage_unit) = match self.score {
            Score::Loss => (T::ONE, T::ONE),
            Score::Relative => (unit_of(learner.energy(sample)?), T::ONE),
            Score::Leverage => (T::ZERO, T::ONE),
            Score::Combined => (unit_of(usual_loss), unit_of(usual_leverage)),
        };
        let mut totals = [T::ZERO; 2];
        for (part, &leverage) in parts.iter_mut().zip(&leverage) {
            let loss = (*part * *part).min(largest);
            let leverage = (leverage * leverage).min(largest);
            totals[0] += loss;
            totals[1] += leverage;
            *part = ((loss * loss_unit).min(largest) + leverage * leverage_unit).min(largest);
        }
        Ok(Measured { parts, totals })
    }

    /// Adds the totals of a normal sample to the averages, for `Score::Combined` only.
    pub(super) fn update<const DIM: usize>(&mut self, measured: &Measured<T, DIM>) {
        if self.score == Score::Combined {
            self.usual.push(&measured.totals);
        }
    }
}

/// The measurements of one sample.
pub(super) struct Measured<T, const DIM: usize> {
    /// The part of each channel in the score.
    pub(super) parts: [T; DIM],
    /// The loss Q and the squared leverage T². T² is computed only for `Leverage` and `Combined`; both are zero for `Loss`.
    totals: [T; 2],
}

/// `sample` − `residual`: for a linear PCA without a centre whose keep probabilities are all 0 or 1, the projection of the sample
/// to the kept directions.
pub(super) fn difference<T: Scalar, const DIM: usize>(sample: &[T; DIM], residual: &[T; DIM]) -> [T; DIM] {
    let mut expected = *sample;
    for (expected, &unexpected) in expected.iter_mut().zip(residual) {
        *expected -= unexpected;
    }
    expected
}

/// 1/`usual`; 1 if `usual` is zero or subnormal (below `Scalar::MIN_POSITIVE`).
#[cfg_attr(optimize_for_size, inline(never))]
fn unit_of<T: Scalar>(usual: T) -> T {
    if usual >= T::MIN_POSITIVE {
        T::ONE / usual
    } else {
        T::ONE
    }
}

/// The sum of the parts, added in the order of the channels.
#[inline(never)]
pub(super) fn sum<T: Scalar>(parts: &[T]) -> T {
    let mut total = T::ZERO;
    for &part in parts {
        total += part;
    }
    total
}

stored_choice!([] Score { 0 = Loss, 1 = Relative, 2 = Leverage, 3 = Combined });
stored!([T: Scalar] Scorer<T> { score, usual });

#[cfg(test)]
mod tests {
    use super::*;

    /// A learner whose residual, leverage and parts are as large as they can be.
    struct Loud;

    impl Learner<f32, 2> for Loud {
        fn score(&self, _: &[f32; 2]) -> Result<f32, SampleError> {
            Ok(f32::MAX)
        }

        fn residual(&self, _: &[f32; 2]) -> Result<[f32; 2], SampleError> {
            Ok([1e19; 2])
        }

        fn learn(&mut self, _: &[f32; 2]) -> Result<(), SampleError> {
            Ok(())
        }

        fn parts(&self, _: &[f32; 2]) -> Result<[f32; 2], SampleError> {
            Ok([f32::MAX; 2])
        }

        fn leverage(&self, _: &[f32; 2]) -> Result<Option<[f32; 2]>, SampleError> {
            Ok(Some([1e19; 2]))
        }
    }

    #[test]
    fn the_parts_of_every_score_sum_to_a_finite_score() {
        for score in [Score::Loss, Score::Leverage, Score::Combined] {
            let mut scorer = Scorer::new(score, 1);
            scorer.usual.push(&[1e-3; 2]);
            assert_eq!(
                scorer.contributions(&Loud, &[1.0; 2]),
                Ok([f32::MAX / 8.0; 2]),
                "{score:?}"
            );
        }
    }

    #[test]
    fn a_subnormal_average_counts_as_one() {
        assert_eq!(unit_of(f32::MIN_POSITIVE), 1.0 / f32::MIN_POSITIVE);
        assert_eq!([unit_of(f32::from_bits(1)), unit_of(0.0)], [1.0; 2]);
    }
}
