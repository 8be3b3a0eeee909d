//! Tests of every single trial, and of results over many trials.

use super::support::DEVIATIONS;
use super::*;

fn check_state<T: Scalar, const DIM: usize, const KEEP: usize>(pca: &CenteredPca<T, DIM, KEEP>, probe: &[T; DIM]) {
    let slack = tolerance::ROUNDING * T::EPSILON.to_f64();
    let probabilities = pca.keep_probabilities().map(Scalar::to_f64);
    let sum: f64 = probabilities.iter().sum();
    assert!((sum - KEEP as f64).abs() <= slack, "{probabilities:?} sum to {sum}");
    assert!(
        probabilities.iter().all(|p| (0.0..=1.0).contains(p)),
        "{probabilities:?}"
    );
    assert!(
        probabilities.is_sorted_by(|left, right| left >= right),
        "{probabilities:?}"
    );

    assert_orthonormal(&pca.components(), format_args!("after a trial"));

    // The expected loss by its formula; the crate computes the loss from the residual instead.
    let deviation: [f64; DIM] = std::array::from_fn(|i| probe[i].to_f64() - pca.mean()[i].to_f64());
    let energy: f64 = deviation.iter().map(|value| value * value).sum();
    let kept: f64 = pca
        .directions()
        .map(|(p, direction)| {
            let coordinate: f64 = (0..DIM).map(|i| direction[i].to_f64() * deviation[i]).sum();
            p.to_f64() * coordinate * coordinate
        })
        .sum();
    let score = pca.score(probe).unwrap().to_f64();
    assert!(score >= 0.0);
    assert!(
        (score - (energy - kept)).abs() <= slack * energy.max(1.0),
        "{score} is not {energy} - {kept}"
    );
}

fn check_every_trial<T: Scalar, const DIM: usize, const KEEP: usize>(seed: u64) {
    let samples = plane::<T, DIM>(60, seed);
    for center in [Center::Mean, Center::Weighted(T::TWO), Center::Fixed] {
        let mut pca = CenteredPca::<T, DIM, KEEP>::new(paper(3.0, center));
        let mut draws = rng(seed);
        for (sample, probe) in samples.iter().zip(samples.iter().rev()) {
            check_state(&pca, probe);
            let trial = pca.step(sample, &mut draws).unwrap();
            assert!(trial.loss >= T::ZERO && trial.expected_loss >= T::ZERO);
        }
    }
}

#[test]
fn probabilities_and_scores_are_consistent_in_every_trial() {
    check_every_trial::<f32, 2, 1>(1);
    check_every_trial::<f64, 2, 1>(2);
    check_every_trial::<f32, 5, 2>(3);
    check_every_trial::<f64, 5, 4>(4);
    check_every_trial::<f32, 12, 11>(5);
    check_every_trial::<f64, 12, 3>(6);
}

#[test]
fn the_mean_of_the_sampled_losses_is_the_expected_loss() {
    const DRAWS: usize = 4_000;
    let samples = plane::<f64, 5>(12, 7);
    type Learner = CenteredPca<f64, 5, 2>;
    type Step = fn(
        &mut Learner,
        &[f64; 5],
        &mut rand_xoshiro::Xoshiro128PlusPlus,
    ) -> Result<eigenstream::Trial<f64, 2>, SampleError>;
    for step in [Learner::step as Step, Learner::step_with_corners] {
        let mut pca = Learner::new(paper(1.0, Center::Mean));
        samples.iter().for_each(|sample| pca.learn(sample).unwrap());
        let probe = [0.5, -0.25, 0.125, 0.25, -0.5];
        let expected = pca.score(&probe).unwrap();
        let mut draws = rng(11);
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..DRAWS {
            let trial = step(&mut pca.clone(), &probe, &mut draws).unwrap();
            assert_eq!(trial.expected_loss, expected);
            sum += trial.loss;
            squares += trial.loss * trial.loss;
        }
        let mean = sum / DRAWS as f64;
        let deviation = ((squares / DRAWS as f64 - mean * mean) / DRAWS as f64).sqrt();
        assert!(
            (mean - expected).abs() <= DEVIATIONS * deviation,
            "{mean} is not {expected}"
        );
    }
}

#[test]
fn the_scores_of_the_batch_samples_sum_to_the_loss() {
    let samples = plane::<f64, 7>(80, 3);
    for centering in [Centering::Centered, Centering::Uncentered] {
        let pca = batch::<f64, 7, 2>(&samples, centering);
        let scores: f64 = samples.iter().map(|sample| pca.score(sample).unwrap()).sum();
        assert!((scores - pca.loss()).abs() < 1e-12);
        let kept: f64 = pca.explained_variance_ratio().iter().sum();
        let energy: f64 = pca.eigenvalues().iter().sum();
        assert!((kept - (1.0 - pca.loss() / energy)).abs() < 1e-12);
        for sample in &samples {
            let code = pca.transform(sample).unwrap();
            let back = pca.inverse_transform(&code).unwrap();
            let missed = pca.residual(sample).unwrap();
            assert!((0..7).all(|i| (sample[i] - back[i] - missed[i]).abs() < 1e-14));
        }
    }
}

