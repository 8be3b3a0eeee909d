//! Long life of a machine with a monitor: idle hours, new sensors, drift, power cuts.
//! Out: for each kind of day the false alarms, the test faults found, and the longest alarm without a reason.
//! Method: a day has 100,000 samples; its script runs from sample 1,000 to 60,000. Near the end of the day, one channel
//! is off by four standard deviations for 200 samples: a test fault that the monitor must find. The default monitor is
//! restored from its image at least once a day.

use eigenstream::monitor::{MonitorSettings, Phase, SensorMonitor, State, Threshold, Verdict};
use eigenstream::rand_core::SeedableRng;
use eigenstream::{Codec, Scalar};
use rand_xoshiro::Xoshiro128PlusPlus;

const DIM: usize = 6;

type Watch = SensorMonitor<f32, DIM>;

/// Samples of a day.
pub const DAY: u64 = 100_000;
/// The samples of a day in which its script runs.
const SCRIPT: core::ops::Range<u64> = 1_000..60_000;
/// Number of samples after the script in which an alarm does not yet count as false.
const RECOVERY: u64 = 5_000;
/// The samples of a day with a test fault; an alarm must be raised in the first half.
const FAULT: core::ops::Range<u64> = 99_000..99_200;
/// Largest number of samples in a row that may be in alarm with the state `Unusual`.
const LONGEST: u64 = 3_000;
/// Largest fraction of the calm samples that may be in alarm.
const FALSE_ALARMS: f64 = 0.01;

/// The script of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// Nothing happens.
    Calm,
    /// The machine stands still: the signals and the noise are 50 times smaller.
    Idle,
    /// The chip restarts fifty times from its image; each time the monitor is told that samples were lost.
    Restarts,
    /// One sensor is replaced: its channel jumps by three standard deviations or, if it was off, to its first level.
    NewSensor,
    /// One channel drifts by three standard deviations over the script, and stays off until its sensor is replaced.
    Drift,
    /// In one sample of a thousand, one channel is off by 10 to 1,000,000 standard deviations.
    Spikes,
    /// One channel repeats its value for 5,000 samples.
    DeadChannel,
    /// One channel is rounded to half a standard deviation.
    CoarseChannel,
    /// The firmware sets another false-alarm rate.
    Update,
}

impl Script {
    /// Every script, in the order of the days.
    pub const ALL: [Self; 9] = [
        Self::Calm,
        Self::Idle,
        Self::Restarts,
        Self::NewSensor,
        Self::Drift,
        Self::Spikes,
        Self::DeadChannel,
        Self::CoarseChannel,
        Self::Update,
    ];

    /// Words for a table.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Calm => "calm",
            Self::Idle => "idle for 59,000 samples",
            Self::Restarts => "fifty restarts",
            Self::NewSensor => "a new sensor, 3 sd off",
            Self::Drift => "a drift of 3 sd",
            Self::Spikes => "spikes of 10 to 10^6 sd",
            Self::DeadChannel => "a dead channel",
            Self::CoarseChannel => "a coarse channel",
            Self::Update => "an update of the settings",
        }
    }
}

/// Results of all days with one script.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Days {
    /// Number of watched samples after the recovery and before the test fault, called calm.
    pub calm: u64,
    /// Number of calm samples in alarm.
    pub false_alarms: u64,
    /// Number of watched samples of the script.
    pub scripted: u64,
    /// Number of watched samples of the script in alarm.
    pub scripted_alarms: u64,
    /// Number of test faults.
    pub faults: u64,
    /// Number of test faults found in time.
    pub found: u64,
    /// Largest number of samples in a row in alarm with the state `Unusual`.
    pub longest: u64,
}

impl Days {
    /// The part of the calm samples in alarm.
    #[must_use]
    pub fn false_alarm_rate(&self) -> f64 {
        self.false_alarms as f64 / self.calm.max(1) as f64
    }

