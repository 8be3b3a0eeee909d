//! Tracking PCA equals [WK08] Algorithm 5 on full matrices, and stays within its bound.

#![expect(clippy::unwrap_used, reason = "an error is a failed test")]

mod hostile;
#[path = "../support/orthonormal.rs"]
mod orthonormal;

use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{CenteredPca, CenteredSettings, Share, TrackingPca, TrackingSettings};
use eigenstream::rand_core::SeedableRng;
use eigenstream::spectrum::Eigen;
use eigenstream::weights::{Bulk, threshold};
use eigenstream::{SampleError, Scalar};
use rand_xoshiro::Xoshiro128PlusPlus;

/// The reference stores the evidence as a full matrix and decomposes it for every sample.
struct FullMatrix<const DIM: usize> {
    evidence: SMatrix<f64, DIM, DIM>,
    keep: usize,
    rate: f64,
    ceiling: f64,
    share: f64,
}

impl<const DIM: usize> FullMatrix<DIM> {
    fn new(keep: usize, rate: f64, ceiling: f64, share: f64) -> Self {
        let first = -((DIM - keep) as f64 / DIM as f64).ln();
        Self {
            evidence: SMatrix::identity() * first,
            keep,
            rate,
            ceiling,
            share,
        }
    }

    /// Learns the sample; returns its expected loss.
    fn step(&mut self, sample: &[f64; DIM]) -> f64 {
        let x = SMatrix::<f64, DIM, 1>::from(*sample);
        let mut eigen = Eigen::new();
        let _ = eigen.decompose(&self.evidence).unwrap();
        let mut loss = 0.0;
        for (value, vector) in eigen.values().iter().zip(eigen.vectors().column_iter()) {
            loss += (-value).exp() * vector.dot(&x).powi(2);
        }
        self.evidence += x * x.transpose() * self.rate;
        let _ = eigen.decompose(&self.evidence).unwrap();
        let tau = threshold(eigen.values().as_slice(), Bulk::NONE, self.keep);
        let d = (DIM - self.keep) as f64 / DIM as f64;
        let settled = eigen.values().map(|value| {
            let drop = (-(value - tau).max(0.0).min(self.ceiling)).exp();
            -((1.0 - self.share) * drop + self.share * d).ln()
        });
        self.evidence = eigen.vectors() * SMatrix::from_diagonal(&settled) * eigen.vectors().transpose();
        loss
    }
}

/// Samples near a random plane that changes every `segment` samples.
fn shifting<const DIM: usize>(seed: u64, count: usize, segment: usize, noise: f64) -> Vec<[f64; DIM]> {
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(seed);
    let mut normal = move || {
        let sum: f64 = (0..12).map(|_| f64::uniform(&mut rng)).sum();
        sum - 6.0
    };
    let mut basis = [[0.0; DIM]; 2];
    (0..count)
        .map(|t| {
            if t % segment == 0 {
                basis = core::array::from_fn(|_| core::array::from_fn(|_| normal()));
            }
            let weights = [normal(), normal()];
            let mut sample: [f64; DIM] = core::array::from_fn(|i| weights[0] * basis[0][i] + weights[1] * basis[1][i]);
            let norm = sample.iter().map(|v| v * v).sum::<f64>().sqrt().max(1.0);
            sample = core::array::from_fn(|i| sample[i] / norm + noise * normal());
            // The samples are exact in `f32`.
            sample.map(|value| f64::from(value as f32))
        })
        .collect()
}

fn agrees<T: Scalar, const DIM: usize, const KEEP: usize>(
    settings: TrackingSettings<T>,
    full: FullMatrix<DIM>,
    tolerance: f64,
) {
    let mut full = full;
    let mut pca = TrackingPca::<T, DIM, KEEP, DIM>::new(settings);
    for (t, sample) in shifting::<DIM>(DIM as u64, 150, 50, 0.05).iter().enumerate() {
        let own = sample.map(T::from_f64);
        let score = pca.score(&own).unwrap().to_f64();
        let wanted = full.step(sample);
        assert!(
            (score - wanted).abs() <= tolerance,
            "n = {DIM}, trial {t}: {score}, not {wanted}: {settings:?}"
        );
        pca.learn(&own).unwrap();
        let sum: f64 = pca.keep_probabilities().iter().map(|p| p.to_f64()).sum();
        assert!((sum - KEEP as f64).abs() <= 1e-3, "probabilities sum to {sum}");
    }
}

