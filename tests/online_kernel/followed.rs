//! Directions that are updated from sample to sample equal those that are computed anew from the window.

use super::{in_both_precisions, rng, settings, symmetric, tolerance};
use eigenstream::kernel::{Ambient, Gaussian, Kernel, Linear, OnlineKernelPca, OnlineKernelSettings, Polynomial};
use eigenstream::{Centering, Scalar};

const DIM: usize = 6;
const KEEP: usize = 2;

/// Samples near a plane that changes every 60 samples.
fn planes<T: Scalar>(count: usize, seed: u64) -> Vec<[T; DIM]> {
    let rng = &mut rng(seed);
    let mut plane = [[0.0; DIM]; 2];
    let mut sample = |trial: usize| {
        if trial.is_multiple_of(60) {
            plane = std::array::from_fn(|_| std::array::from_fn(|_| symmetric(rng)));
        }
        let strengths = [symmetric(rng), symmetric(rng)];
        let noise: [f64; DIM] = std::array::from_fn(|_| 0.05 * symmetric(rng));
        std::array::from_fn(|i| T::from_f64(strengths[0] * plane[0][i] + strengths[1] * plane[1][i] + noise[i]))
    };
    (0..count).map(&mut sample).collect()
}

/// The largest difference of losses between a learner that continues and one that is built from its window.
fn difference<T: Scalar, K: Kernel<T, DIM> + Copy, const WINDOW: usize, const RANK: usize>(
    kernel: K,
    settings: OnlineKernelSettings<T>,
    samples: &[[T; DIM]],
) -> f64 {
    let mut continued = OnlineKernelPca::<T, K, DIM, KEEP, WINDOW, RANK>::new(kernel, settings);
    let mut largest = 0.0_f64;
    for sample in samples {
        let mut fresh = OnlineKernelPca::<T, K, DIM, KEEP, WINDOW, RANK>::new(kernel, settings);
        for point in continued.window().oldest_first() {
            fresh.push(point).unwrap();
        }
        fresh.refresh();
        let losses = [continued.score(sample).unwrap(), fresh.score(sample).unwrap()].map(Scalar::to_f64);
        largest = largest.max((losses[0] - losses[1]).abs());
        continued.learn(sample).unwrap();
    }
    largest
}

fn check<T: Scalar>() {
    let samples = planes::<T>(150, 1);
    let allowed = tolerance::ROUNDING * T::EPSILON.to_f64();
    for centering in [Centering::Uncentered, Centering::Centered] {
        for ambient in [Ambient::Infinite, Ambient::Points] {
            let settings = settings::<T>(5.0).with_centering(centering).with_ambient(ambient);
            let gaussian = difference::<T, _, 24, 6>(Gaussian::DEFAULT, settings, &samples);
            let quadratic = difference::<T, _, 17, 7>(Polynomial::new(T::ONE, 2).unwrap(), settings, &samples);
            let linear = difference::<T, _, 16, 16>(Linear, settings, &samples);
            for (kernel, difference) in [("gaussian", gaussian), ("quadratic", quadratic), ("linear", linear)] {
                assert!(
                    difference <= allowed,
                    "{kernel}, {centering:?}, {ambient:?}: {difference:e} of {allowed:e}"
                );
            }
        }
    }
}

in_both_precisions!(updated_directions_equal_those_computed_anew, check);

#[test]
fn a_direction_orthogonal_to_all_others_is_found() {
    // All points lie on axes, so multiplying by the Gram matrix never leads from a direction on one axis to another.
    let mut samples = Vec::new();
    for trial in 0..90_u8 {
        let (axis, strength) = match trial % 3 {
            0 => (0, 1.0),
            1 => (usize::from(1 + trial % 2), 0.75),
            _ => (3, f32::from(trial) / 45.0),
        };
        let mut sample = [0.0; DIM];
        sample[axis] = strength;
        samples.push(sample);
    }
    let difference = difference::<f32, _, 24, 6>(Linear, settings(2.0), &samples);
    assert!(
        difference <= 4.0 * tolerance::ROUNDING * f64::from(f32::EPSILON),
        "{difference:e}"
    );
}

#[test]
fn directions_are_updated_rightly_at_any_scale_with_zeros_repeats_and_spikes() {
    for exponent in [-40, 0, 30] {
        let scale = 2.0_f64.powi(exponent);
        let samples: Vec<[f32; DIM]> = planes::<f64>(120, 2)
            .into_iter()
            .enumerate()
            .map(|(trial, sample)| {
                let factor = match trial % 40 {
                    10..16 => 0.0,
                    16..24 => return [(0.5 * scale) as f32; DIM],
                    30 => 64.0,
                    _ => 1.0,
                };
                sample.map(|value| (value * factor * scale) as f32)
            })
            .collect();
        let settings = settings(5.0 / (scale * scale));
        let difference = difference::<f32, _, 20, 6>(Linear, settings, &samples) / (scale * scale);
        let allowed = tolerance::ROUNDING * f64::from(f32::EPSILON) * 4096.0 * 3.0;
        assert!(difference <= allowed, "scale {scale:e}: {difference:e} of {allowed:e}");
    }
}

/// One sample that is 1,000 times longer raises the largest eigenvalue by several powers of ten.
#[test]
fn the_direction_of_a_spike_is_found() {
    for seed in 0..60 {
        let rng = &mut rng(seed);
        let settings = OnlineKernelSettings::new(50.0).unwrap();
        let mut pca = OnlineKernelPca::<f32, Linear, 4, 3, 24, 8>::new(Linear, settings);
        let plane: [[f64; 4]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| symmetric(rng)));
        for trial in 0..50 {
            let (first, second) = (symmetric(rng), symmetric(rng));
            let size = if trial == 30 { 1e3 } else { 1.0 };
            let sample = std::array::from_fn(|i| {
                let swing = first * plane[0][i] + second * plane[1][i];
                (size * swing + 0.1 * symmetric(rng)) as f32
            });
            pca.learn(&sample).unwrap();
            let probabilities = pca.keep_probabilities();
            let sum: f32 = probabilities.iter().sum();
            assert!(sum <= 3.001, "seed {seed}, trial {trial}: {probabilities:?}");
            assert!(
                probabilities.is_sorted_by(|above, below| above >= below),
                "seed {seed}, trial {trial}: {probabilities:?}"
            );
            let (found, whole) = (pca.eigenvalues()[0], pca.spectrum()[0]);
            assert!((found - whole).abs() <= 1e-4 * whole, "{found} is not {whole}");
        }
    }
}
