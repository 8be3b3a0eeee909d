//! Recursive least squares agrees with a direct computation and stays accurate on difficult features.
#![expect(clippy::unwrap_used, reason = "a failed property is a failed test")]

#[path = "support/mod.rs"]
mod support;

use eigenstream::kernel::{GramWindow, KernelRidge, Linear, RidgeSettings};
use eigenstream::nalgebra::{SMatrix, SVector};
use eigenstream::regression::{LeastSquaresSettings, RecursiveLeastSquares};
use eigenstream::spectrum::Cholesky;
use eigenstream::{Codec, Forgetting, Scalar};
use support::{DEVIATIONS, rng, symmetric};

const FEATURES: usize = 3;
const RIDGE: f64 = 0.05;

fn settings<T: Scalar>(memory: Option<f64>) -> LeastSquaresSettings<T> {
    let forgetting = memory.map_or(Forgetting::NONE, |length| {
        Forgetting::memory(T::from_f64(length)).unwrap()
    });
    LeastSquaresSettings::new(T::from_f64(RIDGE))
        .unwrap()
        .with_forgetting(forgetting)
}

/// The features, value and weight of a sample.
type Row = ([f64; FEATURES], f64, f64);

/// Weighted ridge regression from all samples, in `f64`.
struct Direct {
    samples: Vec<Row>,
    ridge: [f64; FEATURES],
}

impl Direct {
    fn learn(&mut self, features: [f64; FEATURES], value: f64, factor: f64) {
        self.samples.iter_mut().for_each(|(.., weight)| *weight *= factor);
        self.samples.push((features, value, 1.0));
        self.ridge.iter_mut().for_each(|ridge| *ridge *= factor);
        let axis = (self.samples.len() - 1) % FEATURES;
        self.ridge[axis] += FEATURES as f64 * (1.0 - factor) * RIDGE;
    }

    fn predict(&self, features: &[f64; FEATURES]) -> (f64, Option<f64>) {
        let total: f64 = self.samples.iter().map(|(.., weight)| weight).sum();
        let squares: f64 = self.samples.iter().map(|(.., weight)| weight * weight).sum();
        let mean_of =
            |entry: &dyn Fn(&Row) -> f64| self.samples.iter().map(|row| row.2 * entry(row)).sum::<f64>() / total;
        let center: [f64; FEATURES] = std::array::from_fn(|i| mean_of(&|row| row.0[i]));
        let mean = mean_of(&|row| row.1);
        let mut matrix = SMatrix::<f64, FEATURES, FEATURES>::from_diagonal(&SVector::from(self.ridge));
        let mut right = [0.0; FEATURES];
        for (features, value, weight) in &self.samples {
            let row = SVector::from(*features) - SVector::from(center);
            matrix += row * row.transpose() * *weight;
            right
                .iter_mut()
                .zip(row.iter())
                .for_each(|(sum, entry)| *sum += weight * entry * (value - mean));
        }
        let mut cholesky = Cholesky::<f64, FEATURES>::new();
        cholesky.decompose(&matrix).unwrap();
        let mut weights = right;
        cholesky.solve(&mut weights);
        let mut error: f64 = (0..FEATURES).map(|i| self.ridge[i] * weights[i] * weights[i]).sum();
        for (features, value, weight) in &self.samples {
            let expected: f64 = (0..FEATURES).map(|i| weights[i] * (features[i] - center[i])).sum();
            error += weight * (value - mean - expected).powi(2);
        }
        let deviation: [f64; FEATURES] = std::array::from_fn(|i| features[i] - center[i]);
        let mut solved = deviation;
        cholesky.solve(&mut solved);
        let leverage: f64 = (0..FEATURES).map(|i| deviation[i] * solved[i]).sum();
        let freedom = total - (FEATURES + 1) as f64 * squares / total;
        let variance = error / freedom * (1.0 + squares / total * (1.0 / total + leverage));
        let value = mean + (0..FEATURES).map(|i| weights[i] * deviation[i]).sum::<f64>();
        (value, (freedom > 1e-3).then(|| variance.sqrt()))
    }
}

fn sample(random: &mut impl eigenstream::rand_core::Rng) -> ([f64; FEATURES], f64) {
    let features = [
        2.0 + symmetric(random),
        3.0 * symmetric(random),
        symmetric(random) - 1.0,
    ];
    let noise = 0.3 * symmetric(random);
    (
        features,
        1.0 + 2.0 * features[0] - features[1] + 0.5 * features[2] + noise,
    )
}