#[test]
fn tracking_pca_equals_the_algorithm_on_full_matrices() {
    for rate in [0.12, 1.0, 5.0] {
        let paper = TrackingSettings::unscaled(rate).unwrap().without_ceiling();
        agrees::<f64, 5, 1>(paper, FullMatrix::new(1, rate, f64::MAX, 0.0), 1e-11);
        agrees::<f64, 8, 3>(paper, FullMatrix::new(3, rate, f64::MAX, 0.0), 1e-11);
        agrees::<f64, 6, 5>(paper, FullMatrix::new(5, rate, f64::MAX, 0.0), 1e-11);
        let shared = paper
            .with_share(Share::Uniform(1e-3))
            .unwrap()
            .with_ceiling(9.0)
            .unwrap();
        agrees::<f64, 8, 3>(shared, FullMatrix::new(3, rate, 9.0, 1e-3), 1e-11);
        // At a rate above one, rounding can decide which direction of the noise is kept as the third.
        let tolerance = if rate > 1.0 { 5e-5 } else { 1e-5 };
        let single = TrackingSettings::unscaled(rate as f32).unwrap();
        agrees::<f32, 8, 3>(single, FullMatrix::new(3, f64::from(rate as f32), 14.0, 0.0), tolerance);
        agrees::<f32, 20, 2>(single, FullMatrix::new(2, f64::from(rate as f32), 14.0, 0.0), tolerance);
    }
}

#[test]
fn a_small_rank_changes_the_total_loss_by_less_than_two_per_mille() {
    let mut ratio: f64 = 0.0;
    for seed in 0..6 {
        let (mut full, mut small) = (0.0, 0.0);
        let mut exact = TrackingPca::<f32, 20, 2, 20>::new(TrackingSettings::DEFAULT);
        let mut lean = TrackingPca::<f32, 20, 2, 6>::new(TrackingSettings::DEFAULT);
        for sample in shifting::<20>(seed, 1500, 500, 0.05) {
            let sample = sample.map(|value| value as f32);
            full += f64::from(exact.score(&sample).unwrap());
            small += f64::from(lean.score(&sample).unwrap());
            exact.learn(&sample).unwrap();
            lean.learn(&sample).unwrap();
        }
        ratio = ratio.max((small / full - 1.0).abs());
    }
    assert!(ratio < 0.002, "total loss changed by {ratio}");
}

#[test]
fn the_mean_of_sampled_losses_is_the_expected_loss() {
    type Learner = TrackingPca<f64, 6, 2, 6>;
    type Step = fn(&mut Learner, &[f64; 6], &mut Xoshiro128PlusPlus) -> Result<eigenstream::Trial<f64, 2>, SampleError>;
    for (draw, step) in [
        ("systematic", Learner::step as Step),
        ("corners", Learner::step_with_corners),
    ] {
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(5);
        let mut pca = Learner::new(TrackingSettings::unscaled(0.5).unwrap());
        for (t, sample) in shifting::<6>(3, 12, 40, 0.2).iter().enumerate() {
            // The limit is six standard errors, each at most energy/2/√4000. Fewer than one seed in 10⁷ exceeds the
            // limit.
            let energy: f64 = sample.iter().map(|v| v * v).sum();
            let mut mean = 0.0;
            let mut expected = 0.0;
            for _ in 0..4000 {
                let trial = step(&mut pca.clone(), sample, &mut rng).unwrap();
                let code: f64 = trial.code.iter().map(|v| v * v).sum();
                assert!((energy - code - trial.loss).abs() < 1e-12 && trial.loss >= 0.0);
                mean += trial.loss / 4000.0;
                expected = trial.expected_loss;
            }
            let allowed = 6.0 * energy / 2.0 / 4000.0_f64.sqrt();
            assert!(
                (mean - expected).abs() < allowed,
                "{draw}, trial {t}: {mean}, not {expected}"
            );
            pca.learn(sample).unwrap();
        }
    }
}

#[test]
fn the_squared_length_of_the_residual_is_the_score() {
    let mut pca = TrackingPca::<f64, 8, 2, 6>::new(TrackingSettings::DEFAULT);
    for sample in shifting::<8>(1, 60, 20, 0.1) {
        let score = pca.score(&sample).unwrap();
        let sum: f64 = pca.residual(&sample).unwrap().iter().map(|r| r * r).sum();
        assert!((score - sum).abs() < 1e-14);
        pca.learn(&sample).unwrap();
    }
}

