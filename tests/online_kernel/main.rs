//! Tests of online kernel PCA on random, difficult and extreme streams.
#![expect(clippy::unwrap_used, reason = "a failed property is a failed test")]

mod certificate;
mod equals;
mod followed;
mod hostile;
mod intake;
mod invariants;
#[path = "../support/precisions.rs"]
mod precisions;
mod rank;
#[path = "../support/mod.rs"]
mod support;

use eigenstream::kernel::{Kernel, OnlineKernelPca, OnlineKernelSettings};
use eigenstream::{SampleError, Scalar};

use precisions::in_both_precisions;
use support::{rng, symmetric};

/// Limits of rounding errors, in units of the machine epsilon ε.
mod tolerance {
    /// The limit for a few hundred operations on numbers near one.
    pub(super) const ROUNDING: f64 = 512.0;
    /// The limit for the total loss of up to a hundred trials.
    pub(super) const TOTAL: f64 = 4096.0;
}

/// Random samples; every third is on a sphere of radius 0.75, unless it was drawn within 0.1 of zero.
fn samples<T: Scalar, const DIM: usize>(count: usize, seed: u64) -> Vec<[T; DIM]> {
    let rng = &mut rng(seed);
    let sample = |trial: usize| {
        let mut sample: [f64; DIM] = std::array::from_fn(|_| symmetric(rng));
        if trial.is_multiple_of(3) {
            let length = sample.iter().map(|value| value * value).sum::<f64>().sqrt();
            sample.iter_mut().for_each(|value| *value *= 0.75 / length.max(0.1));
        }
        sample.map(T::from_f64)
    };
    (0..count).map(sample).collect()
}

/// `size` samples in a row lie within ±0.1 of a random centre in each channel; the centres lie within ±`spread`.
fn clusters<T: Scalar>(count: usize, size: usize, spread: f64, seed: u64) -> Vec<[T; 3]> {
    let rng = &mut rng(seed);
    let mut centre = [0.0; 3];
    let sample = |trial: usize| {
        if trial.is_multiple_of(size) {
            centre = std::array::from_fn(|_| spread * symmetric(rng));
        }
        centre.map(|value| T::from_f64(value + 0.1 * symmetric(rng)))
    };
    (0..count).map(sample).collect()
}

fn settings<T: Scalar>(rate: f64) -> OnlineKernelSettings<T> {
    OnlineKernelSettings::new(T::from_f64(rate)).unwrap()
}

fn losses<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize>(
    pca: &mut OnlineKernelPca<T, K, DIM, KEEP, WINDOW, RANK>,
    samples: &[[T; DIM]],
) -> Vec<f64> {
    let trial = |sample: &[T; DIM]| -> Result<f64, SampleError> {
        let score = pca.score(sample)?;
        pca.learn(sample)?;
        Ok(score.to_f64())
    };
    samples.iter().map(trial).collect::<Result<_, _>>().unwrap()
}
