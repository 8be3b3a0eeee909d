//! Properties of the linear learners for all streams, settings and sizes.
#![expect(clippy::unwrap_used, reason = "an error is a failed test")]

#[path = "support/orthonormal.rs"]
mod orthonormal;

use eigenstream::bounds::Bounds;
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{
    BatchPca, Center, CenteredPca, CenteredSettings, DensitySettings, ReadOut, Share, TrackingPca, TrackingSettings,
    VarianceMinimizer, VarianceSettings,
};
use eigenstream::rand_core::{Rng, SeedableRng};
use eigenstream::spectrum::{Eigen, orthogonality_error};
use eigenstream::weights::{Hedge, HedgeSettings};
use eigenstream::{Centering, Scalar, SettingsError};
use orthonormal::{PROMISED, assert_orthonormal};
use rand_xoshiro::Xoshiro128PlusPlus;

/// Limits of errors; ε = machine epsilon.
mod tolerance {
    /// The limit for errors of the sum of the keep probabilities.
    pub(super) const SUM: f64 = 1e-2;
    /// The limit for errors of losses, relative to the energy, in units of ε: twice the limit for directions.
    pub(super) const ENERGY: f64 = 2.0 * super::PROMISED;
    /// The limit for how far eigenvalues of the density matrix are outside [0, 1/(`DIM` − `KEEP`)], in units of ε.
    pub(super) const EIGENVALUE: f64 = 64.0;
    /// The limit for the difference of two algorithms that are equal up to rounding, in 300 trials in `f64`.
    pub(super) const SAME: f64 = 1e-11;
    /// The limit for the rounding error of the total loss of 400 trials, relative to this loss, in units of ε.
    pub(super) const TOTAL: f64 = 4096.0;
}

fn generator(seed: u64) -> Xoshiro128PlusPlus {
    Xoshiro128PlusPlus::seed_from_u64(seed)
}

fn symmetric(rng: &mut Xoshiro128PlusPlus) -> f64 {
    2.0 * f64::uniform(rng) - 1.0
}

fn below(rng: &mut Xoshiro128PlusPlus, count: usize) -> usize {
    rng.next_u32() as usize % count
}

fn axis<T: Scalar, const DIM: usize>(index: usize, length: T) -> [T; DIM] {
    core::array::from_fn(|i| if i == index { length } else { T::ZERO })
}

fn energy<T: Scalar, const DIM: usize>(sample: &[T; DIM]) -> f64 {
    sample.iter().map(|value| value.to_f64().powi(2)).sum()
}

/// A stream of samples whose kind, directions and scale change at random trials.
struct Extreme<const DIM: usize> {
    rng: Xoshiro128PlusPlus,
    base: [[f64; DIM]; 3],
    kind: usize,
    scale: f64,
}

impl<const DIM: usize> Extreme<DIM> {
    fn new(seed: u64) -> Self {
        let mut rng = generator(seed);
        let base = core::array::from_fn(|_| core::array::from_fn(|_| symmetric(&mut rng)));
        Self {
            rng,
            base,
            kind: seed as usize % 10,
            scale: 1.0,
        }
    }

