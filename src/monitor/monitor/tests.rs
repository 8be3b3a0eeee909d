//! Images of a monitor that were forged.

use super::*;
use crate::SampleError;
use crate::monitor::SensorMonitor;

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
