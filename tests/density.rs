//! Properties of online PCA on the full density matrix, `f32` and `f64` through the same code.
//! Every generator is seeded: a run either always passes or always fails.
#![expect(clippy::unwrap_used, reason = "a failed property is a failed test")]

use eigenstream::nalgebra::{SMatrix, SVector};
use eigenstream::pca::{DensityPca, DensitySettings, Draw, Share, exponentiated_gradient};
use eigenstream::rand_core::SeedableRng;
use eigenstream::spectrum::{Eigen, matrix_exp, orthogonality_error};
use eigenstream::weights::{Hedge, HedgeSettings};
use eigenstream::{Learner, MatrixError, SampleError, Scalar};
use rand_xoshiro::Xoshiro128PlusPlus;

/// Errors in units of ε; `DIM` ≤ 12 everywhere.
mod tolerance {
    /// Sums of `DIM` probabilities, eigenvalues of W, lengths of directions: measured worst between 16 and 32.
    pub(super) const SUM: f64 = 64.0;
    /// Losses and matrices after some dozen trials, evidence up to 50: measured worst between 16 and 32.
    pub(super) const TRIALS: f64 = 64.0;
}

fn generator(seed: u64) -> Xoshiro128PlusPlus {
    Xoshiro128PlusPlus::seed_from_u64(seed)
}

/// A sample of length at most one; every third is near one of two fixed directions, so that there is something to learn.
fn sample<T: Scalar, const DIM: usize>(rng: &mut Xoshiro128PlusPlus, trial: usize) -> [T; DIM] {
    let mut sample: [f64; DIM] = core::array::from_fn(|_| 2.0 * f64::uniform(rng) - 1.0);
    if !trial.is_multiple_of(3) {
        sample = sample.map(|value| 0.1 * value);
        sample[(trial + trial / 40) % DIM.min(3)] += 1.0;
    }
    let length = sample.iter().map(|value| value * value).sum::<f64>().sqrt();
    sample.map(|value| T::from_f64(value / length.max(1.0)))
}

/// A symmetric matrix with eigenvalues in [0, 1].
fn instance<T: Scalar, const DIM: usize>(rng: &mut Xoshiro128PlusPlus, trial: usize) -> SMatrix<T, DIM, DIM> {
    let mut sum = SMatrix::<f64, DIM, DIM>::zeros();
    for part in 0..3 {
        let x = SVector::from(sample::<f64, DIM>(rng, trial + part));
        sum += x * x.transpose() / 3.0;
    }
    sum.map(T::from_f64)
}

fn scatter<T: Scalar, const DIM: usize>(samples: &[[T; DIM]]) -> SMatrix<f64, DIM, DIM> {
    let mut sum = SMatrix::zeros();
    for sample in samples {
        let x = SVector::from(sample.map(|value| value.to_f64()));
        sum += x * x.transpose();
    }
    sum
}

fn learner<T: Scalar, const DIM: usize, const KEEP: usize>(learning_rate: f64) -> DensityPca<T, DIM, KEEP> {
    DensityPca::new(DensitySettings::new(T::from_f64(learning_rate)).unwrap())
}

fn density<T: Scalar, const DIM: usize, const KEEP: usize>(pca: &DensityPca<T, DIM, KEEP>) -> SMatrix<f64, DIM, DIM> {
    let mut density = SMatrix::repeat(T::ZERO);
    pca.density(&mut density);
    density.map(|entry| entry.to_f64())
}

fn close(got: f64, want: f64, tolerance: f64, what: &str) {
    assert!(
        (got - want).abs() <= tolerance,
        "{what}: {got} and {want} differ by more than {tolerance}"
    );
}

