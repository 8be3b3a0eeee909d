//! Oja, GHA and APEX on weight vectors.

use crate::{Stationary, cosine, direction, dot, length};
use eigenstream::ScaleSettings;
use eigenstream::hebbian::{Apex, ApexSettings, Gha, GhaSettings, Oja, RateSettings, Vectors};
use eigenstream::nalgebra::{Matrix3x2, SVector};

const SPREAD: [f64; 5] = [1.0, 0.7, 0.4, 0.2, 0.1];

fn gha_equation<const DIM: usize, const KEEP: usize>(
    weights: &mut [SVector<f64, DIM>; KEEP],
    sample: &[f64; DIM],
    rate: f64,
    beta: f64,
) -> [f64; KEEP] {
    let x = SVector::from(*sample);
    let old = *weights;
    let outputs = old.map(|w| w.dot(&x));
    for p in 0..KEEP {
        let mut learned = x - old[p] * outputs[p];
        for j in 0..p {
            learned -= old[j] * (beta * outputs[j]);
        }
        weights[p] += learned * (rate * outputs[p]);
    }
    outputs
}

#[test]
fn gha_follows_its_equation() {
    // With the deflation factor 3.5 and the rate 0.05, GHA would lower the rate to stay stable.
    for (beta, rate) in [(1.0, 0.05), (1.25, 0.05), (2.0, 0.05), (3.5, 0.005)] {
        let mut stream = Stationary::new(1, SPREAD);
        let settings = GhaSettings::unscaled(rate)
            .unwrap()
            .with_deflation_factor(beta)
            .unwrap();
        let mut gha = Gha::<f64, 5, 3>::new(settings);
        let starts = stream.samples(3);
        let mut wanted = [0, 1, 2].map(|p| SVector::from(starts[p]) / length(&starts[p]));
        for start in &starts {
            gha.start_at(start).unwrap();
        }
        for sample in stream.samples(500) {
            let outputs = gha_equation(&mut wanted, &sample, rate, beta);
            let code = gha.step(&sample).unwrap().code;
            for p in 0..3 {
                assert!((code[p] - outputs[p]).abs() < 1e-12);
            }
        }
        for (p, wanted) in wanted.iter().enumerate() {
            assert!(length((gha.components().column(p) - wanted).as_slice()) < 1e-12);
        }
    }
}

#[test]
fn apex_follows_its_equation() {
    let mut stream = Stationary::new(2, SPREAD);
    let frozen = SVector::from(direction::<5>(0)) * 1.1;
    let mut apex = Apex::<f64, 5, 2>::new(ApexSettings::unscaled(0.05).unwrap());
    apex.replace(Vectors::from_columns(&frozen).unwrap());
    let start = stream.sample();
    apex.start_at(&start).unwrap();
    let (mut w, mut a) = (SVector::from(start) / length(&start), 0.0);
    for sample in stream.samples(500) {
        let x = SVector::from(sample);
        let (y, code) = (frozen.dot(&x), apex.step(&sample).unwrap().code);
        let output = w.dot(&x) + a * y;
        w += (x - w * output) * (0.05 * output);
        a -= 0.05 * output * (y + output * a);
        assert!((code[0] - y).abs() < 1e-12 && (code[1] - output).abs() < 1e-12);
    }
    assert!(length((apex.weights()[1].columns() - w).as_slice()) < 1e-12);
    assert!((apex.feedback(1)[0] - a).abs() < 1e-12);
    assert!(length((apex.components().column(1) - (w + frozen * a)).as_slice()) < 1e-12);
}

#[test]
fn oja_converges_to_the_first_component() {
    for seed in 0..5 {
        let mut stream = Stationary::new(seed, SPREAD);
        let slow = GhaSettings::DEFAULT.with_rate(RateSettings::new(0.01).unwrap());
        let mut tracking = Oja::<f32, 5>::new(slow);
        let falling = GhaSettings::DEFAULT.with_rate(RateSettings::falling(5.0).unwrap());
        let mut settling = Oja::<f32, 5>::new(falling);
        for sample in stream.samples(5_000) {
            let sample = sample.map(|value| value as f32);
            tracking.learn(&sample).unwrap();
            settling.learn(&sample).unwrap();
        }
        let first = direction::<5>(0).map(|value| value as f32);
        assert!(cosine(tracking.components().as_slice(), &first) > 0.99, "seed {seed}");
        assert!(cosine(settling.components().as_slice(), &first) > 0.999, "seed {seed}");
    }
}

#[test]
fn gha_converges_to_the_first_components_in_order() {
    for beta in [1.0, 1.5, 2.0, 4.0] {
        for seed in 0..3 {
            let mut stream = Stationary::new(seed, SPREAD);
            let settings = GhaSettings::DEFAULT
                .with_rate(RateSettings::new(0.01).unwrap())
                .with_deflation_factor(beta)
                .unwrap();
            let mut gha = Gha::<f64, 5, 3>::new(settings);
            for sample in stream.samples(20_000) {
                gha.learn(&sample).unwrap();
            }
            for (p, column) in gha.components().column_iter().enumerate() {
                let cosine = cosine(column.as_slice(), &direction::<5>(p));
                assert!(cosine > 0.99, "beta {beta}, seed {seed}, component {p}: {cosine}");
                assert!((length(column.as_slice()) - 1.0).abs() < 0.02);
            }
        }
    }
}

