//! Extreme samples and learning rates: no result is NaN or infinite, and a refused sample changes nothing.

use core::fmt::Debug;

use crate::{Stationary, length};
use eigenstream::hebbian::{
    Apex, ApexSettings, Eviction, FeatureVectors, Gha, GhaSettings, KernelApex, KernelGha, Norm, Oja, PointBudget,
    RateSettings,
};
use eigenstream::kernel::{Gaussian, Polynomial};
use eigenstream::{Learner, SampleError};

const BUDGETS: [PointBudget; 4] = [
    PointBudget::new(Eviction::Fifo, Norm::Preserved),
    PointBudget::new(Eviction::Fifo, Norm::Reduced),
    PointBudget::new(Eviction::LeastContribution, Norm::Preserved),
    PointBudget::new(Eviction::LeastContribution, Norm::Reduced),
];

fn learn_all<const DIM: usize>(learner: &mut impl Learner<f32, DIM>, samples: &[[f32; DIM]], what: &str) {
    for (t, sample) in samples.iter().enumerate() {
        let score = learner.score(sample).unwrap();
        assert!(score.is_finite() && score >= 0.0, "{what}, sample {t}: score {score}");
        let residual = learner.residual(sample).unwrap();
        assert!(
            residual.iter().all(|entry| entry.is_finite()),
            "{what}, sample {t}: {residual:?}"
        );
        learner.learn(sample).unwrap();
    }
}

fn streams(count: usize) -> Vec<(&'static str, Vec<[f32; 3]>)> {
    let mut stream = Stationary::new(1, [1.0, 0.5, 0.2]);
    let ordinary: Vec<[f32; 3]> = stream
        .samples(200)
        .iter()
        .map(|s| s.map(|value| value as f32))
        .collect();
    let scaled = |factor: f32| {
        ordinary
            .iter()
            .map(|sample| sample.map(|value| factor * value))
            .collect()
    };
    let turn = |t: usize| match t % 5 {
        0 => [0.0; 3],
        1 => ordinary[t].map(|value| 1e18 * value),
        2 => ordinary[t].map(|value| 1e-18 * value),
        3 => [1e-40, 0.0, -1e-40],
        _ => ordinary[t],
    };
    vec![
        ("ordinary", ordinary.clone()),
        ("zero", vec![[0.0; 3]; count]),
        ("constant", vec![[0.3, -0.2, 0.9]; count]),
        ("huge", scaled(3e18)),
        ("tiny", scaled(1e-18)),
        ("subnormal", scaled(1e-40)),
        ("everything", (0..count).map(turn).collect()),
    ]
}

#[test]
fn a_linear_learner_stays_finite_for_any_rate_and_stream() {
    for rate in [1e-38, 1e-3, 1.0, 1e6, f32::MAX] {
        for settings in [RateSettings::constant, RateSettings::falling, RateSettings::new] {
            let rate = settings(rate).unwrap();
            for (name, samples) in streams(200) {
                let what = format!("{name}, {rate:?}");
                let settings = GhaSettings::DEFAULT.with_rate(rate);
                let mut oja = Oja::<f32, 3>::new(settings);
                for sample in &samples {
                    oja.learn(sample).unwrap();
                    let norm = length(oja.components().as_slice()).powi(2);
                    assert!(norm <= 2.0 + 1e-4, "{what}: {norm}");
                }
                for beta in [1.0, 2.0, 7.5, 1e30, f32::MAX] {
                    let mut gha = Gha::<f32, 3, 3>::new(settings.with_deflation_factor(beta).unwrap());
                    learn_all(&mut gha, &samples, &what);
                    let components = gha.components();
                    assert!(
                        components.column_iter().all(|w| length(w.as_slice()) <= 4.001),
                        "{what}: {components}"
                    );
                }
                let mut apex = Apex::<f32, 3, 3>::new(ApexSettings::DEFAULT.with_rate(rate).with_span(60));
                learn_all(&mut apex, &samples, &what);
                let components = apex.components();
                assert!(
                    components.column_iter().all(|w| length(w.as_slice()) <= 4.001),
                    "{what}: {components}"
                );
            }
        }
    }
}

