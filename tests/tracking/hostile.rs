//! Tracking learners on extreme samples, on long streams, and on samples that nearly repeat.

use eigenstream::Scalar;
use eigenstream::pca::{TrackingPca, TrackingSettings};
use eigenstream::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro128PlusPlus;

use crate::orthonormal::assert_orthonormal;
use crate::shifting;

fn stays_finite<const DIM: usize, const KEEP: usize, const RANK: usize>(
    name: &str,
    sample: impl Fn(u32) -> [f32; DIM],
) {
    for rate in [1e-6_f32, 1.0, 1e6, 1e30] {
        let mut pca = TrackingPca::<f32, DIM, KEEP, RANK>::new(TrackingSettings::unscaled(rate).unwrap());
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(9);
        for t in 0..300 {
            let trial = pca.step(&sample(t), &mut rng).unwrap();
            assert!(trial.loss.is_finite() && trial.loss >= 0.0, "{name}");
            assert!(trial.expected_loss.is_finite() && trial.expected_loss >= 0.0, "{name}");
            let sum: f32 = pca.keep_probabilities().iter().sum();
            assert!(
                (sum - KEEP as f32).abs() < 1e-2,
                "{name}, rate {rate}, trial {t}: sum {sum}"
            );
        }
    }
}

fn stays_finite_on_all_streams<const DIM: usize, const KEEP: usize, const RANK: usize>() {
    stays_finite::<DIM, KEEP, RANK>("zeros", |_| [0.0; DIM]);
    stays_finite::<DIM, KEEP, RANK>("constant", |_| [0.3; DIM]);
    stays_finite::<DIM, KEEP, RANK>("stuck channel", |_| {
        core::array::from_fn(|i| if i == 0 { 1.0 } else { 0.0 })
    });
    stays_finite::<DIM, KEEP, RANK>("axes in turn", |t| {
        core::array::from_fn(|i| if i == t as usize % DIM { 1.0 } else { 0.0 })
    });
    stays_finite::<DIM, KEEP, RANK>("tiny", |t| {
        core::array::from_fn(|i| 1e-30 * ((i as u32 + t) % 5) as f32)
    });
    stays_finite::<DIM, KEEP, RANK>("huge", |t| core::array::from_fn(|i| 1e17 * ((i as u32 * t) % 7) as f32));
    stays_finite::<DIM, KEEP, RANK>("subnormal", |t| core::array::from_fn(|i| f32::from_bits(i as u32 + t)));
    stays_finite::<DIM, KEEP, RANK>("sudden", |t| {
        core::array::from_fn(|i| if t % 50 == 0 { 1e10 } else { (i + 1) as f32 * 1e-3 })
    });
}

#[test]
fn losses_are_finite_and_probabilities_sum_to_keep_on_any_stream() {
    stays_finite_on_all_streams::<2, 1, 2>();
    stays_finite_on_all_streams::<4, 1, 3>();
    stays_finite_on_all_streams::<4, 3, 4>();
    stays_finite_on_all_streams::<6, 2, 4>();
    stays_finite_on_all_streams::<8, 3, 6>();
    stays_finite_on_all_streams::<9, 4, 9>();
}

fn stay_orthonormal<const DIM: usize, const KEEP: usize, const RANK: usize>() {
    let quiet = shifting::<DIM>(4, 1000, 100, 0.02);
    let noisy = shifting::<DIM>(5, 1000, 100, 0.15);
    for rate in [0.1, 1.0, 3.0, 30.0, 1e4] {
        let mut pca = TrackingPca::<f32, DIM, KEEP, RANK>::new(TrackingSettings::unscaled(rate).unwrap());
        for sample in quiet.iter().chain(&noisy) {
            pca.learn(&sample.map(|value| value as f32)).unwrap();
            assert_orthonormal(
                &pca.components(),
                format_args!("rate {rate}, keep {KEEP} of {DIM}, rank {RANK}"),
            );
        }
    }
}

