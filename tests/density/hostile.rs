//! Samples and starts that are refused, and extreme samples that must be learned.

use super::*;

#[test]
fn a_refused_call_changes_nothing() {
    let mut rng = rng(2);
    let settings = DensitySettings::new(1.0_f32).unwrap();
    let mut pca = DensityPca::<f32, 3, 1>::new(settings.with_share(Share::PastPosteriors(0.1)).unwrap());
    for trial in 0..5 {
        pca.learn(&sample(&mut rng, trial)).unwrap();
    }
    let (before, generator_before) = (format!("{pca:?}"), rng.clone());

    let not_a_number = SampleError::NotANumber { channel: 1 };
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let broken = [0.0, value, 0.0];
        assert_eq!(pca.step(&broken, &mut rng), Err(not_a_number));
        assert_eq!(pca.learn(&broken), Err(not_a_number));
        assert_eq!(pca.score(&broken), Err(not_a_number));
        assert_eq!(pca.residual(&broken), Err(not_a_number));
        assert_eq!(pca.transform(&broken), Err(not_a_number));
        let mut matrix = SMatrix::<f32, 3, 3>::identity();
        matrix[(1, 2)] = value;
        let refusal = MatrixError::NotANumber { row: 1, column: 2 };
        assert_eq!(pca.learn_instance(&matrix), Err(refusal));
        assert_eq!(pca.score_instance(&matrix), Err(refusal));
        assert_eq!(pca.start_from(&(matrix / 3.0), &mut Eigen::new()), Err(refusal));
    }
    assert_eq!(
        pca.inverse_transform(&[f32::NAN]),
        Err(SampleError::NotANumber { channel: 0 })
    );
    assert_eq!(pca.learn(&[1e30, 0.0, 0.0]), Err(SampleError::TooLarge { channel: 0 }));
    assert_eq!(
        pca.learn_instance(&SMatrix::repeat(f32::MAX)),
        Err(MatrixError::Overflow)
    );
    let mut start = |start: SMatrix<f32, 3, 3>| pca.start_from(&start, &mut Eigen::new());
    assert_eq!(start(SMatrix::identity()), Err(MatrixError::Trace));
    assert_eq!(
        start(SMatrix::from_diagonal(&SVector::<f32, 3>::new(0.5, 0.5, 0.0))),
        Err(MatrixError::NotPositiveDefinite)
    );
    assert_eq!(
        start(SMatrix::from_diagonal(&SVector::<f32, 3>::new(0.75, 0.75, -0.5))),
        Err(MatrixError::NotPositiveDefinite)
    );
    assert_eq!(format!("{pca:?}"), before);
    assert_eq!(rng, generator_before);
}

fn check_hostile<T: Scalar, const DIM: usize, const KEEP: usize>(settings: DensitySettings<T>) {
    let number = T::from_f64;
    // A sample whose entries are all `huge` has a finite energy.
    let huge = T::MAX.sqrt() / number(2.0 * DIM as f64);
    let streams: [fn(usize, usize, f64) -> f64; 6] = [
        |_, _, _| 0.0,
        |_, _, huge| huge,
        |_, _, _| 1e-30,
        |_, channel, _| [0.5, -0.25, 0.125][channel % 3],
        |trial, channel, huge| if trial % 3 == channel { huge } else { 0.0 },
        |trial, channel, _| {
            if trial.is_multiple_of(2) {
                1.0
            } else {
                channel as f64 * 1e-3
            }
        },
    ];
    let mut pca = DensityPca::<T, DIM, KEEP>::new(settings);
    for stream in streams {
        for trial in 0..30 {
            let sample = core::array::from_fn(|channel| number(stream(trial, channel, huge.to_f64())));
            let score = pca.score(&sample).unwrap();
            let residual = pca.residual(&sample).unwrap();
            assert!(score.is_finite() && score >= T::ZERO && residual.iter().all(|entry| entry.is_finite()));
            pca.learn(&sample).unwrap();
        }
        check_invariants(&pca);
    }
    pca.learn_instance(&SMatrix::repeat(T::MAX / number(1e4))).unwrap();
    pca.learn_instance(&SMatrix::repeat(-T::MAX / number(1e4))).unwrap();
    check_invariants(&pca);
}

#[test]
fn zero_constant_tiny_and_huge_samples_are_learned() {
    for learning_rate in [1e-30, 1.0, 1e6, 1e30] {
        let settings = DensitySettings::new(learning_rate).unwrap();
        check_hostile::<f32, 2, 1>(settings);
        check_hostile::<f32, 6, 2>(settings);
        check_hostile::<f32, 4, 3>(settings.with_share(Share::Uniform(1e-3)).unwrap());
        check_hostile::<f32, 4, 1>(settings.with_share(Share::PastAverage(1e-3)).unwrap());
        check_hostile::<f32, 4, 1>(settings.with_share(Share::PastPosteriors(1.0)).unwrap());
    }
    check_hostile::<f64, 6, 2>(DensitySettings::new(1e300).unwrap());
}

#[test]
fn a_huge_instance_is_learned_at_any_rate() {
    for learning_rate in [1.0, 1e6, 1e30] {
        let mut pca = learner::<f32, 3, 1>(learning_rate);
        let axis = SMatrix::<f32, 3, 3>::from_diagonal(&SVector::from([1.0, 0.0, 0.0]));
        pca.learn_instance(&(axis * (f32::MAX / 1e4))).unwrap();
        let score = pca.score_instance(&axis).unwrap();
        assert!(score < 1e-6, "rate {learning_rate:e}: {score}");
    }
}

fn check_one_huge_sample<T: Scalar>(learning_rate: f64) {
    let mut pca = learner::<T, 3, 1>(learning_rate);
    let huge = T::MAX.sqrt() * T::from_f64(0.99);
    pca.learn(&[T::ZERO, huge, T::ZERO]).unwrap();
    assert!(pca.score(&[T::ZERO, T::ONE, T::ZERO]).unwrap() < T::EPSILON);
    assert!(pca.score(&[T::ONE, T::ZERO, T::ZERO]).unwrap() > T::from_f64(0.99));
    // By rounding, the square of a coordinate in a direction may overflow although the energy is finite.
    let mut rng = rng(13);
    for trial in 0..500 {
        let direction = sample::<T, 3>(&mut rng, trial);
        let energy = direction.iter().fold(T::ZERO, |sum, &x| sum + x * x);
        let largest = direction.map(|x| x / energy.sqrt() * T::MAX.sqrt());
        if let Ok(score) = pca.score(&largest) {
            assert!(score.is_finite() && score >= T::ZERO);
            pca.learn(&largest).unwrap();
        }
    }
    check_invariants(&pca);
}

#[test]
fn a_sample_at_the_end_of_the_number_range_is_learned() {
    for learning_rate in [1.0, 1e10, 1e30] {
        check_one_huge_sample::<f32>(learning_rate);
        check_one_huge_sample::<f64>(learning_rate);
    }
}
