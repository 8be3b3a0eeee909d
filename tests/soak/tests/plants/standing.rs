//! Channels that are constant: from the start, later, or because their sensor stopped.

use crate::plant::{Plant, SEEDS, fresh, trained};
use eigenstream::monitor::{ChannelHealth, State};

/// Runs a machine with one channel at the constant value 7, to which `then` adds from sample 3,000 on.
/// Returns the number of samples in alarm, the number of the last one counted from sample 3,000, and the last state.
fn moving(seed: u64, then: impl Fn(usize) -> f32) -> (usize, usize, State) {
    let mut plant = Plant::<6>::new(seed, 2, 0.3);
    let mut monitor = fresh();
    let channel = seed as usize % 6;
    let (mut alarms, mut last, mut state) = (0, 0, State::Learning);
    for i in 0..8_000 {
        let mut sample = plant.sample();
        sample[channel] = 7.0 + if i < 3_000 { 0.0 } else { then(i - 3_000) };
        let Ok(verdict) = monitor.observe(&sample) else {
            continue;
        };
        if verdict.alarm {
            assert!(
                i >= 3_000 && (verdict.guilty() == channel || i > 3_100),
                "seed {seed}, sample {i}"
            );
            alarms += 1;
            last = i - 3_000;
        }
        state = verdict.state;
    }
    assert_ne!(monitor.health().channels[channel], ChannelHealth::Good);
    (alarms, last, state)
}

#[test]
fn a_pulse_on_a_constant_channel_is_a_short_alarm() {
    for size in [1e-3, 0.1, 1e4] {
        for seed in 0..SEEDS {
            let (alarms, last, state) = moving(seed, |i| if i == 0 { size } else { 0.0 });
            assert!(
                (1..=40).contains(&alarms) && last <= 40,
                "{size}, seed {seed}: {alarms} alarms until {last}"
            );
            assert_eq!(state, State::Normal);
        }
    }
}

#[test]
fn a_step_or_a_flipping_last_bit_on_a_constant_channel_becomes_a_second_normal_level() {
    for size in [1e-3, 0.1, 1e4] {
        for seed in 0..SEEDS {
            for flips in [0, 1] {
                let (alarms, _, state) = moving(seed, |i| if flips * i % 2 == 0 { size } else { 0.0 });
                assert!((1_900..2_300).contains(&alarms), "{size}, seed {seed}: {alarms} alarms");
                assert_eq!(state, State::SecondNormal, "{size}, seed {seed}");
            }
        }
    }
}

#[test]
fn a_channel_that_starts_to_move_during_the_training_is_learned() {
    for seed in 0..SEEDS {
        let mut plant = Plant::<6>::new(seed, 2, 0.3);
        let mut monitor = fresh();
        let channel = seed as usize % 6;
        let still = plant.offset[channel];
        for i in 0..6_000 {
            let mut sample = plant.sample();
            if i < 700 {
                sample[channel] = still;
            }
            assert!(
                monitor.observe(&sample).is_ok_and(|verdict| !verdict.alarm),
                "seed {seed}, sample {i}"
            );
        }
        assert!(plant.found(&monitor) >= 5, "seed {seed}");
    }
}

/// The verdict names the stuck channel within 100 samples, and for as long as the channel is stuck.
#[test]
fn a_stuck_channel_is_named_and_stays_named() {
    for inertia in [0.0, 0.9] {
        for seed in 0..SEEDS {
            let mut plant = Plant::<6>::new(seed, 2, 0.3);
            plant.inertia = inertia;
            let mut monitor = trained(&mut plant);
            let channel = seed as usize % 6;
            let stuck = plant.sample()[channel];
            for i in 0..3_000 {
                let mut sample = plant.sample();
                sample[channel] = stuck;
                let Ok(verdict) = monitor.observe(&sample) else {
                    continue;
                };
                if i >= 100 {
                    assert_eq!(
                        (verdict.stuck, verdict.guilty()),
                        (Some(channel), channel),
                        "seed {seed}, sample {i}"
                    );
                    assert!(verdict.alarm && verdict.state == State::Stuck);
                }
            }
            assert_eq!(monitor.health().channels[channel], ChannelHealth::Stuck);
            // After the repair the verdict names no stuck channel.
            assert!(
                monitor
                    .observe(&plant.sample())
                    .is_ok_and(|verdict| verdict.stuck.is_none())
            );
        }
    }
}
