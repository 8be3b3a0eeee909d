//! Hebbian learners on kernel expansions; with the linear kernel they equal the learners on vectors.

use crate::{Stationary, dot};
use eigenstream::Learner;
use eigenstream::hebbian::{
    Apex, ApexSettings, Eviction, FeatureVectors, Gha, GhaSettings, KernelApex, KernelGha, KernelOja, Norm, Oja,
    PointBudget,
};
use eigenstream::kernel::{Gaussian, Kernel, Linear, Polynomial};

const SPREAD: [f64; 4] = [1.0, 0.6, 0.3, 0.1];

/// A component as a vector: the sum of its points, each times its coefficient.
fn vector<K, const KEEP: usize, const POINTS: usize>(
    expansion: &FeatureVectors<f64, K, 4, KEEP, POINTS>,
    component: usize,
) -> [f64; 4] {
    let terms = expansion.points().iter().zip(expansion.coefficients(component));
    terms.fold([0.0; 4], |sum, (point, &coefficient)| {
        core::array::from_fn(|i| sum[i] + coefficient * point[i])
    })
}

fn exact_product<K: Kernel<f64, 4>, const KEEP: usize, const POINTS: usize>(
    kernel: &K,
    expansion: &FeatureVectors<f64, K, 4, KEEP, POINTS>,
    p: usize,
    q: usize,
) -> f64 {
    let mut sum = 0.0;
    for (left, &a) in expansion.points().iter().zip(expansion.coefficients(p)) {
        for (right, &b) in expansion.points().iter().zip(expansion.coefficients(q)) {
            sum += a * b * kernel.value(left, right);
        }
    }
    sum
}

#[test]
fn kernel_gha_with_the_linear_kernel_equals_gha() {
    for beta in [1.0, 2.0, 3.5] {
        let settings = GhaSettings::DEFAULT.with_deflation_factor(beta).unwrap();
        let mut linear = Gha::<f64, 4, 3>::new(settings);
        let mut kernel = KernelGha::<f64, _, 4, 3, 100>::new(Linear, settings, PointBudget::DEFAULT);
        for sample in Stationary::new(1, SPREAD).samples(100) {
            let (wanted, given) = (linear.step(&sample).unwrap(), kernel.step(&sample).unwrap());
            assert!((wanted.loss - given.loss).abs() < 1e-12);
            for p in 0..3 {
                assert!((wanted.code[p] - given.code[p]).abs() < 1e-12);
            }
        }
        for p in 0..3 {
            let given = vector(kernel.expansion(), p);
            for i in 0..4 {
                assert!((linear.components()[(i, p)] - given[i]).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn kernel_oja_and_kernel_apex_with_the_linear_kernel_equal_oja_and_apex() {
    let settings = ApexSettings::unscaled(0.1).unwrap().with_span(40);
    let mut linear = Apex::<f64, 4, 3>::new(settings);
    let mut kernel = KernelApex::<f64, _, 4, 3, 60>::new(Linear, settings, PointBudget::DEFAULT);
    let mut oja = Oja::<f64, 4>::new(GhaSettings::unscaled(0.1).unwrap());
    let mut kernel_oja =
        KernelOja::<f64, _, 4, 120>::new(Linear, GhaSettings::unscaled(0.1).unwrap(), PointBudget::DEFAULT);
    for sample in Stationary::new(2, SPREAD).samples(120) {
        let (wanted, given) = (linear.step(&sample).unwrap().code, kernel.step(&sample).unwrap().code);
        for p in 0..3 {
            assert!((wanted[p] - given[p]).abs() < 1e-12);
        }
        let (wanted, given) = (oja.step(&sample).unwrap(), kernel_oja.step(&sample).unwrap());
        assert!((wanted.code[0] - given.code[0]).abs() < 1e-12);
        assert!((wanted.loss - given.loss).abs() < 1e-12);
    }
    for p in 0..3 {
        let given = vector(&kernel.weights()[p], 0);
        let wanted = linear.weights()[p].columns();
        for i in 0..4 {
            assert!((wanted[i] - given[i]).abs() < 1e-12);
        }
        for (wanted, given) in linear.feedback(p).iter().zip(kernel.feedback(p)) {
            assert!((wanted - given).abs() < 1e-12);
        }
    }
    assert_eq!((linear.finished(), kernel.finished()), (2, 2));
}

#[test]
fn lengths_and_losses_equal_the_sums_over_the_points() {
    fn check<K: Kernel<f64, 4> + Copy>(kernel: K) {
        for eviction in [Eviction::Fifo, Eviction::LeastContribution] {
            for norm in [Norm::Preserved, Norm::Reduced] {
                let budget = PointBudget::new(eviction, norm);
                let mut gha = KernelGha::<f64, K, 4, 2, 8>::new(kernel, GhaSettings::DEFAULT, budget);
                for sample in Stationary::new(3, SPREAD).samples(300) {
                    let code = gha.transform(&sample).unwrap();
                    let components = gha.expansion();
                    let product = |p, q| exact_product(&kernel, components, p, q);
                    let energy = kernel.norm_squared(&sample);
                    let mut loss = energy - 2.0 * dot(&code, &code);
                    for p in 0..2 {
                        assert!((components.norms_squared()[p] - product(p, p)).abs() < 1e-9);
                        for q in 0..2 {
                            loss += code[p] * code[q] * product(p, q);
                        }
                    }
                    assert_eq!(Learner::energy(&gha, &sample).unwrap(), energy);
                    let score = gha.step(&sample).unwrap().loss;
                    assert!(
                        score >= 0.0 && (score - loss).abs() < 1e-9 * (1.0 + energy),
                        "{score}, not {loss}"
                    );
                }
            }
        }
    }
    check(Linear);
    check(Gaussian::new(0.5).unwrap());
    check(Polynomial::new(1.0, 2).unwrap());
}

#[test]
fn the_residual_of_a_kernel_learner_is_largest_in_the_broken_channel() {
    let mut gha =
        KernelGha::<f32, _, 4, 3, 24>::new(Gaussian::new(1.0).unwrap(), GhaSettings::DEFAULT, PointBudget::DEFAULT);
    for sample in Stationary::new(5, [0.3, 0.2, 0.1, 0.1]).samples(500) {
        gha.learn(&sample.map(|value| value as f32)).unwrap();
    }
    for channel in 0..4 {
        // If the channel is 40, the kernel value of the sample and any point rounds to zero.
        for off in [1.5_f32, -1.5, 40.0] {
            let mut sample = [0.02_f32, -0.03, 0.01, 0.0];
            sample[channel] = off;
            let residual = gha.residual(&sample).unwrap();
            let score = f64::from(gha.score(&sample).unwrap());
            assert!((dot(&residual, &residual) - score).abs() < 1e-5);
            assert!(residual[channel].signum() == off.signum());
            let others: f64 = dot(&residual, &residual) - f64::from(residual[channel]).powi(2);
            assert!(others < 0.2 * score, "channel {channel} at {off}: {residual:?}");
        }
    }
}
