//! What becomes of a component whose points are fewer than its samples.

use crate::{Stationary, cosine, direction};
use eigenstream::hebbian::{Eviction, FeatureVectors, GhaSettings, KernelGha, KernelOja, Norm, PointBudget};
use eigenstream::kernel::{Gaussian, Kernel, Linear};

const SPREAD: [f64; 4] = [1.0, 0.4, 0.2, 0.1];
const POINTS: usize = 16;

/// η·λ₁·M = 0.02 · 1 · 16 < 1.
const SLOW: f32 = 0.02;
/// η·λ₁·M = 0.25 · 1 · 16 = 4.
const QUICK: f32 = 0.25;

/// |cos| with the first direction, and ‖w‖².
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
fn the_default_memory_keeps_the_component_where_fifo_loses_it() {
    for seed in 0..10 {
        let (cosine, norm) = outcome(seed, SLOW, PointBudget::DEFAULT);
        assert!(cosine >= 0.98 && norm > 0.9, "seed {seed}: |cos| {cosine}, ‖w‖² {norm}");
        let (_, norm) = outcome(seed, SLOW, PointBudget::new(Eviction::Fifo, Norm::Reduced));
        assert!(norm < 1e-6, "seed {seed}: fifo should have died, ‖w‖² {norm}");
    }
}

#[test]
fn fifo_keeps_the_component_where_the_points_it_has_outweigh_those_it_loses() {
    for seed in 0..10 {
        let (cosine, norm) = outcome(seed, QUICK, PointBudget::new(Eviction::Fifo, Norm::Reduced));
        assert!(cosine >= 0.8 && norm > 0.1, "seed {seed}: |cos| {cosine}, ‖w‖² {norm}");
    }
}

/// Length and output of a component whose oldest point, of length one, goes and leaves a second of this length.
fn after_losing_nearly_all(left: f32) -> (f32, f32) {
    let budget = PointBudget::new(Eviction::Fifo, Norm::Preserved);
    let mut expansion = FeatureVectors::<f32, _, 2, 1, 2>::new(Linear, budget);
    expansion.push(&[1.0, 0.0], [1.0]).unwrap();
    expansion.push(&[0.0, 1.0], [left]).unwrap();
    expansion.push(&[0.0, 1.0], [0.0]).unwrap();
    (expansion.norms_squared()[0], expansion.coefficients(0)[0])
}

#[test]
fn a_component_that_lost_nearly_all_its_length_in_f32_is_brought_back() {
    // Below 64 roundings of `f32` the difference of the lengths is noise: it has to come from the points.
    for left in [1e-1, 1e-3, 1e-4, 1e-5, 2e-6] {
        let (norm, coefficient) = after_losing_nearly_all(left);
        assert!(
            (norm - 1.0).abs() < 1e-2 && (coefficient - 1.0).abs() < 1e-2,
            "{left}: {norm}, {coefficient}"
        );
    }
    // A millionth of the length is where the rule gives up.
    assert_eq!(after_losing_nearly_all(1e-7).1, 1e-7);
    assert_eq!(after_losing_nearly_all(0.0), (0.0, 0.0));
}

#[test]
fn points_that_cancel_are_no_component() {
    let budget = PointBudget::new(Eviction::Fifo, Norm::Preserved);
    let mut expansion = FeatureVectors::<f32, _, 3, 1, 3>::new(Linear, budget);
    expansion.push(&[0.0, 0.0, 1.0], [1.0]).unwrap();
    expansion.push(&[0.3, 0.7, 0.0], [0.1]).unwrap();
    expansion.push(&[0.1, 0.7 / 3.0, 0.0], [-0.3]).unwrap();
    // Only their roundings are left when the first goes, and those are not made a component of.
    expansion.push(&[0.0; 3], [0.0]).unwrap();
    assert!(
        expansion.coefficients(0).iter().all(|a| a.abs() < 0.31),
        "{expansion:?}"
    );
}

#[test]
fn lengths_are_those_of_the_points_after_a_long_run_with_every_memory() {
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

/// At this rate a step can leave a squared length that is only rounding error. A component that is scaled to such a length is zero
/// for ever, and its score is ‖x‖².
#[test]
fn no_component_is_scaled_to_zero() {
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