/// Everything that holds after any stream whatsoever.
fn check_invariants<T: Scalar, const DIM: usize, const KEEP: usize>(pca: &DensityPca<T, DIM, KEEP>) {
    let rounding = tolerance::SUM * T::EPSILON.to_f64();
    let probabilities = pca.keep_probabilities().map(|p| p.to_f64());
    close(probabilities.iter().sum(), KEEP as f64, rounding, "sum of p");
    assert!(probabilities.iter().all(|p| (0.0..=1.0).contains(p)));
    assert!(probabilities.is_sorted_by(|left, right| left >= right));
    // So much evidence can be added to so much without leaving the number range.
    let largest = T::MAX / T::from_usize(4 * DIM);
    assert!(pca.evidence().iter().all(|&g| g >= T::ZERO && g <= largest));

    let w = density(pca);
    assert_eq!(w, w.transpose());
    close(w.trace(), 1.0, rounding, "trace of W");
    let mut eigen = Eigen::new();
    let _ = eigen.decompose(&w).unwrap();
    let cap = 1.0 / (DIM - KEEP) as f64;
    assert!(
        eigen.values()[0] <= cap + rounding,
        "{} is above {cap}",
        eigen.values()[0]
    );
    assert!(eigen.values()[DIM - 1] >= -rounding);
    assert!(orthogonality_error(&pca.components(), KEEP).to_f64() <= rounding);
}

/// Runs a stream chosen by `next` and holds the total to [WK08] Theorem 6.
fn check_bound<T: Scalar, const DIM: usize, const KEEP: usize>(
    learning_rate: f64,
    trials: usize,
    mut next: impl FnMut(usize, &DensityPca<T, DIM, KEEP>) -> [T; DIM],
) {
    let mut pca = learner::<T, DIM, KEEP>(learning_rate);
    let mut samples = Vec::new();
    let mut total = 0.0;
    for trial in 0..trials {
        let sample = next(trial, &pca);
        let loss = pca.score(&sample).unwrap();
        assert!(loss >= T::ZERO);
        total += loss.to_f64();
        pca.learn(&sample).unwrap();
        samples.push(sample);
        if trial % 16 == 0 {
            check_invariants(&pca);
        }
    }
    assert_eq!(pca.samples_seen(), trials as u64);
    let mut eigen = Eigen::new();
    let _ = eigen.decompose(&scatter(&samples)).unwrap();
    let best: f64 = eigen.values().iter().skip(KEEP).sum();
    let (n, d) = (DIM as f64, (DIM - KEEP) as f64);
    let bound = (learning_rate * best + d * (n / d).ln()) / (1.0 - (-learning_rate).exp());
    // Samples are rounded to length one, so they may be a little longer.
    let slack = 1.0 + 4.0 * T::EPSILON.to_f64();
    assert!(
        total <= bound * slack,
        "n = {DIM}, k = {KEEP}, η = {learning_rate}: {total} is above {bound}"
    );
}

fn check_bounds<T: Scalar, const DIM: usize, const KEEP: usize>() {
    for learning_rate in [0.1, 1.0, 5.0] {
        let mut rng = generator(8);
        check_bound::<T, DIM, KEEP>(learning_rate, 120, |trial, _| sample(&mut rng, trial));
        // The adversary of section 7: always the direction that is most likely dropped.
        check_bound::<T, DIM, KEEP>(learning_rate, 60, |_, pca| {
            let mut eigen = Eigen::new();
            let _ = eigen.decompose(&density(pca)).unwrap();
            core::array::from_fn(|channel| T::from_f64(eigen.vectors()[(channel, 0)]))
        });
        // One direction until it is certain, then another.
        check_bound::<T, DIM, KEEP>(learning_rate, 80, |trial, _| {
            core::array::from_fn(|channel| if channel == trial / 40 { T::ONE } else { T::ZERO })
        });
    }
}

#[test]
fn the_total_loss_stays_within_theorem_6() {
    check_bounds::<f32, 2, 1>();
    check_bounds::<f32, 5, 2>();
    check_bounds::<f32, 5, 4>();
    check_bounds::<f64, 5, 2>();
    check_bounds::<f64, 12, 3>();
}

