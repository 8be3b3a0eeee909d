//! Adversaries: streams that maximise the loss of a learner.
//! Method: every sample is one of n axes; d directions are dropped. [`Hardest`] plays the axis with the largest score:
//! Follow the Leader then loses 1 in every trial (nearly 1 if scores are equal), n/d times the loss of the best fixed
//! subspace, [WK08] section 7. [`OneBlock`] is for comparison with the lower bound [WK08] (19): it divides the axes
//! into d blocks of n/d axes, and each trial plays an axis of a random block.

use std::marker::PhantomData;
use std::ops::Range;

use eigenstream::rand_core::SeedableRng;
use eigenstream::{Learner, Scalar};
use rand_xoshiro::Xoshiro256PlusPlus;

/// One trial of an adversary against a learner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round<T, const DIM: usize> {
    /// Index of the axis that was played.
    pub axis: usize,
    /// The sample: 1 on the axis, 0 elsewhere.
    pub sample: [T; DIM],
    /// Score of the sample before the sample was learned.
    pub loss: T,
}

/// Plays the axis with the largest score; of axes with equal scores, the one played least.
///
/// The iterator ends only when the learner refuses a sample.
#[derive(Debug)]
pub struct Hardest<'learner, L, T, const DIM: usize> {
    learner: &'learner mut L,
    /// How often each axis was played.
    played: [usize; DIM],
    number: PhantomData<T>,
}

impl<'learner, L: Learner<T, DIM>, T: Scalar, const DIM: usize> Hardest<'learner, L, T, DIM> {
    /// Creates an adversary of this learner.
    pub const fn new(learner: &'learner mut L) -> Self {
        Self {
            learner,
            played: [0; DIM],
            number: PhantomData,
        }
    }
}

impl<L: Learner<T, DIM>, T: Scalar, const DIM: usize> Iterator for Hardest<'_, L, T, DIM> {
    type Item = Round<T, DIM>;

    fn next(&mut self) -> Option<Self::Item> {
        let axis = hardest(self.learner, 0..DIM, &self.played)?;
        self.played[axis] += 1;
        play(self.learner, axis)
    }
}

/// How [`OneBlock`] chooses the axis of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The axis with the largest score.
    Hardest,
    /// A random axis: if d divides n, a learner that drops d directions then expects a loss of d/n per trial.
    Random,
}

/// Divides the axes into d blocks of n/d axes and plays in each trial an axis of a random block.
///
/// The iterator ends only when the learner refuses a sample.
#[derive(Debug)]
pub struct OneBlock<'learner, L, T, const DIM: usize> {
    learner: &'learner mut L,
    blocks: usize,
    choice: Choice,
    rng: Xoshiro256PlusPlus,
    number: PhantomData<T>,
}

impl<'learner, L: Learner<T, DIM>, T: Scalar, const DIM: usize> OneBlock<'learner, L, T, DIM> {
    /// Creates an adversary with d = `blocks`, clamped to 1..=`DIM`; axes beyond d·⌊n/d⌋ are not played.
    pub fn new(learner: &'learner mut L, blocks: usize, choice: Choice, seed: u64) -> Self {
        Self {
            learner,
            blocks: blocks.clamp(1, DIM),
            choice,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            number: PhantomData,
        }
    }

    /// A whole number below `count`.
    fn draw(&mut self, count: usize) -> usize {
        (f64::uniform(&mut self.rng) * count as f64) as usize
    }
}

impl<L: Learner<T, DIM>, T: Scalar, const DIM: usize> Iterator for OneBlock<'_, L, T, DIM> {
    type Item = Round<T, DIM>;

    fn next(&mut self) -> Option<Self::Item> {
        let size = DIM / self.blocks;
        let first = self.draw(self.blocks) * size;
        let axis = match self.choice {
            Choice::Hardest => hardest(self.learner, first..first + size, &[0; DIM])?,
            Choice::Random => first + self.draw(size),
        };
        play(self.learner, axis)
    }
}

/// The unit vector of an axis.
fn unit<T: Scalar, const DIM: usize>(axis: usize) -> [T; DIM] {
    std::array::from_fn(|channel| if channel == axis { T::ONE } else { T::ZERO })
}

