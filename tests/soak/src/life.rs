//! The life of a machine under a monitor: idle hours, restarts, new sensors, drift, spikes, dead and coarse channels, updates, power cuts.
//! In: a number of samples. Out: for each kind of day its false alarms, the test faults that were found, and the longest alarm for which
//! the verdict gave no reason.
//! Method: a day has 100,000 samples. Its script runs from sample 1,000 to sample 60,000. Near its end one channel after the other is off
//! by four of its standard deviations for 200 samples: a monitor that has gone blind does not find that. The default monitor watches, with a
//! training of 2,048 samples on the first day, and it is restored from its image at least once a day.
//! Cost: 0.4 µs a sample.

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
/// After so many samples more, the day is calm: an alarm is false.
const RECOVERY: u64 = 5_000;
/// The samples of a day with a test fault; it has to be found within half of them.
const FAULT: core::ops::Range<u64> = 99_000..99_200;
/// An alarm of so many samples that says no more than "unusual" is one for ever.
const LONGEST: u64 = 3_000;
/// The largest part of calm samples in alarm.
const FALSE_ALARMS: f64 = 0.01;

/// The script of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// Nothing happens.
    Calm,
    /// The machine stands: the sensors show their offsets and a fiftieth of their noise.
    Idle,
    /// The chip starts fifty times, from its image; samples are lost each time.
    Restarts,
    /// One sensor is replaced; the new one is off by three standard deviations, for good.
    NewSensor,
    /// One channel moves by three standard deviations, for good, over the whole script.
    Drift,
    /// One sample of a thousand is off by 10 to 1,000,000 standard deviations.
    Spikes,
    /// One channel stops for 5,000 samples.
    DeadChannel,
    /// One channel is rounded to half a standard deviation.
    CoarseChannel,
    /// The firmware asks for another false-alarm rate.
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

/// The figures of all days with one script.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Days {
    /// Calm samples: no script, no fault, and the recovery is over.
    pub calm: u64,
    /// Of these, in alarm.
    pub false_alarms: u64,
    /// Samples of the script.
    pub scripted: u64,
    /// Of these, in alarm.
    pub scripted_alarms: u64,
    /// Test faults.
    pub faults: u64,
    /// Of these, found in time.
    pub found: u64,
    /// The longest alarm without a reason, in samples.
    pub longest: u64,
}

impl Days {
    /// The part of the calm samples that was in alarm.
    #[must_use]
    pub fn false_alarm_rate(&self) -> f64 {
        self.false_alarms as f64 / self.calm.max(1) as f64
    }

    /// The part of the samples of the script that was in alarm.
    #[must_use]
    pub fn scripted_alarm_rate(&self) -> f64 {
        self.scripted_alarms as f64 / self.scripted.max(1) as f64
    }

    /// The promise that these days have broken, if any.
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

/// Six channels mixed from two hidden signals, each with its own offset and gain.
struct Machine {
    rng: Xoshiro128PlusPlus,
    /// By how many standard deviations each channel is off for good.
    shift: [f32; DIM],
    frozen: Option<f32>,
}

const OFFSET: [f32; DIM] = [256.0, -40.0, 9.81, 0.5, 1_000.0, -3.0];
/// Standard deviations.
const SPREAD: [f32; DIM] = [1.0, 0.1, 0.02, 0.01, 30.0, 2.0];
/// Two hidden signals seen from six angles, and noise of a standard deviation of 0.3.
const MIXTURE: [[f32; DIM]; 2] = [
    [0.958, 0.829, 0.479, 0.0, -0.479, -0.829],
    [0.0, 0.479, 0.829, 0.958, 0.829, 0.479],
];
const NOISE: f32 = 0.287;

impl Machine {
    fn uniform(&mut self) -> f32 {
        f32::uniform(&mut self.rng)
    }

    /// Nearly normal: twelve uniform numbers.
    fn normal(&mut self) -> f32 {
        (0..12).fold(-6.0, |sum, _| sum + self.uniform())
    }

    /// A sample at this time of a day with this script.
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

    /// The script's part in a sample.
    fn play(&mut self, script: Script, time: u64, channel: usize, sample: &mut [f32; DIM]) {
        let first = time == SCRIPT.start;
        match script {
            // A new sensor or a drift leads back if it led away before, so that offsets do not grow without end.
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

/// Lives for so many samples, rounded up to whole days; returns the figures of each script, in the order of [`Script::ALL`].
/// `day_done` is called after each day.
///
/// # Panics
/// If the monitor refuses a finite sample or its own image.
#[expect(clippy::panic, reason = "the run is over")]
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

/// An alarm whose verdict says neither that a channel moves, nor that it stands at a new level, nor that a sensor has stopped.
fn is_unexplained(verdict: &Verdict<f32, DIM>) -> bool {
    verdict.alarm && verdict.state == State::Unusual
}

/// The monitor after a power cut: a new one that has read the image.
#[expect(clippy::panic, reason = "the run is over")]
fn restarted(monitor: &Watch) -> Watch {
    let mut image = [0; Watch::ENCODED_LEN];
    let mut restored = Watch::standard(MonitorSettings::DEFAULT);
    let saved = monitor.encode(&mut image).is_ok();
    if !saved || restored.decode_into(&mut image).is_err() {
        panic!("a monitor does not accept its own image");
    }
    restored
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_day_is_survived() {
        let figures = live(18 * DAY, &mut || {});
        for (script, days) in Script::ALL.iter().zip(&figures) {
            assert_eq!(days.violation(), None, "{script:?}: {days:?}");
        }
    }
}
