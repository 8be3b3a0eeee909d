//! Online kernel PCA without a limit on its points: the experiment of [KW07], figures 1 to 3.
//! In: KEEP, samples, learning rate, [`Ambient`], the trials for [`Run::best`]. Out: [`Run`].
//! The samples lie near the cone x² + y² = z² in the first 3 of 20 channels, with noise in all of them. In the features
//! of the kernel (a·b)² of two samples a and b, they lie near a subspace of 5 dimensions.

use std::f64::consts::TAU;
use std::io;
use std::thread;

use eigenstream::Scalar;
use eigenstream::kernel::{Ambient, OnlineKernelPca, OnlineKernelSettings, Polynomial};
use eigenstream::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Number of channels.
pub const DIM: usize = 20;
/// Number of samples of a run, called T in the paper.
pub const TRIALS: usize = 250;
/// Largest |z| on the cone.
const HEIGHT: f64 = 0.6;
/// Standard deviation of the noise in each channel.
const NOISE: f64 = 0.02;
/// Number of stored directions.
const RANK: usize = 32;
/// Stack of the thread, in bytes; the learner alone takes 0.7 megabytes.
const STACK: usize = 64 << 20;

/// Result of one run.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Expected loss of every trial.
    pub losses: Vec<f64>,
    /// Loss of each sample for the subspace learned at the end.
    pub hindsight: Vec<f64>,
    /// Loss of the best fixed subspace on the samples up to each trial in `asked`.
    pub best: Vec<f64>,
}

/// The samples of the experiment.
pub fn samples(seed: u64) -> Vec<[f64; DIM]> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let sample = |_| {
        let (height, angle) = (
            HEIGHT * (2.0 * f64::uniform(&mut rng) - 1.0),
            TAU * f64::uniform(&mut rng),
        );
        let mut sample = [0.0; DIM];
        sample[..3].copy_from_slice(&[height * angle.cos(), height * angle.sin(), height]);
        for value in &mut sample {
            // Adds normal noise by the method of Box and Muller.
            let radius = (-2.0 * (1.0 - f64::uniform(&mut rng)).ln()).sqrt();
            *value += NOISE * radius * (TAU * f64::uniform(&mut rng)).cos();
        }
        sample
    };
    (0..TRIALS).map(sample).collect()
}

/// Runs a learner that keeps `KEEP` directions; `asked` are the trials for [`Run::best`].
///
/// # Errors
/// If the thread cannot start, or the learner refuses a sample.
pub fn run<const KEEP: usize>(samples: &[[f64; DIM]], rate: f64, ambient: Ambient, asked: &[usize]) -> io::Result<Run> {
    thread::scope(|scope| {
        let work = || learn::<KEEP>(samples, rate, ambient, asked);
        let handle = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)?;
        handle
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the learner's thread panicked")))
    })
}

fn learn<const KEEP: usize>(samples: &[[f64; DIM]], rate: f64, ambient: Ambient, asked: &[usize]) -> io::Result<Run> {
    let settings = OnlineKernelSettings::new(rate)
        .map_err(io::Error::other)?
        .with_ambient(ambient);
    let kernel = Polynomial::new(0.0, 2).map_err(io::Error::other)?;
    let mut pca = Box::new(OnlineKernelPca::<f64, _, DIM, KEEP, TRIALS, RANK>::new(
        kernel, settings,
    ));
    let mut run = Run::default();
    for (trial, sample) in samples.iter().enumerate() {
        run.losses.push(pca.score(sample).map_err(io::Error::other)?);
        pca.learn(sample).map_err(io::Error::other)?;
        if asked.contains(&(trial + 1)) {
            run.best.push(pca.spectrum().iter().skip(KEEP).sum());
        }
    }
    for (sample, norm) in samples.iter().zip(*pca.window().norms()) {
        let code = pca.transform(sample).map_err(io::Error::other)?;
        run.hindsight
            .push(norm - code.iter().map(|value| value * value).sum::<f64>());
    }
    Ok(run)
}
