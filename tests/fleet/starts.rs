//! Tests of `start_from` and `start_from_batch`.

use eigenstream::bounds::Bounds;
use eigenstream::nalgebra::{SMatrix, SVector};
use eigenstream::pca::{
    BatchPca, Center, CenteredPca, CenteredSettings, ReadOut, TrackingPca, TrackingSettings, VarianceMinimizer,
    VarianceSettings,
};
use eigenstream::spectrum::{Eigen, matrix_exp, matrix_log};
use eigenstream::weights::{Bulk, Hedge, HedgeSettings, cap, keep_probability, threshold};
use eigenstream::{Centering, FitError, Forgetting, MatrixError, Scalar, ScaleSettings, WeightsError};

use super::{basis, image, in_both_precisions, off, restarted, samples};
use crate::support::{rng, symmetric};

const DIM: usize = 6;

/// Keep probabilities of two directions. In the last pair, the smaller one is below that of every other direction.
const PROBABILITIES: [[f64; 2]; 4] = [[0.75, 0.5], [0.375, 0.9375], [0.5, 0.5], [0.0625, 0.75]];

/// The density matrix (I − Σ (p − q)·v·vᵀ − q·I)/(`DIM` − 2): p is the keep probability of a given direction v, q that
/// of each other direction.
fn wanted<T: Scalar>(directions: &SMatrix<T, DIM, 2>, probabilities: &[f64; 2]) -> SMatrix<f64, DIM, DIM> {
    let others = (2.0 - probabilities[0] - probabilities[1]) / (DIM - 2) as f64;
    let mut density = SMatrix::identity() * (1.0 - others);
    for (direction, probability) in directions.map(|entry| entry.to_f64()).column_iter().zip(probabilities) {
        density -= direction * direction.transpose() * (probability - others);
    }
    density / (DIM - 2) as f64
}

fn start_has_the_density_of_its_probabilities<T: Scalar>() {
    let allowed = 32.0 * T::EPSILON.to_f64();
    for (seed, probabilities) in PROBABILITIES.iter().enumerate() {
        let directions = basis::<T, DIM, 2>(seed as u64);
        let wanted = wanted(&directions, probabilities);
        let close = |what: &str, density: &SMatrix<T, DIM, DIM>| {
            let off = off(&density.map(|entry| entry.to_f64()), &wanted);
            assert!(off < allowed, "{what}, {probabilities:?}: {off:e}");
        };
        let given = probabilities.map(T::from_f64);
        let mut density = SMatrix::repeat(T::ZERO);

        let mut tracking = TrackingPca::<T, DIM, 2, DIM>::new(TrackingSettings::DEFAULT);
        tracking.learn(&[T::ONE; DIM]).unwrap();
        tracking.start_from(&directions, &given).unwrap();
        tracking.density(&mut density);
        close("tracking", &density);
        assert_eq!(tracking.samples_seen(), 0);
        assert_eq!(image(&restarted(&tracking)), image(&tracking));

        let mut low = TrackingPca::<T, DIM, 2, 4>::new(TrackingSettings::DEFAULT);
        let before = image(&low);
        let others = (2.0 - probabilities[0] - probabilities[1]) / (DIM - 2) as f64;
        match probabilities.iter().position(|&probability| probability < others) {
            None => {
                low.start_from(&directions, &given).unwrap();
                low.density(&mut density);
                close("low rank", &density);
            }
            Some(index) => {
                let refused = low.start_from(&directions, &given);
                assert_eq!(refused, Err(MatrixError::Probability { index }));
                assert_eq!(image(&low), before);
            }
        }

        // At a smaller rate, `CenteredPca` needs a larger scatter for equal probabilities.
        for rate in [0.125, 1.0, 8.0] {
            let settings = CenteredSettings::unscaled(T::from_f64(rate)).unwrap();
            let mut centered = CenteredPca::<T, DIM, 2>::new(settings);
            centered.learn(&[T::ONE; DIM]).unwrap();
            centered.start_from(&directions, &given).unwrap();
            centered.density(&mut density);
            close("centered", &density);
            assert_eq!(centered.samples_seen(), 0);
            assert_eq!(image(&restarted(&centered)), image(&centered));
        }

        let mut minimizer = VarianceMinimizer::<T, DIM>::new(VarianceSettings::new(T::HALF).unwrap());
        minimizer.learn(&SMatrix::repeat(T::ONE)).unwrap();
        minimizer
            .start_from(&wanted.map(T::from_f64), &mut Eigen::new())
            .unwrap();
        minimizer.density(&mut density);
        close("variance", &density);
        assert_eq!(minimizer.matrices_seen(), 0);
        assert_eq!(image(&restarted(&minimizer)), image(&minimizer));
        minimizer.reset();
        assert_eq!(minimizer.weights(), [T::ONE / T::from_usize(DIM); DIM]);
    }
}

