//! Density PCA equals other algorithms in special cases, and its total loss stays below the bound.

use super::*;

/// Checks the total loss against [WK08] Theorem 6.
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
    // Rounding can make a sample slightly longer than one.
    let slack = 1.0 + 4.0 * T::EPSILON.to_f64();
    assert!(
        total <= bound * slack,
        "n = {DIM}, k = {KEEP}, η = {learning_rate}: {total} is above {bound}"
    );
}

fn check_bounds<T: Scalar, const DIM: usize, const KEEP: usize>() {
    for learning_rate in [0.1, 1.0, 5.0] {
        let mut rng = rng(8);
        check_bound::<T, DIM, KEEP>(learning_rate, 120, |trial, _| sample(&mut rng, trial));
        // As in [WK08] section 7, each sample is the direction with the largest drop probability.
        check_bound::<T, DIM, KEEP>(learning_rate, 60, |_, pca| {
            let mut eigen = Eigen::new();
            let _ = eigen.decompose(&density(pca)).unwrap();
            core::array::from_fn(|channel| T::from_f64(eigen.vectors()[(channel, 0)]))
        });
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
    let mut rng = rng(3);
    let mut pca = learner::<T, DIM, KEEP>(learning_rate);
    let mut hedge = Hedge::<T, DIM>::new(
        HedgeSettings::new(T::from_f64(learning_rate))
            .unwrap()
            .with_set_size(DIM - KEEP)
            .unwrap(),
    );
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
fn density_pca_on_diagonal_instances_is_capped_hedge() {
    check_diagonal::<f32, 5, 2>(1.0);
    check_diagonal::<f64, 5, 2>(3.0);
    check_diagonal::<f32, 4, 3>(0.5);
    check_diagonal::<f64, 8, 1>(1.0);
}

#[test]
fn density_pca_that_drops_one_direction_minimises_variance() {
    let mut rng = rng(5);
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

fn check_paper_step<T: Scalar, const DIM: usize, const KEEP: usize>() {
    let mut rng = rng(6);
    let mut pca = learner::<T, DIM, KEEP>(0.5);
    let mut eigen = Eigen::new();
    let mut wanted = SMatrix::repeat(T::ZERO);
    pca.density(&mut wanted);
    let mut next = wanted;
    for trial in 0..20 {
        let instance = instance::<T, DIM>(&mut rng, trial);
        let rate = T::from_f64(0.5);
        let _ = exponentiated_gradient::<T, DIM, KEEP>(&wanted, &instance, rate, &mut eigen, &mut next).unwrap();
        wanted = next;
        pca.learn_instance(&instance).unwrap();
        let error = (density(&pca) - wanted.map(|entry| entry.to_f64())).abs().max();
        assert!(
            error < tolerance::TRIALS * T::EPSILON.to_f64(),
            "trial {trial}: {error}"
        );
    }
}

#[test]
fn density_pca_equals_the_step_of_the_paper() {
    check_paper_step::<f32, 4, 2>();
    check_paper_step::<f64, 4, 3>();
    check_paper_step::<f64, 6, 1>();
}

#[test]
fn a_sample_is_learned_like_its_outer_product() {
    let mut rng = rng(7);
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
