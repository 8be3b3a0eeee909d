//! The data of the experiments: a stream whose distribution changes from segment to segment.
//! In: a seed and an order of sources. Out: samples and their sources.
//! Method: a source is a Gaussian with mean zero and a random covariance matrix of low rank, rank 2 in [WK08]; samples
//! longer than 1 are shortened to length 1.

use std::f64::consts::TAU;

use eigenstream::Scalar;
use eigenstream::rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Channels of the generated data, called n in the paper.
pub(super) const DIM: usize = 20;

pub(super) struct Stream<const N: usize> {
    pub(super) samples: Vec<[f64; N]>,
    pub(super) sources: Vec<usize>,
}

impl<const N: usize> Stream<N> {
    pub(super) fn shifts(&self) -> Vec<usize> {
        let pairs = self.sources.windows(2).enumerate();
        pairs
            .filter(|(_, pair)| pair[0] != pair[1])
            .map(|(trial, _)| trial + 1)
            .collect()
    }

    /// For each segment its first trial and the first trial of the next segment; no segment is empty.
    pub(super) fn segments(&self) -> Vec<(usize, usize)> {
        let mut bounds = vec![0];
        bounds.extend(self.shifts());
        bounds.push(self.samples.len());
        let segments = bounds.windows(2).map(|pair| (pair[0], pair[1]));
        segments.filter(|(from, to)| from < to).collect()
    }
}

pub(super) struct Plan<'a> {
    pub(super) seed: u64,
    pub(super) order: &'a [usize],
    pub(super) length: usize,
    pub(super) rank: usize,
}

pub(super) fn gaussians(plan: &Plan<'_>) -> Stream<DIM> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(plan.seed);
    let count = plan.order.iter().max().map_or(0, |largest| largest + 1);
    let sources: Vec<Source> = (0..count).map(|_| Source::random(plan.rank, &mut rng)).collect();
    let mut stream = Stream {
        samples: Vec::new(),
        sources: Vec::new(),
    };
    for &source in plan.order {
        for _ in 0..plan.length {
            stream.samples.push(sources[source].draw(&mut rng));
            stream.sources.push(source);
        }
    }
    stream
}

/// A source: a sample is the sum of the axes, each times a standard normal number, shortened to length 1 if longer.
struct Source {
    axes: Vec<[f64; DIM]>,
}

impl Source {
    fn random(rank: usize, rng: &mut impl Rng) -> Self {
        // The axes have mean squared length 1: most samples of two or more axes are longer than 1, some are not.
        let scale = 1.0 / (DIM as f64).sqrt();
        Self {
            axes: (0..rank)
                .map(|_| [(); DIM].map(|()| scale * standard_normal(rng)))
                .collect(),
        }
    }

    fn draw(&self, rng: &mut impl Rng) -> [f64; DIM] {
        let mut sample = [0.0; DIM];
        for axis in &self.axes {
            let factor = standard_normal(rng);
            for (value, part) in sample.iter_mut().zip(axis) {
                *value += factor * part;
            }
        }
        let length = energy(&sample).sqrt();
        sample.map(|value| value / length.max(1.0))
    }
}

/// The squared length of a sample.
pub(super) fn energy(sample: &[f64]) -> f64 {
    sample.iter().map(|value| value * value).sum()
}

/// A standard normal number: the first of the two that the method of Box and Muller gives.
fn standard_normal(rng: &mut impl Rng) -> f64 {
    let radius = (-2.0 * (1.0 - f64::uniform(rng)).ln()).sqrt();
    radius * (TAU * f64::uniform(rng)).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(seed: u64, order: &[usize]) -> Stream<DIM> {
        gaussians(&Plan {
            seed,
            order,
            length: 10,
            rank: 2,
        })
    }

    #[test]
    fn samples_are_at_most_one_long_and_segments_follow_the_plan() {
        let stream = drawn(1, &[0, 1, 0]);
        assert!(stream.samples.iter().all(|sample| energy(sample) <= 1.0 + 1e-12));
        assert_eq!(stream.shifts(), [10, 20]);
        assert_eq!(stream.segments(), [(0, 10), (10, 20), (20, 30)]);
    }

    #[test]
    fn equal_seeds_give_equal_streams_and_other_seeds_do_not() {
        assert_eq!(drawn(3, &[0, 1]).samples, drawn(3, &[0, 1]).samples);
        assert_ne!(drawn(3, &[0, 1]).samples, drawn(4, &[0, 1]).samples);
    }
}
