//! A kernel component with fewer points than samples.

use crate::{Stationary, cosine, direction};
use eigenstream::hebbian::{Eviction, FeatureVectors, GhaSettings, KernelGha, KernelOja, Norm, PointBudget};
use eigenstream::kernel::{Gaussian, Kernel, Linear};

const SPREAD: [f64; 4] = [1.0, 0.4, 0.2, 0.1];
const POINTS: usize = 16;

/// A rate at which FIFO loses the component: rate · variance · POINTS = 0.02 · 1 · 16 is below one.
const SLOW: f32 = 0.02;
/// A rate at which FIFO keeps the component: 0.25 · 1 · 16 = 4 is above one.
const QUICK: f32 = 0.25;

/// Returns |cos| of the angle between the component w and the first direction, and ‖w‖².
fn outcome(seed: u64, rate: f32, budget: PointBudget) -> (f64, f64) {
    let mut stream = Stationary::new(seed, SPREAD);
    let mut oja = KernelOja::<f32, _, 4, POINTS>::new(Linear, GhaSettings::unscaled(rate).unwrap(), budget);
    for sample in stream.samples(5_000) {
        oja.learn(&sample.map(|value| value as f32)).unwrap();
    }
    let components = oja.expansion();
    let mut w = [0.0; 4];
    for (point, &coefficient) in components.points().iter().zip(components.coefficients(0)) {
        for i in 0..4 {
            w[i] += f64::from(coefficient) * f64::from(point[i]);
        }
    }
    (cosine(&w, &direction::<4>(0)), f64::from(components.norms_squared()[0]))
}

#[test]
fn the_default_point_budget_keeps_a_component_that_fifo_loses() {
    for seed in 0..10 {
        let (cosine, norm) = outcome(seed, SLOW, PointBudget::DEFAULT);
        assert!(cosine >= 0.98 && norm > 0.9, "seed {seed}: |cos| {cosine}, ‖w‖² {norm}");
        let (_, norm) = outcome(seed, SLOW, PointBudget::new(Eviction::Fifo, Norm::Reduced));
        assert!(
            norm < 1e-6,
            "seed {seed}: FIFO should have lost the component, ‖w‖² {norm}"
        );
    }
}

#[test]
fn fifo_keeps_the_component_at_a_high_learning_rate() {
    for seed in 0..10 {
        let (cosine, norm) = outcome(seed, QUICK, PointBudget::new(Eviction::Fifo, Norm::Reduced));
        assert!(cosine >= 0.8 && norm > 0.1, "seed {seed}: |cos| {cosine}, ‖w‖² {norm}");
    }
}

/// Evicts a point with the coefficient 1 from a component. Returns the squared length of the component and the
/// new coefficient of the point that had the coefficient `left`.
fn after_eviction(left: f32) -> (f32, f32) {
    let budget = PointBudget::new(Eviction::Fifo, Norm::Preserved);
    let mut expansion = FeatureVectors::<f32, _, 2, 1, 2>::new(Linear, budget);
    expansion.push(&[1.0, 0.0], [1.0]).unwrap();
    expansion.push(&[0.0, 1.0], [left]).unwrap();
    expansion.push(&[0.0, 1.0], [0.0]).unwrap();
    (expansion.norms_squared()[0], expansion.coefficients(0)[0])
}

#[test]
fn a_component_that_loses_nearly_all_its_length_is_scaled_back() {
    // The difference of two squared lengths can be only rounding error, so the remaining length is computed from the
    // points.
    for left in [1e-1, 1e-3, 1e-4, 1e-5, 2e-6] {
        let (norm, coefficient) = after_eviction(left);
        assert!(
            (norm - 1.0).abs() < 1e-2 && (coefficient - 1.0).abs() < 1e-2,
            "{left}: {norm}, {coefficient}"
        );
    }
    // A component that keeps less than one millionth of its length is not scaled back.
    assert_eq!(after_eviction(1e-7).1, 1e-7);
    assert_eq!(after_eviction(0.0), (0.0, 0.0));
}

#[test]
fn a_sum_of_points_that_cancels_is_not_scaled_up() {
    let budget = PointBudget::new(Eviction::Fifo, Norm::Preserved);
    let mut expansion = FeatureVectors::<f32, _, 3, 1, 3>::new(Linear, budget);
    expansion.push(&[0.0, 0.0, 1.0], [1.0]).unwrap();
    expansion.push(&[0.3, 0.7, 0.0], [0.1]).unwrap();
    expansion.push(&[0.1, 0.7 / 3.0, 0.0], [-0.3]).unwrap();
    // Without the first point, the others cancel up to rounding, and their sum must not be scaled to length one.
    expansion.push(&[0.0; 3], [0.0]).unwrap();
    assert!(
        expansion.coefficients(0).iter().all(|a| a.abs() < 0.31),
        "{expansion:?}"
    );
}

#[test]
fn the_length_stays_exact_in_a_long_run_with_every_point_budget() {
    let gaussian = Gaussian::new(0.5_f32).unwrap();
    for (eviction, norm) in [
        (Eviction::Fifo, Norm::Preserved),
        (Eviction::Fifo, Norm::Reduced),
        (Eviction::LeastContribution, Norm::Preserved),
        (Eviction::LeastContribution, Norm::Reduced),
    ] {
        let budget = PointBudget::new(eviction, norm);
        let mut oja = KernelOja::<f32, _, 4, 8>::new(gaussian, GhaSettings::unscaled(0.1).unwrap(), budget);
        for sample in Stationary::new(7, SPREAD).samples(30_000) {
            oja.learn(&sample.map(|value| value as f32)).unwrap();
        }
        let components = oja.expansion();
        let (points, weights) = (components.points(), components.coefficients(0));
        let mut exact = 0.0;
        for (left, &a) in points.iter().zip(weights) {
            for (right, &b) in points.iter().zip(weights) {
                exact += f64::from(a) * f64::from(b) * f64::from(gaussian.value(left, right));
            }
        }
        let kept = f64::from(components.norms_squared()[0]);
        assert!((kept - exact).abs() < 1e-5, "{budget:?}: {kept}, not {exact}");
    }
}

/// A step can leave a squared length that is only rounding error. Scaling to it would make the component zero.
#[test]
fn a_component_is_never_scaled_to_zero() {
    for seed in 0..10 {
        let mut stream = Stationary::new(seed, [9.0, 2.25]);
        let mut gha =
            KernelGha::<f32, _, 2, 2, 6>::new(Linear, GhaSettings::unscaled(0.5).unwrap(), PointBudget::DEFAULT);
        for sample in stream.samples(50_000) {
            gha.learn(&sample.map(|value| value as f32)).unwrap();
        }
        let expansion = gha.expansion();
        for component in 0..2 {
            assert!(
                expansion.coefficients(component).iter().any(|&c| c != 0.0),
                "seed {seed}, {component}"
            );
        }
    }
}
