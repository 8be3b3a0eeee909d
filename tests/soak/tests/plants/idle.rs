//! Faults on every channel, machines that stand still, drift, and new levels.

use crate::plant::{Plant, SEEDS, alarms, trained};
use eigenstream::monitor::{MonitorSettings, NewLevel, SensorMonitor, State};

type Failure = Box<dyn std::error::Error>;

#[test]
fn a_fault_of_four_deviations_is_found_on_every_channel() {
    for causes in 1..=3 {
        let (mut false_alarms, mut missed) = (0, 0);
        for seed in 0..SEEDS {
            let mut plant = Plant::<6>::new(seed, causes, 0.3);
            let mut monitor = trained(&mut plant);
            missed += 6 - plant.found(&monitor);
            false_alarms += alarms(&mut monitor, 2_000, |_| plant.sample());
        }
        assert_eq!(missed, 0, "{causes} causes");
        // At most 0.3 % of the samples may be in alarm.
        assert!(
            false_alarms <= 3 * 2 * SEEDS as usize,
            "{causes} causes: {false_alarms} false alarms"
        );
    }
}

/// The number of samples in alarm among the 4,000 after a standstill of `length` samples, in which the channels were
/// off by `offset` deviations.
fn after_idling(seed: u64, offset: f32, length: usize) -> usize {
    let mut plant = Plant::<6>::new(seed, 2, 0.3);
    let mut monitor = trained(&mut plant);
    alarms(&mut monitor, length, |_| {
        let mut sample = plant.idle();
        for (channel, value) in sample.iter_mut().enumerate() {
            let side = if channel % 2 == 0 { 1.0 } else { -1.0 };
            *value += side * offset * plant.deviation(channel);
        }
        sample
    });
    alarms(&mut monitor, 4_000, |_| plant.sample())
}

/// At most 1 % of the samples after the standstill are in alarm.
#[test]
fn a_monitor_forgets_nothing_while_the_machine_stands_still() {
    for (length, seeds) in [(100, SEEDS), (300, SEEDS), (3_000, SEEDS), (30_000, 4), (100_000, 2)] {
        for seed in 0..seeds {
            let alarms = after_idling(seed, 0.0, length);
            assert!(alarms <= 40, "{length} samples, seed {seed}: {alarms} alarms");
        }
    }
}

#[test]
fn a_machine_that_stood_still_with_an_offset_comes_back_to_normal() {
    for offset in [0.5, 1.0, 2.0, 5.0, 100.0] {
        for (length, seeds) in [(300, SEEDS), (3_000, SEEDS)] {
            for seed in 0..seeds {
                let alarms = after_idling(seed, offset, length);
                assert!(
                    alarms <= 40,
                    "off by {offset}, {length} samples, seed {seed}: {alarms} alarms"
                );
            }
        }
    }
}

/// In 300 samples, the memory of the level, the slow drifts move by 0.03 and 0.09 deviations, the fast one by three.
#[test]
fn slow_drift_is_followed_and_reported_and_fast_drift_is_an_alarm() {
    for (rate, followed) in [(1e-4, true), (3e-4, true), (1e-2, false)] {
        for seed in 0..SEEDS {
            let mut plant = Plant::<6>::new(seed, 2, 0.3);
            let mut monitor = trained(&mut plant);
            let channel = seed as usize % 6;
            let (mut found, mut moved) = (0, 0.0);
            for i in 0..5_000 {
                let mut sample = plant.sample();
                sample[channel] += rate * i as f32 * plant.deviation(channel);
                if let Ok(verdict) = monitor.observe(&sample) {
                    found += usize::from(verdict.alarm);
                    moved = verdict.moved;
                }
            }
            if followed {
                assert!(found <= 50, "{rate}, seed {seed}: {found} alarms");
                assert!(
                    (moved / (5_000.0 * rate) - 1.0).abs() < 0.7,
                    "{rate}, seed {seed}: moved {moved}"
                );
            } else {
                assert!(found > 4_000, "{rate}, seed {seed}: {found} alarms");
            }
        }
    }
}

