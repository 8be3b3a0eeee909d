//! Combines four thermometers in one tank. The graph is four readings → Hedge → weighted mean.
//!
//! A laboratory also measures the tank, later, so that `Hedge` learns the loss of each thermometer. At sample 1,000 the best
//! thermometer begins to drift, and the weight moves to another one. A small uniform share, spread evenly in every trial, keeps
//! every weight above zero. At the end the total loss is compared with the bound for two segments, each with its own best
//! thermometer.
#![cfg_attr(target_os = "none", no_std, no_main)]

mod support;

use eigenstream::bounds::{Bounds, RegretMeter};
use eigenstream::pca::Share;
use eigenstream::weights::{Hedge, HedgeSettings};
use support::{Exact, Outcome, say};

support::entry!(experts);

const SAMPLES: u32 = 2_000;
const DRIFT: u32 = 1_000;
const RATE: f32 = 1.0;
const SHARE: f32 = 1e-3;

fn experts() -> Outcome {
    let settings = HedgeSettings::new(RATE)?.with_share(Share::Uniform(SHARE))?;
    let mut hedge = Hedge::<f32, 4>::new(settings);
    let mut meter = RegretMeter::<f32>::new();
    // The total loss of each thermometer before and after the start of the drift.
    let (mut before, mut after) = ([0.0_f32; 4], [0.0_f32; 4]);
    let mut worst = 0.0_f32;
    for time in 0..SAMPLES {
        let (truth, readings) = read_tank(time);
        let weights = hedge.weights();
        let mut mean = 0.0;
        for (weight, reading) in weights.iter().zip(readings) {
            mean += weight * reading;
        }
        if time >= SAMPLES - 500 {
            worst = worst.max((mean - truth).abs());
        }
        // The error in tens of degrees, at most one.
        let losses = readings.map(|reading| ((reading - truth).abs() / 10.0).min(1.0));
        let totals = if time < DRIFT { &mut before } else { &mut after };
        for (total, loss) in totals.iter_mut().zip(losses) {
            *total += loss;
        }
        meter.record(hedge.step(&losses)?);
        if matches!(time, 0 | 999 | 1_199 | 1_999) {
            say!("weights after sample {time}:");
            for (thermometer, &weight) in hedge.weights().iter().enumerate() {
                say!("  thermometer {thermometer}  {}", Exact(weight));
            }
        }
    }
    for (thermometer, (first, second)) in before.iter().zip(after).enumerate() {
        say!("thermometer {thermometer} alone loses {}", Exact(first + second));
    }
    let least = |totals: [f32; 4]| totals.into_iter().fold(f32::MAX, f32::min);
    let best = least(before) + least(after);
    // The bounds hold for sets of n − k of n experts. Hedge draws one expert of four: n = 4, k = 3.
    let bound = Bounds::new(4, 3)
        .with_share(SHARE, SAMPLES as usize, 2)?
        .loss(best, RATE);
    say!("Hedge loses {}", Exact(meter.total_loss()));
    say!("the best thermometer before and the best after lose {}", Exact(best));
    say!("bound {}, kept: {}", Exact(bound), meter.within(bound));
    say!("the mean is at most {} degrees off at the end", Exact(worst));
    Ok(())
}

fn read_tank(time: u32) -> (f32, [f32; 4]) {
    let noise = |prime: u32| (time * prime % 10_007) as f32 / 10_007.0 - 0.5;
    let truth = 60.0 + 10.0 * noise(6_131);
    let drift = 0.05 * time.saturating_sub(DRIFT) as f32;
    let readings = [
        truth + 0.5 * noise(719) + drift,
        truth + 6.0 * noise(977),
        truth + 1.0 * noise(4_111),
        truth - 3.0 + 2.0 * noise(5_477),
    ];
    (truth, readings)
}