    fn next<T: Scalar>(&mut self, trial: usize) -> [T; DIM] {
        let rng = &mut self.rng;
        if below(rng, 40) == 0 {
            self.kind = below(rng, 10);
        }
        if below(rng, 60) == 0 {
            self.base = core::array::from_fn(|_| core::array::from_fn(|_| symmetric(rng)));
        }
        if below(rng, 50) == 0 {
            self.scale = match below(rng, 4) {
                0 => T::MAX.to_f64().sqrt() / (2.0 * DIM as f64),
                1 => T::MIN_POSITIVE.to_f64().sqrt() * 10_f64.powf(6.0 * symmetric(rng)),
                2 => 10_f64.powf(3.0 * symmetric(rng)),
                _ => 1.0,
            };
        }
        let (first, second) = (symmetric(rng), symmetric(rng));
        let [a, b, c] = self.base;
        let epsilon = T::EPSILON.to_f64();
        let sample: [f64; DIM] = match self.kind {
            0 => [0.0; DIM],
            1 => [1.0; DIM],
            2 => axis(trial % DIM, 1.0),
            3 => core::array::from_fn(|i| first * a[i] + second * b[i]),
            4 => core::array::from_fn(|_| symmetric(rng)),
            5 => core::array::from_fn(|i| first * a[i] + second * b[i] * 1e-4 + 1e-7 * symmetric(rng)),
            6 => core::array::from_fn(|_| symmetric(rng) * if trial.is_multiple_of(2) { 1.0 } else { 1e-12 }),
            7 => [a, b, c][trial % 3],
            8 => core::array::from_fn(|i| a[i] + 3.0 * epsilon * symmetric(rng)),
            _ => core::array::from_fn(|i| a[i] + 20.0 * epsilon * symmetric(rng) + epsilon.sqrt() * b[i]),
        };
        sample.map(|value| T::from_f64(value * self.scale))
    }
}

fn settings<T: Scalar>(seed: u64) -> TrackingSettings<T> {
    let rng = &mut generator(seed);
    let rate = [1e-30, 1e-3, 0.1, 1.0, 5.0, 1e4, 1e15, 1e30][below(rng, 8)];
    let share = [0.0, 0.0, 0.0, 1e-44, 1e-8, 1e-3, 0.5, 1.0][below(rng, 8)];
    let settings = TrackingSettings::unscaled(T::from_f64(rate)).unwrap();
    let settings = settings.with_share(Share::Uniform(T::from_f64(share))).unwrap();
    match below(rng, 4) {
        0 => settings.without_ceiling(),
        1 => settings
            .with_ceiling(T::from_f64([8.0, 20.0, 80.0, 1e6][below(rng, 4)]))
            .unwrap(),
        _ => settings,
    }
}

fn check_state<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize>(
    pca: &TrackingPca<T, DIM, KEEP, RANK>,
    name: &str,
) {
    let (probabilities, evidence) = (pca.keep_probabilities(), pca.evidence());
    let sum: f64 = probabilities.iter().map(|p| p.to_f64()).sum();
    assert!(
        (sum - KEEP as f64).abs() < tolerance::SUM,
        "{name}: sum {sum} of {probabilities:?}"
    );
    assert!(
        probabilities.iter().all(|&p| p >= T::ZERO && p <= T::ONE),
        "{name}: {probabilities:?}"
    );
    assert!(
        evidence.iter().all(|&g| g >= T::ZERO && g.is_finite()),
        "{name}: {evidence:?}"
    );
    assert_orthonormal(&pca.components(), format_args!("{name}"));
}

fn check_trials<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize>(seed: u64) {
    let settings = settings::<T>(seed);
    let name = format!("DIM {DIM}, KEEP {KEEP}, RANK {RANK}, seed {seed}, {settings:?}");
    let mut pca = TrackingPca::<T, DIM, KEEP, RANK>::new(settings);
    let (mut stream, mut rng) = (Extreme::new(seed), generator(!seed));
    for trial in 0..300 {
        let sample = stream.next::<T>(trial);
        let whole = energy(&sample);
        let allowed = tolerance::ENERGY * (whole * T::EPSILON.to_f64() + T::MIN_POSITIVE.to_f64());
        let result = match seed % 2 {
            0 => pca.step(&sample, &mut rng),
            _ => pca.step_with_corners(&sample, &mut rng),
        }
        .unwrap();
        let (loss, expected) = (result.loss.to_f64(), result.expected_loss.to_f64());
        assert!(
            (0.0..=whole + allowed).contains(&loss),
            "{name}, trial {trial}: loss {loss} of {whole}"
        );
        assert!(
            (0.0..=whole + allowed).contains(&expected),
            "{name}, trial {trial}: expected {expected} of {whole}"
        );
        let code = energy(&result.code);
        assert!(
            (code + loss - whole).abs() <= allowed,
            "{name}, trial {trial}: {code} + {loss} is not {whole}"
        );
        check_state(&pca, &format!("{name}, trial {trial}"));
    }
}

