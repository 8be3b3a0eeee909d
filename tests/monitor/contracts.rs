//! Phases, memory, going back, and the same answer in both precisions.

use crate::machine::{DIM, Machine, Pca, Watch, off, state, trained, watch};
use eigenstream::SampleError;
use eigenstream::monitor::{
    Counts, Decision, DecisionSettings, ExponentialMean, Lagged, Learning, Monitor, MonitorSettings, Phase, Quantile,
    RunningMedian, Scorer, Standardizer, StandardizerSettings,
};
use eigenstream::pca::{TrackingPca, TrackingSettings};

#[test]
fn memory_is_the_sum_of_its_parts() {
    let standardizer_settings = 4 * 3; // forgetting, smallest spread, limit
    let settings = 4 * 3 // schedule
        + standardizer_settings
        + 4 * 2 // smoothing of the input and of the score
        + 4 * 4 // rule of the threshold with its number, factor, floor
        + 4 * 3 // release, confirm, hold-off
        + 4; // scaling, score, learning, missing
    assert_eq!(size_of::<MonitorSettings<f32>>(), settings);
    assert_eq!(size_of::<StandardizerSettings<f32>>(), standardizer_settings);

    let standardizer = standardizer_settings + 4 * (3 * DIM + 1) + 4;
    assert_eq!(size_of::<Standardizer<f32, DIM>>(), standardizer);
    let scorer = 4 * 2 + 4 * 2 + 4; // two means, two counts, the choice
    assert_eq!(size_of::<Scorer<f32>>(), scorer);
    let mean = 4 * DIM + 4 * 2;
    assert_eq!(size_of::<ExponentialMean<f32, DIM>>(), mean);
    let median = 4 * 2 + 2 * size_of::<usize>();
    assert_eq!(size_of::<RunningMedian<f32, 1>>(), median);
    let quantile = 4 * (1 + 5) + 4 * (5 + 1);
    assert_eq!(size_of::<Quantile<f32>>(), quantile);
    let decision = 4 * 3 + 4 * 3; // settings; which state, two counts
    assert_eq!(size_of::<Decision<f32>>(), decision);
    assert_eq!(size_of::<DecisionSettings<f32>>(), 4 * 3);
    assert_eq!(size_of::<Counts<f32, DIM>>(), 6 * DIM);

    let phase = 4 * 3;
    let learner = size_of::<Pca>();
    let bytes = settings + learner + standardizer + scorer + 2 * mean + median + quantile + 4 * 2 + decision + phase;
    assert_eq!(size_of::<Watch>(), bytes.next_multiple_of(8));
    // On a chip, where a usize has half the size, it is less.
    assert!(bytes <= 768, "{bytes}");
}

#[test]
fn a_monitor_can_be_sent_to_another_thread() {
    fn sendable<M: Send + Clone>() {}
    sendable::<Watch>();
}

#[test]
fn the_phases_follow_one_another() -> Result<(), SampleError> {
    let mut machine = Machine::new(1);
    let mut monitor = watch(MonitorSettings::DEFAULT);
    for i in 0..1_000_u32 {
        let phase = monitor.observe(&machine.sample())?.phase;
        let expected = match i {
            0..256 => Phase::Warmup { seen: i + 1, need: 256 },
            256..512 => Phase::Calibrating,
            _ => Phase::Watching,
        };
        assert_eq!(phase, expected, "sample {i}");
    }
    monitor.set_learning(Learning::Frozen);
    assert_eq!(monitor.phase(), Phase::Frozen);
    let before = format!("{:?}{:?}", monitor.learner(), monitor.standardizer());
    for _ in 0..100 {
        assert_eq!(monitor.observe(&machine.sample())?.phase, Phase::Frozen);
    }
    assert_eq!(before, format!("{:?}{:?}", monitor.learner(), monitor.standardizer()));
    monitor.set_learning(Learning::Always);
    monitor.observe(&machine.sample())?;
    assert_eq!(monitor.phase(), Phase::Watching);
    assert_ne!(before, format!("{:?}{:?}", monitor.learner(), monitor.standardizer()));
    monitor.recalibrate();
    for _ in 0..256 {
        assert_eq!(monitor.observe(&machine.sample())?.phase, Phase::Calibrating);
    }
    assert_eq!(monitor.phase(), Phase::Watching);
    Ok(())
}

#[test]
fn learning_anew_can_be_taken_back() -> Result<(), SampleError> {
    let mut machine = Machine::new(2);
    let mut monitor = trained(MonitorSettings::DEFAULT, &mut machine);
    let as_it_was = state(&monitor);
    let before = monitor.relearn(Pca::new(TrackingSettings::DEFAULT));
    assert_eq!(state(&monitor), state(&watch(MonitorSettings::DEFAULT)));
    // What is now called normal.
    for _ in 0..600 {
        monitor.observe(&off(machine.sample(), 0, 5.0))?;
    }
    assert!(!monitor.observe(&off(machine.sample(), 0, 5.0))?.alarm);
    monitor = before;
    assert_eq!(state(&monitor), as_it_was);
    Ok(())
}

#[test]
fn learning_anew_in_place_finds_a_threshold_for_a_harder_life() -> Result<(), SampleError> {
    let mut machine = Machine::new(12);
    let mut monitor = trained(MonitorSettings::DEFAULT, &mut machine);
    let before = monitor.threshold();
    monitor.recalibrate();
    assert_eq!(monitor.threshold(), f32::MAX);
    for i in 0..256 {
        let shake = if i % 2 == 0 { 3.0 } else { -3.0 };
        monitor.observe(&off(machine.sample(), 0, shake))?;
    }
    assert!(monitor.threshold() > 2.0 * before);
    Ok(())
}

#[test]
fn both_precisions_say_the_same() -> Result<(), SampleError> {
    type Double = TrackingPca<f64, DIM, 2, DIM>;
    let mut machine = Machine::new(3);
    let mut single = watch(MonitorSettings::DEFAULT);
    let mut double = Monitor::<f64, Double, DIM>::new(MonitorSettings::DEFAULT, Double::new(TrackingSettings::DEFAULT));
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
fn an_interruption_starts_the_lags_anew() -> Result<(), SampleError> {
    type Lags = Lagged<f32, TrackingPca<f32, 18, 3, 8>, DIM, 3, 18>;
    let mut machine = Machine::new(4);
    let pca = Lags::new(TrackingPca::new(TrackingSettings::DEFAULT));
    let mut monitor = Monitor::<f32, Lags, DIM>::new(MonitorSettings::DEFAULT.with_smoothing(1), pca);
    for _ in 0..600 {
        monitor.observe(&machine.sample())?;
    }
    assert!(monitor.observe(&machine.sample())?.score > 0.0);
    let learned = monitor.learner().learner().samples_seen();
    monitor.interrupt();
    // The first two samples have too short a past to be judged or learned.
    assert_eq!(monitor.observe(&machine.sample())?.score, 0.0);
    assert_eq!(monitor.observe(&machine.sample())?.score, 0.0);
    assert_eq!(monitor.learner().learner().samples_seen(), learned);
    assert!(monitor.observe(&machine.sample())?.score > 0.0);
    Ok(())
}
