//! A firmware update: the state comes from an image of the old firmware, the settings from the new one.

use eigenstream::kernel::{Gaussian, Laplacian, OnlineKernelPca, OnlineKernelSettings};
use eigenstream::monitor::{
    Adaptation, DecisionSettings, Learning, Missing, Monitor, MonitorSettings, NewLevel, Phase, Schedule, Score,
    SensorMonitor, Threshold,
};
use eigenstream::pca::{TrackingPca, TrackingSettings};
use eigenstream::{Codec, CodecError, constant};

use crate::images::image;

type Watch = SensorMonitor<f32, 3>;

const OLD: MonitorSettings<f32> = MonitorSettings::DEFAULT.with_training(600);

fn machine(i: u32) -> [f32; 3] {
    let noise = |k: u32| ((i * k) % 17) as f32 / 17.0 - 0.5;
    let load = noise(5) * 10.0;
    [
        20.0 + load + noise(7),
        50.0 + 2.0 * load + noise(11),
        1.0 - 0.1 * load + 0.1 * noise(13),
    ]
}

fn grown(settings: MonitorSettings<f32>, samples: u32) -> Watch {
    let mut monitor = Watch::standard(settings);
    for i in 0..samples {
        assert!(monitor.observe(&machine(i)).is_ok());
    }
    monitor
}

/// A monitor with the state of the old firmware and the settings of the new one.
fn updated(samples: u32, settings: MonitorSettings<f32>) -> (Watch, Adaptation) {
    let mut monitor = Watch::standard(settings);
    assert_eq!(monitor.decode_into(&mut image(&grown(OLD, samples))), Ok(()));
    let adaptation = monitor.set_settings(settings);
    (monitor, adaptation)
}

#[test]
fn a_new_threshold_rule_uses_the_scores_of_the_old_firmware() {
    for threshold in [
        constant!(Threshold::false_alarms(1e-12)),
        constant!(Threshold::quantile(0.5)),
        constant!(Threshold::fixed(0.25)),
    ] {
        let settings = OLD.with_threshold(threshold);
        let (mut monitor, adaptation) = updated(700, settings);
        assert_eq!(adaptation, Adaptation::GoesOn);
        assert_eq!(monitor.phase(), Phase::Watching);
        assert_eq!(monitor.settings(), &settings);
        assert_ne!(monitor.threshold(), grown(OLD, 700).threshold());
        if threshold != constant!(Threshold::fixed(0.25)) {
            assert_eq!(monitor.threshold(), grown(settings, 700).threshold());
        }
        let verdict = monitor.observe(&machine(700));
        assert_eq!(
            verdict.map(|verdict| verdict.alarm),
            Ok(verdict.is_ok_and(|it| it.score > it.threshold))
        );
    }
}

#[test]
fn settings_that_only_use_the_score_apply_at_once() {
    let settings = OLD
        .with_learning(Learning::Frozen)
        .with_level_memory(77)
        .with_decision(DecisionSettings::DEFAULT.with_confirm(3));
    let (monitor, adaptation) = updated(700, settings);
    assert_eq!((adaptation, monitor.phase()), (Adaptation::GoesOn, Phase::Frozen));
    assert_eq!(monitor.threshold(), grown(OLD, 700).threshold());
    assert_eq!(monitor.level().memory(), 77);

    let mut monitor = monitor;
    let fault = |i| machine(i).map(|value| value + 40.0);
    let alarms: Vec<bool> = (700..704)
        .map(|i| monitor.observe(&fault(i)).is_ok_and(|verdict| verdict.alarm))
        .collect();
    assert_eq!(alarms, [false, false, true, true]);
}

#[test]
fn a_shorter_hold_off_applies_at_once() {
    let decision = |samples| OLD.with_decision(DecisionSettings::DEFAULT.with_hold_off(samples));
    let fault = |i| machine(i).map(|value| value + 40.0);
    for (hold_off, raised) in [(100_000, false), (100, false), (10, true), (0, true)] {
        let mut monitor = grown(decision(100_000), 700);
        assert!((700..720).all(|i| monitor.observe(&fault(i)).is_ok()));
        assert!((720..800).all(|i| monitor.observe(&machine(i)).is_ok()));
        assert_eq!(monitor.set_settings(decision(hold_off)), Adaptation::GoesOn);
        let alarm = (800..820).any(|i| monitor.observe(&fault(i)).is_ok_and(|verdict| verdict.alarm));
        assert_eq!(alarm, raised, "{hold_off}");
    }
}