/// A step of ten deviations becomes `Steady`; the settings then accept it, ask, or refuse it.
#[test]
fn a_steady_new_level_is_told_apart_from_a_fault_that_grows() -> Result<(), Failure> {
    for (policy, in_the_end) in [
        (NewLevel::Accept(500), State::SecondNormal),
        (NewLevel::Ask(500), State::Steady),
        (NewLevel::Never, State::Steady),
    ] {
        let mut plant = Plant::<6>::new(3, 2, 0.3);
        let mut monitor = SensorMonitor::<f32, 6>::standard(MonitorSettings::DEFAULT.with_new_level(policy));
        assert_eq!(alarms(&mut monitor, 2_048, |_| plant.sample()), 0);
        let stepped = |plant: &mut Plant<6>, size: f32| {
            let mut sample = plant.sample();
            sample[2] += size * plant.deviation(2);
            sample
        };
        let first = (0..20).map(|_| monitor.observe(&stepped(&mut plant, 10.0)));
        assert!(
            first
                .last()
                .is_some_and(|verdict| verdict.is_ok_and(|verdict| verdict.state == State::Unusual))
        );
        let mut state = State::Normal;
        for _ in 0..2_100 {
            state = monitor.observe(&stepped(&mut plant, 10.0))?.state;
        }
        assert_eq!(state, in_the_end, "{policy:?}");
        if policy == NewLevel::Ask(500) {
            assert!(monitor.acknowledge());
            alarms(&mut monitor, 30, |_| stepped(&mut plant, 10.0));
            assert!(alarms(&mut monitor, 500, |_| stepped(&mut plant, 10.0)) <= 5);
        }
        // Afterwards the old level is still normal, and a fault raises an alarm.
        alarms(&mut monitor, 60, |_| plant.sample());
        assert_eq!(alarms(&mut monitor, 500, |_| plant.sample()), 0, "{policy:?}");
        assert!(alarms(&mut monitor, 50, |_| stepped(&mut plant, -10.0)) > 40);
    }
    Ok(())
}

/// After a new sensor is accepted, its level follows a drift, and faults are found as before.
#[test]
fn a_new_level_follows_drift() {
    let (mut false_alarms, mut missed) = (0, 0);
    for seed in 0..SEEDS {
        let mut plant = Plant::<6>::new(seed, 2, 0.3);
        let mut monitor = trained(&mut plant);
        let at = |plant: &mut Plant<6>, level: f32| {
            let mut sample = plant.sample();
            sample[2] += level * plant.deviation(2);
            sample
        };
        alarms(&mut monitor, 3_000, |_| at(&mut plant, 3.0));
        // This drift should cause no lasting alarm; after such an alarm the level would be accepted as new.
        alarms(&mut monitor, 40_000, |i| at(&mut plant, 3.0 + 5e-5 * i as f32));
        false_alarms += alarms(&mut monitor, 2_000, |_| at(&mut plant, 5.0));
        let fault = alarms(&mut monitor, 100, |_| {
            let mut sample = at(&mut plant, 5.0);
            sample[0] += 4.0 * plant.deviation(0);
            sample
        });
        missed += usize::from(fault == 0);
    }
    assert_eq!(missed, 0);
    // At most 1 % of the samples may be in alarm.
    assert!(false_alarms <= 20 * SEEDS as usize, "{false_alarms} false alarms");
}

#[test]
fn a_fault_that_grows_is_never_accepted() -> Result<(), Failure> {
    let mut plant = Plant::<6>::new(4, 2, 0.3);
    let mut monitor = trained(&mut plant);
    let mut states = Vec::new();
    for i in 0..6_000 {
        let mut sample = plant.sample();
        sample[1] += 0.01 * i as f32 * plant.deviation(1);
        states.push(monitor.observe(&sample)?.state);
    }
    assert!(
        states[3_000..].iter().all(|&state| state == State::Moving),
        "{:?}",
        states.last()
    );
    Ok(())
}

/// With 20 channels and three causes, at least 95 % of the faults on one channel blame that channel most.
#[test]
fn the_channel_with_the_fault_is_blamed_most() {
    let (mut right, mut events) = (0, 0);
    for seed in 0..SEEDS {
        let mut plant = Plant::<20>::new(seed, 3, 0.3);
        let base = trained(&mut plant);
        for channel in 0..20 {
            let (mut plant, mut monitor) = (plant.clone(), base.clone());
            let mut blamed = [0; 20];
            for _ in 0..50 {
                let mut sample = plant.sample();
                sample[channel] += 4.0 * plant.deviation(channel);
                if let Ok(verdict) = monitor.observe(&sample)
                    && verdict.alarm
                {
                    blamed[verdict.guilty()] += 1;
                }
            }
            events += 1;
            right += usize::from(blamed[channel] > 0 && blamed.iter().all(|&count| count <= blamed[channel]));
        }
    }
    assert!(right * 100 >= events * 95, "{right} of {events}");
}
