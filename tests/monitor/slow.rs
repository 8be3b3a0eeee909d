//! Slow processes: the input smoothed, the scale settled before the subspace is learned, the learner frozen before the threshold.

use crate::machine::{DIM, Machine, off, state, trained, watch};
use eigenstream::monitor::{Learning, Missing, MonitorSettings, Scaling, Schedule};
use eigenstream::{SampleError, SettingsError};

/// Small beside the noise of one sample, large beside that of a mean of forty.
const SHIFT: f32 = 0.3;

#[test]
fn a_small_lasting_shift_shows_in_smoothed_samples_only() -> Result<(), SampleError> {
    for (memory, shows) in [(1, false), (40, true)] {
        let mut machine = Machine::new(21);
        // A mean that moves slowly looks at few independent samples: it needs a longer scale and calibration.
        let schedule = Schedule::new(1_000, 500, 1_000).unwrap_or(Schedule::DEFAULT);
        let settings = MonitorSettings::DEFAULT
            .with_schedule(schedule)
            .with_smoothing(1)
            .with_learning(Learning::Frozen)
            .with_input_smoothing(memory);
        let mut monitor = watch(settings);
        for _ in 0..2_500 {
            monitor.observe(&machine.sample())?;
        }
        let mut alarms = 0;
        for _ in 0..400 {
            alarms += u32::from(monitor.observe(&off(machine.sample(), 3, SHIFT))?.alarm);
        }
        assert_eq!(alarms > 200, shows, "memory {memory}: {alarms} alarms");
    }
    Ok(())
}

#[test]
fn a_refused_sample_does_not_touch_the_smoothed_input() -> Result<(), SampleError> {
    let mut machine = Machine::new(22);
    let mut monitor = trained(MonitorSettings::DEFAULT.with_input_smoothing(10), &mut machine);
    let before = state(&monitor);
    assert!(monitor.observe(&off(machine.sample(), 1, f32::NAN)).is_err());
    assert!(monitor.observe(&off(machine.sample(), 1, 1e30)).is_err());
    assert_eq!(state(&monitor), before);
    Ok(())
}

#[test]
fn a_channel_that_was_missing_goes_on_from_where_it_was() -> Result<(), SampleError> {
    let mut machine = Machine::new(23);
    let settings = MonitorSettings::DEFAULT
        .with_input_smoothing(30)
        .with_learning(Learning::Frozen)
        .with_missing(Missing::Impute);
    let mut monitor = trained(settings, &mut machine);
    for _ in 0..100 {
        let mut sample = machine.sample();
        sample[0] = f32::NAN;
        assert!(!monitor.observe(&sample)?.alarm);
    }
    // Its offset is 256 gains: a mean that had taken in anything else in its place would be far off now.
    for _ in 0..50 {
        assert!(!monitor.observe(&machine.sample())?.alarm);
    }
    Ok(())
}

#[test]
fn the_means_of_the_others_go_on_while_a_channel_is_missing() -> Result<(), SampleError> {
    let mut machine = Machine::new(25);
    let settings = MonitorSettings::DEFAULT
        .with_input_smoothing(30)
        .with_learning(Learning::Frozen)
        .with_missing(Missing::Impute);
    let mut monitor = trained(settings, &mut machine);
    let mut verdict = None;
    for _ in 0..100 {
        let mut sample = off(machine.sample(), 3, 2.0);
        sample[0] = f32::NAN;
        verdict = Some(monitor.observe(&sample)?);
    }
    assert!(verdict.is_some_and(|verdict| verdict.alarm && verdict.guilty() == 3));
    Ok(())
}

#[test]
fn a_settled_scale_and_a_frozen_learner_stand_still_from_the_first_phase_that_uses_them() -> Result<(), SettingsError> {
    let mut machine = Machine::new(24);
    let schedule = Schedule::new(50, 30, 40)?;
    let settings = MonitorSettings::DEFAULT
        .with_schedule(schedule)
        .with_scaling(Scaling::Settled)
        .with_learning(Learning::Frozen);
    let mut monitor = watch(settings);
    let mut settled = String::new();
    let mut learned = String::new();
    for i in 0..200 {
        assert!(monitor.observe(&machine.sample()).is_ok());
        let (scale, learner) = (
            format!("{:?}", monitor.standardizer()),
            format!("{:?}", monitor.learner()),
        );
        match i {
            0..50 => settled = scale,
            50..80 => {
                assert_eq!(scale, settled);
                assert_ne!(learner, learned);
                learned = learner;
            }
            _ => assert_eq!((scale, learner), (settled.clone(), learned.clone())),
        }
    }
    let standardizer = monitor.standardizer();
    assert_eq!((standardizer.samples_seen(), standardizer.mean().len()), (50, DIM));
    Ok(())
}