#[test]
fn losses_and_probabilities_are_consistent_for_all_settings_and_streams() {
    for seed in 0..60 {
        check_trials::<f32, 2, 1, 2>(seed);
        check_trials::<f32, 4, 1, 3>(seed);
        check_trials::<f32, 5, 4, 5>(seed);
        check_trials::<f32, 6, 2, 4>(seed);
        check_trials::<f32, 8, 3, 8>(seed);
        check_trials::<f64, 6, 2, 4>(seed);
        check_trials::<f64, 8, 3, 8>(seed);
    }
}

#[test]
fn a_sample_whose_evidence_would_overflow_is_learned() {
    for rate in [1.0, 1e10, 1e30] {
        let mut pca = TrackingPca::<f32, 3, 1, 3>::new(TrackingSettings::unscaled(rate).unwrap());
        pca.learn(&[0.0, 1.8e19, 0.0]).unwrap();
        assert!(pca.score(&[0.0, 1.0, 0.0]).unwrap() < 1e-5);
        assert!(pca.score(&[1.0, 0.0, 0.0]).unwrap() > 0.99);
    }
}

#[test]
fn a_sample_whose_energy_underflows_keeps_the_directions_orthonormal() {
    for exponent in -46..-36 {
        let size = 10_f32.powf(exponent as f32 / 2.0);
        let mut pca = TrackingPca::<f32, 2, 1, 2>::new(TrackingSettings::unscaled(5.0).unwrap());
        for trial in 0..30 {
            pca.learn(&axis(trial % 2, 1.0)).unwrap();
            pca.learn(&[size, -0.7 * size]).unwrap();
            let error = orthogonality_error(&pca.components(), 1);
            assert!(error < 1e-5, "size {size}, trial {trial}: {error}");
        }
    }
}

#[test]
fn with_a_subnormal_share_the_evidence_stays_finite() {
    let settings = TrackingSettings::unscaled(1.0_f32).unwrap().without_ceiling();
    // A quarter of this share, the part of each of the four directions, rounds to zero. exp(−evidence) becomes zero
    // too.
    let share = f32::from_bits(1);
    let mut pca = TrackingPca::<f32, 4, 3, 4>::new(settings.with_share(Share::Uniform(share)).unwrap());
    for trial in 0..600 {
        pca.learn(&axis(trial % 3, 1.0)).unwrap();
    }
    check_state(&pca, "tiny share");
    assert!(pca.score(&axis(3, 1.0)).unwrap() > 0.99);
}

#[test]
fn a_scale_by_a_power_of_two_changes_no_bit() {
    let run = |scale: f32| {
        let rate = 1.0 / (scale * scale);
        let mut pca = TrackingPca::<f32, 6, 2, 4>::new(TrackingSettings::unscaled(rate).unwrap());
        let rng = &mut generator(8);
        let mut scores = Vec::new();
        for _ in 0..200 {
            let sample: [f32; 6] =
                core::array::from_fn(|i| symmetric(rng) as f32 * if i < 2 { scale } else { 0.1 * scale });
            scores.push(pca.score(&sample).unwrap() / (scale * scale));
            pca.learn(&sample).unwrap();
        }
        (scores, pca.keep_probabilities())
    };
    let plain = run(1.0);
    assert_eq!(plain, run(2_f32.powi(40)));
    assert_eq!(plain, run(2_f32.powi(-30)));
}

