//! Properties of online kernel PCA that hold for every stream.

use super::support::DEVIATIONS;
use super::{in_both_precisions, losses, rng, samples, settings, tolerance};
use eigenstream::Scalar;
use eigenstream::bounds::Bounds;
use eigenstream::kernel::{Ambient, Gaussian, Kernel, Linear, OnlineKernelPca, Polynomial};
use eigenstream::spectrum::orthogonality_error;

/// For each sample: the losses with `Points` and `Infinite`, and whether Σ(1 − exp(−rate·λ)) over the eigenvalues λ has
/// reached KEEP.
fn side_by_side<T: Scalar, K: Kernel<T, 3> + Copy>(kernel: K, rate: f64, seed: u64) -> Vec<(f64, f64, bool)> {
    let build = |ambient| OnlineKernelPca::<T, K, 3, 2, 24, 24>::new(kernel, settings(rate).with_ambient(ambient));
    let (mut points, mut infinite) = (build(Ambient::Points), build(Ambient::Infinite));
    let trial = |sample: &[T; 3]| {
        let losses = (
            points.score(sample).unwrap().to_f64(),
            infinite.score(sample).unwrap().to_f64(),
        );
        let enough: f64 = infinite
            .spectrum()
            .iter()
            .map(|value| 1.0 - (-rate * value.to_f64()).exp())
            .sum();
        points.learn(sample).unwrap();
        infinite.learn(sample).unwrap();
        (losses.0, losses.1, enough >= 2.0)
    };
    samples::<T, 3>(40, seed).iter().map(trial).collect()
}

fn check_ambients<T: Scalar>() {
    let slack = tolerance::ROUNDING * T::EPSILON.to_f64();
    let mut agreed = 0;
    for (seed, rate) in [(1, 0.1), (2, 0.5), (3, 1.0), (4, 5.0), (5, 50.0)] {
        let runs = [
            side_by_side::<T, _>(Gaussian::DEFAULT, rate, seed),
            side_by_side::<T, _>(Linear, rate, seed),
            side_by_side::<T, _>(Polynomial::new(T::HALF, 2).unwrap(), rate, seed),
        ];
        for (points, infinite, enough) in runs.concat() {
            assert!(
                points <= infinite + slack * infinite.max(1.0),
                "η = {rate}: {points} {infinite}"
            );
            if enough {
                agreed += 1;
                assert!((points - infinite).abs() <= slack * infinite.max(1.0));
            }
        }
    }
    assert!(agreed > 100, "the losses must agree in many trials");
}

in_both_precisions!(ambient_points_loses_no_more_than_ambient_infinite, check_ambients);

fn bounded<T: Scalar, const KEEP: usize>(gamma: f64, rate: f64, seed: u64) {
    let samples = samples::<T, 3>(32, seed);
    let kernel = Gaussian::new(T::from_f64(gamma)).unwrap();
    let mut pca = OnlineKernelPca::<T, _, 3, KEEP, 32, 32>::new(kernel, settings(rate));
    let total: f64 = losses(&mut pca, &samples).iter().sum();
    let best: f64 = pca.spectrum().iter().skip(KEEP).map(|value| value.to_f64()).sum();
    let bound = Bounds::<f64>::dimension_free(KEEP).loss(best, rate);
    let slack = tolerance::TOTAL * T::EPSILON.to_f64() * total;
    assert!(total <= bound + slack, "γ = {gamma}, η = {rate}: {total} above {bound}");
    assert!(total >= best - slack, "γ = {gamma}, η = {rate}: {total} below {best}");
}

#[test]
fn the_total_loss_stays_within_the_dimension_free_bound() {
    for seed in 0..3 {
        for gamma in [0.01, 1.0, 100.0] {
            for rate in [0.1, 1.0, 10.0] {
                bounded::<f64, 1>(gamma, rate, seed);
                bounded::<f32, 3>(gamma, rate, seed);
            }
        }
    }
}

#[test]
fn directions_stay_orthonormal_and_probabilities_sum_to_at_most_keep() {
    let mut pca = OnlineKernelPca::<f32, _, 3, 3, 16, 16>::new(Gaussian::DEFAULT, settings(2.0));
    for sample in samples::<f32, 3>(60, 7) {
        pca.learn(&sample).unwrap();
        let sum: f32 = pca.keep_probabilities().iter().sum();
        assert!(sum <= 3.0 + 1e-5);
        // The directions are orthonormal if VᵀKV = I, with their coefficients V and the Gram matrix K.
        let components = pca.components();
        let mut gram = eigenstream::nalgebra::SMatrix::<f32, 16, 16>::zeros();
        pca.window().gram(&mut gram);
        let product = components.transpose() * gram * components;
        let known = pca.keep_probabilities().iter().filter(|&&p| p > 0.0).count().min(3);
        let error = (0..known * known)
            .map(|i| (i / known, i % known))
            .fold(0.0_f32, |worst, (i, j)| {
                worst.max((product[(i, j)] - if i == j { 1.0 } else { 0.0 }).abs())
            });
        assert!(error < 1e-4, "{error}");
        assert!(orthogonality_error(&components, 0) == 0.0);
    }
}