#[test]
fn a_new_smoothing_recalibrates_and_keeps_scale_and_learner() {
    let (mut monitor, adaptation) = updated(700, OLD.with_smoothing(20));
    let before = grown(OLD, 700);
    assert_eq!(
        (adaptation, monitor.phase()),
        (Adaptation::Recalibrates, Phase::Calibrating)
    );
    assert_eq!(monitor.level().spread(), before.level().spread());
    assert_eq!(image(monitor.learner()), image(before.learner()));
    for i in 700..700 + OLD_CALIBRATE {
        assert!(monitor.observe(&machine(i)).is_ok_and(|verdict| !verdict.alarm));
    }
    assert_eq!(monitor.phase(), Phase::Watching);
}

/// The calibration is 30 % of the 600 samples.
const OLD_CALIBRATE: u32 = 180;

#[test]
fn a_new_kind_of_score_is_not_applied() {
    let (monitor, adaptation) = updated(700, OLD.with_score(Score::Combined));
    assert_eq!(adaptation, Adaptation::NotTaken);
    assert_eq!(image(&monitor), image(&grown(OLD, 700)));
}

#[test]
fn a_threshold_rule_after_a_fixed_threshold_recalibrates() {
    let mut monitor = grown(OLD.with_threshold(constant!(Threshold::fixed(3.0))), 700);
    assert_eq!(monitor.phase(), Phase::Watching);
    assert_eq!(monitor.set_settings(OLD), Adaptation::Recalibrates);
    assert_eq!(monitor.phase(), Phase::Calibrating);
    let fixed = OLD.with_threshold(constant!(Threshold::fixed(2.0)));
    assert_eq!(monitor.set_settings(fixed), Adaptation::GoesOn);
    assert_eq!((monitor.phase(), monitor.threshold()), (Phase::Watching, 2.0));
}

#[test]
fn a_new_schedule_applies_to_the_phases_that_are_not_over() {
    let schedule = constant!(Schedule::new(30, 60, 40));
    let settings = OLD.with_schedule(schedule);
    for (samples, expected) in [
        (10, Phase::Warmup { seen: 0, need: 90 }),
        // The old firmware knows level and spread after 90 samples.
        (90, Phase::Warmup { seen: 89, need: 90 }),
        (95, Phase::Warmup { seen: 89, need: 90 }),
        (430, Phase::Calibrating),
        (700, Phase::Watching),
    ] {
        let (mut monitor, adaptation) = updated(samples, settings);
        assert_eq!(
            (monitor.phase(), adaptation),
            (expected, Adaptation::GoesOn),
            "{samples}"
        );
        assert!(Watch::decode(&image(&monitor)).is_ok());
        for i in samples..samples + 200 {
            assert!(monitor.observe(&machine(i)).is_ok());
        }
        assert_eq!(monitor.phase(), Phase::Watching, "{samples}");
    }
}

#[test]
fn before_the_first_sample_every_setting_but_the_score_applies() {
    let other = MonitorSettings::DEFAULT
        .with_training(900)
        .with_level_memory(50)
        .with_input_smoothing(7)
        .with_smoothing(9)
        .with_learning(Learning::Frozen)
        .with_missing(Missing::Impute)
        .with_new_level(NewLevel::Ask(77));
    let mut monitor = SensorMonitor::<f32, 3>::standard(OLD);
    assert_eq!(monitor.set_settings(other), Adaptation::GoesOn);
    assert_eq!(image(&monitor), image(&SensorMonitor::<f32, 3>::standard(other)));
}

#[test]
fn an_image_of_other_sizes_learner_or_kernel_is_an_error() {
    let mut saved = image(&grown(OLD, 700));
    let mut larger = SensorMonitor::<f32, 4>::standard(OLD);
    assert_eq!(
        larger.decode_into(&mut saved),
        Err(CodecError::Sizes { found: [3, 1, 0, 0] })
    );
    let mut other = Monitor::<f32, _, 3>::new(OLD, TrackingPca::<f32, 3, 1, 3>::new(TrackingSettings::DEFAULT));
    let before = image(&other);
    assert_eq!(other.decode_into(&mut saved), Err(CodecError::Learner { found: 20 }));
    assert_eq!(image(&other), before);

    let gaussian = OnlineKernelPca::<f32, _, 3, 1, 8, 4>::new(Gaussian::DEFAULT, OnlineKernelSettings::DEFAULT);
    let laplacian = OnlineKernelPca::<f32, _, 3, 1, 8, 4>::new(Laplacian::DEFAULT, OnlineKernelSettings::DEFAULT);
    let mut saved = image(&Monitor::<f32, _, 3>::new(OLD, gaussian));
    let mut other = Monitor::<f32, _, 3>::new(OLD, laplacian);
    assert_eq!(other.decode_into(&mut saved), Err(CodecError::Kernel { found: 3 }));
}
