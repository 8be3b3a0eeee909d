//! The bound of the loss: without a dimension, and with `excess()` where a small rank exceeds the bound.

use super::{clusters, in_both_precisions, samples, settings, tolerance};
use eigenstream::bounds::Bounds;
use eigenstream::kernel::{Ambient, Gaussian, Intake, Kernel, Linear, OnlineKernelPca, OnlineKernelSettings};
use eigenstream::{Centering, Scalar};

/// The total loss, its bound without the excess, and the excess.
struct Outcome {
    total: f64,
    bound: f64,
    excess: f64,
}

/// Learns in each trial the axis with the largest score; of equal scores, the first.
fn against_axes<T: Scalar, const DIM: usize, const RANK: usize>(rate: f64) -> Outcome {
    let axis = |place: usize| std::array::from_fn(|i| if i == place { T::ONE } else { T::ZERO });
    let mut pca = OnlineKernelPca::<T, _, DIM, 4, 64, RANK>::new(Linear, settings(rate));
    let mut total = 0.0;
    for _ in 0..64 {
        let losses: [f64; DIM] = std::array::from_fn(|place| pca.score(&axis(place)).unwrap().to_f64());
        let most = losses.iter().fold(0.0_f64, |most, &loss| most.max(loss));
        // Scores that are equal up to rounding count as equal.
        let place = losses.iter().position(|&loss| loss > most - 1e-6).unwrap();
        total += losses[place];
        pca.learn(&axis(place)).unwrap();
    }
    let best = pca.spectrum().iter().skip(4).map(|value| value.to_f64()).sum();
    Outcome {
        total,
        bound: Bounds::<f64>::dimension_free(4).loss(best, rate),
        excess: pca.excess().to_f64(),
    }
}

fn check_small_rank_and_full_rank<T: Scalar>() {
    let Outcome { total, bound, excess } = against_axes::<T, 9, 8>(0.43);
    assert!(total > bound + 1.0, "{total} {bound}");
    assert!(total <= bound + excess, "{total} above {bound} + {excess}");
    let Outcome { total, bound, excess } = against_axes::<T, 9, 64>(0.43);
    assert!(total <= bound && excess == 0.0, "{total} above {bound}, {excess}");
}

#[test]
fn a_small_rank_stays_within_its_bound_plus_the_excess() {
    check_small_rank_and_full_rank::<f64>();
    check_small_rank_and_full_rank::<f32>();
    for rate in [0.05, 0.2, 0.43, 1.0, 3.0] {
        for Outcome { total, bound, excess } in [
            against_axes::<f64, 9, 6>(rate),
            against_axes::<f32, 12, 8>(rate),
            against_axes::<f32, 16, 12>(rate),
            against_axes::<f64, 32, 6>(rate),
        ] {
            assert!(total <= bound + excess, "η = {rate}: {total} above {bound} + {excess}");
        }
    }
}

/// Checks after every trial that the total loss is at most that of a learner that stores all directions, plus the
/// excess.
fn certified<T: Scalar, K: Kernel<T, 3> + Copy, const KEEP: usize, const RANK: usize>(
    kernel: K,
    settings: OnlineKernelSettings<T>,
    stream: &[[T; 3]],
) -> f64 {
    let mut whole = OnlineKernelPca::<T, K, 3, KEEP, 24, 24>::new(kernel, settings);
    let mut small = OnlineKernelPca::<T, K, 3, KEEP, 24, RANK>::new(kernel, settings);
    let (mut whole_total, mut small_total) = (0.0, 0.0);
    for sample in stream {
        whole_total += whole.score(sample).unwrap().to_f64();
        small_total += small.score(sample).unwrap().to_f64();
        whole.learn(sample).unwrap();
        small.learn(sample).unwrap();
        let certificate = whole_total + small.excess().to_f64();
        let slack = tolerance::TOTAL * T::EPSILON.to_f64() * whole_total;
        assert!(small_total <= certificate + slack, "{small_total} above {certificate}");
    }
    assert_eq!(whole.excess(), T::ZERO, "a full rank leaves no direction out of {RANK}");
    small.excess().to_f64()
}

