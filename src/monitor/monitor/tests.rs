//! Images of a monitor that were forged, and settings that count as others.

use super::*;
use crate::SampleError;
use crate::monitor::{Adaptation, SensorMonitor};

/// Found by fuzzing: the search for the level did not end with the first part of the warm-up, and the monitor refused its own
/// image.
#[test]
fn a_search_of_another_length_ends_with_its_part_of_the_warm_up() -> Result<(), SampleError> {
    let mut monitor = SensorMonitor::<f32, 2>::standard(MonitorSettings::DEFAULT.with_training(100));
    monitor.settling = Settling::new(1_000_000);
    for i in 0..200 {
        let swing = (i % 7) as f32;
        let _ = monitor.observe(&[1e6 + 1e5 * swing, -1e6 + 1e5 * (swing * swing)])?;
        assert_eq!(monitor.validate(), Ok(()));
    }
    Ok(())
}

#[test]
fn smoothing_that_counts_as_before_needs_no_calibration() -> Result<(), SampleError> {
    let settings = MonitorSettings::DEFAULT
        .with_training(100)
        .with_smoothing(0)
        .with_input_smoothing(1 << 20);
    let mut monitor = SensorMonitor::<f32, 1>::standard(settings);
    for i in 0..150 {
        let _ = monitor.observe(&[((i * 37) % 11) as f32])?;
    }
    assert!(monitor.phase().is_watching());
    let equal = settings.with_smoothing(1).with_input_smoothing(u32::MAX);
    assert_eq!(monitor.set_settings(equal), Adaptation::GoesOn);
    assert_eq!(monitor.set_settings(equal.with_smoothing(2)), Adaptation::Recalibrates);
    Ok(())
}
