//! Computes how unusual a sample is, and the part of each channel in this score.
//! In: learner and sample x. Out: a part ≥ 0 for each channel.
//! Method: with the residual r and the leverage w of the learner, the part of channel i is rᵢ²/energy for `Relative`, wᵢ² for
//! `Leverage`, rᵢ²/Q̄ + wᵢ²/T̄² for `Combined`, and that of the learner for `Loss`. Q̄ and T̄² are the averages of Σrᵢ² and
//! Σwᵢ². Derivation: `guide::mathematics`, "Scores of the other learners".
//! Cost: one or two calls of the learner, and a few operations per channel. Kept: two numbers, two counts and a choice.

use super::stages::ExponentialMean;
use crate::codec::{stored, stored_choice};
use crate::{Learner, SampleError, Scalar};

/// The kind of score: which deviation of a sample counts as unusual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Score {
    /// The score of the learner; the default.
    ///
    /// For a subspace learner it is the expected loss, which measures how far a sample lies outside the learned subspace; for
    /// the default learner the squared Mahalanobis distance divided by the number of channels.
    #[default]
    Loss,
    /// The squared residual divided by the [`energy`](Learner::energy) of the sample: the fraction of the energy outside
    /// the learned subspace.
    ///
    /// The score depends on the direction of a sample from the centre of the learner, not on its distance; with a Hebbian learner
    /// it can be above 1. A small normal sample can score as high as a fault. The threshold can then be so high that
    /// [`Learning::WhileNormal`](super::Learning::WhileNormal) also learns from faults: use
    /// [`Learning::Frozen`](super::Learning::Frozen) with this score.
    Relative,
    /// Hotelling's T²: the squared distance from the centre inside the learned subspace, in standard deviations if the
    /// learner computes them.
    ///
    /// Use it with a linear PCA, or a learner of your own with a [`leverage`](Learner::leverage); the default learner has no
    /// subspace.
    Leverage,
    /// The sum of the scores `Loss` and `Leverage`, each divided by its average over normal samples; for the learners that
    /// `Leverage` names.
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
    /// The averages of loss and leverage over normal samples, for `Combined`.
    usual: ExponentialMean<T, 2>,
}

impl<T: Scalar> Scorer<T> {
    /// A scorer that averages loss and leverage over about `memory` normal samples for [`Score::Combined`].
    #[must_use]
    pub const fn new(score: Score, memory: u32) -> Self {
        Self {
            score,
            usual: ExponentialMean::new(memory),
        }
    }

    /// The part of each channel in the score of a sample, none negative.
    ///
    /// # Errors
    /// [`SampleError`] if the learner refuses the sample.
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

    /// Adds a normal sample to the averages of loss and leverage; only [`Score::Combined`] has averages.
    ///
    /// # Errors
    /// [`SampleError`] if the learner refuses the sample.
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

    pub(super) fn measure<const DIM: usize>(
        &self,
        learner: &impl Learner<T, DIM>,
        sample: &[T; DIM],
    ) -> Result<Measured<T, DIM>, SampleError> {
        // If no part is larger, the sum of `DIM` parts is at most `T::MAX`/4.
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

    pub(super) fn update<const DIM: usize>(&mut self, measured: &Measured<T, DIM>) {
        if self.score == Score::Combined {
            self.usual.push(&measured.totals);
        }
    }
}

/// The measurements of one sample.
pub(super) struct Measured<T, const DIM: usize> {
    pub(super) parts: [T; DIM],
    /// The sums of the squares of residual and leverage, which only `Combined` uses.
    totals: [T; 2],
}

/// `sample` − `residual`, used if a learner returns no leverage.
pub(super) fn difference<T: Scalar, const DIM: usize>(sample: &[T; DIM], residual: &[T; DIM]) -> [T; DIM] {
    let mut expected = *sample;
    for (expected, &unexpected) in expected.iter_mut().zip(residual) {
        *expected -= unexpected;
    }
    expected
}

/// 1/`usual`; 1 if `usual` is zero or subnormal.
fn unit_of<T: Scalar>(usual: T) -> T {
    if usual >= T::MIN_POSITIVE {
        T::ONE / usual
    } else {
        T::ONE
    }
}

/// The sum of some parts of a score.
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

    /// A learner whose parts are the largest number, and whose residual and leverage have squares near it.
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
