//! The phases of a monitor, its memory, how it is calibrated again, and equal answers in both precisions.

use crate::machine::{DIM, Machine, SHORT, TRAINING, Watch, off, run, state, trained, watch};
use eigenstream::monitor::stages::{
    Decision, ExponentialMean, Histogram, Level, RunningMedian, Scorer, Settling, Stillness,
};
use eigenstream::monitor::{
    ChannelHealth, Counts, DecisionSettings, Lagged, Learning, Missing, Monitor, MonitorSettings, NewLevel, Phase,
    Schedule, Score, SensorMonitor, State, Threshold,
};
use eigenstream::pca::{Mahalanobis, MahalanobisSettings, TrackingPca, TrackingSettings};
use eigenstream::{SampleError, SettingsError};

#[test]
fn the_size_of_each_stage_is_the_sum_of_its_fields() {
    let settings = 4 * 3 // the schedule
        + 4 // the memory of the level
        + 4 * 2 // the smoothing of the input and of the score
        + 4 * 4 // the rule of the threshold with its number, factor and floor
        + 4 * 3 // the release, confirm and hold-off of the decision
        + 4 * 2 // the new level and its samples
        + 4; // the kind of score, the learning, the rule for missing values
    assert_eq!(size_of::<MonitorSettings<f32>>(), settings);
    let settling = 4 * 20 * DIM + 2 * DIM + 4 * 3;
    assert_eq!(size_of::<Settling<f32, DIM>>(), settling);
    let stillness = 4 * 2 * DIM + 2 * 2 * DIM;
    assert_eq!(size_of::<Stillness<f32, DIM>>(), stillness);
    let scorer = 4 * 2 + 4 * 2 + 4; // two means, two counts, the kind of score
    assert_eq!(size_of::<Scorer<f32>>(), scorer);
    let mean = 4 * DIM + 4 * 2;
    assert_eq!(size_of::<ExponentialMean<f32, DIM>>(), mean);
    let median = 4 * 2 + 2 * size_of::<usize>();
    assert_eq!(size_of::<RunningMedian<f32, 1>>(), median);
    let histogram = 4 + 2 * 64;
    assert_eq!(size_of::<Histogram<f32>>(), histogram);
    let decision = 4 * 3 + 4 * 3; // the settings; the state and two counts
    assert_eq!(size_of::<Decision<f32>>(), decision);
    assert_eq!(size_of::<DecisionSettings<f32>>(), 4 * 3);
    assert_eq!(size_of::<Counts<f32, DIM>>(), 8 * DIM);
    let learner = 4 * (DIM * DIM + 2 * DIM + 1 + 1) + 4 * 2; // `matrix`, `pivots`, `alone`, settings, counts
    assert_eq!(size_of::<Mahalanobis<f32, DIM>>(), learner);

    // These limits are for a 64-bit computer; on a 32-bit chip `usize` is smaller.
    assert!(size_of::<Watch>() <= 1_600, "{}", size_of::<Watch>());
    assert!(
        size_of::<SensorMonitor<f32, 20>>() <= 5_100,
        "{}",
        size_of::<SensorMonitor<f32, 20>>()
    );
    assert!(size_of::<Level<f32, DIM>>() <= 4 * 4 * DIM + 24);
}

#[test]
fn a_monitor_can_be_moved_to_another_thread() {
    fn sendable<M: Send + Clone>() {}
    sendable::<Watch>();
}

#[test]
fn the_phases_are_warm_up_calibration_watching() -> Result<(), SampleError> {
    let mut machine = Machine::new(1);
    let mut monitor = watch(SHORT);
    let schedule = Schedule::training(TRAINING as u32);
    assert_eq!((schedule.warmup(), schedule.total()), (420, 600));
    for i in 0..1_000_u32 {
        let phase = monitor.observe(&machine.sample())?.phase;
        let expected = match i {
            0..420 => Phase::Warmup { seen: i + 1, need: 420 },
            420..600 => Phase::Calibrating,
            _ => Phase::Watching,
        };
        assert_eq!(phase, expected, "sample {i}");
    }
    monitor.set_learning(Learning::Frozen);
    assert_eq!(monitor.phase(), Phase::Frozen);
    let known = |monitor: &Watch| format!("{:?}{:?}", monitor.learner(), monitor.level());
    let before = known(&monitor);
    for _ in 0..100 {
        assert_eq!(monitor.observe(&machine.sample())?.phase, Phase::Frozen);
    }
    assert_eq!(before, known(&monitor));
    monitor.set_learning(Learning::Always);
    monitor.observe(&machine.sample())?;
    assert_eq!(monitor.phase(), Phase::Watching);
    assert_ne!(before, known(&monitor));
    monitor.recalibrate();
    for _ in 0..180 {
        assert_eq!(monitor.observe(&machine.sample())?.phase, Phase::Calibrating);
    }
    assert_eq!(monitor.phase(), Phase::Watching);
    assert_eq!(*monitor.settings(), SHORT.with_learning(Learning::Always));
    Ok(())
}