/// The axis with the largest score; of axes with scores equal up to rounding, the one played least, then the first.
fn hardest<T: Scalar, const DIM: usize>(
    learner: &impl Learner<T, DIM>,
    axes: Range<usize>,
    played: &[usize; DIM],
) -> Option<usize> {
    let mut scores = Vec::new();
    let mut largest = T::ZERO;
    for axis in axes {
        let score = learner.score(&unit(axis)).ok()?;
        largest = largest.max(score);
        scores.push((axis, score));
    }
    let least = largest - T::from_f64(64.0) * T::EPSILON * largest;
    let equal = scores.into_iter().filter(|&(_, score)| score >= least);
    equal.map(|(axis, _)| axis).min_by_key(|&axis| played.get(axis))
}

fn play<T: Scalar, const DIM: usize>(learner: &mut impl Learner<T, DIM>, axis: usize) -> Option<Round<T, DIM>> {
    let sample = unit(axis);
    let loss = learner.score(&sample).ok()?;
    learner.learn(&sample).ok()?;
    Some(Round { axis, sample, loss })
}

/// Loss of the best fixed subspace, which drops the `dropped` axes that were played least.
pub fn best_loss(played: &[usize], dropped: usize) -> usize {
    let mut sorted = played.to_vec();
    sorted.sort_unstable();
    sorted.iter().take(dropped).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use eigenstream::bounds::Bounds;
    use eigenstream::pca::{Center, CenteredPca, CenteredSettings, ReadOut, TrackingPca, TrackingSettings};

    const DIM: usize = 20;

    /// Total loss of the learner, and of the best fixed subspace that drops `dropped` directions.
    fn totals<const N: usize>(rounds: impl Iterator<Item = Round<f64, N>>, dropped: usize) -> (f64, f64) {
        let (mut total, mut played) = (0.0, [0; N]);
        for round in rounds {
            total += round.loss;
            played[round.axis] += 1;
        }
        (total, best_loss(&played, dropped) as f64)
    }

    /// [WK08] Algorithm 5 with the learning rate tuned for this loss.
    fn tracking<const N: usize, const KEEP: usize>(best_loss: f64) -> TrackingPca<f64, N, KEEP, N> {
        let rate = Bounds::new(N, KEEP).learning_rate(best_loss);
        let settings = TrackingSettings::unscaled(rate).unwrap_or_default();
        TrackingPca::new(settings.without_ceiling())
    }

    #[test]
    fn follow_the_leader_loses_n_over_d_times_the_best() {
        let settings = CenteredSettings::unscaled(1.0)
            .and_then(|settings| settings.with_center(Center::Fixed))
            .unwrap_or_default()
            .with_read_out(ReadOut::Leader);
        let mut leader = CenteredPca::<f64, 6, 2>::new(settings);
        let (total, best) = totals(Hardest::new(&mut leader).take(600), 4);
        // The leader loses 1 in every trial, or nearly 1 where scores are equal. Each of 6 axes is played 100 times;
        // the best subspace drops 4.
        assert!(total > 0.97 * 600.0 && best == 400.0, "{total}, {best}");
    }

    #[test]
    fn a_tracking_learner_stays_within_its_bound() {
        for (blocks, choice) in [(1, Choice::Hardest), (2, Choice::Hardest), (2, Choice::Random)] {
            let mut pca = tracking::<DIM, 18>(100.0);
            let (total, best) = totals(OneBlock::new(&mut pca, blocks, choice, 1).take(1_000), 2);
            let bound = Bounds::<f64>::new(DIM, 18).loss(best, Bounds::new(DIM, 18).learning_rate(100.0));
            assert!(best < total && total <= bound, "{best}, {total}, {bound}");
        }
    }

    #[test]
    fn no_learner_escapes_the_lower_bound() {
        // The two blocks have ten axes each. The regret of one stream is random; the mean of ten streams is above the
        // lower bound.
        let bounds = Bounds::<f64>::new(DIM, 18);
        let (mut regret, mut lower) = (0.0, 0.0);
        for seed in 0..10 {
            let mut pca = tracking::<DIM, 18>(100.0);
            let (total, best) = totals(OneBlock::new(&mut pca, 2, Choice::Random, seed).take(1_000), 2);
            regret += total - best;
            lower += bounds.lower(best, 0.0);
        }
        assert!(regret > lower, "{regret}, {lower}");
    }
}