fn check_density<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize>() {
    let mut pca = TrackingPca::<T, DIM, KEEP, RANK>::new(TrackingSettings::DEFAULT);
    let (rng, mut eigen) = (&mut generator(21), Eigen::<T, DIM>::new());
    let mut density = SMatrix::from([[T::ZERO; DIM]; DIM]);
    let (cap, epsilon) = (1.0 / (DIM - KEEP) as f64, T::EPSILON.to_f64());
    for trial in 0..200 {
        pca.learn(&core::array::from_fn(|i| T::from_f64(symmetric(rng) / (1 + i) as f64)))
            .unwrap();
        pca.density(&mut density);
        let _ = eigen.decompose(&density).unwrap();
        let values = eigen.values().map(|value| value.to_f64());
        let (largest, smallest, trace): (f64, f64, f64) = (values.max(), values.min(), values.sum());
        let allowed = tolerance::EIGENVALUE * epsilon;
        assert!(
            largest <= cap + allowed && smallest >= -allowed,
            "trial {trial}: {smallest} to {largest}"
        );
        // The ceiling 14 raises the trace by up to KEEP·e⁻¹⁴·`cap`.
        assert!(
            (trace - 1.0).abs() <= allowed + 1e-6 * KEEP as f64 * cap,
            "trial {trial}: trace {trace}"
        );
    }
}

#[test]
fn the_density_matrix_is_capped_and_has_trace_one() {
    check_density::<f32, 2, 1, 2>();
    check_density::<f32, 6, 2, 4>();
    check_density::<f32, 5, 4, 5>();
    check_density::<f64, 8, 3, 8>();
    check_density::<f64, 9, 5, 7>();
}

fn check_theorem_6<T: Scalar, const DIM: usize, const KEEP: usize>(
    rate: f64,
    mut next: impl FnMut(&TrackingPca<T, DIM, KEEP, DIM>) -> [T; DIM],
) {
    let settings = TrackingSettings::unscaled(T::from_f64(rate)).unwrap().without_ceiling();
    let mut pca = TrackingPca::<T, DIM, KEEP, DIM>::new(settings);
    let mut best = BatchPca::<T, DIM, KEEP>::new(Centering::Uncentered);
    let mut total = 0.0;
    for _ in 0..400 {
        let sample = next(&pca);
        total += pca.score(&sample).unwrap().to_f64();
        pca.learn(&sample).unwrap();
        best.learn(&sample).unwrap();
    }
    let _ = best.fit();
    let bound = Bounds::<f64>::new(DIM, KEEP).loss(best.loss().to_f64(), rate);
    let rounding = tolerance::TOTAL * T::EPSILON.to_f64() * total;
    assert!(total <= bound + rounding, "rate {rate}: {total} above {bound}");
}

#[test]
fn the_total_loss_stays_within_theorem_6_on_random_and_adversarial_streams() {
    for rate in [0.05, 0.3, 1.0, 4.0] {
        let mut rng = generator(31);
        let mut random = move || {
            let sample: [f64; 6] = core::array::from_fn(|i| symmetric(&mut rng) / (1 + i) as f64);
            let length = energy(&sample).sqrt().max(1.0);
            sample.map(|value| value / length)
        };
        check_theorem_6::<f64, 6, 2>(rate, |_| random());
        check_theorem_6::<f32, 6, 2>(rate, |_| random().map(|value| value as f32));
        check_theorem_6::<f64, 6, 2>(rate, |pca| {
            let scores: [f64; 6] = core::array::from_fn(|i| pca.score(&axis(i, 1.0)).unwrap());
            axis((0..6).max_by(|&i, &j| scores[i].total_cmp(&scores[j])).unwrap(), 1.0)
        });
        // Each sample is the axis that came least often so far, as in [WK08] section 7.
        let mut counts = [0; 5];
        check_theorem_6::<f64, 5, 4>(rate, |_| {
            let least = (0..5).min_by_key(|&i| counts[i]).unwrap();
            counts[least] += 1;
            axis(least, 1.0)
        });
    }
}

