//! Follows a subspace that changes. The graph is sensors → TrackingPca → loss.
//!
//! Eight channels mix two hidden signals. Every 200 samples the mixture changes, as if a machine changes its speed. After each
//! change the loss is high for a short time. The program prints equal bits on a computer and on a chip.
#![cfg_attr(target_os = "none", no_std, no_main)]

mod support;

use eigenstream::Scalar;
use eigenstream::pca::{TrackingPca, TrackingSettings};
use eigenstream::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro128PlusPlus;
use support::{Exact, Outcome, say};

support::entry!(tracking);

/// Channels of the sensor.
const DIM: usize = 8;
/// Hidden signals, and so the number of directions to keep.
const KEEP: usize = 2;
/// With RANK = 2·KEEP + 2 the loss is hardly larger than with all directions.
const RANK: usize = 6;
/// Samples until the mixture changes.
const SEGMENT: usize = 200;

fn tracking() -> Outcome {
    let mut pca = TrackingPca::<f32, DIM, KEEP, RANK>::new(TrackingSettings::DEFAULT);
    say!(
        "a learner of {} bytes, {DIM} channels, {KEEP} directions kept",
        size_of_val(&pca)
    );

    let mut sensor = Xoshiro128PlusPlus::seed_from_u64(1);
    let mut chance = Xoshiro128PlusPlus::seed_from_u64(2);
    for segment in 1..=3 {
        let mixture = [random_direction(&mut sensor), random_direction(&mut sensor)];
        say!("mixture {segment}: mean expected loss a sample");
        for part in 0..4 {
            let mut total = 0.0;
            for _ in 0..SEGMENT / 4 {
                let sample = mix(&mixture, &mut sensor);
                total += pca.step(&sample, &mut chance)?.expected_loss;
            }
            let mean = total / (SEGMENT / 4) as f32;
            say!(
                "  samples {:3} to {:3}  {}",
                part * SEGMENT / 4,
                (part + 1) * SEGMENT / 4 - 1,
                Exact(mean)
            );
        }
    }

    say!("probabilities that the directions are kept:");
    for probability in pca.keep_probabilities() {
        say!("  {}", Exact(probability));
    }
    Ok(())
}

fn signal(rng: &mut Xoshiro128PlusPlus) -> f32 {
    2.0 * f32::uniform(rng) - 1.0
}

fn random_direction(rng: &mut Xoshiro128PlusPlus) -> [f32; DIM] {
    core::array::from_fn(|_| signal(rng))
}

fn mix(mixture: &[[f32; DIM]; 2], rng: &mut Xoshiro128PlusPlus) -> [f32; DIM] {
    let (first, second) = (signal(rng), signal(rng));
    let noise = 0.02;
    core::array::from_fn(|i| 0.5 * (first * mixture[0][i] + second * mixture[1][i]) + noise * signal(rng))
}
