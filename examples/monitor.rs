//! Watches a motor. The graph is counts → standardise → learn → score → threshold → alarm, with the guilty channel named.
//!
//! The monitor learns what is normal, finds its own threshold and watches; then the fan of the motor clogs, and it runs hot.
//! The same program prints the same bits on this computer and on the chip: `cargo run --example monitor`, and in QEMU
//! `cargo run --release --target thumbv7em-none-eabihf --example monitor`.
#![cfg_attr(target_os = "none", no_std, no_main)]

mod support;

use eigenstream::monitor::{Counts, Monitor, MonitorSettings, Phase};
use eigenstream::pca::{TrackingPca, TrackingSettings};
use eigenstream::rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro128PlusPlus;
use support::{Exact, Outcome, say};

support::entry!(monitor);

const CHANNELS: [&str; 4] = ["vibration", "current", "temperature", "speed"];
/// Four channels, of which two directions are kept: load and speed move them all.
type Pca = TrackingPca<f32, 4, 2, 4>;

fn monitor() -> Outcome {
    let counts = Counts::new([0.001, 0.01, 0.1, 1.0], [2_048, 2_048, 0, 0])?;
    let mut monitor = Monitor::<f32, Pca, 4>::new(MonitorSettings::DEFAULT, Pca::new(TrackingSettings::DEFAULT));
    let mut sensors = Xoshiro128PlusPlus::seed_from_u64(1);
    let (mut watching, mut alarm) = (false, false);
    for time in 0..2_000 {
        let sample = counts.convert(&read(&mut sensors, time));
        let verdict = monitor.observe(&sample)?;
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

/// The converter: load and speed wander, everything follows them, and every channel has noise of its own.
fn read(rng: &mut Xoshiro128PlusPlus, time: i32) -> [i16; 4] {
    let mut noise = |size: i32| ((rng.next_u32() >> 16) as i32 * size) >> 16;
    let (load, speed) = (noise(200), noise(100));
    let hot = if (1_200..1_600).contains(&time) { 30 } else { 0 };
    let vibration = 2_000 + load + 2 * speed + noise(20);
    let current = 2_100 + 2 * load - speed + noise(20);
    let temperature = 400 + load / 10 + hot + noise(6);
    [vibration, current, temperature, 1_400 + speed + noise(10)].map(|count| count as i16)
}