fn agrees_with_direct<T: Scalar>(memory: Option<f64>, tolerance: f64) {
    let random = &mut rng(31);
    let mut sensor = RecursiveLeastSquares::<T, FEATURES>::new(settings(memory));
    let mut direct = Direct {
        samples: Vec::new(),
        ridge: [RIDGE; FEATURES],
    };
    let factor = memory.map_or(1.0, |length| T::from_f64(1.0 - 1.0 / length).to_f64());
    for time in 0..300 {
        let (features, value) = sample(random);
        sensor.learn(&features.map(T::from_f64), T::from_f64(value)).unwrap();
        direct.learn(features, value, factor);
        let (probe, _) = sample(random);
        let prediction = sensor.predict(&probe.map(T::from_f64)).unwrap();
        let (value, deviation) = direct.predict(&probe);
        assert!(
            (prediction.value.to_f64() - value).abs() < tolerance,
            "{time}: {prediction:?} {value}"
        );
        assert_eq!(prediction.deviation.is_some(), deviation.is_some(), "{time}");
        if let (Some(is), Some(wanted)) = (prediction.deviation, deviation) {
            assert!((is.to_f64() - wanted).abs() < tolerance, "{time}: {is:?} {wanted}");
        }
    }
}

#[test]
fn recursive_least_squares_equals_weighted_ridge_regression() {
    for memory in [None, Some(40.0), Some(6.0)] {
        agrees_with_direct::<f64>(memory, 1e-11);
        agrees_with_direct::<f32>(memory, 2e-5);
    }
}

#[test]
fn with_mean_zero_least_squares_equals_linear_kernel_ridge() {
    let random = &mut rng(32);
    let mut window = GramWindow::<f64, Linear, FEATURES, 20>::new(Linear);
    let mut sensor = RecursiveLeastSquares::<f64, FEATURES>::new(settings(None));
    let mut targets = [0.0; 20];
    for pair in 0..10 {
        let (features, value) = sample(random);
        // Each sample comes with both signs, so that the means are zero, because kernel ridge has no intercept.
        for (place, sign) in [(2 * pair, 1.0), (2 * pair + 1, -1.0)] {
            window.push(&features.map(|entry| sign * entry)).unwrap();
            targets[place] = sign * value;
            sensor.learn(&features.map(|entry| sign * entry), sign * value).unwrap();
        }
    }
    let mut cholesky = Cholesky::new();
    let mut ridge = KernelRidge::new(Linear, RidgeSettings::new(RIDGE).unwrap());
    ridge.fit(&window, &targets, &mut cholesky).unwrap();
    let (probe, _) = sample(random);
    let prediction = sensor.predict(&probe).unwrap();
    assert!((prediction.value - ridge.predict(&probe).unwrap()).abs() < 1e-11);
    // The variance of kernel ridge at the probe x equals ρ·xᵀ(Σ xᵢxᵢᵀ + ρI)⁻¹x, with ρ = `RIDGE` and the features xᵢ.
    let leverage = ridge.variance(&probe, &cholesky).unwrap() / RIDGE;
    let noise = sensor.noise().unwrap();
    let wanted = noise * (1.0 + 1.0 / 20.0 + leverage).sqrt();
    assert!((prediction.deviation.unwrap() - wanted).abs() < 1e-10);
}

#[test]
fn nineteen_of_twenty_values_are_within_two_standard_deviations() {
    let random = &mut rng(33);
    let mut sensor = RecursiveLeastSquares::<f32, FEATURES>::new(settings(Some(200.0)));
    let (mut inside, mut asked) = (0, 0);
    for _ in 0..5_000 {
        let (features, clean) = sample(random);
        let value = clean + 0.2 * (0..12).map(|_| symmetric(random)).sum::<f64>();
        let prediction = sensor.step(&features.map(|entry| entry as f32), value as f32).unwrap();
        if let Some(deviation) = prediction.deviation {
            asked += 1;
            inside += usize::from((value as f32 - prediction.value).abs() <= 1.96 * deviation);
        }
    }
    let spread = (0.95 * 0.05 / f64::from(asked as u32)).sqrt();
    let part = f64::from(inside as u32) / f64::from(asked as u32);
    assert!((part - 0.95).abs() < DEVIATIONS * spread, "{part}");
}

#[test]
fn constant_features_do_not_make_the_prediction_diverge() {
    let random = &mut rng(34);
    let mut sensor = RecursiveLeastSquares::<f32, FEATURES>::new(settings(Some(50.0)));
    let mut live = |sensor: &mut RecursiveLeastSquares<f32, FEATURES>, count: usize| {
        for _ in 0..count {
            let (features, value) = sample(random);
            sensor.learn(&features.map(|entry| entry as f32), value as f32).unwrap();
        }
    };
    live(&mut sensor, 500);
    let probe = [2.5_f32, 1.0, -1.0];
    let moving = sensor.predict(&probe).unwrap();
    for time in 0..200_000_u32 {
        let noise = [0.1, -0.1, 0.05, -0.05][time as usize % 4];
        sensor.learn(&[2.0, 0.0, -1.0], 4.5 + noise).unwrap();
    }
    let constant = sensor.predict(&[2.0, 0.0, -1.0]).unwrap();
    assert!((constant.value - 4.5).abs() < 0.02, "{constant:?}");
    assert!((0.07..0.1).contains(&constant.deviation.unwrap()), "{constant:?}");
    // Only the constant samples still count, so the deviation is larger at `probe`. The ridge limits it there.
    let away = sensor.predict(&probe).unwrap();
    assert!(away.deviation.unwrap() > 3.0 * constant.deviation.unwrap(), "{away:?}");
    assert!(away.deviation.unwrap() < 1.0, "{away:?}");
    assert!(sensor.weights().iter().all(|weight| weight.abs() < 1e-3));
    live(&mut sensor, 500);
    let again = sensor.predict(&probe).unwrap();
    assert!((again.value - moving.value).abs() < 0.2, "{again:?} {moving:?}");
}

