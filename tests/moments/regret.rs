//! Total losses, compared with the best fixed subspace and with the bounds.

use super::*;

/// Learns in each trial the axis with the largest loss; of equal losses, the axis that was used least often.
fn adversary<const DIM: usize, const KEEP: usize>(
    pca: &mut CenteredPca<f64, DIM, KEEP>,
    count: usize,
) -> Vec<[f64; DIM]> {
    let axes: Vec<[f64; DIM]> = (0..DIM)
        .map(|axis| std::array::from_fn(|i| f64::from(u8::from(i == axis))))
        .collect();
    let mut samples = Vec::new();
    for _ in 0..count {
        let score = |axis: &[f64; DIM]| pca.score(axis).unwrap();
        let largest = axes.iter().map(score).fold(0.0, f64::max);
        let equal = axes.iter().filter(|axis| score(axis) > largest - 1e-9);
        let worst = *equal
            .min_by_key(|axis| samples.iter().filter(|sample| sample == axis).count())
            .unwrap();
        pca.learn(&worst).unwrap();
        samples.push(worst);
    }
    samples
}

#[test]
fn a_learner_never_beats_the_best_fixed_subspace() {
    for settings in [paper(0.3, Center::Fixed), paper(5.0, Center::Fixed), leader()] {
        let adversarial = adversary(&mut CenteredPca::<f64, 6, 2>::new(settings), 120);
        for samples in [plane::<f64, 6>(150, 1), plane(150, 2), adversarial] {
            let best_loss = batch::<f64, 6, 2>(&samples, Centering::Uncentered).loss();
            let meter = total(&mut CenteredPca::<f64, 6, 2>::new(settings), &samples);
            assert!(meter.regret(best_loss) >= -1e-12, "regret {}", meter.regret(best_loss));
        }
    }
}

#[test]
fn an_adversary_defeats_follow_the_leader_but_not_the_randomized_learner() {
    // Follow the Leader loses 1 in nearly every trial; the best pair of axes loses 1 in two thirds of the trials.
    let mut follower = CenteredPca::<f64, 6, 2>::new(leader());
    let samples = adversary(&mut follower, 120);
    assert!(total(&mut CenteredPca::<f64, 6, 2>::new(leader()), &samples).total_loss() > 115.0);
    let best_loss = batch::<f64, 6, 2>(&samples, Centering::Uncentered).loss();
    assert!((best_loss - 80.0).abs() < 1e-9);
    let bounds = Bounds::new(6, 2);
    let learning_rate = bounds.learning_rate(best_loss);
    let mut hedge = CenteredPca::<f64, 6, 2>::new(paper(learning_rate, Center::Fixed));
    assert!(total(&mut hedge, &samples).within(bounds.tuned_loss(best_loss)));
}

#[test]
fn the_loss_with_a_fixed_centre_stays_within_theorem_6() {
    for (seed, learning_rate) in [(1, 0.1), (2, 1.0), (3, 4.0)] {
        let samples = plane::<f64, 8>(200, seed);
        let best_loss = batch::<f64, 8, 3>(&samples, Centering::Uncentered).loss();
        let meter = total(
            &mut CenteredPca::<f64, 8, 3>::new(paper(learning_rate, Center::Fixed)),
            &samples,
        );
        assert!(meter.within(Bounds::new(8, 3).loss(best_loss, learning_rate)));
    }
}

#[test]
fn the_loss_with_a_learned_centre_stays_within_theorem_8_and_corollary_9() {
    for (seed, learning_rate) in [(1, 0.1), (2, 1.0), (3, 4.0)] {
        // Zero is not the best centre of these samples.
        let mut samples = plane::<f64, 8>(200, seed);
        samples.iter_mut().for_each(|sample| sample[0] = 0.5 * sample[0] + 0.25);
        let best = batch::<f64, 8, 3>(&samples, Centering::Centered);
        let bounds = Bounds::new(8, 3);

        for inverse_rate in [0.5, 2.0, 20.0] {
            let mut pca = CenteredPca::<f64, 8, 3>::new(paper(learning_rate, Center::Weighted(inverse_rate)));
            let start = CenterStart {
                inverse_rate,
                distance: best.score(&[0.0; 8]).unwrap(),
            };
            let bound = bounds.centered_loss(best.loss(), learning_rate, start, samples.len());
            assert!(total(&mut pca, &samples).within(bound));
        }
        let first_length = samples[0].iter().map(|value| value * value).sum::<f64>().sqrt();
        let bound = bounds.mean_centered_loss(best.loss(), learning_rate, first_length, samples.len());
        let mut pca = CenteredPca::<f64, 8, 3>::new(paper(learning_rate, Center::Mean));
        assert!(total(&mut pca, &samples).within(bound));
    }
}

