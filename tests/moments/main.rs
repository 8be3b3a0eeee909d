//! Tests of the learners that keep a scatter matrix.
#![expect(clippy::unwrap_used, reason = "a failed property is a failed test")]

mod hostile;
mod online_to_batch;
#[path = "../support/orthonormal.rs"]
mod orthonormal;
#[path = "../support/precisions.rs"]
mod precisions;
mod regret;
#[path = "../support/mod.rs"]
mod support;
mod trials;

use eigenstream::bounds::{Bounds, CenterStart, RegretMeter};
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{
    AverageDensity, BatchPca, Center, CenteredPca, CenteredSettings, ReadOut, VarianceMinimizer, VarianceSettings,
};
use eigenstream::{Centering, Codec, Forgetting, Learner, SampleError, Scalar};

use orthonormal::assert_orthonormal;
use precisions::in_both_precisions;
use support::{rng, symmetric};

/// Limits of rounding errors, in units of the machine epsilon ε.
mod tolerance {
    /// The limit for a few hundred operations on numbers near one.
    pub(super) const ROUNDING: f64 = 256.0;
    /// The limit for the regret of a hundred trials, relative to the best total.
    pub(super) const TOTAL: f64 = 4096.0;
}

/// Samples near a plane through zero, of length at most one half, so that two are at most one apart.
fn plane<T: Scalar, const DIM: usize>(count: usize, seed: u64) -> Vec<[T; DIM]> {
    let rng = &mut rng(seed);
    let axes: [[f64; DIM]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| symmetric(rng)));
    let sample = |_| {
        let (first, second) = (symmetric(rng), symmetric(rng));
        let mut sample: [f64; DIM] =
            std::array::from_fn(|i| first * axes[0][i] + second * axes[1][i] + 0.2 * symmetric(rng));
        let length = sample.iter().map(|value| value * value).sum::<f64>().sqrt();
        sample.iter_mut().for_each(|value| *value *= 0.5 / length.max(0.5));
        sample.map(T::from_f64)
    };
    (0..count).map(sample).collect()
}

fn paper<T: Scalar>(learning_rate: f64, center: Center<T>) -> CenteredSettings<T> {
    let settings = CenteredSettings::unscaled(T::from_f64(learning_rate)).unwrap();
    settings.with_center(center).unwrap()
}

fn leader<T: Scalar>() -> CenteredSettings<T> {
    paper(1.0, Center::Fixed).with_read_out(ReadOut::Leader)
}

fn batch<T: Scalar, const DIM: usize, const KEEP: usize>(
    samples: &[[T; DIM]],
    centering: Centering,
) -> BatchPca<T, DIM, KEEP> {
    let mut pca = BatchPca::new(centering);
    samples.iter().for_each(|sample| pca.learn(sample).unwrap());
    let _ = pca.fit();
    pca
}

/// Returns a meter of the losses; each sample is scored before it is learned.
fn total<T: Scalar, const DIM: usize>(learner: &mut impl Learner<T, DIM>, samples: &[[T; DIM]]) -> RegretMeter<T> {
    let mut meter = RegretMeter::new();
    for sample in samples {
        meter.record(learner.score(sample).unwrap());
        learner.learn(sample).unwrap();
    }
    meter
}
