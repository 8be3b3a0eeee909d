//! Watches a motor: the first program of the README, bit for bit. The graph is level → mean → distance → mean → threshold →
//! alarm, and the guilty channel.
//!
//! The monitor learns what is normal, finds its own threshold and watches. Then a bearing runs hot for a while, and later a
//! sensor stops. The program prints equal bits on a computer and on a chip.
#![cfg_attr(target_os = "none", no_std, no_main)]

mod support;

use eigenstream::{MonitorSettings, SensorMonitor, State};
use support::{Exact, Outcome, say};

support::entry!(quickstart);

const CHANNELS: [&str; 4] = ["vibration", "current", "temperature", "speed"];
static MONITOR: SensorMonitor<f32, 4> = SensorMonitor::standard(MonitorSettings::DEFAULT);

fn quickstart() -> Outcome {
    let mut monitor = MONITOR.clone();
    let mut state = State::Learning;
    for time in 0..4_000 {
        let verdict = monitor.observe(&read_sensors(time))?;
        if verdict.state != state {
            state = verdict.state;
            let (score, threshold) = (Exact(verdict.score), Exact(verdict.threshold));
            say!("sample {time}: {state:?}, score {score}, threshold {threshold}");
            if verdict.alarm {
                say!("  ALARM, look at the {}", CHANNELS[verdict.guilty()]);
            }
        }
    }
    Ok(())
}

/// Put your converter here. Until then: a load, noise, a bearing that runs hot (channel 2), and a stuck sensor (channel 3).
fn read_sensors(time: u32) -> [f32; 4] {
    let noise = |prime: u32| (time * prime % 1_009) as f32 / 1_009.0 - 0.5;
    let load = 8.0 * noise(613);
    let heat = if (2_500..2_800).contains(&time) { 9.0 } else { 0.0 };
    let speed = if (3_300..3_600).contains(&time) {
        0.2
    } else {
        0.1 * load + noise(131)
    };
    let (vibration, current) = (3.0 + load + noise(71), 20.0 - 2.0 * load + noise(97));
    [vibration, current, 40.0 + load + noise(113) + heat, speed]
}
