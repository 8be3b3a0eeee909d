//! Constant, redundant, tiny and huge streams, and samples that are refused.

use super::*;
use eigenstream::rand_core::Rng;

fn degenerate<T: Scalar, const DIM: usize>() -> Vec<Vec<[T; DIM]>> {
    let number = |value: f64| T::from_f64(value);
    let every_four = |channels: [T; 4]| std::array::from_fn(|i| channels[i % 4]);
    let line = |i: i32| every_four([1.0, -2.0, 0.5, 0.0].map(|slope| number(slope * f64::from(i))));
    let tiny = T::MIN_POSITIVE;
    let huge = T::MAX.sqrt() * number(1e-3);
    vec![
        vec![[T::ZERO; DIM]; 30],
        vec![[number(3.75); DIM]; 30],
        vec![every_four([number(-0.1), number(100.3), T::ZERO, tiny]); 30],
        (0..30).map(line).collect(),
        (0..30).map(|i| if i % 2 == 0 { line(1) } else { line(2) }).collect(),
        (0..30).map(|i| [number(f64::from(i % 3)) * tiny; DIM]).collect(),
        (0..30)
            .map(|i| every_four([number(f64::from(i % 3)) * huge, huge, -huge, T::ZERO]))
            .collect(),
        (0..30)
            .map(|i| std::array::from_fn(|j| number(f64::from(u8::from(i % DIM == j)))))
            .collect(),
    ]
}

fn check_degenerate<T: Scalar, const DIM: usize>() {
    for (stream, samples) in degenerate::<T, DIM>().iter().enumerate() {
        for settings in [
            CenteredSettings::DEFAULT,
            paper(1.0, Center::Fixed),
            leader(),
            paper(1e6, Center::Mean),
        ] {
            let mut pca = CenteredPca::<T, DIM, 2>::new(settings);
            let mut draws = rng(1);
            for sample in samples {
                let trial = pca.step(sample, &mut draws).unwrap();
                let numbers = [trial.loss, trial.expected_loss, pca.score(sample).unwrap()];
                assert!(
                    numbers.iter().chain(&trial.code).all(|number| number.is_finite()),
                    "stream {stream}"
                );
                assert_orthonormal(&pca.components(), format_args!("stream {stream}"));
                let sum = pca.keep_probabilities().iter().fold(0.0, |sum, p| sum + p.to_f64());
                assert!(
                    sum <= 2.0 + tolerance::ROUNDING * T::EPSILON.to_f64(),
                    "stream {stream}: {sum}"
                );
                let ratio = pca.explained_variance_ratio();
                assert!(
                    ratio.iter().all(|part| part.is_finite() && *part >= T::ZERO),
                    "stream {stream}"
                );
            }
        }
        let pca = batch::<T, DIM, 2>(samples, Centering::Centered);
        let numbers = pca.explained_variance_ratio();
        assert!(
            numbers.iter().all(|part| part.is_finite()) && pca.loss().is_finite(),
            "stream {stream}"
        );
    }
    for constant in &degenerate::<T, DIM>()[..3] {
        let pca = batch::<T, DIM, 2>(constant, Centering::Centered);
        assert_eq!(pca.explained_variance_ratio(), [T::ZERO; 2]);
        assert_eq!(pca.score(&constant[0]), Ok(T::ZERO));
    }
}

#[test]
fn constant_zero_and_redundant_channels_give_finite_results() {
    check_degenerate::<f32, 4>();
    check_degenerate::<f64, 4>();
    // With 12 channels the directions are updated from sample to sample.
    check_degenerate::<f32, 12>();
    check_degenerate::<f64, 12>();
}

#[test]
fn a_refused_sample_changes_neither_learner_nor_generator() {
    let samples = plane::<f32, 3>(10, 4);
    let refused = [
        ([0.0, f32::NAN, 0.0], SampleError::NotANumber { channel: 1 }),
        ([0.0, 0.0, f32::NEG_INFINITY], SampleError::NotANumber { channel: 2 }),
        ([1e20, 0.0, -2e20], SampleError::TooLarge { channel: 2 }),
        // With this value the scatter could overflow.
        ([0.0, 1.5e19, 0.0], SampleError::TooLarge { channel: 1 }),
    ];
    let mut online = CenteredPca::<f32, 3, 1>::new(CenteredSettings::DEFAULT);
    let mut gathered = BatchPca::<f32, 3, 1>::new(Centering::Centered);
    let mut draws = rng(1);
    for sample in &samples {
        online.step(sample, &mut draws).unwrap();
        gathered.learn(sample).unwrap();
    }
    let _ = gathered.fit();
    let before = format!("{online:?} {gathered:?} {draws:?}");
    for (sample, error) in refused {
        assert_eq!(online.step(&sample, &mut draws), Err(error));
        assert_eq!(online.learn(&sample), Err(error));
        assert_eq!(gathered.learn(&sample), Err(error));
        assert_eq!(
            online.reset_about(&[f32::NAN; 3]),
            Err(SampleError::NotANumber { channel: 0 })
        );
    }
    assert_eq!(format!("{online:?} {gathered:?} {draws:?}"), before);
}

