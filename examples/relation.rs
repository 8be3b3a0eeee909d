//! Watches the relation between the commands of a motor and its responses. The graph is level → mean → paired PCA → mean →
//! threshold → alarm.
//!
//! From sample 3,000 on the motor answers each command 25 samples late. Commands and responses alone look as before. For
//! comparison there is a default monitor for each group of channels, and one for both groups together. The program prints equal
//! bits on a computer and on a chip.
#![cfg_attr(target_os = "none", no_std, no_main)]

mod support;

use eigenstream::monitor::{Monitor, MonitorSettings, SensorMonitor};
use eigenstream::pca::{PairedPca, PairedSettings};
use support::{Exact, Outcome, say};

support::entry!(relation);

const FAULT: u32 = 3_000;
const END: u32 = 4_000;

/// The relation between three commands and three responses; two combinations are kept.
static RELATION: Monitor<f32, PairedPca<f32, 3, 3, 2>, 6> =
    Monitor::new(MonitorSettings::DEFAULT, PairedPca::new(PairedSettings::DEFAULT));
static ONE_GROUP: SensorMonitor<f32, 3> = SensorMonitor::standard(MonitorSettings::DEFAULT);
static BOTH_GROUPS: SensorMonitor<f32, 6> = SensorMonitor::standard(MonitorSettings::DEFAULT);

fn relation() -> Outcome {
    let mut relation = RELATION.clone();
    let (mut commands, mut responses) = (ONE_GROUP.clone(), ONE_GROUP.clone());
    let mut both = BOTH_GROUPS.clone();
    let mut found = [None; 4];
    for time in 0..END {
        let [a, b, c] = command(time);
        let [d, e, f] = response(time, if time < FAULT { time } else { time - 25 });
        let sample = [a, b, c, d, e, f];
        let verdicts = [relation.observe(&sample)?, both.observe(&sample)?];
        let [relation_alarm, both_alarm] = verdicts.map(|verdict| verdict.alarm);
        if relation_alarm && found[0].is_none() {
            let (score, threshold) = (Exact(verdicts[0].score), Exact(verdicts[0].threshold));
            say!("sample {time}: score of the relation {score}, threshold {threshold}");
        }
        let alarms = [
            relation_alarm,
            commands.observe(&[a, b, c])?.alarm,
            responses.observe(&[d, e, f])?.alarm,
            both_alarm,
        ];
        for (found, alarm) in found.iter_mut().zip(alarms) {
            if alarm && found.is_none() {
                *found = Some(time);
            }
        }
    }
    for (name, found) in ["relation", "commands alone", "responses alone", "both groups together"]
        .iter()
        .zip(found)
    {
        match found {
            Some(time) if time >= FAULT => say!("{name}: alarm {} samples after the fault", time - FAULT),
            Some(time) => say!("{name}: false alarm at sample {time}"),
            None => say!("{name}: no alarm in {} samples of fault", END - FAULT),
        }
    }
    Ok(())
}

fn noise(time: u32, prime: u32) -> f32 {
    (time * prime % 10_007) as f32 / 10_007.0 - 0.5
}

/// The commanded voltage, torque and angle.
fn command(time: u32) -> [f32; 3] {
    let (voltage, torque) = (8.0 * noise(time, 6_131), 6.0 * noise(time, 2_579));
    [
        24.0 + voltage + 0.2 * noise(time, 719),
        torque,
        0.3 * voltage - 0.4 * torque + 0.2 * noise(time, 977),
    ]
}

/// Current, speed and vibration, which follow the command at the time `told`.
fn response(time: u32, told: u32) -> [f32; 3] {
    let [voltage, torque, _] = command(told);
    let own = |prime| noise(time, prime);
    [
        2.0 + 0.5 * torque + own(4_111),
        10.0 * voltage - 4.0 * torque + 8.0 * own(5_477),
        0.1 * voltage + 0.2 * torque + own(8_353),
    ]
}
