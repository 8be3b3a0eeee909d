//! A merged tracking learner holds the summed evidence of its parts.

use eigenstream::Scalar;
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{Share, TrackingPca, TrackingSettings};
use eigenstream::spectrum::{Eigen, matrix_log};
use eigenstream::weights::{Bulk, keep_probability, threshold};

use super::{in_both_precisions, off, restarted, samples};

const DIM: usize = 6;

/// The density matrix of the summed evidence. A part is a `unit` and a density matrix `part`; its evidence is
/// −unit·log(dropped·part).
fn slow_density<const KEEP: usize>(parts: &[(f64, SMatrix<f64, DIM, DIM>); 2]) -> SMatrix<f64, DIM, DIM> {
    let dropped = (DIM - KEEP) as f64;
    let mut eigen = Eigen::new();
    let mut sum = SMatrix::zeros();
    for (unit, part) in parts {
        let mut logarithm = SMatrix::zeros();
        let _ = matrix_log(&(part * dropped), &mut eigen, &mut logarithm).unwrap();
        sum -= logarithm * *unit;
    }
    let _ = eigen.decompose(&sum).unwrap();
    let tau = threshold(eigen.values().as_slice(), Bulk::NONE, KEEP);
    let drops = eigen.values().map(|value| 1.0 - keep_probability(value, tau));
    eigen.vectors() * SMatrix::from_diagonal(&drops) * eigen.vectors().transpose() / dropped
}

#[test]
fn a_merged_tracking_learner_holds_the_summed_evidence() {
    // In the last case, four of the six directions of each part are still in the bulk.
    for (seed, rate, count) in [(10, 0.05, 30), (11, 0.3, 30), (12, 1.0, 30), (15, 0.3, 2)] {
        let settings = TrackingSettings::unscaled(rate).unwrap().without_ceiling();
        let learner = |seed: u64| {
            let mut pca = TrackingPca::<f64, DIM, 2, DIM>::new(settings);
            let stream = samples::<f64, DIM>(count, seed, 0.1);
            stream.iter().for_each(|sample| pca.learn(sample).unwrap());
            pca
        };
        let (first, second) = (learner(seed), learner(seed + 100));
        let densities = [&first, &second].map(|pca| {
            let mut density = SMatrix::zeros();
            pca.density(&mut density);
            (1.0, density)
        });
        let wanted = slow_density::<2>(&densities);
        for (left, right) in [(&first, &second), (&second, &first)] {
            let mut merged = left.clone();
            merged.merge(right).unwrap();
            let mut density = SMatrix::zeros();
            merged.density(&mut density);
            let off = off(&density, &wanted);
            assert!(off < 1e-12, "rate {rate}: {off:e}");
            assert_eq!(merged.samples_seen(), 2 * count as u64);
        }
    }
}

#[test]
fn merging_converts_evidence_to_one_scale() {
    // With a running scale, the evidence does not depend on the unit of the samples.
    let learner = |size: f64, seed: u64| {
        let mut pca = TrackingPca::<f64, DIM, 1, DIM>::new(TrackingSettings::new(0.01).unwrap());
        for sample in samples::<f64, DIM>(40, seed, 0.1) {
            pca.learn(&sample.map(|value| size * value)).unwrap();
        }
        pca
    };
    let mut merged = learner(1.0, 13);
    merged.merge(&learner(10.0, 14)).unwrap();
    let [mut longer, shorter] = [learner(10.0, 13), learner(100.0, 14)];
    longer.merge(&shorter).unwrap();
    let (ones, tens) = (merged.keep_probabilities(), longer.keep_probabilities());
    assert!(off(&ones, &tens) < 1e-12);
    let parts = [(1.0, 13), (10.0, 14)].map(|(size, seed)| {
        let energy: f64 = samples::<f64, DIM>(40, seed, 0.1)
            .iter()
            .flatten()
            .map(|value| (size * value).powi(2))
            .sum();
        let mut density = SMatrix::zeros();
        learner(size, seed).density(&mut density);
        (energy, density)
    });
    let mean = 0.5 * (parts[0].0 + parts[1].0);
    let mut density = SMatrix::zeros();
    merged.density(&mut density);
    let wanted = slow_density::<1>(&parts.map(|(energy, density)| (energy / mean, density)));
    assert!(off(&density, &wanted) < 1e-12);
}

fn check_merged_trackers<T: Scalar>() {
    let settings = TrackingSettings::<T>::DEFAULT;
    let shared = settings.with_share(Share::Uniform(T::from_f64(1e-3))).unwrap();
    for settings in [settings, settings.without_ceiling(), shared] {
        let mut pool: Vec<_> = (20..30)
            .map(|seed| {
                let mut pca = TrackingPca::<T, DIM, 2, 4>::new(settings);
                let stream = samples::<T, DIM>(40, seed, 0.2);
                stream.iter().for_each(|sample| pca.learn(sample).unwrap());
                pca
            })
            .collect();
        let mut merged = pool.remove(0);
        for other in &pool {
            merged.merge(other).unwrap();
            let sum: f64 = merged.keep_probabilities().iter().map(|p| p.to_f64()).sum();
            // The ceiling lowers each of two keep probabilities by up to e⁻¹⁴.
            assert!((sum - 2.0).abs() < 4e-6, "{sum}");
            let orthogonality = eigenstream::spectrum::orthogonality_error(&merged.components(), 2);
            assert!(orthogonality.to_f64() < 32.0 * T::EPSILON.to_f64());
        }
        let mut again = restarted(&merged);
        for sample in samples::<T, DIM>(20, 31, 0.2) {
            let score = merged.score(&sample).unwrap();
            assert_eq!(score, again.score(&sample).unwrap());
            assert!(score.is_finite() && score >= T::ZERO);
            merged.learn(&sample).unwrap();
            again.learn(&sample).unwrap();
        }
    }
}

in_both_precisions!(
    merged_tracking_learners_are_valid_for_all_settings,
    check_merged_trackers
);

#[test]
fn a_merge_sets_the_excess_to_zero() {
    let mut busy = TrackingPca::<f64, 6, 1, 3>::new(TrackingSettings::unscaled(0.5).unwrap());
    for trial in 0..200 {
        busy.learn(&core::array::from_fn(|i| f64::from(i == trial % 4)))
            .unwrap();
    }
    assert!(busy.excess() > 1.0);
    let mut merged = TrackingPca::new(TrackingSettings::unscaled(0.5).unwrap());
    merged.merge(&busy).unwrap();
    assert_eq!(merged.excess(), 0.0);
    let mut both = busy.clone();
    both.merge(&busy).unwrap();
    assert_eq!(both.excess(), 0.0);
}

#[test]
fn a_merged_learner_keeps_its_ceiling() {
    // A learner computes exp(−ceiling) at its first sample, but `merged` starts without a sample.
    let settings = TrackingSettings::unscaled(0.5).unwrap().with_ceiling(1.0).unwrap();
    let mut trained = TrackingPca::<f64, 4, 1, 4>::new(settings);
    let axis = [1.0, 0.0, 0.0, 0.0];
    for _ in 0..20 {
        trained.learn(&axis).unwrap();
    }
    let mut merged = TrackingPca::new(settings);
    merged.merge(&trained).unwrap();
    for _ in 0..20 {
        trained.learn(&axis).unwrap();
        merged.learn(&axis).unwrap();
    }
    assert_eq!(merged.score(&axis), trained.score(&axis));
}