#[test]
fn a_sample_can_be_scored_without_learning() -> Result<(), SampleError> {
    let mut machine = Machine::new(17);
    let settings = SHORT.with_smoothing(1).with_input_smoothing(1);
    let mut monitor = trained(settings, &mut machine);
    for fault in [0.0, 4.0] {
        let sample = off(machine.sample(), 3, fault);
        let before = state(&monitor);
        let score = monitor.score(&sample)?;
        assert_eq!(before, state(&monitor));
        assert!((monitor.observe(&sample)?.score - score).abs() <= 1e-4 * score);
    }
    Ok(())
}

#[test]
fn a_refused_sample_does_not_change_the_smoothed_input() -> Result<(), SampleError> {
    let mut machine = Machine::new(22);
    let mut monitor = trained(SHORT, &mut machine);
    let before = state(&monitor);
    assert!(monitor.observe(&off(machine.sample(), 1, f32::NAN)).is_err());
    assert!(monitor.observe(&off(machine.sample(), 1, 1e30)).is_err());
    assert_eq!(state(&monitor), before);
    Ok(())
}

#[test]
fn a_channel_returns_from_missing_without_an_alarm() -> Result<(), SampleError> {
    let mut machine = Machine::new(23);
    let settings = SHORT
        .with_input_smoothing(30)
        .with_learning(Learning::Frozen)
        .with_missing(Missing::Impute);
    let mut monitor = trained(settings, &mut machine);
    for _ in 0..100 {
        let mut sample = machine.sample();
        sample[0] = f32::NAN;
        assert!(!monitor.observe(&sample)?.alarm);
    }
    // The smoothing must have used about the level 256 for the missing channel; a value far from it would be an alarm.
    for _ in 0..50 {
        assert!(!monitor.observe(&machine.sample())?.alarm);
    }
    Ok(())
}

#[test]
fn a_new_calibration_ends_the_alarm() -> Result<(), SampleError> {
    let mut machine = Machine::new(13);
    let mut monitor = trained(SHORT, &mut machine);
    run(&mut monitor, 20, || off(machine.sample(), 0, 5.0))?;
    assert!(monitor.observe(&off(machine.sample(), 0, 5.0))?.alarm);
    monitor.recalibrate();
    for _ in 0..180 {
        let verdict = monitor.observe(&off(machine.sample(), 0, 5.0))?;
        assert_eq!((verdict.phase, verdict.alarm), (Phase::Calibrating, false));
    }
    Ok(())
}

#[test]
fn with_a_fixed_threshold_only_samples_below_it_are_learned() -> Result<(), Box<dyn std::error::Error>> {
    for (level, learns) in [(1e6, true), (1e-6, false)] {
        let mut machine = Machine::new(16);
        let mut monitor = watch(SHORT.with_threshold(Threshold::fixed(level)?));
        run(&mut monitor, 420, || machine.sample())?;
        assert_eq!(monitor.phase(), Phase::Watching);
        let before = format!("{:?}", monitor.learner());
        run(&mut monitor, 100, || machine.sample())?;
        assert_eq!(before != format!("{:?}", monitor.learner()), learns);
    }
    Ok(())
}

