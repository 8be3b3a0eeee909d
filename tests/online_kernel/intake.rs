//! Tests of `push` and `refresh`: which samples enter the window, and the answers between the two calls.

use super::{rng, samples, settings};
use eigenstream::kernel::{Gaussian, Intake, Kernel, Linear, OnlineKernelPca, OnlineKernelSettings};
use eigenstream::{Centering, Scalar};

#[test]
fn push_and_refresh_equal_learn() {
    let mut whole = OnlineKernelPca::<f32, _, 3, 2, 10, 6>::new(Gaussian::DEFAULT, settings(3.0));
    let mut halves = whole.clone();
    let mut stepping = whole.clone();
    let mut chance = rng(1);
    for sample in samples::<f32, 3>(40, 1) {
        whole.learn(&sample).unwrap();
        assert_eq!(halves.push(&sample), Ok(Intake::Stored));
        halves.refresh();
        stepping.step(&sample, &mut chance).unwrap();
        let probe = [0.25, 0.5, -0.125];
        assert_eq!(whole.score(&probe), halves.score(&probe));
        assert_eq!(whole.score(&probe), stepping.score(&probe));
    }
}

#[test]
fn many_pushes_before_one_refresh_equal_learning_each_sample() {
    let mut late = OnlineKernelPca::<f64, _, 3, 2, 10, 6>::new(Gaussian::DEFAULT, settings(3.0));
    let mut exact = OnlineKernelPca::<f64, _, 3, 2, 10, 10>::new(Gaussian::DEFAULT, settings(3.0));
    for (trial, sample) in samples::<f64, 3>(60, 2).iter().enumerate() {
        exact.learn(sample).unwrap();
        late.push(sample).unwrap();
        if trial >= 10 && trial.is_multiple_of(7) {
            late.refresh();
            let difference = late.score(&[0.1, 0.2, 0.3]).unwrap() - exact.score(&[0.1, 0.2, 0.3]).unwrap();
            assert!(difference.abs() < 1e-9, "trial {trial}: {difference}");
        }
    }
}

fn between<K: Kernel<f32, 3> + Copy>(kernel: K, settings: OnlineKernelSettings<f32>) {
    let mut pca = OnlineKernelPca::<f32, K, 3, 2, 8, 8>::new(kernel, settings);
    let stream = samples::<f32, 3>(40, 3);
    for sample in &stream[..10] {
        pca.learn(sample).unwrap();
    }
    for (pushed, sample) in stream[10..].iter().enumerate() {
        pca.push(sample).unwrap();
        for probe in &stream {
            let energy = kernel.norm_squared(probe);
            let score = pca.score(probe).unwrap();
            // The centre can lie opposite the sample, so the loss can be four times the energy.
            assert!(
                score >= 0.0 && score <= 4.0 * energy.max(1.0),
                "after {pushed} pushes: {score}"
            );
            if pushed >= 8 && settings == settings.with_centering(Centering::Uncentered) {
                assert_eq!(score, energy, "all points of the last refresh are replaced");
            }
        }
    }
}

#[test]
fn scores_between_push_and_refresh_use_the_remaining_points() {
    for centering in [Centering::Uncentered, Centering::Centered] {
        between(Gaussian::DEFAULT, settings(3.0).with_centering(centering));
        between(Linear, settings(3.0).with_centering(centering));
    }
}

#[test]
fn a_direction_keeps_its_length_when_one_of_its_points_is_replaced() {
    // Both points are on the first axis. One is replaced by a point on the second axis; the direction does not change.
    let mut pca = OnlineKernelPca::<f64, _, 2, 1, 2, 2>::new(Linear, settings(10.0));
    pca.learn(&[1.0, 0.0]).unwrap();
    pca.learn(&[1.0, 0.0]).unwrap();
    pca.push(&[0.0, 1.0]).unwrap();
    assert!((pca.transform(&[1.0, 0.0]).unwrap()[0].abs() - 1.0).abs() < 1e-12);
    assert!(pca.score(&[0.0, 1.0]).unwrap() > 0.999);
}

#[test]
fn a_stride_of_three_stores_every_third_sample() {
    let settings = settings(1.0).with_stride(3).unwrap();
    let mut pca = OnlineKernelPca::<f32, _, 1, 1, 4, 4>::new(Linear, settings);
    for value in 0..12_u8 {
        pca.learn(&[f32::from(value)]).unwrap();
    }
    assert!(pca.window().oldest_first().eq([&[0.0], &[3.0], &[6.0], &[9.0]]));
    assert_eq!(pca.samples_seen(), 12);
}

#[test]
fn near_duplicates_are_skipped_and_new_samples_are_stored() {
    let settings = settings(1.0).with_novelty(0.1).unwrap();
    let mut pca = OnlineKernelPca::<f32, _, 1, 1, 4, 4>::new(Gaussian::DEFAULT, settings);
    assert_eq!(pca.push(&[0.0]), Ok(Intake::Stored));
    // The novelty at distance d, 1 − exp(−2d²), is 0.02 for d = 0.1 and 0.39 for d = 0.5.
    assert_eq!(pca.push(&[0.1]), Ok(Intake::Skipped));
    assert_eq!(pca.push(&[0.5]), Ok(Intake::Stored));
    assert_eq!(pca.push(&[0.45]), Ok(Intake::Skipped));
    let mut zeros = OnlineKernelPca::<f32, _, 1, 1, 4, 4>::new(Linear, settings);
    assert_eq!(zeros.push(&[0.0]), Ok(Intake::Stored));
    assert_eq!(zeros.push(&[0.0]), Ok(Intake::Skipped), "a second zero is a duplicate");
    assert_eq!(zeros.push(&[1e-20]), Ok(Intake::Stored));
}

#[test]
fn a_kernel_learner_that_was_reset_is_like_a_new_one() {
    let settings = settings::<f32>(3.0).with_centering(Centering::Centered);
    let fresh = OnlineKernelPca::<f32, _, 3, 2, 8, 6>::new(Gaussian::DEFAULT, settings);
    let mut used = fresh.clone();
    for sample in samples(30, 4) {
        used.learn(&sample).unwrap();
    }
    used.reset();
    assert_eq!(used.score(&[0.5; 3]), fresh.score(&[0.5; 3]));
    let mut again = fresh.clone();
    for sample in samples::<f32, 3>(30, 5) {
        used.learn(&sample).unwrap();
        again.learn(&sample).unwrap();
        assert_eq!(
            used.score(&[0.5; 3]).unwrap().to_f64(),
            again.score(&[0.5; 3]).unwrap().to_f64()
        );
    }
}
