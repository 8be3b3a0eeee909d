//! The demo: the default monitor watches a motor, on the chip or on the host with the same bits; `cargo harness demo`
//! shows the output. The lines are:
//! - `bytes`, `channel`, `fault`, `event`: the size of the monitor, the names of the channels, and names and times of
//!   faults and events.
//! - `sample TIME PHASE STATE SCORE THRESHOLD ALARM GUILTY READINGS… CONTRIBUTIONS…`, or `refused TIME`: for each
//!   sample.
//! - `health TIME CHANNEL CONDITION MOVED EXPLAINED`: for each channel, when the monitor begins to watch, when it finds
//!   another condition of the channel, and at the end.
//! - `watched SAMPLES IN_ALARM ALARMS`: the last line.
#![cfg_attr(target_os = "none", no_std, no_main)]

use eigenstream::monitor::{ChannelHealth, Health, MonitorSettings, Phase, SensorMonitor, State};
use eigenstream_firmware::motor::{CHANNELS, DIM, FAULTS, IDLE, LENGTH, LOOSE_PLUG, Motor, TRAINING};

#[cfg(target_os = "none")]
use semihosting::{print, println};

fn demo() {
    let mut monitor = SensorMonitor::<f32, DIM>::standard(MonitorSettings::DEFAULT.with_training(TRAINING));
    println!("bytes {}", size_of_val(&monitor));
    for channel in CHANNELS {
        println!("channel {channel}");
    }
    for fault in &FAULTS {
        println!(
            "fault {} {} {} {} {}",
            fault.from, fault.to, fault.found_within, fault.channel, fault.name
        );
    }
    println!("event {LOOSE_PLUG} {} loose plug", LOOSE_PLUG + 1);
    println!("event {} {} idle", IDLE.start, IDLE.end);
    let mut motor = Motor::new(2008);
    let mut conditions = [None; DIM];
    for time in 0..LENGTH {
        let sample = motor.read();
        let Ok(verdict) = monitor.observe(&sample) else {
            println!("refused {time}");
            continue;
        };
        print!(
            "sample {time} {} {} {} {} {} {}",
            phase_word(verdict.phase),
            state_word(verdict.state),
            verdict.score,
            verdict.threshold,
            u8::from(verdict.alarm),
            verdict.guilty()
        );
        for value in sample.iter().chain(&verdict.contribution) {
            print!(" {value}");
        }
        println!();
        if verdict.phase.is_watching() {
            let health = monitor.health();
            for channel in 0..DIM {
                if conditions[channel] != Some(health.channels[channel]) {
                    show(time, &health, channel);
                }
            }
            conditions = health.channels.map(Some);
        }
    }
    let health = monitor.health();
    for channel in 0..DIM {
        show(LENGTH, &health, channel);
    }
    println!("watched {} {} {}", health.watched, health.alarm_samples, health.alarms);
}

fn show(time: u32, health: &Health<f32, DIM>, channel: usize) {
    let condition = match health.channels[channel] {
        ChannelHealth::Good => "good",
        ChannelHealth::Unknown => "unknown",
        ChannelHealth::Stuck => "stuck",
        ChannelHealth::Missing => "missing",
        ChannelHealth::Quantised => "quantised",
        _ => "other",
    };
    let explained = health.explained.map_or(0.0, |explained| explained[channel]);
    println!(
        "health {time} {channel} {condition} {} {explained}",
        health.moved[channel]
    );
}

fn phase_word(phase: Phase) -> &'static str {
    match phase {
        Phase::Warmup { .. } => "warmup",
        Phase::Standstill => "standstill",
        Phase::Calibrating => "calibrating",
        Phase::Unsettled => "unsettled",
        Phase::Watching => "watching",
        Phase::Frozen => "frozen",
        _ => "other",
    }
}

fn state_word(state: State) -> &'static str {
    match state {
        State::Learning => "learning",
        State::Normal => "normal",
        State::SecondNormal => "second-normal",
        State::Unusual => "unusual",
        State::Moving => "moving",
        State::Steady => "steady",
        State::Stuck => "stuck",
        _ => "other",
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    demo();
}

#[cfg(target_os = "none")]
mod chip {
    #[cortex_m_rt::entry]
    fn main() -> ! {
        super::demo();
        semihosting::process::exit(0)
    }
}