#[test]
fn with_a_fixed_threshold_an_accepted_level_hides_no_fault() -> Result<(), Box<dyn std::error::Error>> {
    let settings = SHORT
        .with_threshold(Threshold::fixed(8.0)?)
        .with_new_level(NewLevel::Accept(200));
    let mut machine = Machine::new(21);
    let mut monitor = trained(settings, &mut machine);
    run(&mut monitor, 1_000, || off(machine.sample(), 0, 10.0))?;
    let verdict = monitor.observe(&off(machine.sample(), 0, 10.0))?;
    assert_eq!((verdict.alarm, verdict.state), (false, State::SecondNormal));
    let (alarms, _) = run(&mut monitor, 100, || off(off(machine.sample(), 0, 10.0), 3, 10.0))?;
    assert!(alarms > 90, "{alarms}");
    Ok(())
}

#[test]
fn the_second_normal_state_ends_when_the_machine_returns() -> Result<(), SampleError> {
    let mut machine = Machine::new(24);
    let mut monitor = trained(SHORT.with_new_level(NewLevel::Accept(200)), &mut machine);
    run(&mut monitor, 1_000, || off(machine.sample(), 0, 10.0))?;
    assert_eq!(
        monitor.observe(&off(machine.sample(), 0, 10.0))?.state,
        State::SecondNormal
    );
    let mut normal = 0;
    for _ in 0..100 {
        normal += usize::from(monitor.observe(&machine.sample())?.state == State::Normal);
    }
    assert!(normal > 80, "{normal}");
    Ok(())
}

#[test]
fn a_new_calibration_resets_the_alarm_counts() -> Result<(), SampleError> {
    let mut machine = Machine::new(22);
    let mut monitor = trained(SHORT, &mut machine);
    run(&mut monitor, 100, || off(machine.sample(), 0, 10.0))?;
    assert!(monitor.health().alarm_samples > 50);
    monitor.recalibrate();
    let health = monitor.health();
    assert_eq!(
        (health.watched, health.alarm_samples, health.alarms, health.locked_out),
        (0, 0, 0, 0)
    );
    assert_eq!(health.alarm_rate(), 0.0);
    assert!(!monitor.acknowledge());
    Ok(())
}

#[test]
fn the_shortest_training_leads_to_watching() -> Result<(), SampleError> {
    assert_eq!(Schedule::new(3, 10, 10), Err(SettingsError::Schedule));
    let mut machine = Machine::new(23);
    let mut monitor = watch(MonitorSettings::DEFAULT.with_training(0));
    run(&mut monitor, 500, || machine.sample())?;
    assert_eq!(monitor.phase(), Phase::Watching);
    Ok(())
}

#[test]
fn the_smallest_change_ignores_the_first_value() {
    let mut stillness = Stillness::<f32, 1>::new();
    for value in [0.01, 5.0, 3.0] {
        stillness.learn(&[value]);
    }
    assert_eq!(stillness.step(), &[2.0]);
}

#[test]
fn relearning_can_be_undone() -> Result<(), SampleError> {
    let mut machine = Machine::new(2);
    let mut monitor = trained(SHORT, &mut machine);
    let as_it_was = state(&monitor);
    let before = monitor.relearn(Mahalanobis::new(MahalanobisSettings::DEFAULT));
    assert_eq!(state(&monitor), state(&watch(SHORT)));
    run(&mut monitor, TRAINING + 50, || off(machine.sample(), 0, 5.0))?;
    assert!(!monitor.observe(&off(machine.sample(), 0, 5.0))?.alarm);
    monitor = before;
    assert_eq!(state(&monitor), as_it_was);
    Ok(())
}

#[test]
fn recalibration_finds_a_higher_threshold_for_larger_samples() -> Result<(), SampleError> {
    let mut machine = Machine::new(12);
    let mut monitor = trained(SHORT, &mut machine);
    let before = monitor.threshold();
    monitor.recalibrate();
    assert_eq!(monitor.threshold(), f32::MAX);
    let mut i = 0;
    while !monitor.phase().is_watching() {
        i += 1;
        let shake = if i % 2 == 0 { 3.0 } else { -3.0 };
        monitor.observe(&off(machine.sample(), 0, shake))?;
    }
    assert!(monitor.threshold() > 2.0 * before);
    Ok(())
}