in_both_precisions!(
    every_learner_starts_with_the_density_that_the_caller_gives,
    start_has_the_density_of_its_probabilities
);

fn kept_by_the_leader<T: Scalar, const DIM: usize, const KEEP: usize>(probability: f64, rate: f64) -> usize {
    let settings = CenteredSettings::unscaled(T::from_f64(rate)).unwrap();
    let mut pca = CenteredPca::<T, DIM, KEEP>::new(settings.with_read_out(ReadOut::Leader));
    pca.start_from(&basis(DIM as u64), &[T::from_f64(probability); KEEP])
        .unwrap();
    let probabilities = pca.keep_probabilities();
    probabilities.iter().filter(|&&kept| kept > T::ZERO).count()
}

#[test]
fn the_leader_keeps_no_direction_when_all_are_equally_likely() {
    fn check<T: Scalar>() {
        for rate in [1e-12, 1.0] {
            assert_eq!(kept_by_the_leader::<T, 3, 1>(1.0 / 3.0, rate), 0);
            assert_eq!(kept_by_the_leader::<T, 5, 2>(0.4, rate), 0);
            assert_eq!(kept_by_the_leader::<T, 6, 4>(2.0 / 3.0, rate), 0);
            assert_eq!(kept_by_the_leader::<T, 7, 3>(3.0 / 7.0, rate), 0);
            assert_eq!(kept_by_the_leader::<T, 10, 3>(0.3, rate), 0);
            assert_eq!(kept_by_the_leader::<T, 10, 3>(0.301, rate), 3);
        }
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn nearly_orthonormal_directions_are_made_orthonormal() {
    let mut directions = basis::<f32, DIM, 2>(5);
    directions[(0, 0)] += 1e-3;
    let mut pca = TrackingPca::<f32, DIM, 2, 4>::new(TrackingSettings::DEFAULT);
    pca.start_from(&directions, &[0.75, 0.5]).unwrap();
    assert!(eigenstream::spectrum::orthogonality_error(&pca.components(), 2) < 1e-6);
}

#[test]
fn an_impossible_start_is_refused_and_changes_nothing() {
    let good = basis::<f32, DIM, 2>(6);
    let mut long = good;
    long[(0, 0)] += 0.5;
    let same = SMatrix::from_columns(&[good.column(0), good.column(0)]);
    let mut broken = good;
    broken[(3, 1)] = f32::NAN;
    let number = MatrixError::NotANumber { row: 3, column: 1 };
    let probability = |index| MatrixError::Probability { index };
    let cases = [
        (broken, [0.5, 0.5], number),
        (long, [0.5, 0.5], MatrixError::NotOrthonormal),
        (same, [0.5, 0.5], MatrixError::NotOrthonormal),
        (SMatrix::zeros(), [0.5, 0.5], MatrixError::NotOrthonormal),
        (SMatrix::repeat(f32::MAX), [0.5, 0.5], MatrixError::NotOrthonormal),
        (good, [0.5, 1.0], probability(1)),
        (good, [-0.25, 0.5], probability(0)),
        (good, [0.5, f32::NAN], probability(1)),
        (good, [f32::INFINITY, 0.5], probability(0)),
    ];
    let mut tracking = TrackingPca::<f32, DIM, 2, DIM>::new(TrackingSettings::DEFAULT);
    let mut centered = CenteredPca::<f32, DIM, 2>::new(CenteredSettings::unscaled(1.0).unwrap());
    for sample in samples(5, 7, 0.1) {
        tracking.learn(&sample).unwrap();
        centered.learn(&sample).unwrap();
    }
    let before = (image(&tracking), image(&centered));
    for (directions, probabilities, why) in cases {
        assert_eq!(tracking.start_from(&directions, &probabilities), Err(why));
        assert_eq!(centered.start_from(&directions, &probabilities), Err(why));
    }
    assert_eq!((image(&tracking), image(&centered)), before);
    // The probabilities of all directions sum to 2, so the third direction would need the probability 1.25.
    let mut narrow = TrackingPca::<f32, 3, 2, 3>::new(TrackingSettings::DEFAULT);
    let refused = narrow.start_from(&basis::<f32, 3, 2>(8), &[0.5, 0.25]);
    assert_eq!(refused, Err(probability(2)));

    let mut running = CenteredPca::<f32, DIM, 2>::new(CenteredSettings::DEFAULT);
    assert_eq!(running.start_from(&good, &[0.5, 0.5]), Err(MatrixError::Scale));
    let mut still = CenteredPca::<f32, DIM, 2>::new(CenteredSettings::unscaled(f32::MIN_POSITIVE).unwrap());
    assert_eq!(still.start_from(&good, &[0.5, 0.5]), Err(MatrixError::Overflow));

    let mut minimizer = VarianceMinimizer::<f32, 2>::new(VarianceSettings::DEFAULT);
    minimizer.learn(&SMatrix::from([[1.0, 0.25], [0.25, 0.5]])).unwrap();
    let before = image(&minimizer);
    let mut eigen = Eigen::new();
    for (density, why) in [
        (
            [[0.5, f32::NAN], [f32::NAN, 0.5]],
            MatrixError::NotANumber { row: 0, column: 1 },
        ),
        ([[0.5, 0.0], [0.0, 0.25]], MatrixError::Trace),
        ([[1.5, 0.0], [0.0, -0.5]], MatrixError::NotPositiveDefinite),
    ] {
        assert_eq!(minimizer.start_from(&SMatrix::from(density), &mut eigen), Err(why));
    }
    assert_eq!(image(&minimizer), before);
    let mut still = VarianceMinimizer::<f32, 2>::new(VarianceSettings::new(1e-38).unwrap());
    let start = SMatrix::from_diagonal(&SVector::<f32, 2>::new(0.25, 0.75));
    assert_eq!(still.start_from(&start, &mut eigen), Err(MatrixError::Overflow));
}

#[test]
fn hedge_scales_and_caps_the_weights_it_starts_from() {
    for set_size in 1..=4 {
        let settings = HedgeSettings::new(0.5).unwrap().with_set_size(set_size).unwrap();
        let mut hedge = Hedge::<f64, 4>::new(settings);
        for weights in [
            [0.1, 0.2, 0.3, 0.4],
            [8.0, 1.0, 0.5, 0.25],
            [1e-300, 1e-200, 1.0, 1e300],
        ] {
            hedge.start_from(&weights).unwrap();
            let mut capped = weights;
            cap(&mut capped, set_size).unwrap();
            assert!(off(&hedge.weights(), &capped) < 1e-15, "{set_size} of {weights:?}");
            assert_eq!(image(&restarted(&hedge)), image(&hedge));
        }
        let before = image(&hedge);
        for (weights, why) in [
            ([0.5, f64::NAN, 0.5, 0.0], WeightsError::NotANumber { index: 1 }),
            ([0.5, f64::INFINITY, 0.5, 0.0], WeightsError::NotANumber { index: 1 }),
            ([0.5, 0.5, -0.1, 0.1], WeightsError::Negative { index: 2 }),
            ([0.0; 4], WeightsError::AllZero),
        ] {
            assert_eq!(hedge.start_from(&weights), Err(why));
        }
        assert_eq!(image(&hedge), before);
        let some = hedge.start_from(&[0.0, 1.0, 0.0, 1.0]);
        if set_size <= 2 {
            assert_eq!(some, Ok(()));
            assert_eq!(hedge.weights(), [0.0, 0.5, 0.0, 0.5]);
            assert!(hedge.step(&[1.0, 0.25, 0.0, 0.5]).unwrap().is_finite());
            assert_eq!(hedge.weights()[0], 0.0);
        } else {
            let why = WeightsError::SetSize {
                requested: set_size,
                available: 2,
            };
            assert_eq!(some, Err(why));
        }
    }
}

#[test]
fn the_variance_minimizer_stays_within_its_bound_after_a_start() {
    let rate = 0.75;
    let mut eigen = Eigen::<f64, 3>::new();
    let rng = &mut rng(9);
    let turn = basis::<f64, 3, 3>(10);
    let start = turn * SMatrix::from_diagonal(&SVector::from([0.05, 0.25, 0.7])) * turn.transpose();
    let mut minimizer = VarianceMinimizer::<f64, 3>::new(VarianceSettings::new(rate).unwrap());
    minimizer.start_from(&start, &mut eigen).unwrap();
    let mut logarithm = SMatrix::zeros();
    let _ = matrix_log(&start, &mut eigen, &mut logarithm).unwrap();
    let mut total = 0.0;
    for _ in 0..20 {
        let vector = SVector::<f64, 3>::from_fn(|_, _| 0.5 * symmetric(rng));
        let covariance = vector * vector.transpose();
        let mut slow = SMatrix::zeros();
        let _ = matrix_exp(&logarithm, &mut eigen, &mut slow).unwrap();
        let wanted = (slow * covariance).trace() / slow.trace();
        let expected = minimizer.expected_variance(&covariance).unwrap();
        assert!((expected - wanted).abs() < 1e-14);
        total += expected;
        minimizer.learn(&covariance).unwrap();
        logarithm -= covariance * rate;
    }
    assert!(total <= rate * minimizer.best_variance() / (1.0 - (-rate).exp()));
}

/// The density matrix of the evidence rate·scatter, by a full decomposition.
fn slow_density<const KEEP: usize>(scatter: &SMatrix<f64, DIM, DIM>, rate: f64) -> SMatrix<f64, DIM, DIM> {
    let mut eigen = Eigen::new();
    let _ = eigen.decompose(&(scatter * rate)).unwrap();
    let tau = threshold(eigen.values().as_slice(), Bulk::NONE, KEEP);
    let drops = eigen.values().map(|value| 1.0 - keep_probability(value, tau));
    eigen.vectors() * SMatrix::from_diagonal(&drops) * eigen.vectors().transpose() / (DIM - KEEP) as f64
}

#[test]
fn tracking_starts_from_the_scatter_of_a_batch() {
    let stream = samples::<f64, DIM>(40, 11, 0.0);
    let mut batch = BatchPca::<f64, DIM, 3>::new(Centering::Uncentered);
    let mut scatter = SMatrix::zeros();
    let mut energy = 0.0;
    for sample in &stream {
        batch.learn(sample).unwrap();
        let vector = SVector::from(*sample);
        scatter += vector * vector.transpose();
        energy += vector.dot(&vector) / stream.len() as f64;
    }
    let mut pca = TrackingPca::<f64, DIM, 2, DIM>::new(TrackingSettings::DEFAULT);
    let before = image(&pca);
    assert_eq!(pca.start_from_batch(&batch), Err(FitError::NotFitted));
    assert_eq!(image(&pca), before);
    let _ = batch.fit();
    let mut density = SMatrix::zeros();
    for rate in [0.05, 0.3, 2.0] {
        let unscaled = TrackingSettings::unscaled(rate).unwrap().without_ceiling();
        let bound = unscaled.with_scale(ScaleSettings::bound(2.0).unwrap());
        let running = unscaled.with_scale(ScaleSettings::DEFAULT);
        for (settings, unit) in [(unscaled, 1.0), (bound, 0.25), (running, 1.0 / energy)] {
            let mut pca = TrackingPca::<f64, DIM, 2, DIM>::new(settings);
            pca.start_from_batch(&batch).unwrap();
            pca.density(&mut density);
            let off = off(&density, &slow_density::<2>(&scatter, rate * unit));
            assert!(off < 1e-12, "rate {rate}, unit {unit}: {off:e}");
        }
    }
    let mut pca = TrackingPca::<f64, DIM, 2, 4>::new(TrackingSettings::unscaled(100.0).unwrap());
    pca.start_from_batch(&batch).unwrap();
    assert_eq!(pca.evidence()[..2], [14.0; 2]);
    assert_eq!(image(&restarted(&pca)), image(&pca));
    let mut nothing = BatchPca::<f64, DIM, 2>::new(Centering::Centered);
    let _ = nothing.fit();
    pca.start_from_batch(&nothing).unwrap();
    assert!(off(&pca.keep_probabilities(), &[2.0 / DIM as f64; DIM]) < 1e-15);
}

#[test]
fn centered_starts_from_a_batch_as_if_it_had_learned_its_samples() {
    let stream = samples::<f64, DIM>(60, 12, 2.0);
    let (past, future) = stream.split_at(40);
    let memory = Forgetting::memory(30.0).unwrap();
    let default = CenteredSettings::DEFAULT;
    for (center, centering) in [
        (Center::Mean, Centering::Centered),
        (Center::Weighted(3.0), Centering::Centered),
        (Center::Fixed, Centering::Uncentered),
    ] {
        let mut batch = BatchPca::<f64, DIM, 2>::new(centering);
        let mut learned = CenteredPca::<f64, DIM, 2>::new(default.with_center(center).unwrap());
        let mut started = learned.clone();
        started.learn(&[9.0; DIM]).unwrap();
        for sample in past {
            batch.learn(sample).unwrap();
            learned.learn(sample).unwrap();
        }
        started.start_from_batch(&batch).unwrap();
        assert_eq!(started.samples_seen(), 40);
        for sample in future {
            let (score, wanted) = (started.score(sample).unwrap(), learned.score(sample).unwrap());
            assert!((score - wanted).abs() < 1e-10, "{center:?}: {score} {wanted}");
            started.learn(sample).unwrap();
            learned.learn(sample).unwrap();
        }
    }
    let mut batch = BatchPca::<f64, DIM, 2>::new(Centering::Uncentered);
    past.iter().for_each(|sample| batch.learn(sample).unwrap());
    let mut pca = CenteredPca::<f64, DIM, 2>::new(default.with_forgetting(memory));
    let before = image(&pca);
    assert_eq!(pca.start_from_batch(&batch), Err(FitError::Centering));
    assert_eq!(image(&pca), before);
}

/// The divergence Σ g·(1 − ‖Pv‖²) over all directions v with evidence g; P projects on the best plane.
fn divergence<const KEEP: usize>(
    directions: &SMatrix<f64, DIM, KEEP>,
    probabilities: &[f64; KEEP],
    best: &SMatrix<f64, DIM, KEEP>,
) -> f64 {
    let others = (KEEP as f64 - probabilities.iter().sum::<f64>()) / (DIM - KEEP) as f64;
    let evidence = |probability: f64| -(1.0 - probability).ln();
    let mut sum = evidence(others) * (DIM - KEEP) as f64;
    for (direction, &probability) in directions.column_iter().zip(probabilities) {
        let inside = best.transpose() * direction;
        let outside = 1.0 - inside.dot(&inside);
        sum += outside * (evidence(probability) - evidence(others));
    }
    sum
}

#[test]
fn the_total_loss_after_any_start_is_within_its_bound() {
    let mut largest = 0.0_f64;
    for seed in 0..60 {
        let rng = &mut rng(seed);
        let directions = basis::<f64, DIM, 2>(seed + 1);
        let probabilities = [0.5, 0.5].map(|middle: f64| middle + 0.45 * symmetric(rng));
        let rate = [0.05, 0.3, 1.0, 5.0][seed as usize % 4];
        let mut pca = TrackingPca::<f64, DIM, 2, DIM>::new(TrackingSettings::unscaled(rate).unwrap().without_ceiling());
        pca.start_from(&directions, &probabilities).unwrap();
        // The samples are in the plane of the start (even seeds) or in a random plane (odd seeds).
        let plane = if seed % 2 == 0 { directions } else { basis(seed + 1_000) };
        let mut batch = BatchPca::<f64, DIM, 2>::new(Centering::Uncentered);
        let mut total = 0.0;
        for _ in 0..50 {
            let code = SVector::<f64, 2>::from_fn(|_, _| 0.7 * symmetric(rng));
            let sample: [f64; DIM] = (plane * code).into();
            total += pca.score(&sample).unwrap();
            pca.learn(&sample).unwrap();
            batch.learn(&sample).unwrap();
        }
        let _ = batch.fit();
        let bounds = Bounds::from_divergence(divergence(&directions, &probabilities, &batch.components())).unwrap();
        let bound = bounds.loss(batch.loss(), rate);
        assert!(total <= bound, "seed {seed}: {total} above {bound}");
        largest = largest.max(total / bound);
    }
    assert!(largest > 0.5, "{largest}");
}