fn check_diagonal<T: Scalar, const DIM: usize, const KEEP: usize>(learning_rate: f64) {
    let rounding = tolerance::TRIALS * T::EPSILON.to_f64();
    let mut rng = generator(3);
    let mut pca = learner::<T, DIM, KEEP>(learning_rate);
    let mut hedge = Hedge::<T, DIM>::new(HedgeSettings::new(T::from_f64(learning_rate), DIM - KEEP).unwrap());
    for trial in 0..50 {
        let losses: [T; DIM] = core::array::from_fn(|_| T::uniform(&mut rng));
        let instance = SMatrix::from_fn(|row, column| if row == column { losses[row] } else { T::ZERO });
        let expected = pca.score_instance(&instance).unwrap().to_f64();
        pca.learn_instance(&instance).unwrap();
        let of_hedge = hedge.step(&losses).unwrap().to_f64();
        close(expected, of_hedge, rounding, &format!("loss of trial {trial}"));
    }
    let w = density(&pca);
    for (i, weight) in hedge.weights().iter().enumerate() {
        close(w[(i, i)], weight.to_f64(), rounding, "weight");
    }
}

#[test]
fn diagonal_instances_make_it_capped_hedge() {
    check_diagonal::<f32, 5, 2>(1.0);
    check_diagonal::<f64, 5, 2>(3.0);
    check_diagonal::<f32, 4, 3>(0.5);
    check_diagonal::<f64, 8, 1>(1.0);
}

#[test]
fn with_one_direction_dropped_it_minimises_variance() {
    let mut rng = generator(5);
    let mut pca = learner::<f64, 4, 3>(1.5);
    let mut sum = SMatrix::<f64, 4, 4>::zeros();
    for trial in 0..30 {
        let instance = instance(&mut rng, trial);
        pca.learn_instance(&instance).unwrap();
        sum += instance;
    }
    let mut want = SMatrix::zeros();
    let _ = matrix_exp(&(sum * -1.5), &mut Eigen::new(), &mut want).unwrap();
    let error = (density(&pca) - want / want.trace()).abs().max();
    assert!(error < tolerance::TRIALS * f64::EPSILON, "{error}");
}

fn check_literal<T: Scalar, const DIM: usize, const KEEP: usize>() {
    let mut rng = generator(6);
    let mut pca = learner::<T, DIM, KEEP>(0.5);
    let mut eigen = Eigen::new();
    let mut literal = SMatrix::repeat(T::ZERO);
    pca.density(&mut literal);
    let mut next = literal;
    for trial in 0..20 {
        let instance = instance::<T, DIM>(&mut rng, trial);
        let rate = T::from_f64(0.5);
        let _ = exponentiated_gradient::<T, DIM, KEEP>(&literal, &instance, rate, &mut eigen, &mut next).unwrap();
        literal = next;
        pca.learn_instance(&instance).unwrap();
        let error = (density(&pca) - literal.map(|entry| entry.to_f64())).abs().max();
        assert!(
            error < tolerance::TRIALS * T::EPSILON.to_f64(),
            "trial {trial}: {error}"
        );
    }
}

#[test]
fn the_literal_step_of_the_paper_gives_the_same_matrix() {
    check_literal::<f32, 4, 2>();
    check_literal::<f64, 4, 3>();
    check_literal::<f64, 6, 1>();
}

#[test]
fn a_sample_is_the_instance_of_rank_one() {
    let mut rng = generator(7);
    let (mut by_sample, mut by_instance) = (learner::<f64, 5, 2>(2.0), learner::<f64, 5, 2>(2.0));
    for trial in 0..40 {
        let sample = sample::<f64, 5>(&mut rng, trial);
        let x = SVector::from(sample);
        let instance = x * x.transpose();
        let rounding = tolerance::TRIALS * f64::EPSILON;
        let score = by_instance.score_instance(&instance).unwrap();
        close(by_sample.score(&sample).unwrap(), score, rounding, "score");
        by_sample.learn(&sample).unwrap();
        by_instance.learn_instance(&instance).unwrap();
    }
}

