//! The false-alarm rate that the settings ask for.

use crate::plant::{Plant, SEEDS, alarms};
use eigenstream::SettingsError;
use eigenstream::monitor::{MonitorSettings, SensorMonitor, Threshold};

/// Mean false-alarm rate of 20 unchanged machines after the training.
fn rate<const DIM: usize>(asked: f32, causes: usize, inertia: f32) -> Result<f32, SettingsError> {
    let settings = MonitorSettings::DEFAULT.with_threshold(Threshold::false_alarms(asked)?);
    let mut total = 0;
    for seed in 0..SEEDS {
        let mut plant = Plant::<DIM>::new(seed, causes, 0.3);
        plant.inertia = inertia;
        let mut monitor = SensorMonitor::standard(settings);
        assert_eq!(alarms(&mut monitor, 2_048, |_| plant.sample()), 0);
        total += alarms(&mut monitor, 5_000, |_| plant.sample());
    }
    Ok(total as f32 / (5_000 * SEEDS) as f32)
}

#[test]
fn a_rate_that_is_asked_for_comes_out_within_a_factor_of_five() -> Result<(), SettingsError> {
    for asked in [1e-2, 3e-3, 1e-3] {
        let rates = [
            rate::<6>(asked, 2, 0.0)?,
            rate::<6>(asked, 2, 0.9)?,
            rate::<20>(asked, 3, 0.0)?,
        ];
        for rate in rates {
            assert!((0.2..5.0).contains(&(rate / asked)), "asked {asked}: {rates:?}");
        }
    }
    Ok(())
}
