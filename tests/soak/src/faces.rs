//! The long runs of [WK08] figure 6 and [KW07] section 5 on recorded faces.
//! In: images of 15 × 10 pixels, scaled to length 1. Out: the loss of every trial, and the loss of the best fixed
//! subspace on every stretch of samples between two given places.
//! Method: the loss on a stretch is the sum of all but the KEEP largest eigenvalues of its scatter matrix. This matrix
//! is the difference of two running sums.
//! Cost: about (2/3)·N³ multiply-adds for each stretch, with N channels.

use std::io;
use std::thread;

use eigenstream::kernel::{Gaussian, OnlineKernelPca, OnlineKernelSettings};
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{DensityPca, DensitySettings, Share, TrackingPca, TrackingSettings};
use eigenstream::spectrum::PartialEigen;
use eigenstream::{Error, Learner};

use crate::cone::Run;

/// Pixels of a face, 15 × 10.
pub const PIXELS: usize = 150;
/// Number of directions kept.
pub const KEEP: usize = 5;
/// Largest number of faces in the run with a kernel; all are stored.
pub const POINTS: usize = 200;
/// Stack of the thread, in bytes; the learner alone takes 1.2 megabytes.
const STACK: usize = 64 << 20;

/// Expected losses of [WK08] Algorithm 5 with a share on the faces.
///
/// # Errors
/// If the learner refuses its settings or a sample.
pub fn sharing(samples: &[[f64; PIXELS]], rate: f64, share: Share<f64>) -> Result<Vec<f64>, Error> {
    sharing_of::<PIXELS, KEEP>(samples, rate, share)
}

/// Expected losses of [WK08] Algorithm 5 with a share, without ceiling and with all directions, as in the paper.
///
/// # Errors
/// If the learner refuses its settings or a sample.
pub fn sharing_of<const N: usize, const KEPT: usize>(
    samples: &[[f64; N]],
    rate: f64,
    share: Share<f64>,
) -> Result<Vec<f64>, Error> {
    // `TrackingPca` has the losses of `DensityPca` and is faster, but has no share of the past.
    match share {
        Share::Nothing | Share::Uniform(_) => {
            let settings = TrackingSettings::unscaled(rate)?.without_ceiling().with_share(share)?;
            expected(TrackingPca::<f64, N, KEPT, N>::new(settings), samples)
        }
        Share::PastAverage(_) | Share::PastPosteriors(_) => {
            let settings = DensitySettings::new(rate)?.with_share(share)?;
            expected(DensityPca::<f64, N, KEPT>::new(settings), samples)
        }
    }
}

/// Score of each sample before it is learned.
///
/// # Errors
/// If the learner refuses a sample.
pub fn expected<const N: usize>(mut learner: impl Learner<f64, N>, samples: &[[f64; N]]) -> Result<Vec<f64>, Error> {
    let mut losses = Vec::with_capacity(samples.len());
    for sample in samples {
        losses.push(learner.score(sample)?);
        learner.learn(sample)?;
    }
    Ok(losses)
}

/// Calls [`stretches_of`] for the faces.
pub fn stretches(samples: &[[f64; PIXELS]], places: &[usize]) -> Vec<Vec<f64>> {
    stretches_of(samples, KEEP, places)
}

/// Loss of the best fixed subspace: entry j of row i is for the samples from place i to place i + j + 1.
///
/// The places ascend. The loss is infinite if the eigenvalues are not found.
pub fn stretches_of<const N: usize>(samples: &[[f64; N]], keep: usize, places: &[usize]) -> Vec<Vec<f64>> {
    // This is boxed, because a matrix of faces takes 180 kB.
    let mut running = Box::new(SMatrix::<f64, N, N>::zeros());
    let mut sums = Vec::with_capacity(places.len());
    let mut done = places.first().copied().unwrap_or(0);
    for &place in places {
        for sample in samples.get(done..place).unwrap_or_default() {
            for (column, &factor) in running.data.0.iter_mut().zip(sample) {
                for (entry, &value) in column.iter_mut().zip(sample) {
                    *entry += factor * value;
                }
            }
        }
        done = place;
        sums.push(running.clone());
    }
    let mut eigen = Box::new(PartialEigen::<f64, N>::new());
    let mut loss = |from: &SMatrix<f64, N, N>, to: &SMatrix<f64, N, N>| {
        let scatter = Box::new(to - from);
        match eigen.decompose(&scatter) {
            Ok(_) => eigen.values().iter().skip(keep).map(|value| value.max(0.0)).sum(),
            Err(_) => f64::INFINITY,
        }
    };
    let rows = sums.iter().enumerate().take(sums.len().saturating_sub(1));
    rows.map(|(first, from)| sums.iter().skip(first + 1).map(|to| loss(from, to)).collect())
        .collect()
}

/// Online kernel PCA with the kernel exp(−γ‖x − y‖²) on at most [`POINTS`] faces, and the best fixed subspace of the
/// features.
///
/// # Errors
/// If the thread cannot start, or the learner refuses a sample.
pub fn kernel(samples: &[[f64; PIXELS]], gamma: f64, rate: f64) -> io::Result<Run> {
    thread::scope(|scope| {
        let work = || kernel_run(samples, gamma, rate);
        let handle = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)?;
        handle
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the learner's thread panicked")))
    })
}

fn kernel_run(samples: &[[f64; PIXELS]], gamma: f64, rate: f64) -> io::Result<Run> {
    let settings = OnlineKernelSettings::new(rate).map_err(io::Error::other)?;
    let kernel = Gaussian::new(gamma).map_err(io::Error::other)?;
    // With as many directions as points, the bound that does not depend on the dimension holds exactly.
    let mut pca = Box::new(OnlineKernelPca::<f64, _, PIXELS, KEEP, POINTS, POINTS>::new(
        kernel, settings,
    ));
    let mut run = Run::default();
    for sample in samples.iter().take(POINTS) {
        run.losses.push(pca.score(sample).map_err(io::Error::other)?);
        pca.learn(sample).map_err(io::Error::other)?;
    }
    for sample in samples.iter().take(POINTS) {
        let code = pca.transform(sample).map_err(io::Error::other)?;
        run.hindsight
            .push(1.0 - code.iter().map(|value| value * value).sum::<f64>());
    }
    run.best.push(run.hindsight.iter().sum());
    Ok(run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loss_of_a_stretch_is_the_energy_outside_its_best_direction() {
        // Two samples lie on the first axis, two on the second: one direction suffices for each half, but not for both.
        let samples = [[1.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.5, 0.0]];
        let losses = stretches_of(&samples, 1, &[0, 2, 4]);
        assert!(losses[0][0].abs() < 1e-15 && losses[1][0].abs() < 1e-15);
        assert!((losses[0][1] - 1.25).abs() < 1e-15);
        assert!(stretches_of(&samples, 1, &[]).is_empty());
    }
}
