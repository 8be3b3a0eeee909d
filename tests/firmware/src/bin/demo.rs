//! The demo: a monitor on the chip watches a motor, and the host tool shows what it says (`cargo harness demo`).
//! Prints one line a sample, `sample TIME PHASE SCORE THRESHOLD ALARM READINGS… CONTRIBUTIONS…`, after some that name things.
//! The same program runs on the host, with the same bits.
#![cfg_attr(target_os = "none", no_std, no_main)]

use eigenstream::SettingsError;
use eigenstream::monitor::{DecisionSettings, Learning, Monitor, MonitorSettings, Phase, Schedule};
use eigenstream::pca::{TrackingPca, TrackingSettings};
use eigenstream_firmware::motor::{CHANNELS, DIM, FAULTS, LENGTH, Motor};

#[cfg(target_os = "none")]
use semihosting::{print, println};

/// Load and speed move everything: two directions are normal, all others are not.
type Pca = TrackingPca<f32, DIM, 2, DIM>;

fn settings() -> Result<MonitorSettings<f32>, SettingsError> {
    Ok(MonitorSettings::DEFAULT
        .with_schedule(Schedule::new(300, 300, 400)?)
        // Wear comes slowly: whoever goes on learning learns it along.
        .with_learning(Learning::Frozen)
        .with_decision(DecisionSettings::new(0.6)?.with_confirm(3)))
}

fn demo() -> Result<(), SettingsError> {
    let mut monitor = Monitor::<f32, Pca, DIM>::new(settings()?, Pca::new(TrackingSettings::DEFAULT));
    println!("bytes {}", size_of_val(&monitor));
    for channel in CHANNELS {
        println!("channel {channel}");
    }
    for fault in &FAULTS {
        println!("fault {} {} {} {}", fault.from, fault.to, fault.channel, fault.name);
    }
    let mut motor = Motor::new(2008);
    for time in 0..LENGTH {
        let sample = motor.read();
        let Ok(verdict) = monitor.observe(&sample) else {
            println!("refused {time}");
            continue;
        };
        let phase = match verdict.phase {
            Phase::Warmup { .. } => "warmup",
            Phase::Calibrating => "calibrating",
            Phase::Watching => "watching",
            Phase::Frozen => "frozen",
        };
        print!(
            "sample {time} {phase} {} {} {}",
            verdict.score,
            verdict.threshold,
            u8::from(verdict.alarm)
        );
        for value in sample.iter().chain(&verdict.contribution) {
            print!(" {value}");
        }
        println!();
    }
    Ok(())
}

#[cfg(not(target_os = "none"))]
fn main() -> std::process::ExitCode {
    match demo() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            std::process::ExitCode::FAILURE
        }
    }
}

#[cfg(target_os = "none")]
mod chip {
    #[cortex_m_rt::entry]
    fn main() -> ! {
        semihosting::process::exit(i32::from(super::demo().is_err()))
    }
}