/// Two states alternate, with different periods.
fn stay_orthonormal_in_turns<const DIM: usize, const KEEP: usize>() {
    for (period, seed) in [2, 3, 4, 8, 16, 17].into_iter().zip(1..) {
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(seed);
        let mut symmetric = || 2.0 * f32::uniform(&mut rng) - 1.0;
        let states: [[f32; DIM]; 2] = core::array::from_fn(|_| core::array::from_fn(|_| symmetric()));
        let mut pca = TrackingPca::<f32, DIM, KEEP, 6>::new(TrackingSettings::DEFAULT);
        for trial in 0..5_000 {
            let state = states[usize::from(2 * (trial % period) >= period)];
            pca.learn(&state.map(|entry| entry + 0.03 * symmetric())).unwrap();
            assert_orthonormal(
                &pca.components(),
                format_args!("period {period}, keep {KEEP}, trial {trial}"),
            );
        }
    }
}

#[test]
fn directions_stay_orthonormal_in_an_alternating_stream() {
    stay_orthonormal_in_turns::<6, 1>();
    stay_orthonormal_in_turns::<6, 2>();
    stay_orthonormal_in_turns::<8, 3>();
}

#[test]
fn directions_stay_orthonormal_at_any_rate_and_rank() {
    stay_orthonormal::<8, 2, 6>();
    stay_orthonormal::<8, 3, 6>();
    stay_orthonormal::<16, 3, 16>();
    stay_orthonormal::<12, 6, 10>();
}

#[test]
fn samples_of_zeros_change_only_the_scale() {
    let mut pca = TrackingPca::<f32, 6, 2, 6>::new(TrackingSettings::DEFAULT);
    for sample in shifting::<6>(9, 200, 200, 0.05) {
        pca.learn(&sample.map(|value| value as f32)).unwrap();
    }
    let mut silent = pca.clone();
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(1);
    for _ in 0..100 {
        let trial = silent.step(&[0.0; 6], &mut rng).unwrap();
        assert_eq!((trial.code, trial.loss, trial.expected_loss), ([0.0; 2], 0.0, 0.0));
    }
    assert_eq!(silent.samples_seen(), pca.samples_seen() + 100);
    // Making the directions orthonormal again changes them by rounding.
    assert!((silent.components() - pca.components()).abs().max() < 1e-6);
    assert_eq!(silent.evidence(), pca.evidence());
    // With a ceiling of 1 a direction is kept with probability at most 0.63, so all directions are kept sometimes.
    let low = TrackingSettings::DEFAULT.with_ceiling(1.0).unwrap();
    let mut pca = TrackingPca::<f32, 6, 2, 6>::new(low);
    for sample in shifting::<6>(9, 200, 200, 0.05) {
        pca.learn(&sample.map(|value| value as f32)).unwrap();
    }
    pca.learn(&[0.0; 6]).unwrap();
    let sum: f32 = pca.keep_probabilities().iter().sum();
    assert!(pca.keep_probabilities()[5] > 0.0 && sum < 2.0 + 1e-5, "{sum}");
}

#[test]
fn nearly_equal_samples_keep_the_directions_orthonormal() {
    // The part of a sample outside the directions is nearly zero, so it can consist of the rounding errors of the
    // directions. These errors must not grow with every sample.
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(172);
    let mut symmetric = || 2.0 * f64::uniform(&mut rng) - 1.0;
    for rate in [1.0, 1e4, 1e15] {
        let mut pca = TrackingPca::<f32, 8, 3, 8>::new(TrackingSettings::unscaled(rate).unwrap());
        for round in 0..20 {
            let bases: [[f64; 8]; 2] = core::array::from_fn(|_| core::array::from_fn(|_| symmetric()));
            for trial in 0..60 {
                let sample = core::array::from_fn(|i| (bases[0][i] + 3e-4 * bases[1][i] + 2e-6 * symmetric()) as f32);
                pca.learn(&sample).unwrap();
                assert_orthonormal(
                    &pca.components(),
                    format_args!("rate {rate}, round {round}, trial {trial}"),
                );
            }
        }
    }
}

#[test]
fn a_direction_that_is_rotated_often_keeps_its_length() {
    // A sample can rotate a direction many times; the rounding errors of the rotations must not add up.
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(4);
    let mut symmetric = || 2.0 * f64::uniform(&mut rng) - 1.0;
    for rate in [1e4, 1e15, 1e25] {
        for round in 0..10 {
            let mut pca = TrackingPca::<f32, 16, 14, 16>::new(TrackingSettings::unscaled(rate).unwrap());
            let base: [f64; 16] = core::array::from_fn(|_| symmetric());
            for trial in 0..100 {
                pca.learn(&base.map(|entry| (entry + 1e-3 * symmetric()) as f32))
                    .unwrap();
                assert_orthonormal(
                    &pca.components(),
                    format_args!("rate {rate}, round {round}, trial {trial}"),
                );
            }
        }
    }
}