#[test]
fn forgetting_recovers_from_a_shift_that_breaks_a_learner_without_it() {
    let mut before = plane::<f32, 6>(1_000, 1);
    before.iter_mut().for_each(|sample| sample[5] += 3.0);
    let after = plane::<f32, 6>(300, 2);
    let late = &after[200..];
    let loss_after = |settings: CenteredSettings<f32>| {
        let mut pca = CenteredPca::<f32, 6, 2>::new(settings);
        let mut all = before.clone();
        all.extend_from_slice(&after[..200]);
        all.iter().for_each(|sample| pca.learn(sample).unwrap());
        total(&mut pca, late).total_loss()
    };
    let best = batch::<f32, 6, 2>(late, Centering::Centered).loss();
    let memory = Forgetting::memory(50.0).unwrap();
    for read_out in [ReadOut::Randomized, ReadOut::Leader] {
        let settings = CenteredSettings::DEFAULT.with_read_out(read_out);
        assert!(loss_after(settings.with_forgetting(memory)) < 2.5 * best);
        assert!(loss_after(settings) > 8.0 * best);
    }
}

#[test]
fn follow_the_leader_keeps_no_more_directions_than_the_data_have() {
    let mut pca = CenteredPca::<f32, 4, 3>::new(leader());
    assert_eq!(pca.keep_probabilities(), [0.0; 4]);
    assert_eq!(pca.score(&[1.0; 4]), Ok(4.0));
    for (rank, sample) in [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 1.0, 0.0], [1.0, 1.0, 1.0, 0.0]]
        .iter()
        .enumerate()
    {
        pca.learn(sample).unwrap();
        let kept = pca.keep_probabilities().iter().filter(|&&p| p == 1.0).count();
        assert_eq!(kept, (rank + 1).min(2), "after {} samples", rank + 1);
    }
    let trial = pca.step(&[0.0, 0.0, 0.0, 2.0], &mut rng(1)).unwrap();
    assert_eq!((trial.loss, trial.code[2]), (4.0, 0.0));
}

/// One direction has more than 10⁵ times the energy of the others, because the samples are far from the fixed centre.
#[test]
fn updated_directions_stay_orthonormal_and_can_be_saved() {
    for seed in 0..40 {
        let rng = &mut rng(seed);
        let settings = CenteredSettings::<f32>::DEFAULT
            .with_center(Center::Fixed)
            .unwrap()
            .with_forgetting(Forgetting::factor(0.9).unwrap())
            .with_read_out(ReadOut::Leader);
        let mut pca = CenteredPca::<f32, 16, 3>::new(settings);
        let base: [[f64; 16]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| symmetric(rng)));
        let mut image = vec![0; CenteredPca::<f32, 16, 3>::ENCODED_LEN];
        for trial in 0..200 {
            let swing = [1.0, 0.8, 0.6].map(|size| size * symmetric(rng));
            let sample = std::array::from_fn(|i| {
                let seen: f64 = swing.iter().zip(&base).map(|(swing, base)| swing * base[i]).sum();
                (256.0 + seen + 0.05 * symmetric(rng)) as f32
            });
            pca.learn(&sample).unwrap();
            assert_orthonormal(&pca.components(), format_args!("seed {seed}, trial {trial}"));
            pca.encode(&mut image).unwrap();
            assert!(
                CenteredPca::<f32, 16, 3>::decode(&image).is_ok(),
                "seed {seed}, trial {trial}"
            );
        }
    }
}

/// Several variances are near the rounding error of the largest one.
#[test]
fn directions_of_rounding_noise_are_orthogonal_to_all_others() {
    for seed in 0..40 {
        let rng = &mut rng(seed);
        let settings = CenteredSettings::unscaled(1.0).unwrap();
        let mut pca = CenteredPca::<f32, 8, 6>::new(settings.with_forgetting(Forgetting::memory(1e6).unwrap()));
        let mut base = [0.0; 8];
        for trial in 0..400 {
            if trial % 70 == 0 {
                base = std::array::from_fn(|_| symmetric(rng));
            }
            pca.learn(&base.map(|entry: f64| (entry + 1e-3 * symmetric(rng)) as f32))
                .unwrap();
            let mut directions = SMatrix::<f32, 8, 8>::identity();
            for (column, (_, direction)) in directions.data.0.iter_mut().zip(pca.directions()) {
                *column = *direction;
            }
            assert_orthonormal(&directions, format_args!("seed {seed}, trial {trial}"));
        }
    }
}