#[test]
fn a_kernel_learner_stays_finite_for_any_rate_and_stream() {
    for rate in [1e-3, 1.0, f32::MAX] {
        let (constant, automatic) = (RateSettings::constant(rate), RateSettings::new(rate));
        for rate in [constant.unwrap(), automatic.unwrap()] {
            for budget in BUDGETS {
                for (name, samples) in streams(60) {
                    let what = format!("{name}, {rate:?}, {budget:?}");
                    let settings = GhaSettings::DEFAULT.with_rate(rate);
                    for beta in [3.5, 1e15, f32::MAX] {
                        let settings = settings.with_deflation_factor(beta).unwrap();
                        learn_all(
                            &mut KernelGha::<f32, _, 3, 3, 5>::new(Gaussian::DEFAULT, settings, budget),
                            &samples,
                            &format!("{what}, beta {beta}"),
                        );
                    }
                    // A learner with the cubic kernel refuses huge samples, so it gets no stream with them.
                    let gaussian = Gaussian::new(0.5).unwrap();
                    learn_all(
                        &mut KernelGha::<f32, _, 3, 2, 5>::new(gaussian, settings, budget),
                        &samples,
                        &what,
                    );
                    learn_all(
                        &mut KernelGha::<f32, _, 3, 1, 1>::new(gaussian, settings, budget),
                        &samples,
                        &what,
                    );
                    if name != "huge" && name != "everything" {
                        let cubic = Polynomial::new(1.0, 3).unwrap();
                        learn_all(
                            &mut KernelGha::<f32, _, 3, 2, 5>::new(cubic, settings, budget),
                            &samples,
                            &what,
                        );
                    }
                    let settings = ApexSettings::DEFAULT.with_rate(rate).with_span(20);
                    learn_all(
                        &mut KernelApex::<f32, _, 3, 2, 1>::new(gaussian, settings, budget),
                        &samples,
                        &what,
                    );
                    learn_all(
                        &mut KernelApex::<f32, _, 3, 2, 5>::new(gaussian, settings, budget),
                        &samples,
                        &what,
                    );
                }
            }
        }
    }
}

fn check_refusals<L: Learner<f32, 3> + Debug>(mut learner: L) {
    for sample in Stationary::new(2, [1.0, 0.5, 0.2]).samples(20) {
        learner.learn(&sample.map(|value| value as f32)).unwrap();
    }
    let before = format!("{learner:?}");
    for channel in 0..3 {
        for broken in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut sample = [0.25; 3];
            sample[channel] = broken;
            let refused = SampleError::NotANumber { channel };
            assert_eq!(learner.learn(&sample), Err(refused));
            assert_eq!(learner.score(&sample), Err(refused));
            assert_eq!(learner.residual(&sample), Err(refused));
        }
        let mut sample = [1.0; 3];
        sample[channel] = -3e19;
        assert_eq!(learner.learn(&sample), Err(SampleError::TooLarge { channel }));
    }
    assert_eq!(format!("{learner:?}"), before);
}

#[test]
fn a_refused_sample_changes_nothing() {
    let gaussian = Gaussian::new(0.5).unwrap();
    check_refusals(Oja::new(GhaSettings::DEFAULT));
    check_refusals(Gha::<f32, 3, 2>::new(GhaSettings::DEFAULT));
    check_refusals(Apex::<f32, 3, 2>::new(ApexSettings::DEFAULT.with_span(10)));
    check_refusals(KernelGha::<f32, _, 3, 2, 6>::new(
        gaussian,
        GhaSettings::DEFAULT,
        PointBudget::DEFAULT,
    ));
    check_refusals(KernelApex::<f32, _, 3, 2, 6>::new(
        gaussian,
        ApexSettings::DEFAULT.with_span(10),
        PointBudget::DEFAULT,
    ));
}

#[test]
fn a_sample_is_refused_if_its_kernel_value_overflows() {
    let cubic = Polynomial::new(1.0_f32, 3).unwrap();
    let mut gha = KernelGha::<f32, _, 3, 2, 6>::new(cubic, GhaSettings::DEFAULT, PointBudget::DEFAULT);
    gha.learn(&[1.0, 2.0, 0.5]).unwrap();
    let before = format!("{gha:?}");
    let refused = Err(SampleError::TooLarge { channel: 1 });
    assert_eq!(gha.learn(&[0.0, 1e15, 1.0]), refused);
    assert_eq!(gha.step(&[0.0, 1e15, 1.0]).map(|_| ()), refused);
    assert_eq!(gha.start_at(&[0.0, 1e15, 1.0]), refused);
    assert_eq!(format!("{gha:?}"), before);
}