#[test]
fn an_adversary_defeats_follow_the_leader_but_not_tracking_pca() {
    let settings = CenteredSettings::unscaled(1.0)
        .unwrap()
        .with_center(Center::Fixed)
        .unwrap();
    let mut leader = CenteredPca::<f64, 6, 4>::new(settings.with_read_out(ReadOut::Leader));
    let mut tracker = TrackingPca::<f64, 6, 4, 6>::new(TrackingSettings::unscaled(0.3).unwrap().without_ceiling());
    let (mut total, mut lost, mut tracked) = (0.0, 0.0, 0.0);
    for _ in 0..300 {
        // The adversary of [WK08] section 7, with axes of different lengths.
        let probe = |i| axis(i, (1.0 - 0.01 * i as f64).sqrt());
        let scores: [f64; 6] = core::array::from_fn(|i| leader.score(&probe(i)).unwrap());
        let sample = probe((0..6).max_by(|&i, &j| scores[i].total_cmp(&scores[j])).unwrap());
        total += energy(&sample);
        lost += leader.score(&sample).unwrap();
        tracked += tracker.score(&sample).unwrap();
        leader.learn(&sample).unwrap();
        tracker.learn(&sample).unwrap();
    }
    assert!(
        lost > 0.99 * total && tracked < 0.5 * total,
        "of {total}: leader {lost}, tracking {tracked}"
    );
}

#[test]
fn tracking_pca_on_samples_along_the_axes_is_capped_hedge() {
    let rng = &mut generator(41);
    for rate in [0.1, 1.0, 6.0] {
        let settings = TrackingSettings::unscaled(rate).unwrap().without_ceiling();
        let mut pca = TrackingPca::<f64, 6, 2, 6>::new(settings);
        let mut hedge = Hedge::<f64, 6>::new(HedgeSettings::new(rate).unwrap().with_set_size(4).unwrap());
        for trial in 0..300 {
            let (index, length) = (below(rng, 6), f64::uniform(rng));
            let score = pca.score(&axis(index, length)).unwrap();
            let wanted = hedge.step(&axis(index, length * length)).unwrap();
            assert!(
                (score - wanted).abs() < tolerance::SAME,
                "rate {rate}, trial {trial}: {score}, not {wanted}"
            );
            pca.learn(&axis(index, length)).unwrap();
        }
    }
}

#[test]
fn tracking_pca_that_drops_one_direction_minimises_variance() {
    let rng = &mut generator(42);
    let mut pca = TrackingPca::<f64, 4, 3, 4>::new(TrackingSettings::unscaled(0.7).unwrap().without_ceiling());
    let mut minimizer = VarianceMinimizer::<f64, 4>::new(VarianceSettings::new(0.7).unwrap());
    for trial in 0..300 {
        let sample: [f64; 4] = core::array::from_fn(|_| 0.5 * symmetric(rng));
        let x = SMatrix::<f64, 4, 1>::from(sample);
        let covariance = x * x.transpose();
        let (score, wanted) = (
            pca.score(&sample).unwrap(),
            minimizer.expected_variance(&covariance).unwrap(),
        );
        assert!(
            (score - wanted).abs() < tolerance::SAME,
            "trial {trial}: {score}, not {wanted}"
        );
        pca.learn(&sample).unwrap();
        minimizer.learn(&covariance).unwrap();
    }
}

#[test]
fn a_learning_rate_that_is_not_positive_and_finite_is_refused() {
    for rate in [0.0, -0.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let refused = SettingsError::LearningRate;
        assert_eq!(TrackingSettings::unscaled(rate), Err(refused), "{rate}");
        assert_eq!(DensitySettings::new(rate), Err(refused), "{rate}");
        assert_eq!(CenteredSettings::unscaled(rate), Err(refused), "{rate}");
        assert_eq!(VarianceSettings::new(rate), Err(refused), "{rate}");
        assert_eq!(
            HedgeSettings::new(rate).and_then(|settings| settings.with_set_size(2)),
            Err(refused),
            "{rate}"
        );
    }
}
