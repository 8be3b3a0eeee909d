//! Watches a motor: the first program of the README, bit for bit. The graph is standardise → learn → score → threshold → alarm, with
//! the guilty channel named.
//!
//! The monitor learns what is normal, finds its own threshold and watches; then a bearing runs hot for a while.
//! Its output is equal on a computer and on the chip, bit for bit: `cargo run --example quickstart`, and in QEMU
//! `cargo run --release --target thumbv7em-none-eabihf --example quickstart`.
#![cfg_attr(target_os = "none", no_std, no_main)]

mod support;

use eigenstream::monitor::{Monitor, MonitorSettings, Phase};
use eigenstream::pca::{TrackingPca, TrackingSettings};
use support::{Exact, Outcome, say};

support::entry!(quickstart);

const CHANNELS: [&str; 4] = ["vibration", "current", "temperature", "speed"];
/// Four channels, one direction kept, room for four: the load moves all of them, everything else is unusual.
type Pca = TrackingPca<f32, 4, 1, 4>;
static MONITOR: Monitor<f32, Pca, 4> = Monitor::new(MonitorSettings::DEFAULT, Pca::new(TrackingSettings::DEFAULT));

fn quickstart() -> Outcome {
    let mut monitor = MONITOR.clone();
    let (mut watching, mut alarm) = (false, false);
    for time in 0..2_000 {
        let verdict = monitor.observe(&read_sensors(time))?;
        if !watching && verdict.phase == Phase::Watching {
            watching = true;
            say!("sample {time}: watching, threshold {}", Exact(verdict.threshold));
        }
        if verdict.alarm != alarm {
            alarm = verdict.alarm;
            let word = if alarm { "ALARM" } else { "normal again" };
            let guilty = CHANNELS[verdict.guilty()];
            say!(
                "sample {time}: {word}, score {}, most of it {guilty}",
                Exact(verdict.score)
            );
        }
    }
    Ok(())
}

/// Put your converter here. Until then: a load, noise, and a bearing that runs hot for a while (channel 2).
fn read_sensors(time: u32) -> [f32; 4] {
    let noise = |prime: u32| (time * prime % 1_009) as f32 / 1_009.0 - 0.5;
    let load = 8.0 * noise(613);
    let heat = if (1_200..1_600).contains(&time) { 9.0 } else { 0.0 };
    let (vibration, current) = (3.0 + load + noise(71), 20.0 - 2.0 * load + noise(97));
    [
        vibration,
        current,
        40.0 + load + noise(113) + heat,
        0.1 * load + noise(131),
    ]
}
