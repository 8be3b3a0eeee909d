//! The loss of each learner of the figures in every trial, before it learns the sample.

use anyhow::{Result, bail};
use eigenstream::Centering;
use eigenstream::pca::{
    BatchPca, Center, CenteredPca, CenteredSettings, ReadOut, Share, TrackingPca, TrackingSettings,
};
use eigenstream::rand_core::SeedableRng;
use eigenstream::spectrum::Convergence;
use eigenstream_soak::faces::{expected, sharing_of};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Expected losses of [WK08] Algorithm 5 as printed, without ceiling and with all directions.
pub(super) fn tracking<const N: usize, const KEEP: usize>(samples: &[[f64; N]], rate: f64) -> Result<Vec<f64>> {
    sharing::<N, KEEP>(samples, rate, Share::Nothing)
}

/// The losses of one run of [WK08] Algorithm 5 that draws its directions.
pub(super) fn tracking_sampled<const N: usize, const KEEP: usize>(
    samples: &[[f64; N]],
    rate: f64,
    seed: u64,
) -> Result<Vec<f64>> {
    let settings = TrackingSettings::unscaled(rate)?.without_ceiling();
    let mut pca = TrackingPca::<f64, N, KEEP, N>::new(settings);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let losses = samples.iter().map(|sample| Ok(pca.step(sample, &mut rng)?.loss));
    losses.collect()
}

/// Expected losses of [WK08] Algorithm 5 with a share.
pub(super) fn sharing<const N: usize, const KEEP: usize>(
    samples: &[[f64; N]],
    rate: f64,
    share: Share<f64>,
) -> Result<Vec<f64>> {
    Ok(sharing_of::<N, KEEP>(samples, rate, share)?)
}

/// Expected losses of Algorithm 5 with these settings and all directions.
pub(super) fn tracking_with<const N: usize, const KEEP: usize>(
    samples: &[[f64; N]],
    settings: TrackingSettings<f64>,
) -> Result<Vec<f64>> {
    Ok(expected(TrackingPca::<f64, N, KEEP, N>::new(settings), samples)?)
}

/// Losses of [WK08] Algorithm 6 with its center fixed at zero: expected losses, or those of Follow the Leader.
pub(super) fn uncentered<const N: usize, const KEEP: usize>(
    samples: &[[f64; N]],
    rate: f64,
    read_out: ReadOut,
) -> Result<Vec<f64>> {
    let settings = CenteredSettings::unscaled(rate)?
        .with_center(Center::Fixed)?
        .with_read_out(read_out);
    Ok(expected(CenteredPca::<f64, N, KEEP>::new(settings), samples)?)
}

/// Losses of the best fixed subspace of all samples.
pub(super) fn hindsight<const N: usize, const KEEP: usize>(samples: &[[f64; N]]) -> Result<Vec<f64>> {
    let mut pca = BatchPca::<f64, N, KEEP>::new(Centering::Uncentered);
    for sample in samples {
        pca.learn(sample)?;
    }
    if pca.fit() == Convergence::BoundHit {
        bail!("batch PCA found no directions for these samples: use others");
    }
    let losses = samples.iter().map(|sample| Ok(pca.score(sample)?));
    losses.collect()
}

/// The total of all losses up to and including each trial.
pub(super) fn running_total(losses: &[f64]) -> Vec<f64> {
    let totals = losses.iter().scan(0.0, |total, loss| {
        *total += loss;
        Some(*total)
    });
    totals.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_running_total_includes_its_trial() {
        assert_eq!(running_total(&[1.0, 0.5, 2.0]), [1.0, 1.5, 3.5]);
    }

    #[test]
    fn the_first_trial_loses_half_and_follow_the_leader_loses_all() -> Result<()> {
        // Each of two directions is kept with probability one half, so half of ‖x‖² is lost; Follow the Leader loses
        // all of it.
        let sample = [[0.6, 0.8]];
        assert!((tracking::<2, 1>(&sample, 1.0)?[0] - 0.5).abs() < 1e-12);
        assert!((sharing::<2, 1>(&sample, 1.0, Share::PastAverage(0.1))?[0] - 0.5).abs() < 1e-12);
        assert!((uncentered::<2, 1>(&sample, 1.0, ReadOut::Randomized)?[0] - 0.5).abs() < 1e-12);
        assert!((uncentered::<2, 1>(&sample, 1.0, ReadOut::Leader)?[0] - 1.0).abs() < 1e-12);
        assert!(hindsight::<2, 1>(&sample)?[0] < 1e-12);
        Ok(())
    }
}