#[test]
fn no_bit_pattern_causes_a_panic_or_nan() {
    let mut bits = rng(3);
    let mut online = CenteredPca::<f32, 3, 1>::new(CenteredSettings::DEFAULT);
    let mut draws = rng(4);
    for _ in 0..5_000 {
        let sample: [f32; 3] = std::array::from_fn(|_| f32::from_bits(bits.next_u32()));
        if let Ok(trial) = online.step(&sample, &mut draws) {
            let numbers = [trial.loss, trial.expected_loss, trial.code[0]];
            assert!(numbers.iter().all(|number| !number.is_nan()), "{sample:?}: {trial:?}");
        }
        assert!(
            online.keep_probabilities().iter().all(|p| (0.0..=1.0).contains(p)),
            "{sample:?}"
        );
        assert!(online.components().iter().all(|entry| entry.is_finite()), "{sample:?}");
    }
}

#[test]
fn an_offset_of_256_does_not_reduce_the_precision() {
    // Multiples of 1/4096 are exact in `f32` up to 2048.
    let grid = |value: f64| (value * 4096.0).round() / 4096.0;
    let near: Vec<[f64; 4]> = plane(400, 5)
        .into_iter()
        .map(|sample: [f64; 4]| sample.map(grid))
        .collect();
    let far: Vec<[f32; 4]> = near
        .iter()
        .map(|sample| sample.map(|value| (value + 256.0) as f32))
        .collect();
    let wanted = batch::<f64, 4, 2>(&near, Centering::Centered);
    let largest = wanted.eigenvalues()[0];

    let found = batch::<f32, 4, 2>(&far, Centering::Centered);
    for (&found, &wanted) in found.eigenvalues().iter().zip(wanted.eigenvalues().iter()) {
        assert!(
            (f64::from(found) - wanted).abs() < 1e-5 * largest,
            "{found}, not {wanted}"
        );
    }
    for (&found, &wanted) in found.mean().iter().zip(wanted.mean().iter()) {
        // The limit is about half the spacing of `f32` numbers near 256.
        assert!(
            (f64::from(found) - 256.0 - wanted).abs() < 1.6e-5,
            "{found}, not {wanted}"
        );
    }

    let mut online = CenteredPca::<f32, 4, 2>::new(CenteredSettings::DEFAULT);
    far.iter().for_each(|sample| online.learn(sample).unwrap());
    let (found, wanted) = (online.explained_variance(), wanted.explained_variance());
    assert!((0..2).all(|i| (f64::from(found[i]) - wanted[i]).abs() < 1e-5 * wanted[0]));
}

#[test]
fn default_settings_learn_alike_at_any_scale_of_the_samples() {
    let samples = plane::<f32, 5>(100, 6);
    let probabilities_at = |scale: f32| {
        let mut pca = CenteredPca::<f32, 5, 2>::new(CenteredSettings::DEFAULT);
        let scaled = samples.iter().map(|sample| sample.map(|value| value * scale));
        scaled.for_each(|sample| pca.learn(&sample).unwrap());
        pca.keep_probabilities()
    };
    // Scaling by powers of two does not round.
    let wanted = probabilities_at(1.0);
    assert!(wanted[1] > 0.9);
    for scale in [1.0 / 1_073_741_824.0, 1.0 / 1_024.0, 1_024.0, 1_073_741_824.0] {
        assert_eq!(probabilities_at(scale), wanted, "scale {scale}");
    }
}

#[test]
fn a_reset_learner_repeats_itself_bit_for_bit() {
    let samples = plane::<f32, 5>(40, 8);
    let mut pca = CenteredPca::<f32, 5, 2>::new(CenteredSettings::DEFAULT);
    let run = |pca: &mut CenteredPca<f32, 5, 2>| {
        let mut draws = rng(5);
        let trials: Vec<_> = samples
            .iter()
            .map(|sample| pca.step(sample, &mut draws).unwrap())
            .collect();
        (trials, format!("{pca:?}"))
    };
    let first = run(&mut pca);
    pca.reset();
    assert_eq!(pca.samples_seen(), 0);
    assert_eq!(run(&mut pca), first);
}