#[test]
fn a_function_that_is_not_a_kernel_causes_no_nan() {
    // This function is neither symmetric nor positive definite, and sometimes returns NaN.
    let wild = |left: &[f32; 3], right: &[f32; 3]| match (left[0] * 100.0) as i32 % 7 {
        0 => f32::NAN,
        1 => -1e30,
        2 => right[1] * 1e10,
        _ => left[2] - right[0],
    };
    for budget in BUDGETS {
        let mut gha = KernelGha::<f32, _, 3, 2, 6>::new(wild, GhaSettings::unscaled(1e3).unwrap(), budget);
        for sample in Stationary::new(3, [1.0, 0.5, 0.2]).samples(500) {
            let sample = sample.map(|value| value as f32);
            if let Ok(response) = gha.step(&sample) {
                assert!(response.loss.is_finite() && response.loss >= 0.0);
                assert!(response.code.iter().all(|output| output.is_finite()));
            }
            let components = gha.expansion();
            assert!((0..2).all(|p| components.coefficients(p).iter().all(|a| a.is_finite())));
        }
    }
}

#[test]
fn gha_keeps_everything_with_as_many_components_as_channels() {
    let mut gha = Gha::<f64, 2, 2>::new(GhaSettings::DEFAULT);
    for sample in Stationary::new(4, [1.0, 0.5]).samples(2_000) {
        gha.learn(&sample).unwrap();
    }
    assert!(gha.score(&[0.6, 0.8]).unwrap() < 0.02);
}

#[test]
fn a_kernel_learner_is_like_a_new_one_after_a_reset() {
    let gaussian = Gaussian::new(0.5).unwrap();
    let mut gha = KernelGha::<f32, _, 3, 2, 6>::new(gaussian, GhaSettings::DEFAULT, PointBudget::DEFAULT);
    let samples: Vec<[f32; 3]> = streams(200).remove(0).1;
    let run = |gha: &mut KernelGha<f32, Gaussian<f32>, 3, 2, 6>| -> Vec<f32> {
        samples.iter().map(|sample| gha.step(sample).unwrap().loss).collect()
    };
    let first = run(&mut gha);
    gha.reset();
    assert_eq!(gha.samples_seen(), 0);
    assert_eq!(first, run(&mut gha));
}

#[test]
fn learners_can_be_sent_and_cloned() {
    fn check<L: Send + Clone + Debug + 'static>(_: &L) {}
    check(&Gha::<f32, 3, 2>::new(GhaSettings::DEFAULT));
    check(&Apex::<f32, 3, 2>::new(ApexSettings::DEFAULT));
    check(&KernelGha::<f32, _, 3, 2, 6>::new(
        Gaussian::new(0.5_f32).unwrap(),
        GhaSettings::DEFAULT,
        PointBudget::DEFAULT,
    ));
}

#[test]
fn a_start_whose_squared_length_underflows_is_ignored() {
    let mut apex = Apex::<f32, 3, 2>::new(ApexSettings::DEFAULT);
    apex.learn(&[0.0, 2.0, 0.0]).unwrap();
    let before = format!("{apex:?}");
    for tiny in [0.0, 1e-30, 1e-20, -1e-21] {
        apex.start_at(&[tiny, 0.0, 0.0]).unwrap();
        assert_eq!(format!("{apex:?}"), before, "{tiny}");
    }
    apex.start_at(&[1e-18, 0.0, 0.0]).unwrap();
    assert_eq!(apex.components()[(0, 0)], 1.0);
}

#[test]
fn a_replaced_component_uses_the_kernel_of_the_learner() {
    let (wide, narrow) = (Gaussian::new(0.1_f32).unwrap(), Gaussian::new(10.0).unwrap());
    let fifo = PointBudget::new(Eviction::Fifo, Norm::Reduced);
    let mut component = FeatureVectors::new(narrow, fifo);
    component.push(&[0.0; 3], [0.5]).unwrap();
    component.push(&[1.0, 0.0, 0.0], [0.5]).unwrap();
    let mut apex = KernelApex::<f32, _, 3, 1, 4>::new(wide, ApexSettings::DEFAULT, PointBudget::DEFAULT);
    let fresh = apex.clone();
    apex.replace(component);
    // With the kernel `wide`, the squared length of half the sum of both points is ¼ + ¼ + ½·exp(−0.1).
    let norm = apex.weights()[0].norms_squared()[0];
    assert!((norm - 0.952_418_7).abs() < 1e-6, "{norm}");
    apex.reset();
    let samples: Vec<[f32; 3]> = streams(200).remove(0).1;
    let run = |mut apex: KernelApex<f32, Gaussian<f32>, 3, 1, 4>| -> Vec<f32> {
        samples.iter().map(|sample| apex.step(sample).unwrap().loss).collect()
    };
    assert_eq!(run(apex), run(fresh));
}
