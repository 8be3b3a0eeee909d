//! Properties of batch PCA, centered online PCA, Follow the Leader and variance minimisation on random, adversarial and
//! degenerate streams. Every generator is seeded: a run either always passes or always fails.
#![expect(clippy::unwrap_used, reason = "a failed property is a failed test")]

use eigenstream::bounds::{Bounds, CenterStart, RegretMeter};
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{
    AverageDensity, BatchPca, Center, CenteredPca, CenteredSettings, Centering, Draw, Forgetting, ReadOut,
    VarianceMinimizer, VarianceSettings,
};
use eigenstream::rand_core::{Rng, SeedableRng};
use eigenstream::{Learner, SampleError, Scalar};
use rand_xoshiro::Xoshiro128PlusPlus;

/// How far results may be off, with reasons.
mod tolerance {
    /// Rounding of a few hundred operations on numbers of order one, in units of ε.
    pub(super) const ROUNDING: f64 = 256.0;
    /// A total over a few hundred trials, each to rounding, in units of the total times ε.
    pub(super) const TOTAL: f64 = 4096.0;
    /// Standard deviations that a mean of draws may be off: a false alarm once in 1.7 million seeds.
    pub(super) const DEVIATIONS: f64 = 5.0;
}

fn rng(seed: u64) -> Xoshiro128PlusPlus {
    Xoshiro128PlusPlus::seed_from_u64(seed)
}

/// Uniform in [−1, 1), on a grid that `f32` holds exactly.
fn symmetric<R: Rng>(rng: &mut R) -> f64 {
    f64::from(rng.next_u32() >> 20) / 2048.0 - 1.0
}

/// Samples near a plane through zero, no longer than one half, so that no two are further apart than one.
fn plane<T: Scalar, const DIM: usize>(count: usize, seed: u64) -> Vec<[T; DIM]> {
    let rng = &mut rng(seed);
    let axes: [[f64; DIM]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| symmetric(rng)));
    let sample = |_| {
        let (first, second) = (symmetric(rng), symmetric(rng));
        let mut sample: [f64; DIM] =
            std::array::from_fn(|i| first * axes[0][i] + second * axes[1][i] + 0.2 * symmetric(rng));
        let length = sample.iter().map(|value| value * value).sum::<f64>().sqrt();
        sample.iter_mut().for_each(|value| *value *= 0.5 / length.max(0.5));
        sample.map(T::from_f64)
    };
    (0..count).map(sample).collect()
}

fn paper<T: Scalar>(learning_rate: f64, center: Center<T>) -> CenteredSettings<T> {
    let settings = CenteredSettings::new(T::from_f64(learning_rate)).unwrap();
    settings.with_center(center).unwrap()
}

fn leader<T: Scalar>() -> CenteredSettings<T> {
    paper(1.0, Center::Fixed).with_read_out(ReadOut::Leader)
}

fn batch<T: Scalar, const DIM: usize, const KEEP: usize>(
    samples: &[[T; DIM]],
    centering: Centering,
) -> BatchPca<T, DIM, KEEP> {
    let mut pca = BatchPca::new(centering);
    samples.iter().for_each(|sample| pca.learn(sample).unwrap());
    let _ = pca.fit();
    pca
}

/// Total expected loss over a stream, each sample scored before it is learned.
fn total<T: Scalar, const DIM: usize>(learner: &mut impl Learner<T, DIM>, samples: &[[T; DIM]]) -> RegretMeter<T> {
    let mut meter = RegretMeter::new();
    for sample in samples {
        meter.record(learner.score(sample).unwrap());
        learner.learn(sample).unwrap();
    }
    meter
}

/// What must hold after every trial, whatever the data.
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

    // ‖x − m‖² − Σ p(v·(x − m))², which the crate computes from the residual instead.
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

