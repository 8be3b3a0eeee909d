//! The measured rate of false alarms, compared with the rate requested by `Threshold::false_alarms`.
//! `cargo test --test monitor rates -- --nocapture` prints the measured numbers.

use std::error::Error;

use eigenstream::monitor::{MonitorSettings, Threshold};

use crate::machine::{Machine, run, trained};

const SAMPLES: usize = 20_000;

/// The share of samples in alarm, divided by the requested rate.
fn measured_over_requested(training: u32, rate: f32, seed: u64) -> Result<f32, Box<dyn Error>> {
    let settings = MonitorSettings::DEFAULT
        .with_training(training)
        .with_threshold(Threshold::false_alarms(rate)?);
    let mut machine = Machine::new(seed);
    let mut monitor = trained(settings, &mut machine);
    let (alarms, _) = run(&mut monitor, SAMPLES, || machine.sample())?;
    Ok(alarms as f32 / (SAMPLES as f32 * rate))
}

#[test]
fn with_2048_training_samples_the_rate_of_false_alarms_is_within_a_factor_of_five() -> Result<(), Box<dyn Error>> {
    for (training, held) in [(512, false), (1_024, false), (2_048, true)] {
        for rate in [1e-2, 1e-3] {
            let mut range = [f32::MAX, 0.0];
            for seed in 0..6 {
                let ratio = measured_over_requested(training, rate, seed)?;
                range = [range[0].min(ratio), range[1].max(ratio)];
            }
            println!(
                "training {training}, requested {rate}: measured {:.2} to {:.2} of it",
                range[0], range[1]
            );
            assert!(
                !held || (range[0] > 0.2 && range[1] < 5.0),
                "training {training}, rate {rate}: {range:?}"
            );
        }
    }
    Ok(())
}