fn check_sampling(draw: Draw) {
    // Losses lie in [0, 1]: by Hoeffding's inequality a mean of 5000 is off by more than 0.046 once in 10⁹ seeds.
    const DRAWS: usize = 5000;
    const SLACK: f64 = 0.046;
    let mut rng = generator(11);
    let mut pca = DensityPca::<f32, 4, 2>::new(DensitySettings::new(1.0).unwrap().with_draw(draw));
    for trial in 0..10 {
        pca.learn(&sample(&mut rng, trial)).unwrap();
    }
    let probe = [0.5_f32, -0.5, 0.5, 0.5];
    let expected = pca.score(&probe).unwrap();
    let mut total = 0.0;
    for _ in 0..DRAWS {
        let trial = pca.clone().step(&probe, &mut rng).unwrap();
        assert_eq!(trial.expected_loss, expected);
        let coded: f32 = trial.code.iter().map(|code| code * code).sum();
        close(f64::from(trial.loss + coded), 1.0, 1e-6, "loss and code");
        total += f64::from(trial.loss);
    }
    close(total / DRAWS as f64, f64::from(expected), SLACK, "mean loss");
}

#[test]
fn the_expected_loss_is_the_mean_of_the_losses() {
    check_sampling(Draw::Systematic);
    check_sampling(Draw::Corners);
}

