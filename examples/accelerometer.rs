//! Learns one direction on the smallest chip. The graph is accelerometer → Oja → score.
//!
//! A machine vibrates along one direction, and the learner finds it from three axes. Then a screw comes loose, and the machine
//! vibrates in another direction. This runs even on a Cortex-M0: `cargo harness bench --workload oja` prints the cost of a step.
//! The program prints equal bits on a computer and on a chip.
#![cfg_attr(target_os = "none", no_std, no_main)]

mod support;

use eigenstream::Scalar;
use eigenstream::hebbian::{GhaSettings, Oja};
use eigenstream::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro128PlusPlus;
use support::{Exact, Outcome, say};

support::entry!(accelerometer);

/// Directions of the vibration, normal and with a loose screw: unit vectors.
const SOUND: [f32; 3] = [0.48, 0.6, 0.64];
const LOOSE: [f32; 3] = [0.8, 0.0, -0.6];
/// Samples for each printed line.
const PART: usize = 100;

fn accelerometer() -> Outcome {
    let mut oja = Oja::<f32, 3>::new(GhaSettings::DEFAULT);
    let mut sensor = Xoshiro128PlusPlus::seed_from_u64(1);

    for part in 0..4 {
        let mut total = 0.0;
        for _ in 0..PART {
            total += oja.step(&shake(&SOUND, &mut sensor))?.loss;
        }
        say!("sound, part {part}: mean loss  {}", Exact(total / PART as f32));
    }
    say!("the direction that it learned:");
    for weight in &oja.components() {
        say!("  {}", Exact(*weight));
    }

    // The learner only scores now. The residual shows the axis.
    let mut total = 0.0;
    let mut loudest = shake(&LOOSE, &mut sensor);
    for _ in 0..PART {
        let sample = shake(&LOOSE, &mut sensor);
        total += oja.score(&sample)?;
        if oja.score(&sample)? > oja.score(&loudest)? {
            loudest = sample;
        }
    }
    say!("a loose screw: mean score  {}", Exact(total / PART as f32));
    say!("where the loudest sample is off:");
    for entry in oja.residual(&loudest)? {
        say!("  {}", Exact(entry));
    }
    Ok(())
}

fn signal(rng: &mut Xoshiro128PlusPlus) -> f32 {
    2.0 * f32::uniform(rng) - 1.0
}

fn shake(direction: &[f32; 3], rng: &mut Xoshiro128PlusPlus) -> [f32; 3] {
    let swing = signal(rng);
    direction.map(|part| swing * part + 0.02 * signal(rng))
}