#[test]
fn the_monitor_gives_the_same_alarms_in_f32_and_f64() -> Result<(), SampleError> {
    let mut machine = Machine::new(3);
    let mut single = watch(SHORT);
    let mut double = SensorMonitor::<f64, DIM>::standard(MonitorSettings::DEFAULT.with_training(TRAINING as u32));
    for i in 0..2_000 {
        let fault = if (1_000..1_050).contains(&i) { 4.0 } else { 0.0 };
        let sample = off(machine.sample(), 2, fault);
        let one = single.observe(&sample)?;
        let other = double.observe(&sample.map(f64::from))?;
        assert_eq!((one.alarm, one.phase), (other.alarm, other.phase), "sample {i}");
        assert!(
            (f64::from(one.score) - other.score).abs() <= 2e-3 * other.score.max(1.0),
            "sample {i}"
        );
    }
    Ok(())
}

#[test]
fn the_lags_start_again_after_an_interruption() -> Result<(), SampleError> {
    type Lags = Lagged<f32, TrackingPca<f32, 18, 3, 8>, DIM, 3, 18>;
    let mut machine = Machine::new(4);
    let pca = Lags::new(TrackingPca::new(TrackingSettings::DEFAULT));
    let mut monitor = Monitor::<f32, Lags, DIM>::new(SHORT.with_smoothing(1), pca);
    run(&mut monitor, TRAINING, || machine.sample())?;
    assert!(monitor.observe(&machine.sample())?.score > 0.0);
    let learned = monitor.learner().learner().samples_seen();
    monitor.interrupt();
    // After `interrupt`, the next two samples have no complete lags, so they are neither scored nor learned.
    let center = *monitor.level().center();
    assert_eq!(monitor.observe(&off(machine.sample(), 0, 10.0))?.score, 0.0);
    assert_eq!(monitor.observe(&off(machine.sample(), 0, 10.0))?.score, 0.0);
    assert_eq!(monitor.learner().learner().samples_seen(), learned);
    assert_eq!(monitor.level().center(), &center);
    assert!(monitor.observe(&machine.sample())?.score > 0.0);
    Ok(())
}

/// The units range from 10⁻³⁷, near the smallest normal number, to 10¹⁷.
#[test]
fn faults_are_found_in_any_unit() -> Result<(), SampleError> {
    for exponent in [-37, -30, -22, -10, 0, 10, 17] {
        let unit = 10.0_f32.powi(exponent);
        let mut machine = Machine::new(5);
        let mut monitor = watch(SHORT);
        let (mut false_alarms, mut found) = (0, 0);
        for i in 0..TRAINING + 1_000 {
            let fault = if i >= TRAINING + 900 { 4.0 } else { 0.0 };
            // Without the offsets the values move about zero.
            let [first, second, ..] = off(machine.sample(), 1, fault);
            let sample = [
                first - 256.0,
                10.0 * (second + 40.0),
                first - 256.0,
                second + 40.0,
                0.0,
                0.0,
            ];
            let alarm = monitor.observe(&sample.map(|value| unit * value))?.alarm;
            *(if fault > 0.0 { &mut found } else { &mut false_alarms }) += usize::from(alarm);
        }
        assert!(
            false_alarms == 0 && found > 80,
            "10^{exponent}: {false_alarms} and {found}"
        );
    }
    Ok(())
}

/// `deny` makes the arm `_` after all variants an error unless the enum is `non_exhaustive`.
#[test]
#[deny(unreachable_patterns)]
fn a_new_variant_breaks_no_match_of_a_user() {
    match Phase::Watching {
        Phase::Warmup { .. } | Phase::Standstill | Phase::Calibrating => (),
        Phase::Unsettled | Phase::Watching | Phase::Frozen => (),
        _ => (),
    }
    match State::Normal {
        State::Learning | State::Normal | State::SecondNormal | State::Unusual => (),
        State::Moving | State::Steady | State::Stuck => (),
        _ => (),
    }
    match ChannelHealth::Good {
        ChannelHealth::Good | ChannelHealth::Unknown | ChannelHealth::Stuck => (),
        ChannelHealth::Missing | ChannelHealth::Quantised => (),
        _ => (),
    }
    match Learning::Always {
        Learning::Always | Learning::WhileNormal | Learning::Frozen => (),
        _ => (),
    }
    match Missing::Refuse {
        Missing::Refuse | Missing::Impute => (),
        _ => (),
    }
    match NewLevel::Never {
        NewLevel::Accept(_) | NewLevel::Ask(_) | NewLevel::Never => (),
        _ => (),
    }
    match Score::Loss {
        Score::Loss | Score::Relative | Score::Leverage | Score::Combined => (),
        _ => (),
    }
}
