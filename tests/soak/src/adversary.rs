//! Adversaries: streams that are made to cost a learner as much as possible, one sample at a time.
//! In: a learner, by its `score` and `learn`. Out: an iterator over trials, each with the sample that was played and the loss to
//! expect of it before it was learned.
//! Method: every sample is an axis, so ‖x‖ = 1. [`Hardest`] plays the axis of the largest score. A learner that commits itself, as
//! Follow the Leader does, loses 1 in every trial, while the best fixed subspace loses d/n of that: the learner loses n/(n−k) times as
//! much, [WK08] section 7. [`OneBlock`] is the stream of the lower bound [WK08] (19): d blocks of n/d axes, in each trial one
//! block at random, and in it one axis. In print the blocks come one after the other; a learner could then keep the whole block
//! that is played.
//! Cost of a trial: one score for each axis that may be played.

use std::marker::PhantomData;
use std::ops::Range;

use eigenstream::rand_core::SeedableRng;
use eigenstream::{Learner, Scalar};
use rand_xoshiro::Xoshiro256PlusPlus;

/// One trial of an adversary against a learner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round<T, const DIM: usize> {
    /// Which axis was played.
    pub axis: usize,
    /// The sample: one on the axis, zero elsewhere.
    pub sample: [T; DIM],
    /// The score of the sample before it was learned.
    pub loss: T,
}

/// Plays the axis that the learner scores highest; of equal ones, the axis that was played least.
///
/// The learner learns every sample that is played. The iterator ends only if the learner refuses one.
#[derive(Debug)]
pub struct Hardest<'learner, L, T, const DIM: usize> {
    learner: &'learner mut L,
    /// How often each axis was played.
    played: [usize; DIM],
    number: PhantomData<T>,
}

impl<'learner, L: Learner<T, DIM>, T: Scalar, const DIM: usize> Hardest<'learner, L, T, DIM> {
    /// An adversary of this learner.
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

/// How [`OneBlock`] chooses an axis of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The axis that the learner scores highest.
    Hardest,
    /// Each axis is as likely as the others: every learner expects to lose d/n of a trial, whatever it does.
    Random,
}

/// Divides the axes into blocks of n/d and plays in each trial an axis of one block, which is drawn at random.
///
/// The learner learns every sample that is played. The iterator ends only if the learner refuses one.
#[derive(Debug)]
pub struct OneBlock<'learner, L, T, const DIM: usize> {
    learner: &'learner mut L,
    blocks: usize,
    choice: Choice,
    rng: Xoshiro256PlusPlus,
    number: PhantomData<T>,
}

impl<'learner, L: Learner<T, DIM>, T: Scalar, const DIM: usize> OneBlock<'learner, L, T, DIM> {
    /// An adversary of this learner with d = `blocks` blocks, at least one and at most `DIM`. Axes that fill no block are not played.
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

/// One on the axis, zero elsewhere.
fn unit<T: Scalar, const DIM: usize>(axis: usize) -> [T; DIM] {
    std::array::from_fn(|channel| if channel == axis { T::ONE } else { T::ZERO })
}

/// The axis of the largest score. Of scores that are equal up to rounding, that of the axis played least; then the first.
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

/// Loss of the best fixed subspace on samples along the axes, each played so many times: the d axes that were played least.
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

    /// [WK08] Algorithm 5 at the rate that is tuned for this loss.
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
        // It loses every trial, or nearly so where axes are tied. Each of the six is played a hundred times; the best drops four.
        assert!(total > 0.97 * 600.0 && best == 400.0, "{total}, {best}");
    }

    #[test]
    fn a_learner_that_hedges_stays_within_its_bound() {
        for (blocks, choice) in [(1, Choice::Hardest), (2, Choice::Hardest), (2, Choice::Random)] {
            let mut pca = tracking::<DIM, 18>(100.0);
            let (total, best) = totals(OneBlock::new(&mut pca, blocks, choice, 1).take(1_000), 2);
            let bound = Bounds::<f64>::new(DIM, 18).loss(best, Bounds::new(DIM, 18).learning_rate(100.0));
            assert!(best < total && total <= bound, "{best}, {total}, {bound}");
        }
    }

    #[test]
    fn no_learner_escapes_the_lower_bound() {
        // d = 2 of n = 20, so D = 2 ln 10. Single streams scatter; the mean of ten is above the bound without slack.
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
