//! How unusual a sample is, and which channel makes it so.
//! In: a learner and a sample. Out: a part ≥ 0 for each channel; the parts sum to the score.
//! Method: with the learner's residual r (its squares sum to the expected loss Q) and leverage w (its squares sum to T²):
//! loss, the learner's own parts, which of most learners are rᵢ²; relative rᵢ²/‖x‖²; leverage wᵢ²; combined rᵢ²/Q̄ + wᵢ²/T̄², where
//! Q̄ and T̄² are the averages of normal samples.
//! Of a learner that does not know how far samples usually lie, w is what it expects of the sample, x − r.
//! Cost: that of the learner's residual, and of its leverage where that counts. Kept: two numbers, two counts and a choice.

use super::ExponentialMean;
use crate::codec::{stored, stored_choice};
use crate::{Learner, SampleError, Scalar};

/// How a sample is scored: which deviation counts as unusual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Score {
    /// The learner's own score: the expected loss Q, to lie outside what was learned, of a subspace learner; the distance of
    /// Mahalanobis of the default learner. The default.
    #[default]
    Loss,
    /// The part of the sample that lies outside, whatever its size: Q/‖x‖², between 0 and 1.
    ///
    /// A quiet sample may score as high as a fault. The gate of [`Learning::WhileNormal`](super::Learning::WhileNormal) then
    /// lets faults in, the larger the sooner: take [`Learning::Frozen`](super::Learning::Frozen) with it.
    Relative,
    /// To lie inside what was learned, but far out: T².
    Leverage,
    /// Either: Q and T², each measured by what normal samples have. Normal samples score 2 on average.
    Combined,
}

/// Scores samples channel by channel.
///
/// ```
/// use eigenstream::monitor::{Score, Scorer};
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
    /// Q̄ and T̄².
    usual: ExponentialMean<T, 2>,
}

impl<T: Scalar> Scorer<T> {
    /// A scorer that finds out over about `memory` samples what is usual; only [`Score::Combined`] needs to.
    #[must_use]
    pub const fn new(score: Score, memory: u32) -> Self {
        Self {
            score,
            usual: ExponentialMean::new(memory),
        }
    }

    /// The part of each channel in the score of a sample; none is negative.
    ///
    /// # Errors
    /// [`SampleError`]: the learner refuses the sample.
    ///
    /// ```
    /// use eigenstream::monitor::{Score, Scorer};
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// let pca = TrackingPca::<f32, 4, 1, 4>::new(TrackingSettings::DEFAULT);
    /// // Nothing is known yet: three quarters of any sample are expected to be lost.
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

    /// Takes in a normal sample: how much loss and leverage are usual.
    ///
    /// # Errors
    /// [`SampleError`]: the learner refuses the sample.
    ///
    /// ```
    /// use eigenstream::monitor::{Score, Scorer};
    /// use eigenstream::pca::{TrackingPca, TrackingSettings};
    /// let pca = TrackingPca::<f32, 4, 1, 4>::new(TrackingSettings::DEFAULT);
    /// let mut scorer = Scorer::new(Score::Combined, 10);
    /// scorer.learn(&pca, &[0.0, 5.0, 0.0, 0.0])?;
    /// // Once as much loss as usual, and once as much leverage.
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
        // `DIM` parts of this size, twice over, still have a sum.
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
        // The unit of each square; leverage that is not part of the score is zero.
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

    /// Takes in what was measured of a normal sample.
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
    /// Q, and T² where it counts.
    totals: [T; 2],
}

/// The values that the learner expects, x − r.
pub(super) fn difference<T: Scalar, const DIM: usize>(sample: &[T; DIM], residual: &[T; DIM]) -> [T; DIM] {
    let mut expected = *sample;
    for (expected, &unexpected) in expected.iter_mut().zip(residual) {
        *expected -= unexpected;
    }
    expected
}

/// One over what is usual; one where nothing is.
#[cfg_attr(optimize_for_size, inline(never))]
fn unit_of<T: Scalar>(usual: T) -> T {
    if usual >= T::MIN_POSITIVE {
        T::ONE / usual
    } else {
        T::ONE
    }
}

/// In the order of the channels.
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