#[test]
fn features_that_are_collinear_and_far_from_zero_are_accepted() {
    let random = &mut rng(35);
    let mut sensor = RecursiveLeastSquares::<f32, FEATURES>::new(settings(Some(1_000.0)));
    for _ in 0..100_000 {
        let swing = symmetric(random) as f32;
        let features = [256.0 + swing, 512.0 - 2.0 * swing, swing];
        sensor.learn(&features, 1_000.0 + 3.0 * swing).unwrap();
    }
    let prediction = sensor.predict(&[256.25, 511.5, 0.25]).unwrap();
    assert!((prediction.value - 1_000.75).abs() < 2e-3, "{prediction:?}");
}

#[test]
fn predictions_stay_accurate_over_a_million_samples() {
    let random = &mut rng(36);
    let mut single = RecursiveLeastSquares::<f32, FEATURES>::new(settings(Some(500.0)));
    let mut double = RecursiveLeastSquares::<f64, FEATURES>::new(settings(Some(500.0)));
    for _ in 0..1_000_000 {
        let (features, value) = sample(random);
        single.learn(&features.map(|entry| entry as f32), value as f32).unwrap();
        double.learn(&features, value).unwrap();
    }
    for (single, double) in single.weights().into_iter().zip(double.weights()) {
        // The tolerance is one rounding error for each of the 500 samples of the memory.
        let tolerance = 500.0 * f64::from(f32::EPSILON);
        assert!((f64::from(single) - double).abs() < tolerance, "{single} {double}");
    }
}

#[test]
fn predictions_without_forgetting_stay_accurate_in_a_long_run() {
    let random = &mut rng(37);
    let mut single = RecursiveLeastSquares::<f32, FEATURES>::new(settings(None));
    let mut double = RecursiveLeastSquares::<f64, FEATURES>::new(settings(None));
    for _ in 0..300_000 {
        let (features, value) = sample(random);
        single.learn(&features.map(|entry| entry as f32), value as f32).unwrap();
        double.learn(&features, value).unwrap();
    }
    for (single, double) in single.weights().into_iter().zip(double.weights()) {
        // A rounding bias of ε/4 (ε = machine epsilon) in each square root would change the weights by 1 %.
        assert!((f64::from(single) / double - 1.0).abs() < 2e-3, "{single} {double}");
    }
}

/// Each sample moves the means by about 1e-5, but `f32` numbers near 4096 are 5e-4 apart.
#[test]
fn a_relation_far_from_zero_is_followed_after_many_samples() {
    let forgetting = |settings: LeastSquaresSettings<f32>| settings.with_forgetting(Forgetting::memory(1e5).unwrap());
    let mut sensor = RecursiveLeastSquares::<f32, 1>::new(forgetting(LeastSquaresSettings::DEFAULT));
    let mut rng = rng(29);
    for time in 0..1_000_000 {
        let late = f32::from(time >= 300_000_u32);
        let swing = symmetric(&mut rng) as f32;
        sensor
            .learn(&[4096.0 + swing + late], 4096.0 + swing + 3.0 * late)
            .unwrap();
    }
    // The samples before the change have the part e^(−7) of all weight.
    let prediction = sensor.predict(&[4097.0]).unwrap();
    assert!((prediction.value - 4099.0).abs() < 0.02, "{prediction:?}");
    assert!(
        prediction.deviation.is_some_and(|deviation| deviation < 0.1),
        "{prediction:?}"
    );
    assert!((sensor.weights()[0] - 1.0).abs() < 0.02, "{:?}", sensor.weights());
}

#[test]
fn extreme_samples_are_refused_or_predicted_with_finite_numbers() {
    let extremes = [
        0.0,
        1e-45,
        f32::MIN_POSITIVE,
        1.0,
        -1.0,
        1e18,
        -1e19,
        f32::MAX,
        f32::NAN,
        f32::INFINITY,
    ];
    for memory in [None, Some(1.000_001), Some(3.0), Some(1e6)] {
        let mut sensor = RecursiveLeastSquares::<f32, 2>::new(settings(memory));
        let mut image = [0; RecursiveLeastSquares::<f32, 2>::ENCODED_LEN];
        for first in extremes {
            for second in extremes {
                for value in extremes {
                    if let Ok(prediction) = sensor.step(&[first, second], value) {
                        assert!(prediction.value.is_finite());
                        assert!(prediction.deviation.is_none_or(|it| it.is_finite() && it >= 0.0));
                    }
                    assert!(sensor.weights().iter().all(|weight| weight.is_finite()));
                    sensor.encode(&mut image).unwrap();
                    assert!(
                        RecursiveLeastSquares::<f32, 2>::decode(&image).is_ok(),
                        "{first} {second} {value}"
                    );
                }
            }
        }
    }
}
