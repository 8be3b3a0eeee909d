//! Random stopping, [WK08] section 6.3: stores a copy of the learner from before one uniformly drawn trial.
//! In: in every trial, before the sample is learned, the learner and its expected loss. Out: the copy, and an estimate
//! of its expected loss on a fresh sample.
//! Method: reservoir sampling: trial t replaces the copy with probability 1/t.
//! Cost: a second learner, two numbers and a count. A trial takes one random number of 64 bits; n trials copy the
//! learner about 0.6 + ln n times.

use crate::bounds::RegretMeter;
use crate::codec::{Learned, stored};
use crate::rand_core::Rng;
use crate::{SampleError, Scalar};

/// Stores a copy of the learner `L` from one uniformly drawn trial.
///
/// The copy has the same bound on the loss as [`AverageDensity`](crate::pca::AverageDensity), but needs no matrix of
/// `DIM`² numbers, and works for every learner that can be cloned. The loss of the copy varies more from run to run.
///
/// ```
/// use eigenstream::{pca::{RandomStop, TrackingPca, TrackingSettings}, rand_core::SeedableRng};
///
/// let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(1);
/// let mut pca = TrackingPca::<f32, 3, 1, 3>::new(TrackingSettings::DEFAULT);
/// let mut stop = RandomStop::<f32, _>::new(pca.clone());
/// for _ in 0..50 {
///     let sample = [0.6, 0.8, 0.0];
///     stop.offer(&pca, pca.score(&sample)?, &mut rng)?;
///     pca.learn(&sample)?;
/// }
/// assert!(stop.learner().samples_seen() < 50);
/// assert!(stop.mean_loss() < 0.2);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RandomStop<T, L> {
    losses: RegretMeter<T>,
    learner: L,
}

impl<T: Scalar, L: Clone> RandomStop<T, L> {
    /// Starts without a trial; until the first one, [`learner`](Self::learner) returns `learner`.
    #[must_use]
    pub const fn new(learner: L) -> Self {
        Self {
            losses: RegretMeter::new(),
            learner,
        }
    }

    /// Stores a copy of `learner` with probability 1/t in trial t = 1, 2, …
    ///
    /// Call this in every trial, before `learner` learns the sample. `expected_loss` is that of `learner` on the
    /// sample.
    ///
    /// # Errors
    /// [`SampleError::NotANumber`] for channel 0 if the loss is not finite.
    pub fn offer<R: Rng + ?Sized>(&mut self, learner: &L, expected_loss: T, rng: &mut R) -> Result<(), SampleError> {
        if !expected_loss.is_finite() {
            return Err(SampleError::NotANumber { channel: 0 });
        }
        self.losses.record(expected_loss);
        let trial = u64::try_from(self.losses.trials()).unwrap_or(u64::MAX);
        // A random u of 64 bits replaces the copy if u·t < 2⁶⁴. The probability is ⌈2⁶⁴/t⌉/2⁶⁴, which is 1/t to within
        // 2⁻⁶⁴.
        if rng.next_u64().checked_mul(trial).is_some() {
            self.learner.clone_from(learner);
        }
        Ok(())
    }

    /// The stored copy: the learner as it was before the drawn trial.
    ///
    /// Before the first trial it is the learner given to `new`.
    #[must_use]
    pub const fn learner(&self) -> &L {
        &self.learner
    }

    /// The number of trials that were offered.
    #[must_use]
    pub fn trials(&self) -> usize {
        self.losses.trials()
    }

    /// The mean of the expected losses of all trials; zero before the first.
    ///
    /// On independent samples of one distribution it is an unbiased estimate of the expected loss of
    /// [`learner`](Self::learner) on a fresh sample. A loss that would make the sum overflow counts as zero.
    #[must_use]
    pub fn mean_loss(&self) -> T {
        self.losses.mean_loss()
    }
}

stored!([T: Scalar, L: Learned] RandomStop<T, L>: RandomStop [] of T { losses } around learner);

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::SeedableRng;

    #[test]
    fn every_trial_is_kept_equally_often() {
        let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(3);
        let mut kept = [0_u32; 7];
        for _ in 0..70_000 {
            let mut stop = RandomStop::<f32, usize>::new(usize::MAX);
            for trial in 0..7 {
                assert_eq!(stop.offer(&trial, 1.0, &mut rng), Ok(()));
            }
            kept[*stop.learner()] += 1;
        }
        for count in kept {
            // The limit is five standard deviations of 92.6 each. About one of 250,000 seeds would fail by chance.
            assert!(count.abs_diff(10_000) < 463, "{kept:?}");
        }
    }

    #[test]
    fn a_loss_that_is_none_changes_nothing() {
        let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(3);
        let mut stop = RandomStop::<f32, usize>::new(4);
        for loss in [f32::NAN, f32::INFINITY] {
            assert!(stop.offer(&5, loss, &mut rng).is_err());
        }
        assert_eq!((*stop.learner(), stop.trials(), stop.mean_loss()), (4, 0, 0.0));
        assert_eq!(stop.offer(&5, 0.5, &mut rng), Ok(()));
        assert_eq!((*stop.learner(), stop.trials(), stop.mean_loss()), (5, 1, 0.5));
    }
}