    /// The part of the samples of the script in alarm.
    #[must_use]
    pub fn scripted_alarm_rate(&self) -> f64 {
        self.scripted_alarms as f64 / self.scripted.max(1) as f64
    }

    /// The broken promise of these days, if any.
    #[must_use]
    pub fn violation(&self) -> Option<String> {
        if self.found < self.faults {
            Some(format!(
                "{} of {} test faults were missed",
                self.faults - self.found,
                self.faults
            ))
        } else if self.longest > LONGEST {
            Some(format!("an alarm of {} samples without a reason", self.longest))
        } else if self.false_alarm_rate() > FALSE_ALARMS {
            Some(format!(
                "{:.2} % of the calm samples in alarm",
                100.0 * self.false_alarm_rate()
            ))
        } else {
            None
        }
    }
}

/// Six channels, each with its own offset and gain, mixed from two hidden signals.
struct Machine {
    rng: Xoshiro128PlusPlus,
    /// Offset of each channel by new sensors and drift, in standard deviations.
    shift: [f32; DIM],
    frozen: Option<f32>,
}

const OFFSET: [f32; DIM] = [256.0, -40.0, 9.81, 0.5, 1_000.0, -3.0];
/// Standard deviation of each channel.
const SPREAD: [f32; DIM] = [1.0, 0.1, 0.02, 0.01, 30.0, 2.0];
/// Weights of the two hidden signals; they and `NOISE` give each channel a variance of about 1.
const MIXTURE: [[f32; DIM]; 2] = [
    [0.958, 0.829, 0.479, 0.0, -0.479, -0.829],
    [0.0, 0.479, 0.829, 0.958, 0.829, 0.479],
];
const NOISE: f32 = 0.287;

impl Machine {
    fn uniform(&mut self) -> f32 {
        f32::uniform(&mut self.rng)
    }

    /// An approximately normal number: the sum of twelve uniform numbers, minus 6.
    fn normal(&mut self) -> f32 {
        (0..12).fold(-6.0, |sum, _| sum + self.uniform())
    }

    /// The sample at this time of a day with this script.
    fn sample(&mut self, script: Script, time: u64, channel: usize) -> [f32; DIM] {
        let running = SCRIPT.contains(&time);
        let hidden = [self.normal(), self.normal()];
        let load = if running && script == Script::Idle { 0.02 } else { 1.0 };
        let mut sample = [0.0; DIM];
        for (i, value) in sample.iter_mut().enumerate() {
            let moved = hidden[0] * MIXTURE[0][i] + hidden[1] * MIXTURE[1][i] + NOISE * self.normal();
            *value = OFFSET[i] + SPREAD[i] * (load * moved + self.shift[i]);
        }
        if running {
            self.play(script, time, channel, &mut sample);
        }
        if FAULT.contains(&time) {
            sample[channel] += 4.0 * SPREAD[channel];
        }
        sample
    }

    /// Applies the script to a sample.
    fn play(&mut self, script: Script, time: u64, channel: usize, sample: &mut [f32; DIM]) {
        let first = time == SCRIPT.start;
        match script {
            // A sensor that is off goes back to its first level, so that the offsets stay bounded.
            Script::NewSensor if first => self.shift[channel] = if self.shift[channel] > 1.0 { 0.0 } else { 3.0 },
            Script::Drift => {
                let step = 3.0 / (SCRIPT.end - SCRIPT.start) as f32;
                self.shift[channel] += step;
            }
            Script::Spikes if time % 1_000 == 500 => {
                let size = 10.0_f32.powf(1.0 + 5.0 * self.uniform());
                sample[channel] += size * SPREAD[channel];
            }
            Script::DeadChannel if time < SCRIPT.start + 5_000 => {
                let value = *self.frozen.get_or_insert(sample[channel]);
                sample[channel] = value;
            }
            Script::DeadChannel => self.frozen = None,
            Script::CoarseChannel => {
                let step = 0.5 * SPREAD[channel];
                sample[channel] = (sample[channel] / step).round() * step;
            }
            _ => {}
        }
    }
}

