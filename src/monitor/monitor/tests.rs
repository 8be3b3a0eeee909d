//! Images of a monitor that were forged, and settings that count as others.

use super::*;
use crate::SampleError;
use crate::monitor::{Adaptation, SensorMonitor};

/// Found by fuzzing: the search for the scale did not end with the first part of the warm-up, and the monitor refused its own
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

/// A monitor of one channel with a training of 100 samples, after this many samples.
fn grown(settings: MonitorSettings<f32>, samples: u32) -> SensorMonitor<f32, 1> {
    let mut monitor = SensorMonitor::standard(settings.with_training(100));
    for i in 0..samples {
        assert!(monitor.observe(&[((i * 37) % 11) as f32]).is_ok());
    }
    monitor
}

#[test]
fn the_samples_of_the_calibration_are_not_watched() {
    let mut samples = 100;
    while !grown(MonitorSettings::DEFAULT, samples).phase().is_watching() {
        samples += 1;
    }
    assert_eq!(grown(MonitorSettings::DEFAULT, samples).health().watched, 0);
    assert_eq!(grown(MonitorSettings::DEFAULT, samples + 7).health().watched, 7);
}

#[test]
fn without_a_usual_score_a_fixed_threshold_takes_one() -> Result<(), crate::SettingsError> {
    let mut monitor = grown(MonitorSettings::DEFAULT.with_threshold(Threshold::fixed(5.0)?), 0);
    monitor.calibrate();
    assert_eq!((monitor.gate.usual(), monitor.threshold()), (1.0, 5.0));
    Ok(())
}

#[test]
fn scores_rise_if_a_quarter_more_of_them_are_high_in_the_second_half() {
    for (more, phase) in [(7, Phase::Watching), (8, Phase::Unsettled)] {
        let mut monitor = grown(MonitorSettings::DEFAULT, 200);
        monitor.recalibrate();
        [0.5, 0.7, 1.0, 1.4, 2.0, 2.5, 3.0]
            .into_iter()
            .for_each(|score| monitor.histogram.push(score));
        // A quarter of the 30 samples of the calibration, rounded down, is 7.
        monitor.high_scores = [3, 3 + more];
        monitor.finish_calibration();
        assert_eq!((monitor.settings.schedule.calibrate, monitor.phase()), (30, phase));
        let high_scores = if more == 7 { [3, 10] } else { [0, 0] };
        assert_eq!(monitor.high_scores, high_scores);
    }
}

#[test]
fn a_calibration_forgets_the_wild_samples_before_it() {
    let mut monitor = grown(MonitorSettings::DEFAULT, 200);
    monitor.recalibrate();
    // The scale is kept: there is no new search for it, even if the machine runs far outside of it.
    for _ in 0..60 {
        assert!(monitor.observe(&[400.0]).is_ok());
        assert!(!matches!(monitor.phase(), Phase::Warmup { .. }));
    }
}

#[test]
fn a_spread_of_two_steps_is_not_quantised() {
    let mut monitor = grown(MonitorSettings::DEFAULT, 200);
    let [step] = *monitor.stillness.step();
    for (steps, health) in [(1.99, ChannelHealth::Quantised), (2.0, ChannelHealth::Good)] {
        let spread = [steps * step];
        monitor
            .level
            .begin(&super::super::stages::LearnedScale { center: [5.0], spread });
        assert_eq!(monitor.health().channels, [health]);
    }
}

#[test]
fn a_level_that_is_acknowledged_ends_the_alarm() {
    let mut monitor = grown(MonitorSettings::DEFAULT.with_learning(Learning::Frozen), 200);
    for i in 0..40 {
        assert!(monitor.observe(&[50.0 + (i % 3) as f32]).is_ok());
    }
    assert!(monitor.decision.is_alarm());
    assert!(monitor.acknowledge());
    assert!(!monitor.decision.is_alarm());
}

#[test]
fn an_impossible_state_of_a_monitor_is_refused() {
    let monitor = grown(MonitorSettings::DEFAULT, 200);
    assert_eq!(monitor.validate(), Ok(()));
    let mut forged = monitor.clone();
    forged.threshold = -1.0;
    assert_eq!(forged.validate(), Err(CodecError::Range));
    forged = monitor.clone();
    forged.input = ExponentialMean::new(1);
    forged.input.push(&[1e6]);
    assert_eq!(forged.validate(), Err(CodecError::Range));
    forged = monitor.clone();
    // This number is the mean of the first half of an alarm's record.
    forged.settling.rows_mut()[0][2] = 1e6;
    assert_eq!(forged.validate(), Err(CodecError::Range));
    forged = monitor;
    forged.phase = Phase::Warmup { seen: 50, need: 71 };
    assert_eq!(forged.validate(), Err(CodecError::Count));
}

#[test]
fn a_calibration_watches_nothing() {
    let mut monitor = grown(MonitorSettings::DEFAULT, 200);
    monitor.recalibrate();
    for i in 0..5 {
        assert!(monitor.observe(&[i as f32]).is_ok());
    }
    assert_eq!((monitor.counted, monitor.health().watched), (5, 0));
}

#[test]
fn a_low_threshold_does_not_close_the_gate() -> Result<(), crate::SettingsError> {
    let settings = MonitorSettings::DEFAULT.with_threshold(Threshold::quantile(0.5)?);
    let monitor = grown(settings, 200);
    assert!(monitor.phase().is_watching());
    assert_eq!(monitor.gate.lesson(1.01 * monitor.threshold(), 0.0).pace, 1.0);
    Ok(())
}

#[test]
fn the_gate_uses_a_new_fixed_threshold() -> Result<(), crate::SettingsError> {
    let settings = |level| Threshold::fixed(level).map(|fixed| MonitorSettings::DEFAULT.with_threshold(fixed));
    let mut monitor = grown(settings(5.0)?, 200);
    assert_eq!(monitor.gate.lesson(20.0, 0.0).pace, 0.0);
    assert_eq!(
        monitor.set_settings(settings(50.0)?.with_training(100)),
        Adaptation::GoesOn
    );
    assert_eq!(monitor.gate.lesson(20.0, 0.0).pace, 1.0);
    Ok(())
}