#[test]
fn the_norm_bound_of_a_learned_centre_is_the_distance_from_the_centre() {
    // After the first sample the centre is this sample. The second is at distance 2 from it, so the bound for norm
    // bound 1 fails.
    let ends = [[1.0, 0.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0, 0.0]];
    let meter = total(&mut CenteredPca::<f64, 5, 1>::new(paper(1.0, Center::Mean)), &ends);
    let best_loss = batch::<f64, 5, 1>(&ends, Centering::Centered).loss();
    let bounds = Bounds::new(5, 1);
    assert!(!meter.within(bounds.mean_centered_loss(best_loss, 1.0, 1.0, 2)));
    let bounds = bounds.with_norm_bound(2.0).unwrap();
    assert!(meter.within(bounds.mean_centered_loss(best_loss, 1.0, 1.0, 2)));
}

#[test]
fn a_large_learning_rate_equals_follow_the_leader() {
    let samples = plane::<f64, 6>(100, 9);
    let mut hedge = CenteredPca::<f64, 6, 2>::new(paper(1e9, Center::Fixed));
    let mut follower = CenteredPca::<f64, 6, 2>::new(leader());
    for (trial, sample) in samples.iter().enumerate() {
        // Before KEEP = 2 samples are learned, the two learners can differ.
        if trial >= 2 {
            let difference = hedge.score(sample).unwrap() - follower.score(sample).unwrap();
            assert!(difference.abs() < 1e-9, "trial {trial}: {difference}");
        }
        hedge.learn(sample).unwrap();
        follower.learn(sample).unwrap();
    }
}

#[test]
fn the_loss_of_the_average_is_the_average_of_the_losses() {
    let samples = plane::<f64, 5>(50, 2);
    let probe = [0.25, -0.5, 0.125, 0.0, 0.5];
    let mut pca = CenteredPca::<f64, 5, 2>::new(paper(1.0, Center::Fixed));
    let mut average = AverageDensity::<f64, 5, 2>::new();
    let mut sum = 0.0;
    for sample in &samples {
        average.add(0.0, pca.directions()).unwrap();
        sum += pca.score(&probe).unwrap();
        pca.learn(sample).unwrap();
    }
    assert!((average.expected_loss(&probe).unwrap() - sum / 50.0).abs() < 1e-13);
    let mut density = SMatrix::zeros();
    average.density(&mut density);
    assert!((density.trace() - 1.0).abs() < 1e-13);
}

#[test]
fn the_regret_of_variance_minimisation_is_between_zero_and_its_bound() {
    let rng = &mut rng(9);
    for learning_rate in [0.2, 1.0, 5.0] {
        let mut minimizer = VarianceMinimizer::<f64, 4>::new(VarianceSettings::new(learning_rate).unwrap());
        let mut meter = RegretMeter::new();
        for _ in 0..100 {
            // The length of the vector is at most 1, so the eigenvalues of the matrix are in [0, 1].
            let vector: [f64; 4] = std::array::from_fn(|i| 0.5 * symmetric(rng) / (1 + i) as f64);
            let matrix = SMatrix::<f64, 4, 4>::from_fn(|i, j| vector[i] * vector[j]);
            let expected = minimizer.expected_variance(&matrix).unwrap();
            let trial = minimizer.step(&matrix, rng).unwrap();
            assert_eq!(trial.expected_variance, expected);
            assert!(trial.variance >= -1e-15);
            meter.record(expected);
        }
        let best = minimizer.best_variance();
        assert!(meter.regret(best) >= -tolerance::TOTAL * f64::EPSILON * best);
        assert!(meter.within(Bounds::new(4, 3).loss(best, learning_rate)));
    }
}