/// Runs whole days until `samples` are reached and returns the results of each script, in the order of [`Script::ALL`].
///
/// Calls `day_done` after each day.
///
/// # Panics
/// If the monitor refuses a finite sample or its own image.
#[expect(clippy::panic, reason = "a failed run cannot go on")]
pub fn live(samples: u64, day_done: &mut dyn FnMut()) -> [Days; Script::ALL.len()] {
    let mut machine = Machine {
        rng: Xoshiro128PlusPlus::seed_from_u64(1),
        shift: [0.0; DIM],
        frozen: None,
    };
    let mut figures = [Days::default(); Script::ALL.len()];
    let settings = [1e-3, 1e-4].map(|rate| {
        Threshold::false_alarms(rate).map_or(MonitorSettings::DEFAULT, |rule| {
            MonitorSettings::DEFAULT.with_threshold(rule)
        })
    });
    let mut monitor = Watch::standard(MonitorSettings::DEFAULT);
    let mut unexplained = 0;
    for day in 0..samples.div_ceil(DAY) {
        let place = (day % Script::ALL.len() as u64) as usize;
        let script = Script::ALL[place];
        let round = day / Script::ALL.len() as u64;
        let channel = (round % DIM as u64) as usize;
        let days = &mut figures[place];
        let mut found = false;
        let cut = (machine.uniform() * DAY as f32) as u64;
        if script == Script::Update {
            let _ = monitor.set_settings(settings[(round % 2) as usize]);
        }
        for time in 0..DAY {
            if time == cut || (script == Script::Restarts && SCRIPT.contains(&time) && time % 1_180 == 0) {
                monitor = restarted(&monitor);
                monitor.interrupt();
            }
            let Ok(verdict) = monitor.observe(&machine.sample(script, time, channel)) else {
                panic!("a finite sample was refused on day {day}");
            };
            unexplained = if is_unexplained(&verdict) { unexplained + 1 } else { 0 };
            days.longest = days.longest.max(unexplained);
            if matches!(verdict.phase, Phase::Watching) {
                days.count(time, verdict.alarm);
                let in_time = FAULT.start..FAULT.start + (FAULT.end - FAULT.start) / 2;
                found |= verdict.alarm && in_time.contains(&time);
            }
        }
        days.faults += 1;
        days.found += u64::from(found);
        day_done();
    }
    figures
}

impl Days {
    fn count(&mut self, time: u64, alarm: bool) {
        let alarm = u64::from(alarm);
        if SCRIPT.contains(&time) {
            self.scripted += 1;
            self.scripted_alarms += alarm;
        } else if (SCRIPT.end + RECOVERY..FAULT.start).contains(&time) {
            self.calm += 1;
            self.false_alarms += alarm;
        }
    }
}

/// True for an alarm with the state `Unusual`, which names no cause such as a steady new level or a stuck sensor.
fn is_unexplained(verdict: &Verdict<f32, DIM>) -> bool {
    verdict.alarm && verdict.state == State::Unusual
}

/// The monitor after a power cut: a new one, restored from the image.
#[expect(clippy::panic, reason = "a failed run cannot go on")]
fn restarted(monitor: &Watch) -> Watch {
    let mut image = [0; Watch::ENCODED_LEN];
    let mut restored = Watch::standard(MonitorSettings::DEFAULT);
    let saved = monitor.encode(&mut image).is_ok();
    if !saved || restored.decode_into(&mut image).is_err() {
        panic!("the monitor refuses its own image");
    }
    restored
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_monitor_keeps_its_promises_on_every_kind_of_day() {
        let figures = live(18 * DAY, &mut || {});
        for (script, days) in Script::ALL.iter().zip(&figures) {
            assert_eq!(days.violation(), None, "{script:?}: {days:?}");
        }
    }
}