fn certified_on_all_streams<T: Scalar>() {
    let gaussian = Gaussian::new(T::HALF).unwrap();
    let streams = [
        samples::<T, 3>(80, 1),
        clusters::<T>(80, 5, 1.0, 2),
        clusters::<T>(80, 5, 3.0, 3),
        clusters::<T>(80, 12, 4.0, 4),
    ];
    for stream in &streams {
        for rate in [0.1, 1.0, 5.0] {
            let settings = settings(rate);
            certified::<T, _, 2, 4>(gaussian, settings, stream);
            certified::<T, _, 2, 6>(gaussian, settings.with_ambient(Ambient::Finite(40)), stream);
            certified::<T, _, 1, 5>(gaussian, settings.with_centering(Centering::Centered), stream);
            certified::<T, _, 4, 8>(Linear, settings.with_ambient(Ambient::Points), stream);
        }
    }
}

in_both_precisions!(
    a_small_rank_loses_at_most_its_excess_more_than_a_full_rank,
    certified_on_all_streams
);

/// A full window holds seven or eight clusters, so `RANK` = `KEEP` + 2 must leave out some of their directions.
#[test]
fn the_excess_covers_the_error_of_a_small_rank_on_clusters() {
    let gaussian = Gaussian::new(0.5).unwrap();
    let (mut worst, mut worst_of_four_more) = (0.0_f64, 0.0_f64);
    for seed in [28, 46] {
        let mut whole = OnlineKernelPca::<f64, _, 3, 2, 32, 32>::new(gaussian, settings(1.0));
        let mut two_more = OnlineKernelPca::<f64, _, 3, 2, 32, 4>::new(gaussian, settings(1.0));
        let mut four_more = OnlineKernelPca::<f64, _, 3, 2, 32, 6>::new(gaussian, settings(1.0));
        for sample in clusters::<f64>(300, 5, 4.0, seed) {
            let wanted = whole.score(&sample).unwrap();
            let (error, charged) = (two_more.score(&sample).unwrap() - wanted, two_more.excess());
            worst = worst.max(error);
            worst_of_four_more = worst_of_four_more.max(four_more.score(&sample).unwrap() - wanted);
            whole.learn(&sample).unwrap();
            two_more.learn(&sample).unwrap();
            four_more.learn(&sample).unwrap();
            let charge = two_more.excess() - charged;
            assert!(error <= charge + 1e-9, "seed {seed}: {error} charged {charge}");
        }
    }
    println!("largest error of RANK = KEEP + 2: {worst:.3}, of KEEP + 4: {worst_of_four_more:.1e}");
    assert!(worst > 0.2 && worst < 0.3, "{worst}");
    assert!(worst_of_four_more < 1e-3, "{worst_of_four_more}");
}

#[test]
fn samples_before_a_refresh_add_their_loss_to_the_excess() {
    let mut pca = OnlineKernelPca::<f64, _, 3, 2, 8, 8>::new(Gaussian::DEFAULT, settings(1.0));
    let stream = samples::<f64, 3>(12, 5);
    let mut charged = 0.0;
    for (trial, sample) in stream.iter().enumerate() {
        // The first sample adds nothing to the excess, because no earlier push waits for a refresh.
        if trial > 0 {
            charged += pca.score(sample).unwrap();
        }
        assert_eq!(pca.push(sample), Ok(Intake::Stored));
        assert!((pca.excess() - charged).abs() < 1e-12);
    }
    pca.refresh();
    pca.learn(&stream[0]).unwrap();
    assert!(
        (pca.excess() - charged).abs() < 1e-12,
        "after the refresh a sample adds nothing"
    );
    pca.reset();
    assert_eq!(pca.excess(), 0.0);
}
