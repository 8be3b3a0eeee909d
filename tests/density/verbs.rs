//! The methods of density PCA agree with each other.

use super::*;

type Sampled = DensityPca<f32, 4, 2>;
type Step = fn(&mut Sampled, &[f32; 4], &mut Xoshiro128PlusPlus) -> Result<Trial<f32, 2>, SampleError>;

fn check_sampling(step: Step) {
    // By Hoeffding's inequality, the mean of 5,000 losses in [0, 1] differs from the expected loss by more than 0.046
    // for at most two seeds in 10⁹.
    const DRAWS: usize = 5000;
    const SLACK: f64 = 0.046;
    let mut rng = rng(11);
    let mut pca = Sampled::new(DensitySettings::new(1.0).unwrap());
    for trial in 0..10 {
        pca.learn(&sample(&mut rng, trial)).unwrap();
    }
    let probe = [0.5_f32, -0.5, 0.5, 0.5];
    let expected = pca.score(&probe).unwrap();
    let mut total = 0.0;
    for _ in 0..DRAWS {
        let trial = step(&mut pca.clone(), &probe, &mut rng).unwrap();
        assert_eq!(trial.expected_loss, expected);
        let coded: f32 = trial.code.iter().map(|code| code * code).sum();
        close(f64::from(trial.loss + coded), 1.0, 1e-6, "loss and code");
        total += f64::from(trial.loss);
    }
    close(total / DRAWS as f64, f64::from(expected), SLACK, "mean loss");
}

#[test]
fn the_expected_loss_is_the_mean_of_the_losses() {
    check_sampling(Sampled::step);
    check_sampling(Sampled::step_with_corners);
}

#[test]
fn a_start_is_taken_over_and_capped() {
    let mut rng = rng(4);
    let mut start = SMatrix::<f64, 4, 4>::identity() * 0.2;
    for trial in 0..3 {
        start += instance::<f64, 4>(&mut rng, trial) * 0.05;
    }
    start /= start.trace();
    let mut pca = learner::<f64, 4, 2>(1.0);
    pca.learn(&[1.0, 0.0, 0.0, 0.0]).unwrap();
    pca.start_from(&start, &mut Eigen::new()).unwrap();
    assert_eq!(pca.samples_seen(), 0);
    assert!((density(&pca) - start).abs().max() < tolerance::SUM * f64::EPSILON);

    // The eigenvalue 0.7 is lowered to 1/2, the limit. The others get the sum 1/2, in the proportion 3 : 2 : 1.
    let heavy = SMatrix::from_diagonal(&SVector::<f64, 4>::new(0.05, 0.7, 0.15, 0.1));
    pca.start_from(&heavy, &mut Eigen::new()).unwrap();
    let want = SMatrix::from_diagonal(&SVector::<f64, 4>::new(0.5 / 6.0, 0.5, 0.25, 1.0 / 6.0));
    assert!((density(&pca) - want).abs().max() < tolerance::SUM * f64::EPSILON);
}

#[test]
fn the_squared_length_of_the_residual_is_the_score() {
    let mut rng = rng(9);
    let mut pca = learner::<f32, 5, 2>(1.0);
    for trial in 0..30 {
        let sample = sample::<f32, 5>(&mut rng, trial);
        let squares: f32 = pca.residual(&sample).unwrap().iter().map(|r| r * r).sum();
        close(
            squares.into(),
            pca.score(&sample).unwrap().into(),
            1e-6,
            "sum of squares",
        );
        assert_eq!(Learner::score(&pca, &sample), pca.score(&sample));
        assert_eq!(Learner::residual(&pca, &sample), pca.residual(&sample));
        Learner::learn(&mut pca, &sample).unwrap();
    }
}

#[test]
fn inverse_transform_of_transform_projects_on_the_components() {
    let mut rng = rng(10);
    let mut pca = learner::<f64, 6, 2>(2.0);
    for trial in 0..30 {
        pca.learn(&sample(&mut rng, trial)).unwrap();
    }
    let probe = sample::<f64, 6>(&mut rng, 0);
    let v = pca.components();
    let want = v * v.transpose() * SVector::from(probe);
    let back = pca.inverse_transform(&pca.transform(&probe).unwrap()).unwrap();
    assert!((SVector::from(back) - want).abs().max() < 1e-14);
}

#[test]
fn a_density_learner_learns_like_a_new_one_after_a_reset() {
    for share in [
        Share::Nothing,
        Share::Uniform(0.01),
        Share::PastAverage(0.01),
        Share::PastPosteriors(0.01),
    ] {
        let settings = DensitySettings::new(1.0_f32).unwrap().with_share(share).unwrap();
        let mut fresh = DensityPca::<f32, 5, 2>::new(settings);
        let mut used = fresh.clone();
        let mut rng = rng(12);
        for trial in 0..20 {
            used.learn(&sample(&mut rng, trial)).unwrap();
        }
        used.reset();
        for trial in 0..20 {
            let sample = sample::<f32, 5>(&mut rng, trial);
            assert_eq!(used.score(&sample), fresh.score(&sample), "{share:?}");
            used.learn(&sample).unwrap();
            fresh.learn(&sample).unwrap();
        }
        assert_eq!(used.keep_probabilities(), fresh.keep_probabilities());
        assert_eq!(used.samples_seen(), 20);
    }
}

#[test]
fn the_size_in_memory_is_the_sum_of_the_fields() {
    const N: usize = 20;
    let words = N * N // directions
        + 2 * N // evidence and drop probabilities
        + 1 // whether evidence and drop probabilities exist
        + N * N + 4 * N + 1 // eigensolver
        + N * N // workspace
        + N * N // mean of the past
        + 1 // number of matrices in this mean
        + 5 // settings: rate, share and its kind, ceiling; the excess, without its rounding
        + 2; // samples seen
    let bytes = size_of::<DensityPca<f32, N, 2>>();
    // The compiler may pad the size to a multiple of eight bytes, or use spare bits for a flag.
    assert!(bytes.abs_diff(4 * words) <= 8, "{bytes} bytes, not {}", 4 * words);
}
