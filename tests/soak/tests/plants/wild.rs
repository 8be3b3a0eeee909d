//! Outliers of any size, and bad starts of the training.

use crate::plant::{Plant, SEEDS, TRAINING, alarms, fresh, trained};
use eigenstream::monitor::{Phase, SensorMonitor};

/// The ratio of the thresholds with and without the outliers, and the test faults found.
fn disturbed(seed: u64, mut wild: impl FnMut(usize, &mut Plant<6>, &mut [f32; 6])) -> (f32, usize) {
    let mut plant = Plant::<6>::new(seed, 2, 0.3);
    let mut luck = Plant::<6>::new(seed + 1_000, 2, 0.3);
    let (mut clean, mut monitor) = (fresh::<6>(), fresh::<6>());
    for i in 0..TRAINING + 500 {
        let mut sample = plant.sample();
        assert!(clean.observe(&sample).is_ok());
        let sizes: [f32; 6] = std::array::from_fn(|channel| plant.deviation(channel));
        let before = sample;
        wild(i, &mut luck, &mut sample);
        for ((value, before), size) in sample.iter_mut().zip(before).zip(sizes) {
            *value = before + (*value - before) * size;
        }
        assert!(monitor.observe(&sample).is_ok());
    }
    (monitor.threshold() / clean.threshold(), plant.found(&monitor))
}

fn holds(name: &str, outcomes: &[(f32, usize)]) {
    let found: usize = outcomes.iter().map(|(_, found)| found).sum();
    assert!(found * 100 >= 95 * 6 * outcomes.len(), "{name}: {found} faults found");
    for (ratio, _) in outcomes {
        assert!((0.5..2.0).contains(ratio), "{name}: threshold × {ratio} {outcomes:?}");
    }
}

#[test]
fn one_outlier_changes_the_threshold_by_less_than_a_factor_of_two() {
    for (phase, place) in [
        ("settling", 100),
        ("learning", 800),
        ("calibrating", 1_700),
        ("watching", 2_300),
    ] {
        for size in [10.0, 100.0, 1e4, 1e6] {
            let outcomes: Vec<_> = (0..SEEDS)
                .map(|seed| {
                    disturbed(seed, |i, _, sample| {
                        if i == place {
                            sample[seed as usize % 6] += size;
                        }
                    })
                })
                .collect();
            holds(&format!("{size} while {phase}"), &outcomes);
        }
    }
}

#[test]
fn one_percent_of_outliers_or_five_percent_of_large_ones_change_little() {
    for (share, size) in [
        (0.01, 10.0),
        (0.01, 100.0),
        (0.01, 900.0),
        (0.01, 1e6),
        (0.05, 3e3),
        (0.05, 1e6),
    ] {
        let outcomes: Vec<_> = (0..SEEDS)
            .map(|seed| {
                disturbed(seed, |i, luck, sample| {
                    if i < TRAINING && luck.chance() < share {
                        let channel = (6.0 * luck.chance()) as usize;
                        sample[channel] += if luck.chance() < 0.5 { size } else { -size };
                    }
                })
            })
            .collect();
        holds(&format!("{share} of {size}"), &outcomes);
    }
}

/// One disturbance of at least 10 deviations lasts up to 2 % of the training.
#[test]
fn one_short_disturbance_changes_the_threshold_by_less_than_a_factor_of_two() {
    for (phase, place) in [("learning", 800), ("calibrating", 1_700)] {
        for (length, size) in [(3, 30.0), (20, 10.0), (20, 900.0), (40, 15.0), (40, 1e6)] {
            let outcomes: Vec<_> = (0..SEEDS)
                .map(|seed| {
                    disturbed(seed, |i, _, sample| {
                        if (place..place + length).contains(&i) {
                            sample[seed as usize % 6] += size;
                        }
                    })
                })
                .collect();
            holds(&format!("{length} samples of {size} while {phase}"), &outcomes);
        }
    }
}

