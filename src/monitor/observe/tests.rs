//! Tests of single steps of [`Monitor::observe`](super::Monitor::observe).

use super::*;
use crate::monitor::{MonitorSettings, SensorMonitor};

#[test]
fn the_shape_is_refined_after_more_samples_than_the_count_can_hold() {
    let mut monitor = SensorMonitor::<f32, 2>::standard(MonitorSettings::DEFAULT.with_training(256));
    let mut state = 1_u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32 - 0.5
    };
    while !monitor.phase().is_watching() {
        let both = noise();
        assert!(monitor.observe(&[both + 0.3 * noise(), both]).is_ok());
    }
    monitor.counted = u32::MAX - 3;
    let mut multiples = 0;
    for _ in 0..64 {
        multiples += u32::from(monitor.counted.is_multiple_of(REFINE_EVERY));
        let both = noise();
        assert!(monitor.observe(&[both + 0.3 * noise(), both]).is_ok());
    }
    // The first 4 samples use up the range of `counted`; none is at a multiple of 8. Then `counted` repeats its last 8 values:
    // of the other 60 samples, the first and then every eighth sample is at a multiple of 8.
    assert_eq!(multiples, 8);
}

/// A monitor of two channels that watches, without smoothing.
fn watching(settings: MonitorSettings<f32>) -> SensorMonitor<f32, 2> {
    let settings = settings.with_training(256).with_smoothing(1).with_input_smoothing(1);
    let mut monitor = SensorMonitor::standard(settings);
    for i in 0..300_u32 {
        let _ = monitor.observe(&usual(i));
    }
    assert!(monitor.phase().is_watching());
    monitor
}

fn usual(i: u32) -> [f32; 2] {
    [((i * 37) % 11) as f32, ((i * 29) % 13) as f32]
}

#[test]
fn a_threshold_of_zero_cuts_no_score() -> Result<(), crate::SettingsError> {
    let settings = MonitorSettings::DEFAULT.with_threshold(crate::monitor::Threshold::fixed(0.0)?);
    let mut monitor = watching(settings);
    assert!(
        monitor
            .observe(&[500.0, 0.0])
            .is_ok_and(|verdict| verdict.alarm && verdict.score > 10.0)
    );
    Ok(())
}

#[test]
fn a_score_in_the_middle_of_the_calibration_belongs_to_the_second_half() {
    let mut monitor = watching(MonitorSettings::DEFAULT);
    monitor.recalibrate();
    // With this histogram every score counts as high.
    monitor.histogram = crate::monitor::stages::Histogram::around(1e-6);
    let half = monitor.settings.schedule.calibrate / 2;
    for (counted, high_scores) in [(half - 1, [1, 0]), (half, [1, 1])] {
        monitor.counted = counted;
        assert!(monitor.observe(&usual(7)).is_ok());
        assert_eq!(monitor.high_scores, high_scores);
    }
}

#[test]
fn the_longest_memory_of_the_level_keeps_the_shape() {
    let mut monitor = watching(MonitorSettings::DEFAULT);
    // 30 times this memory is just above the largest count.
    monitor.level.set_memory(u32::MAX / SHAPE_MEMORY + 1);
    let before = monitor.learner().covariance();
    for i in 0..64 {
        assert!(monitor.observe(&usual(i)).is_ok());
    }
    let change = monitor.learner().covariance() - before;
    assert!(change.iter().all(|entry| entry.abs() < 1e-3), "{change:?}");
}

#[test]
fn a_shape_is_too_wide_only_for_the_scores_of_the_default_learner() -> Result<(), crate::SettingsError> {
    let mut monitor = watching(MonitorSettings::DEFAULT);
    monitor.gate.settle(0.2, 1.0);
    assert!(monitor.is_too_wide());
    monitor.settings.score = Score::Relative;
    assert!(!monitor.is_too_wide());
    monitor.settings.score = Score::Loss;
    monitor.settings.threshold = crate::monitor::Threshold::fixed(1.0)?;
    assert!(!monitor.is_too_wide());
    monitor.settings.threshold = crate::monitor::Threshold::DEFAULT;
    monitor.gate.settle(0.25, 1.0);
    assert!(!monitor.is_too_wide());
    Ok(())
}

#[test]
fn the_alarm_of_a_stuck_sensor_counts() {
    let mut monitor = watching(MonitorSettings::DEFAULT.with_learning(Learning::Frozen));
    for i in 0..60 {
        let [_, second] = usual(i);
        assert!(monitor.observe(&[5.0, second]).is_ok());
    }
    let health = monitor.health();
    assert!(monitor.stillness.is_stuck(0) && health.alarm_samples > 0);
    assert_eq!((health.alarms, health.alarm_samples), (1, health.locked_out));
}

#[test]
fn stillness_learns_before_a_learner_of_lags_is_ready() {
    use crate::monitor::Lagged;
    use crate::pca::{TrackingPca, TrackingSettings};
    type Pca = Lagged<f32, TrackingPca<f32, 4, 1, 4>, 2, 2, 4>;
    let settings = MonitorSettings::DEFAULT
        .with_training(100)
        .with_missing(Missing::Impute);
    let mut monitor = Monitor::<f32, Pca, 2>::new(settings, Pca::new(TrackingPca::new(TrackingSettings::DEFAULT)));
    for i in 0..15_u32 {
        let [first, second] = usual(i);
        assert!(
            monitor
                .observe(&[first, if i < 14 { second } else { f32::NAN }])
                .is_ok()
        );
    }
    assert!(monitor.stillness.is_missing(1) && !monitor.learner().is_ready());
    assert!(monitor.observe(&usual(15)).is_ok());
    assert!(!monitor.stillness.is_missing(1));
}

/// A fault of 200 samples begins 100 samples before the largest count.
#[test]
fn the_rate_of_alarms_is_a_rate_after_more_samples_than_the_count_can_hold() {
    let mut monitor = watching(MonitorSettings::DEFAULT);
    monitor.counted = u32::MAX - 100;
    for _ in 0..200 {
        assert!(monitor.observe(&[50.0, 50.0]).is_ok());
    }
    let health = monitor.health();
    assert!((80..=100).contains(&health.alarm_samples), "{}", health.alarm_samples);
    assert!(health.watched > u32::MAX - 16);
}