#[test]
fn chained_apex_converges_to_the_first_components_in_order() {
    for seed in 0..3 {
        let mut stream = Stationary::new(seed, SPREAD);
        let rate = RateSettings::falling(20.0).unwrap().with_scale(ScaleSettings::DEFAULT);
        let settings = ApexSettings::DEFAULT.with_rate(rate).with_span(8_000);
        let mut apex = Apex::<f64, 5, 3>::new(settings);
        for sample in stream.samples(30_000) {
            apex.learn(&sample).unwrap();
        }
        assert_eq!(apex.finished(), 2);
        for (p, column) in apex.components().column_iter().enumerate() {
            let cosine = cosine(column.as_slice(), &direction::<5>(p));
            assert!(cosine > 0.99, "seed {seed}, component {p}: {cosine}");
        }
    }
}

#[test]
fn the_score_is_the_energy_of_the_residual() {
    let mut stream = Stationary::new(4, SPREAD);
    let mut gha = Gha::<f64, 5, 2>::new(GhaSettings::DEFAULT);
    let mut apex = Apex::<f64, 5, 2>::new(ApexSettings::DEFAULT.with_span(100));
    for sample in stream.samples(300) {
        let check = |score: f64, residual: [f64; 5], rebuilt: [f64; 5], loss: f64| {
            let left: [f64; 5] = core::array::from_fn(|i| sample[i] - rebuilt[i]);
            assert!((score - dot(&left, &left)).abs() < 1e-14);
            assert!((score - dot(&residual, &residual)).abs() < 1e-14);
            assert_eq!(score, loss);
        };
        let (score, residual) = (gha.score(&sample).unwrap(), gha.residual(&sample).unwrap());
        let rebuilt = gha.inverse_transform(&gha.transform(&sample).unwrap()).unwrap();
        check(score, residual, rebuilt, gha.step(&sample).unwrap().loss);
        let (score, residual) = (apex.score(&sample).unwrap(), apex.residual(&sample).unwrap());
        let rebuilt = apex.inverse_transform(&apex.transform(&sample).unwrap()).unwrap();
        check(score, residual, rebuilt, apex.step(&sample).unwrap().loss);
    }
}

#[test]
fn a_component_starts_at_the_first_new_direction() {
    let mut gha = Gha::<f64, 3, 2>::new(GhaSettings::DEFAULT);
    gha.learn(&[0.0, 0.0, 0.0]).unwrap();
    assert_eq!(gha.components(), Matrix3x2::repeat(0.0));
    gha.learn(&[2.0, 0.0, 0.0]).unwrap();
    gha.learn(&[-3.0, 0.0, 0.0]).unwrap();
    assert_eq!(gha.components(), Matrix3x2::new(1.0, 0.0, 0.0, 0.0, 0.0, 0.0));
    gha.learn(&[5.0, 0.0, 0.5]).unwrap();
    assert_eq!(gha.components(), Matrix3x2::new(1.0, 0.0, 0.0, 0.0, 0.0, 1.0));
    assert_eq!(gha.samples_seen(), 4);
}

#[test]
fn a_finished_apex_component_learns_no_more() {
    let mut apex = Apex::<f64, 3, 2>::new(ApexSettings::unscaled(0.1).unwrap());
    apex.finish();
    assert_eq!(apex.finished(), 0, "a component without a sample cannot be finished");
    apex.learn(&[1.0, 0.0, 0.0]).unwrap();
    apex.finish();
    apex.learn(&[0.0, 1.0, 0.0]).unwrap();
    apex.finish();
    assert_eq!(apex.finished(), 2);
    let before = apex.components();
    apex.learn(&[1.0, 1.0, 1.0]).unwrap();
    apex.replace(Vectors::from_columns(&SVector::from([0.0, 0.0, 1.0])).unwrap());
    assert_eq!((apex.components(), apex.samples_seen()), (before, 3));
    apex.reset();
    assert_eq!((apex.finished(), apex.score(&[1.0, 2.0, 2.0]).unwrap()), (0, 9.0));
}

#[test]
fn oja_follows_a_change_of_direction() {
    let mut oja = Oja::<f32, 3>::new(GhaSettings::DEFAULT);
    for direction in [[0.6_f32, 0.8, 0.0], [0.0, 0.6, 0.8]] {
        for t in 0..1_000 {
            let swing = if t % 2 == 0 { 1.0 } else { -1.0 };
            let noise = 0.05 * ((t % 5) as f32 - 2.0);
            oja.learn(&direction.map(|value| swing * value + noise)).unwrap();
        }
        assert!(cosine(oja.components().as_slice(), &direction) > 0.99);
    }
}