#[test]
fn what_is_refused_leaves_everything_as_it_was() {
    let mut rng = generator(2);
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

#[test]
fn a_start_is_taken_as_it_is_or_capped() {
    let mut rng = generator(4);
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

    // 0.7 is above 1/d = 0.5 and comes down to it; the others share the rest as they did, 0.5·(3 : 2 : 1)/6.
    let heavy = SMatrix::from_diagonal(&SVector::<f64, 4>::new(0.05, 0.7, 0.15, 0.1));
    pca.start_from(&heavy, &mut Eigen::new()).unwrap();
    let want = SMatrix::from_diagonal(&SVector::<f64, 4>::new(0.5 / 6.0, 0.5, 0.25, 1.0 / 6.0));
    assert!((density(&pca) - want).abs().max() < tolerance::SUM * f64::EPSILON);
}

fn check_hostile<T: Scalar, const DIM: usize, const KEEP: usize>(settings: DensitySettings<T>) {
    let number = T::from_f64;
    // The largest sample whose energy is finite, and samples whose energy is not even a number of full precision.
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
fn stuck_silent_and_screaming_sensors_are_learned_like_any_other() {
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

fn check_one_huge_sample<T: Scalar>(learning_rate: f64) {
    let mut pca = learner::<T, 3, 1>(learning_rate);
    let huge = T::MAX.sqrt() * T::from_f64(0.99);
    pca.learn(&[T::ZERO, huge, T::ZERO]).unwrap();
    assert!(pca.score(&[T::ZERO, T::ONE, T::ZERO]).unwrap() < T::EPSILON);
    assert!(pca.score(&[T::ONE, T::ZERO, T::ZERO]).unwrap() > T::from_f64(0.99));
    // At the very end of the range the square of a coordinate may round to infinity where the energy does not.
    let mut rng = generator(13);
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
fn one_sample_at_the_end_of_the_number_range_is_learned_and_no_more() {
    for learning_rate in [1.0, 1e10, 1e30] {
        check_one_huge_sample::<f32>(learning_rate);
        check_one_huge_sample::<f64>(learning_rate);
    }
}

/// Shares of the past as the paper has them: every W kept, the mean taken anew in each trial.
fn check_past(share: Share<f64>) {
    const RATE: f64 = 1.0;
    let mut rng = generator(14);
    let settings = DensitySettings::new(RATE).unwrap().with_share(share).unwrap();
    let mut pca = DensityPca::<f64, 4, 2>::new(settings);
    let mut w = SMatrix::<f64, 4, 4>::identity() / 4.0;
    let (mut eigen, mut capped, mut past) = (Eigen::new(), w, vec![w]);
    for trial in 0..40 {
        let instance = instance(&mut rng, trial);
        pca.learn_instance(&instance).unwrap();
        let _ = exponentiated_gradient::<_, 4, 2>(&w, &instance, RATE, &mut eigen, &mut capped).unwrap();
        let mean = past.iter().sum::<SMatrix<f64, 4, 4>>() / past.len() as f64;
        (w, past) = match share {
            Share::PastAverage(part) => {
                let mixed = capped * (1.0 - part) + mean * part;
                (mixed, [past, vec![mixed]].concat())
            }
            Share::PastPosteriors(part) => (capped * (1.0 - part) + mean * part, [past, vec![capped]].concat()),
            _ => unreachable!(),
        };
        let error = (density(&pca) - w).abs().max();
        assert!(error < tolerance::TRIALS * f64::EPSILON, "trial {trial}: {error}");
    }
}

#[test]
fn a_share_of_the_past_is_a_share_of_the_mean_of_all_that_was() {
    for part in [0.01, 0.3, 1.0] {
        check_past(Share::PastAverage(part));
        check_past(Share::PastPosteriors(part));
    }
}

#[test]
fn residuals_carry_the_score() {
    let mut rng = generator(9);
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
        // The same through the trait.
        assert_eq!(Learner::score(&pca, &sample), pca.score(&sample));
        assert_eq!(Learner::residual(&pca, &sample), pca.residual(&sample));
        Learner::learn(&mut pca, &sample).unwrap();
    }
}

#[test]
fn transform_and_back_is_the_projection_on_the_components() {
    let mut rng = generator(10);
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

/// Trials that a learner needs, after 200 of one direction, until it expects to lose less than half of another.
fn trials_to_recover(settings: DensitySettings<f32>) -> usize {
    let mut pca = DensityPca::<f32, 4, 1>::new(settings);
    for _ in 0..200 {
        pca.learn(&[1.0, 0.0, 0.0, 0.0]).unwrap();
    }
    let novel = [0.0, 1.0, 0.0, 0.0];
    (0..400)
        .find(|_| {
            let score = pca.score(&novel).unwrap();
            pca.learn(&novel).unwrap();
            score < 0.5
        })
        .unwrap_or(400)
}

#[test]
fn a_share_and_a_ceiling_bound_the_time_to_recover() {
    let paper = DensitySettings::new(1.0_f32).unwrap();
    // η = 1 a trial: 200 trials of evidence take about 200 to outweigh, 14 of it 14, and −ln(α/n) = 8.3 of it 9.
    let recovered = trials_to_recover(paper);
    assert!((195..205).contains(&recovered), "{recovered}");
    let recovered = trials_to_recover(paper.with_ceiling(14.0).unwrap());
    assert!((12..17).contains(&recovered), "{recovered}");
    let recovered = trials_to_recover(paper.with_share(Share::Uniform(1e-3)).unwrap());
    assert!((4..10).contains(&recovered), "{recovered}");
    let recovered = trials_to_recover(paper.with_share(Share::PastAverage(1e-3)).unwrap());
    assert!(recovered < 16, "{recovered}");
}

#[test]
fn after_a_reset_it_learns_as_if_new() {
    for share in [
        Share::Nothing,
        Share::Uniform(0.01),
        Share::PastAverage(0.01),
        Share::PastPosteriors(0.01),
    ] {
        let settings = DensitySettings::new(1.0_f32).unwrap().with_share(share).unwrap();
        let mut fresh = DensityPca::<f32, 5, 2>::new(settings);
        let mut used = fresh.clone();
        let mut rng = generator(12);
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
fn memory_is_the_sum_of_its_parts() {
    const N: usize = 20;
    let words = N * N // directions
        + 2 * N // evidence and drop probabilities
        + 1 // whether they are there
        + N * N + 4 * N + 1 // eigensolver
        + N * N // workspace
        + N * N // mean of the past
        + 1 // how many it is the mean of
        + 5 // settings: rate, share and its kind, ceiling, draw
        + 2; // samples seen
    let bytes = size_of::<DensityPca<f32, N, 2>>();
    // The compiler may pad to eight bytes, or put a flag into spare bits of another.
    assert!(bytes.abs_diff(4 * words) <= 8, "{bytes} bytes, not {}", 4 * words);
}