#[test]
fn a_refused_sample_changes_nothing() {
    let mut pca = TrackingPca::<f32, 4, 1, 4>::new(TrackingSettings::DEFAULT);
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(1);
    pca.step(&[0.5, 0.1, 0.0, 0.2], &mut rng).unwrap();
    let (before, rng_before) = (format!("{pca:?}"), rng.clone());
    for channel in 0..4 {
        for broken in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut sample = [0.25; 4];
            sample[channel] = broken;
            assert_eq!(
                pca.step(&sample, &mut rng).unwrap_err(),
                SampleError::NotANumber { channel }
            );
            assert_eq!(pca.learn(&sample).unwrap_err(), SampleError::NotANumber { channel });
            assert_eq!(pca.score(&sample).unwrap_err(), SampleError::NotANumber { channel });
            assert_eq!(pca.transform(&sample).unwrap_err(), SampleError::NotANumber { channel });
        }
    }
    assert_eq!(
        pca.learn(&[1.0, 3e19, 1.0, 1.0]).unwrap_err(),
        SampleError::TooLarge { channel: 1 }
    );
    assert_eq!(before, format!("{pca:?}"));
    assert_eq!(rng, rng_before);
}

#[test]
fn density_overwrites_the_matrix_of_the_caller() {
    let mut pca = TrackingPca::<f32, 3, 1, 3>::new(TrackingSettings::DEFAULT);
    let mut centered = CenteredPca::<f32, 3, 1>::new(CenteredSettings::DEFAULT);
    pca.learn(&[0.5, 0.25, 0.0]).unwrap();
    centered.learn(&[0.5, 0.25, 0.0]).unwrap();
    for before in [0.0, f32::NAN, f32::INFINITY] {
        let mut density = SMatrix::repeat(before);
        pca.density(&mut density);
        assert!((density.trace() - 1.0).abs() < 1e-6, "tracking, {before}");
        density = SMatrix::repeat(before);
        centered.density(&mut density);
        assert!((density.trace() - 1.0).abs() < 1e-6, "centered, {before}");
    }
}

/// Counts the trials from 500 on with more than KEEP stored directions. The noise is 35 to 41 dB below the signal.
fn trials_with_extra_directions<const KEEP: usize>() -> usize {
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(8);
    let mut symmetric = || 2.0 * f32::uniform(&mut rng) - 1.0;
    let basis: [[f32; 12]; KEEP] = core::array::from_fn(|_| core::array::from_fn(|_| symmetric()));
    let mut pca = TrackingPca::<f32, 12, KEEP, 10>::new(TrackingSettings::DEFAULT);
    (0..1_000)
        .filter(|&trial| {
            let mut sample: [f32; 12] = core::array::from_fn(|_| 0.01 * symmetric());
            for own in &basis {
                let weight = symmetric();
                for (entry, &part) in sample.iter_mut().zip(own) {
                    *entry += weight * part;
                }
            }
            pca.learn(&sample).unwrap();
            trial >= 500 && pca.evidence()[KEEP] > 0.0
        })
        .count()
}

#[test]
fn a_stream_with_little_noise_stores_only_keep_directions() {
    // The ceiling leaves a little evidence to one more direction. Storing this direction would make the next trial
    // slower.
    let extra = [
        trials_with_extra_directions::<1>(),
        trials_with_extra_directions::<2>(),
        trials_with_extra_directions::<3>(),
        trials_with_extra_directions::<4>(),
    ];
    assert!(extra.iter().all(|&trials| trials < 100), "{extra:?}");
}

#[test]
fn a_weak_direction_is_learned_beside_a_strong_one() {
    // The weak samples add 0.09 in total. Each adds 2·10⁻⁶; near the ceiling 14, `f32` numbers are 10⁻⁶ apart.
    for strong in [0.1, 1.5e-3] {
        let single = gained(TrackingSettings::<f32>::unscaled(1.0).unwrap(), strong);
        let exact = TrackingSettings::<f64>::unscaled(1.0).unwrap();
        let exact = gained(exact.with_ceiling(f64::INFINITY).unwrap(), strong);
        assert!(
            (single - exact).abs() < 0.1 * exact,
            "{single} of {exact} beside {strong}"
        );
    }
}

/// The evidence of the weak direction, minus that of a direction without samples.
fn gained<T: Scalar>(settings: TrackingSettings<T>, strong: f64) -> f64 {
    let mut pca = TrackingPca::<T, 4, 2, 4>::new(settings);
    let mut strong_sample = [T::ZERO; 4];
    let mut weak_sample = [T::ZERO; 4];
    strong_sample[0] = T::from_f64(strong);
    weak_sample[1] = T::from_f64(1.5e-3);
    for _ in 0..40_000 {
        pca.learn(&strong_sample).unwrap();
        pca.learn(&weak_sample).unwrap();
    }
    let evidence = pca.evidence();
    (evidence[1] - evidence[2]).to_f64()
}