type Step<K, const DIM: usize, const WINDOW: usize> =
    fn(
        &mut OnlineKernelPca<f64, K, DIM, 3, WINDOW, WINDOW>,
        &[f64; DIM],
        &mut rand_xoshiro::Xoshiro128PlusPlus,
    ) -> Result<eigenstream::Trial<f64, 3>, eigenstream::SampleError>;

/// Checks four early trials, in which fewer than KEEP directions may be drawn, and one with a full window.
fn check_drawn_losses(step: Step<Gaussian<f64>, 3, 12>) {
    let stream = samples::<f64, 3>(40, 8);
    let mut pca = OnlineKernelPca::<f64, _, 3, 3, 12, 12>::new(Gaussian::DEFAULT, settings(1.5));
    for (trial, sample) in stream.iter().enumerate() {
        if [1, 2, 3, 5, 39].contains(&trial) {
            let draws = 4000;
            let expected = pca.score(sample).unwrap();
            let (mut sum, mut squares) = (0.0, 0.0);
            let mut rng = rng(trial as u64);
            for _ in 0..draws {
                let outcome = step(&mut pca.clone(), sample, &mut rng).unwrap();
                assert!((outcome.expected_loss - expected).abs() < 1e-12);
                sum += outcome.loss;
                squares += outcome.loss * outcome.loss;
            }
            let mean = sum / f64::from(draws);
            let deviation = ((squares / f64::from(draws) - mean * mean).max(0.0) / f64::from(draws)).sqrt();
            let allowed = DEVIATIONS * deviation + 1e-9;
            assert!((mean - expected).abs() <= allowed, "trial {trial}: {mean} {expected}");
        }
        pca.learn(sample).unwrap();
    }
}

#[test]
fn the_mean_of_the_drawn_losses_is_the_expected_loss() {
    check_drawn_losses(OnlineKernelPca::step);
    check_drawn_losses(OnlineKernelPca::step_with_corners);
}

#[test]
fn every_direction_is_drawn_with_its_probability() {
    // The points are orthogonal, and their keep probabilities sum to less than 3.
    let points = [1.4_f64, 1.0, 0.7, 0.3].map(|length| length * length);
    let steps: [(&str, Step<Linear, 4, 4>); 2] = [
        ("systematic", OnlineKernelPca::step),
        ("corners", OnlineKernelPca::step_with_corners),
    ];
    for (draw, step) in steps {
        let mut pca = OnlineKernelPca::<f64, _, 4, 3, 4, 4>::new(Linear, settings(1.0));
        for (axis, energy) in points.into_iter().enumerate() {
            let mut point = [0.0; 4];
            point[axis] = energy.sqrt();
            pca.learn(&point).unwrap();
        }
        let wanted = points.map(|energy| 1.0 - (-energy).exp());
        assert!(wanted.iter().sum::<f64>() < 3.0);
        let (draws, mut rng) = (4000, rng(10));
        let mut kept = [0.0; 4];
        for _ in 0..draws {
            for (axis, kept) in kept.iter_mut().enumerate() {
                let mut probe = [0.0; 4];
                probe[axis] = 1.0;
                *kept += 1.0 - step(&mut pca.clone(), &probe, &mut rng).unwrap().loss;
            }
        }
        for (kept, wanted) in kept.into_iter().zip(wanted) {
            let allowed = DEVIATIONS * (wanted * (1.0 - wanted) / f64::from(draws)).sqrt();
            let share = kept / f64::from(draws);
            assert!((share - wanted).abs() <= allowed, "{draw}: {share}, not {wanted}");
        }
    }
}

#[test]
fn the_squared_length_of_the_kernel_residual_is_the_score() {
    let mut pca = OnlineKernelPca::<f64, _, 3, 2, 8, 8>::new(Gaussian::DEFAULT, settings(2.0));
    for sample in samples::<f64, 3>(30, 9) {
        for probe in [sample, [0.0; 3], [1e100, -1e100, 0.0]] {
            let residual = pca.residual(&probe).unwrap();
            let energy: f64 = residual.iter().map(|value| value * value).sum();
            assert!((energy - pca.score(&probe).unwrap()).abs() < 1e-12);
        }
        pca.learn(&sample).unwrap();
        let known = pca.residual(&sample).unwrap();
        assert!(
            known.iter().all(|&value| value == known[0]),
            "the residual of a stored point is equal in all channels"
        );
    }
}
