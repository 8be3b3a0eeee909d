//! Learns a pattern that no straight line fits. The graph is angle sensor → OnlineKernelPca → score, with TrackingPca for
//! comparison.
//!
//! A resolver gives the sine and the cosine of an angle, and a load cell a load with two periods a turn, so the samples lie on
//! a bent ring. It extends in all three directions of space, so linear PCA can drop none. Then the magnet weakens: each value
//! stays in its range, and only the distance from the ring shows the fault.
#![cfg_attr(target_os = "none", no_std, no_main)]

mod support;

use eigenstream::Scalar;
use eigenstream::kernel::{Gaussian, OnlineKernelPca, OnlineKernelSettings};
use eigenstream::pca::{TrackingPca, TrackingSettings};
use eigenstream::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro128PlusPlus;
use support::{Exact, Outcome, say};

support::entry!(ring);

/// Sine, cosine, load.
const DIM: usize = 3;
/// Directions of the feature space that are kept.
const KEEP: usize = 6;
/// Samples that are stored.
const WINDOW: usize = 24;
/// Directions that are stored.
const RANK: usize = KEEP + 4;
/// Samples of a turn. Different turns have different angles.
const TURN: usize = 17;

fn ring() -> Outcome {
    let settings = OnlineKernelSettings::new(10.0)?;
    let mut kernel = OnlineKernelPca::<f32, _, DIM, KEEP, WINDOW, RANK>::new(Gaussian::new(1.0)?, settings);
    let mut linear = TrackingPca::<f32, DIM, 2, DIM>::new(TrackingSettings::DEFAULT);

    let mut sensor = Shaft::new();
    let mut chance = Xoshiro128PlusPlus::seed_from_u64(2);
    say!("mean expected loss a sample   kernel                linear");
    for turn in 1..=6 {
        let (mut kernel_loss, mut linear_loss) = (0.0, 0.0);
        for _ in 0..TURN {
            let sample = sensor.next_sample();
            kernel_loss += kernel.step(&sample, &mut chance)?.expected_loss;
            linear_loss += linear.step(&sample, &mut chance)?.expected_loss;
        }
        let (kernel_mean, linear_mean) = (kernel_loss / TURN as f32, linear_loss / TURN as f32);
        say!(
            "  turn {turn}                     {}  {}",
            Exact(kernel_mean),
            Exact(linear_mean)
        );
    }

    say!("scores                        kernel                linear");
    for (name, strength) in [("on the ring ", 1.0), ("weak magnet ", 0.4)] {
        let (mut kernel_score, mut linear_score) = (0.0, 0.0);
        for _ in 0..TURN {
            let [sine, cosine, load] = sensor.next_sample();
            let sample = [strength * sine, strength * cosine, load];
            kernel_score += kernel.score(&sample)?;
            linear_score += linear.score(&sample)?;
        }
        let (kernel_mean, linear_mean) = (kernel_score / TURN as f32, linear_score / TURN as f32);
        say!("  {name}                {}  {}", Exact(kernel_mean), Exact(linear_mean));
    }
    Ok(())
}

/// A shaft that turns by a fixed angle, so that the chip needs no trigonometry.
struct Shaft {
    noise: Xoshiro128PlusPlus,
    sine: f32,
    cosine: f32,
}

impl Shaft {
    /// Sine and cosine of the angle between two samples, a turn divided by about 17.3.
    const SINE: f32 = 0.355_245_2;
    const COSINE: f32 = 0.934_773_2;

    fn new() -> Self {
        Self {
            noise: Xoshiro128PlusPlus::seed_from_u64(1),
            sine: 0.0,
            cosine: 1.0,
        }
    }

    fn next_sample(&mut self) -> [f32; DIM] {
        let (sine, cosine) = (self.sine, self.cosine);
        self.sine = sine * Self::COSINE + cosine * Self::SINE;
        self.cosine = cosine * Self::COSINE - sine * Self::SINE;
        let load = 0.5 * (cosine * cosine - sine * sine);
        [sine, cosine, load].map(|value| value + 0.02 * (f32::uniform(&mut self.noise) - 0.5))
    }
}