/// The machine is off when the monitor starts: its sensors show another level, with less noise than the signals of the
/// running machine.
#[test]
fn a_machine_that_is_off_at_first_is_learned_when_it_runs() {
    for (idle, noise, distance) in [
        (320, 1e-4, 50.0),
        (320, 0.3, 50.0),
        (700, 1e-3, 5.0),
        (1_200, 0.01, 50.0),
        (1_700, 0.1, 50.0),
    ] {
        for seed in 0..SEEDS {
            let mut plant = Plant::<6>::new(seed, 2, 0.3);
            let mut monitor = fresh();
            let mut alarms = 0;
            for i in 0..10_000 {
                let mut sample = plant.sample();
                for channel in 0..6 {
                    if i < idle {
                        let chance = plant.chance() - 0.5;
                        sample[channel] =
                            plant.offset[channel] - plant.deviation(channel) * (distance + noise * chance);
                    }
                }
                alarms += usize::from(monitor.observe(&sample).is_ok_and(|verdict| verdict.alarm));
            }
            let name = format!("{idle} samples with noise {noise} at {distance}, seed {seed}");
            assert!(monitor.phase().is_watching(), "{name}: {:?}", monitor.phase());
            assert!(alarms < 30, "{name}: {alarms} false alarms");
            assert_eq!(plant.found(&monitor), 6, "{name}");
        }
    }
}

/// All samples are constant during a part of the training. The monitor must then report that it waits, except for the
/// first 100 samples and for samples 300 to 1,433; afterwards it finds every fault.
#[test]
fn a_monitor_waits_while_all_channels_are_constant() {
    for (from, to) in [(0, 100), (0, 307), (0, 1_434), (0, 2_048), (300, 1_434), (1_434, 2_048)] {
        for seed in 0..SEEDS {
            let mut plant = Plant::<6>::new(seed, 2, 0.3);
            let mut monitor = fresh();
            let still = plant.offset;
            let mut waits = 0;
            for i in 0..to.max(TRAINING) + 3_000 {
                let sample = if (from..to).contains(&i) { still } else { plant.sample() };
                let Ok(verdict) = monitor.observe(&sample) else {
                    continue;
                };
                waits += usize::from(matches!(verdict.phase, Phase::Standstill | Phase::Unsettled));
                assert!(!verdict.alarm || verdict.threshold < 100.0);
            }
            assert!(
                monitor.phase().is_watching(),
                "{from}..{to}, seed {seed}: {:?}",
                monitor.phase()
            );
            assert!(
                waits > 0 || (from, to) == (0, 100) || from == 300,
                "{from}..{to}, seed {seed}"
            );
            assert_eq!(plant.found(&monitor), 6, "{from}..{to}, seed {seed}");
        }
    }
}

/// The monitor waits if the scores rise in the calibration.
#[test]
fn a_monitor_waits_until_a_trend_has_ended() {
    let mut plant = Plant::<6>::new(5, 2, 0.3);
    let mut monitor = fresh();
    let mut waits = 0;
    for i in 0..6_000 {
        // The machine heats up for 2,000 samples; this begins at sample 1,800, during the calibration.
        let heat = (i as f32 - 1_800.0).clamp(0.0, 2_000.0) / 25.0;
        let mut sample = plant.sample();
        sample[3] += heat * plant.deviation(3);
        if let Ok(verdict) = monitor.observe(&sample) {
            waits += usize::from(verdict.phase == Phase::Unsettled);
        }
    }
    assert!(waits > 0 && monitor.phase().is_watching());
}

#[test]
fn the_default_is_quiet_on_a_machine_that_stays_as_it_was() {
    let mut false_alarms = 0;
    for seed in 0..SEEDS {
        let mut plant = Plant::<6>::new(seed, 2, 0.3);
        plant.inertia = 0.9;
        let mut monitor: SensorMonitor<f32, 6> = trained(&mut plant);
        false_alarms += alarms(&mut monitor, 5_000, |_| plant.sample());
    }
    // At most 0.05 % of the samples may be in alarm.
    assert!(false_alarms <= 50, "{false_alarms} of 100,000");
}
