//! Phases, memory, going back, and the same answer in both precisions.

use crate::machine::{DIM, Machine, Pca, Watch, off, state, trained, watch};
use eigenstream::SampleError;
use eigenstream::monitor::{
    Counts, Decision, DecisionSettings, ExponentialMean, Lagged, Learning, Monitor, MonitorSettings, Phase, Quantile,
    RunningMedian, Scaling, Scorer, Standardizer, StandardizerSettings, Threshold,
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
fn a_new_calibration_takes_the_alarm_back() -> Result<(), SampleError> {
    let mut machine = Machine::new(13);
    let mut monitor = trained(MonitorSettings::DEFAULT, &mut machine);
    for _ in 0..20 {
        monitor.observe(&off(machine.sample(), 0, 5.0))?;
    }
    assert!(monitor.observe(&off(machine.sample(), 0, 5.0))?.alarm);
    monitor.recalibrate();
    for _ in 0..256 {
        let verdict = monitor.observe(&off(machine.sample(), 0, 5.0))?;
        assert_eq!((verdict.phase, verdict.alarm), (Phase::Calibrating, false));
    }
    Ok(())
}

#[test]
fn the_scale_stands_still_after_the_warm_up_unless_it_is_to_follow() -> Result<(), SampleError> {
    for (scaling, follows) in [(Scaling::Fixed, false), (Scaling::Following, true)] {
        let mut machine = Machine::new(14);
        let mut monitor = trained(MonitorSettings::DEFAULT.with_scaling(scaling), &mut machine);
        assert_eq!(monitor.standardizer().samples_seen(), 256);
        let learned = monitor.learner().samples_seen();
        for _ in 0..100 {
            monitor.observe(&machine.sample())?;
        }
        assert!(monitor.learner().samples_seen() > learned);
        assert_eq!(monitor.standardizer().samples_seen() > 256, follows, "{scaling:?}");
    }
    Ok(())
}

#[test]
fn the_gate_is_closed_above_where_an_alarm_would_be_released() -> Result<(), Box<dyn std::error::Error>> {
    let mut machine = Machine::new(15);
    // No alarm ever comes: the score alone closes the gate.
    let release = 0.5;
    let decision = DecisionSettings::new(release)?.with_confirm(u32::MAX);
    let mut monitor = trained(MonitorSettings::DEFAULT.with_decision(decision), &mut machine);
    let (mut score, mut kept_out) = (0.0, 0);
    for i in 0..400 {
        let learned = monitor.learner().samples_seen();
        let fault = if i < 200 { 1.0 } else { 0.0 };
        let verdict = monitor.observe(&off(machine.sample(), 2, fault))?;
        if score > release * verdict.threshold {
            assert_eq!(monitor.learner().samples_seen(), learned, "sample {i}");
            kept_out += 1;
        }
        assert!(!verdict.alarm);
        score = verdict.score;
    }
    assert!((20..380).contains(&kept_out), "{kept_out}");
    Ok(())
}

#[test]
fn below_a_threshold_that_is_known_the_gate_is_open_and_above_it_closed() -> Result<(), Box<dyn std::error::Error>> {
    for (level, learns) in [(1e6, true), (1e-6, false)] {
        let mut machine = Machine::new(16);
        let settings = MonitorSettings::DEFAULT.with_threshold(Threshold::fixed(level)?);
        let mut monitor = watch(settings);
        for _ in 0..256 {
            monitor.observe(&machine.sample())?;
        }
        assert_eq!(monitor.phase(), Phase::Watching);
        let learned = monitor.learner().samples_seen();
        for _ in 0..100 {
            monitor.observe(&machine.sample())?;
        }
        assert_eq!(monitor.learner().samples_seen() - learned, if learns { 100 } else { 0 });
    }
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
