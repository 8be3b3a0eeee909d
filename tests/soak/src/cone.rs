//! Online kernel PCA on a stream that it keeps whole: the experiment of [KW07], figures 1 to 3.
//! In: how many directions to keep, a learning rate, an ambient. Out: the samples, what was lost in every trial, and what the
//! best fixed subspace loses of the samples so far.
//! The data lie on the cone x² + y² = z² in the first three of twenty dimensions, with noise in all of them. No plane holds
//! them, but one quadratic equation does: in the features of the kernel (x·y)² they lie near a subspace of five dimensions.

use std::f64::consts::TAU;
use std::io;
use std::thread;

use eigenstream::Scalar;
use eigenstream::kernel::{Ambient, OnlineKernelPca, OnlineKernelSettings, Polynomial};
use eigenstream::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Channels.
pub const DIM: usize = 20;
/// Samples, T in the paper. What a run costs grows with the fourth power.
pub const TRIALS: usize = 250;
/// Largest |z|.
const HEIGHT: f64 = 0.6;
/// Standard deviation of the noise in each channel.
const NOISE: f64 = 0.02;
/// Room for directions; those beyond are never probable enough to matter here.
const RANK: usize = 32;
/// Stack of the thread that holds the learner, some megabytes.
const STACK: usize = 64 << 20;

/// What one run of the experiment found.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Expected loss of every trial.
    pub losses: Vec<f64>,
    /// What the directions learned last lose of each sample: the best fixed subspace in hindsight.
    pub hindsight: Vec<f64>,
    /// What the best fixed subspace loses of the samples up to each of the trials asked for.
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
            // Box and Muller.
            let radius = (-2.0 * (1.0 - f64::uniform(&mut rng)).ln()).sqrt();
            *value += NOISE * radius * (TAU * f64::uniform(&mut rng)).cos();
        }
        sample
    };
    (0..TRIALS).map(sample).collect()
}

/// Runs a learner that keeps `KEEP` directions over the samples; `asked` are the trials whose best subspace is wanted.
///
/// # Errors
/// If there is no thread to be had, or the learner refuses a sample.
pub fn run<const KEEP: usize>(samples: &[[f64; DIM]], rate: f64, ambient: Ambient, asked: &[usize]) -> io::Result<Run> {
    thread::scope(|scope| {
        let work = || learn::<KEEP>(samples, rate, ambient, asked);
        let handle = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)?;
        handle
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the learner stopped")))
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