/// Learns samples along three axes, then one long sample along a fourth axis.
fn keeps_other_directions_after_a_spike<T: Scalar>(length: f64) {
    let axis = |index: usize, length: T| -> [T; 12] {
        let mut sample = [T::ZERO; 12];
        sample[index] = length;
        sample
    };
    let mut pca = TrackingPca::<T, 12, 4, 10>::new(TrackingSettings::unscaled(T::ONE).unwrap());
    for trial in 0..300 {
        pca.learn(&axis(trial % 3, T::ONE)).unwrap();
    }
    let before = pca.evidence();
    pca.learn(&axis(5, T::from_f64(length))).unwrap();
    let after = pca.evidence();
    for (&before, &after) in before.iter().zip(&after[1..]).take(3) {
        // The ceiling removes a little evidence in every trial.
        assert!(
            (after - before).abs() < T::from_f64(0.2),
            "{length}: {after} was {before}"
        );
    }
    for index in [0, 1, 2, 5] {
        let score = pca.score(&axis(index, T::ONE)).unwrap();
        assert!(score < T::from_f64(2e-6), "{length}: axis {index} scores {score}");
    }
}

#[test]
fn a_spike_leaves_the_evidence_of_orthogonal_directions() {
    for length in [10.0, 1e3, 1e4, 3e4, 1e5, 1e10, 1e15] {
        keeps_other_directions_after_a_spike::<f32>(length);
        keeps_other_directions_after_a_spike::<f64>(length);
    }
}

#[test]
fn probabilities_sum_to_keep_with_huge_and_small_evidence() {
    // `f32` numbers near 10⁶ are 0.06 apart. A direction whose evidence rounds below that of the bulk must first join
    // the bulk.
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(468);
    let mut symmetric = || 2.0 * f64::uniform(&mut rng) - 1.0;
    let settings = TrackingSettings::unscaled(1e25_f32).unwrap().with_ceiling(1e6).unwrap();
    for round in 0..200 {
        let mut pca = TrackingPca::<f32, 5, 4, 5>::new(settings);
        let bases: [[f64; 5]; 2] = core::array::from_fn(|_| core::array::from_fn(|_| symmetric()));
        for trial in 0..40 {
            let (first, second) = (symmetric(), 1e-4 * symmetric());
            let sample = core::array::from_fn(|i| (first * bases[0][i] + second * bases[1][i]) as f32);
            pca.learn(&sample).unwrap();
            let sum: f32 = pca.keep_probabilities().iter().sum();
            assert!((sum - 4.0).abs() < 1e-2, "round {round}, trial {trial}: sum {sum}");
        }
    }
}

/// Without a ceiling the evidence of the second direction is subnormal in `f32`.
#[test]
fn directions_are_right_with_subnormal_evidence() {
    let streams = [
        [[6.2, 6.7, -4.3], [-0.7, -0.4, -0.2], [-3.8, 0.6, 0.3]],
        [[-0.1, 8.4, -6.1], [-2.3, 0.2, -1.9], [-0.4, 1.7, -4.1]],
        [[5.0, -7.7, -4.3], [-0.4, -0.3, 1.0], [2.7, -1.7, 1.6]],
    ];
    for stream in streams {
        let settings = TrackingSettings::unscaled(1.0).unwrap().without_ceiling();
        let mut short = TrackingPca::<f32, 3, 1, 3>::new(settings);
        let settings = TrackingSettings::unscaled(1.0).unwrap().without_ceiling();
        let mut long = TrackingPca::<f64, 3, 1, 3>::new(settings);
        for sample in stream {
            short.learn(&sample).unwrap();
            long.learn(&sample.map(f64::from)).unwrap();
        }
        for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
            let (got, want) = (short.score(&axis).unwrap(), long.score(&axis.map(f64::from)).unwrap());
            assert!((f64::from(got) - want).abs() < 1e-5, "{stream:?}: {got} and {want}");
        }
    }
}
