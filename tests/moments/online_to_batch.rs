//! Answers averaged over an online run, [WK08] section 6.3, and their bound on new samples.

use super::*;
use eigenstream::pca::{AverageSubspace, RandomStop};

const DIM: usize = 6;
const KEEP: usize = 2;

fn pass<T: Scalar>(samples: &[[T; DIM]], rate: f64) -> (AverageDensity<T, DIM, KEEP>, RegretMeter<T>) {
    let mut pca = CenteredPca::<T, DIM, KEEP>::new(paper(rate, Center::Fixed));
    let mut average = AverageDensity::new();
    let mut meter = RegretMeter::new();
    for sample in samples {
        average.add(T::ZERO, pca.directions()).unwrap();
        meter.record(pca.score(sample).unwrap());
        pca.learn(sample).unwrap();
    }
    (average, meter)
}

fn check_average_subspace<T: Scalar>() {
    let (average, _) = pass(&plane::<T, DIM>(60, 21), 4.0);
    let mut subspace = AverageSubspace::<_, DIM, KEEP>::new();
    let _ = subspace.fit(&average);
    let probabilities = subspace.keep_probabilities();
    let sum: f64 = probabilities.iter().map(|p| p.to_f64()).sum();
    let rounding = tolerance::ROUNDING * T::EPSILON.to_f64();
    assert!((sum - KEEP as f64).abs() < rounding, "{sum}");
    assert!(probabilities.is_sorted_by(|a, b| a >= b));
    for (component, probability) in subspace.components().data.0.iter().zip(probabilities) {
        let loss = average.expected_loss(component).unwrap();
        assert!((loss + probability - T::ONE).abs().to_f64() < rounding);
    }
}

in_both_precisions!(
    the_directions_of_the_average_have_its_keep_probabilities,
    check_average_subspace
);

#[test]
fn the_mean_loss_of_drawn_subspaces_is_the_expected_loss() {
    let rng = &mut rng(5);
    let (average, _) = pass(&plane::<f64, DIM>(40, 22), 1.0);
    let mut subspace = AverageSubspace::<_, DIM, KEEP>::new();
    let _ = subspace.fit(&average);
    let probe: [f64; DIM] = std::array::from_fn(|_| symmetric(rng));
    let energy: f64 = probe.iter().map(|value| value * value).sum();
    const DRAWS: usize = 100_000;
    let mut sum = 0.0;
    for _ in 0..DRAWS {
        let drawn = subspace.draw(rng);
        assert_orthonormal(&drawn, format_args!("a draw"));
        let kept = drawn.transpose() * eigenstream::nalgebra::SVector::from(probe);
        sum += energy - kept.dot(&kept);
    }
    let expected = average.expected_loss(&probe).unwrap();
    // The limit is five times the largest standard deviation that the mean can have.
    let off = sum / DRAWS as f64 - expected;
    assert!(off.abs() < 5.0 * 0.5 * energy / (DRAWS as f64).sqrt(), "{off}");
}

#[test]
fn new_samples_lose_no_more_than_the_bound() {
    let everything = plane::<f64, DIM>(20_400, 23);
    let (fresh, past) = everything.split_at(20_000);
    for (trials, rate) in [(10, 1.0), (50, 1.0), (100, 5.0), (400, 5.0)] {
        let (learned, fresh_mean) = (&past[..trials], |loss: &dyn Fn(&[f64; DIM]) -> f64| {
            fresh.iter().map(loss).sum::<f64>() / fresh.len() as f64
        });
        let (average, meter) = pass(learned, rate);
        let loss = fresh_mean(&|sample| average.expected_loss(sample).unwrap());
        let bound = average.loss_bound(meter.total_loss());
        assert!((bound - meter.mean_loss()).abs() < 1e-15);
        // The limit is five times the largest standard deviation of the mean: a loss in [0, 1/4] has at most 1/8.
        assert!(
            loss <= bound + 5.0 * 0.125 / (trials as f64).sqrt(),
            "{trials}: {loss} {bound}"
        );
        let best = batch::<f64, DIM, KEEP>(learned, Centering::Uncentered).loss();
        let theory = Bounds::new(DIM, KEEP)
            .with_norm_bound(0.5)
            .unwrap()
            .fresh_loss(best, rate, trials);
        assert!(bound <= theory, "{trials}: {bound} {theory}");
    }
}

#[test]
fn more_trials_lower_the_loss_on_new_samples() {
    let everything = plane::<f64, DIM>(4_000, 24);
    let loss = |trials: usize| {
        let (average, _) = pass(&everything[..trials], 5.0);
        let fresh = &everything[2_000..];
        fresh
            .iter()
            .map(|sample| average.expected_loss(sample).unwrap())
            .sum::<f64>()
            / fresh.len() as f64
    };
    let losses = [10, 100, 1_000].map(loss);
    assert!(losses.is_sorted_by(|early, late| early > late), "{losses:?}");
}

#[test]
fn a_randomly_stopped_learner_has_the_mean_loss_of_the_average() {
    let rng = &mut rng(6);
    let samples = plane::<f64, DIM>(20, 25);
    let probe = samples[3];
    let (average, meter) = pass(&samples, 5.0);
    const RUNS: usize = 4_000;
    let mut sum = 0.0;
    for _ in 0..RUNS {
        let mut pca = CenteredPca::<f64, DIM, KEEP>::new(paper(5.0, Center::Fixed));
        let mut stop = RandomStop::<f64, _>::new(pca.clone());
        for sample in &samples {
            stop.offer(&pca, pca.score(sample).unwrap(), rng).unwrap();
            pca.learn(sample).unwrap();
        }
        assert!((stop.mean_loss() - meter.mean_loss()).abs() < 1e-14);
        sum += stop.learner().score(&probe).unwrap();
    }
    let off = sum / RUNS as f64 - average.expected_loss(&probe).unwrap();
    // The limit is five times the largest standard deviation that the mean can have.
    assert!(off.abs() < 5.0 * 0.125 / (RUNS as f64).sqrt(), "{off}");
}

#[test]
fn an_empty_average_keeps_no_direction() {
    let average = AverageDensity::<f32, 3, 1>::new();
    let mut subspace = AverageSubspace::<f32, 3, 1>::new();
    let _ = subspace.fit(&average);
    assert_eq!(subspace.keep_probabilities(), [0.0; 3]);
    assert_eq!(subspace.draw(&mut rng(1)), SMatrix::<f32, 3, 1>::zeros());
    assert_eq!(average.loss_bound(1.0), f32::MAX);
}