/// The axis of which the learner expects the largest loss, over and over: what follows the past always comes too late.
fn adversary<const DIM: usize, const KEEP: usize>(
    pca: &mut CenteredPca<f64, DIM, KEEP>,
    count: usize,
) -> Vec<[f64; DIM]> {
    let axes: Vec<[f64; DIM]> = (0..DIM)
        .map(|axis| std::array::from_fn(|i| f64::from(u8::from(i == axis))))
        .collect();
    let mut samples = Vec::new();
    for _ in 0..count {
        let score = |axis: &&[f64; DIM]| pca.score(axis).unwrap();
        let worst = *axes
            .iter()
            .max_by(|left, right| score(left).total_cmp(&score(right)))
            .unwrap();
        pca.learn(&worst).unwrap();
        samples.push(worst);
    }
    samples
}

#[test]
fn no_learner_that_starts_anew_each_trial_beats_the_best_fixed_subspace() {
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
fn an_adversary_defeats_the_leader_but_not_the_hedge() {
    // A leader that keeps 2 of 6 axes loses nearly every trial (axes that tie may be kept in part); the best fixed pair loses
    // two thirds.
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
fn a_fixed_centre_stays_within_theorem_6() {
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
fn a_moving_centre_stays_within_theorem_8_and_corollary_9() {
    for (seed, learning_rate) in [(1, 0.1), (2, 1.0), (3, 4.0)] {
        // Around (¼, 0, …), so that the start at zero is not the best centre.
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
fn sampled_losses_average_to_the_expected_loss() {
    const DRAWS: usize = 4_000;
    let samples = plane::<f64, 5>(12, 7);
    for draw in [Draw::Systematic, Draw::Corners] {
        let mut pca = CenteredPca::<f64, 5, 2>::new(paper(1.0, Center::Mean).with_draw(draw));
        samples.iter().for_each(|sample| pca.learn(sample).unwrap());
        let probe = [0.5, -0.25, 0.125, 0.25, -0.5];
        let expected = pca.score(&probe).unwrap();
        let mut draws = rng(11);
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..DRAWS {
            let trial = pca.clone().step(&probe, &mut draws).unwrap();
            assert_eq!(trial.expected_loss, expected);
            sum += trial.loss;
            squares += trial.loss * trial.loss;
        }
        let mean = sum / DRAWS as f64;
        let deviation = ((squares / DRAWS as f64 - mean * mean) / DRAWS as f64).sqrt();
        assert!(
            (mean - expected).abs() <= tolerance::DEVIATIONS * deviation,
            "{mean} is not {expected}"
        );
    }
}

#[test]
fn a_large_learning_rate_follows_the_leader() {
    let samples = plane::<f64, 6>(100, 9);
    let mut hedge = CenteredPca::<f64, 6, 2>::new(paper(1e9, Center::Fixed));
    let mut follower = CenteredPca::<f64, 6, 2>::new(leader());
    for (trial, sample) in samples.iter().enumerate() {
        // Before two samples there are not two leaders.
        if trial >= 2 {
            let difference = hedge.score(sample).unwrap() - follower.score(sample).unwrap();
            assert!(difference.abs() < 1e-9, "trial {trial}: {difference}");
        }
        hedge.learn(sample).unwrap();
        follower.learn(sample).unwrap();
    }
}

#[test]
fn batch_loses_in_hindsight_what_its_samples_score() {
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
fn an_offset_of_256_costs_no_digits() {
    // The grid of 1/4096 is exact in `f32` up to 2048, so both streams hold the same deviations.
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
        // Half the distance between numbers near 256.
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

/// Streams of stuck, silent and redundant sensors.
fn degenerate<T: Scalar>() -> Vec<Vec<[T; 4]>> {
    let number = |value: f64| T::from_f64(value);
    let line = |i: i32| [1.0, -2.0, 0.5, 0.0].map(|slope| number(slope * f64::from(i)));
    let tiny = T::MIN_POSITIVE;
    let huge = T::MAX.sqrt() * number(1e-3);
    vec![
        vec![[T::ZERO; 4]; 30],
        vec![[number(3.75); 4]; 30],
        vec![[number(-0.1), number(100.3), T::ZERO, tiny]; 30],
        (0..30).map(line).collect(),
        (0..30).map(|i| if i % 2 == 0 { line(1) } else { line(2) }).collect(),
        (0..30).map(|i| [number(f64::from(i % 3)) * tiny; 4]).collect(),
        (0..30)
            .map(|i| [number(f64::from(i % 3)) * huge, huge, -huge, T::ZERO])
            .collect(),
        (0..30)
            .map(|i| std::array::from_fn(|j| number(f64::from(u8::from(i % 4 == j)))))
            .collect(),
    ]
}

fn check_degenerate<T: Scalar>() {
    for (stream, samples) in degenerate::<T>().iter().enumerate() {
        for settings in [
            CenteredSettings::DEFAULT,
            paper(1.0, Center::Fixed),
            leader(),
            paper(1e6, Center::Mean),
        ] {
            let mut pca = CenteredPca::<T, 4, 2>::new(settings);
            let mut draws = rng(1);
            for sample in samples {
                let trial = pca.step(sample, &mut draws).unwrap();
                let numbers = [trial.loss, trial.expected_loss, pca.score(sample).unwrap()];
                assert!(
                    numbers.iter().chain(&trial.code).all(|number| number.is_finite()),
                    "stream {stream}"
                );
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
        let pca = batch::<T, 4, 2>(samples, Centering::Centered);
        let numbers = pca.explained_variance_ratio();
        assert!(
            numbers.iter().all(|part| part.is_finite()) && pca.loss().is_finite(),
            "stream {stream}"
        );
    }
    for constant in &degenerate::<T>()[..3] {
        let pca = batch::<T, 4, 2>(constant, Centering::Centered);
        assert_eq!(pca.explained_variance_ratio(), [T::ZERO; 2]);
        assert_eq!(pca.score(&constant[0]), Ok(T::ZERO));
    }
}

#[test]
fn stuck_silent_and_redundant_sensors_are_no_trouble() {
    check_degenerate::<f32>();
    check_degenerate::<f64>();
}

#[test]
fn a_refused_sample_changes_no_bit_of_learner_or_generator() {
    let samples = plane::<f32, 3>(10, 4);
    let refused = [
        ([0.0, f32::NAN, 0.0], SampleError::NotANumber { channel: 1 }),
        ([0.0, 0.0, f32::NEG_INFINITY], SampleError::NotANumber { channel: 2 }),
        ([1e20, 0.0, -2e20], SampleError::TooLarge { channel: 2 }),
        // Finite energy, but more than the scatter can hold with a margin.
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
fn no_bit_pattern_panics_or_leaves_a_nan() {
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
fn forgetting_recovers_from_a_shift_that_a_long_memory_does_not() {
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
fn the_default_learns_the_same_at_any_scale() {
    let samples = plane::<f32, 5>(100, 6);
    let probabilities_at = |scale: f32| {
        let mut pca = CenteredPca::<f32, 5, 2>::new(CenteredSettings::DEFAULT);
        let scaled = samples.iter().map(|sample| sample.map(|value| value * scale));
        scaled.for_each(|sample| pca.learn(&sample).unwrap());
        pca.keep_probabilities()
    };
    // Powers of two change no digit.
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

#[test]
fn the_average_prediction_loses_the_average_of_all_predictions() {
    let samples = plane::<f64, 5>(50, 2);
    let probe = [0.25, -0.5, 0.125, 0.0, 0.5];
    let mut pca = CenteredPca::<f64, 5, 2>::new(paper(1.0, Center::Fixed));
    let mut average = AverageDensity::<f64, 5, 2>::new();
    let mut sum = 0.0;
    for sample in &samples {
        average.add(0.0, pca.directions());
        sum += pca.score(&probe).unwrap();
        pca.learn(sample).unwrap();
    }
    assert!((average.expected_loss(&probe).unwrap() - sum / 50.0).abs() < 1e-13);
    let mut density = SMatrix::zeros();
    average.density(&mut density);
    assert!((density.trace() - 1.0).abs() < 1e-13);
}

#[test]
fn variance_minimisation_has_regret_between_zero_and_its_bound() {
    let rng = &mut rng(9);
    for learning_rate in [0.2, 1.0, 5.0] {
        let mut minimizer = VarianceMinimizer::<f64, 4>::new(VarianceSettings::new(learning_rate).unwrap());
        let mut meter = RegretMeter::new();
        for _ in 0..100 {
            // Eigenvalues in [0, 1]: a rank-one matrix of a vector no longer than one.
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

#[test]
fn the_leader_keeps_no_more_directions_than_the_data_have() {
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
