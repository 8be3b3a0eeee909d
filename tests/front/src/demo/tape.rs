//! The output of the demo's program, line by line.
//! In: its lines, `bytes N`, `channel NAME`, `fault FROM TO FOUND_WITHIN CHANNEL NAME`, `event FROM TO NAME`,
//! `sample TIME PHASE STATE SCORE THRESHOLD ALARM GUILTY READINGS… CONTRIBUTIONS…`,
//! `health TIME CHANNEL CONDITION MOVED EXPLAINED` and `watched SAMPLES IN_ALARM ALARMS`. Out: all of them as numbers and words; other
//! lines are ignored.

/// Samples per second.
pub(super) const RATE: f64 = 10.0;

/// Everything that the program has printed so far.
#[derive(Default)]
pub(super) struct Tape {
    /// The bytes of memory that the monitor takes.
    pub(super) bytes: usize,
    pub(super) channels: Vec<String>,
    pub(super) faults: Vec<Fault>,
    pub(super) events: Vec<Event>,
    pub(super) samples: Vec<Sample>,
    /// The reports of health by time; the last one of each channel is its health at the end.
    pub(super) health: Vec<Health>,
    /// Samples judged, those in alarm, and alarms raised, as the monitor counts them.
    pub(super) watched: Option<[usize; 3]>,
}

/// A fault of the motor or of a sensor.
pub(super) struct Fault {
    pub(super) name: String,
    pub(super) from: usize,
    pub(super) to: usize,
    /// The monitor must be in alarm from this number of samples after the fault begins until the fault ends.
    pub(super) found_within: usize,
    pub(super) channel: usize,
}

/// An event that is no fault.
pub(super) struct Event {
    pub(super) name: String,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// The monitor's report on a channel at one time.
#[derive(Clone)]
pub(super) struct Health {
    pub(super) time: usize,
    pub(super) channel: usize,
    pub(super) condition: String,
    /// How far the level of the channel has moved, in spreads.
    pub(super) moved: f64,
    /// The part of the channel's variance that the other channels explain.
    pub(super) explained: f64,
}

/// A sample and the monitor's verdict.
#[derive(Clone)]
pub(super) struct Sample {
    pub(super) time: usize,
    pub(super) phase: String,
    pub(super) state: String,
    pub(super) score: f64,
    pub(super) threshold: f64,
    pub(super) alarm: bool,
    /// The channel that the verdict names.
    pub(super) guilty: usize,
    pub(super) readings: Vec<f64>,
    pub(super) contributions: Vec<f64>,
}

impl Sample {
    /// Seconds since the start.
    pub(super) fn seconds(&self) -> f64 {
        self.time as f64 / RATE
    }

    /// The channels and their parts in the score, the largest part first.
    pub(super) fn parts(&self) -> Vec<(usize, f64)> {
        let mut parts: Vec<(usize, f64)> = self.contributions.iter().copied().enumerate().collect();
        parts.sort_by(|one, other| other.1.total_cmp(&one.1));
        let whole = self.score.max(f64::MIN_POSITIVE);
        parts
            .into_iter()
            .map(|(channel, part)| (channel, part / whole))
            .collect()
    }
}

impl Tape {
    /// The name of a channel.
    pub(super) fn channel(&self, channel: usize) -> &str {
        self.channels.get(channel).map_or("?", String::as_str)
    }

    /// The health of a channel at the end.
    pub(super) fn last_health(&self, channel: usize) -> Option<&Health> {
        self.health.iter().rev().find(|health| health.channel == channel)
    }

    /// The readings of the sensors, as a recording for `replay` and `tune`.
    pub(super) fn recording(&self) -> String {
        let mut text = format!("seconds,{}\n", self.channels.join(",").replace(' ', "_"));
        for sample in &self.samples {
            let cells = sample.readings.iter().map(|reading| format!(",{reading}"));
            text.extend([sample.seconds().to_string()].into_iter().chain(cells));
            text.push('\n');
        }
        text
    }

    /// Reads a line; returns the sample if the line has one.
    pub(super) fn read(&mut self, line: &str) -> Option<Sample> {
        let (word, rest) = line.trim().split_once(' ')?;
        match word {
            "bytes" => self.bytes = rest.parse().unwrap_or_default(),
            "channel" => self.channels.push(rest.to_owned()),
            "fault" => self.faults.extend(fault(rest)),
            "event" => self.events.extend(event(rest)),
            "health" => self.health.extend(health(rest)),
            "watched" => self.watched = counts(rest),
            "sample" => {
                let sample = sample(rest, self.channels.len())?;
                self.samples.push(sample.clone());
                return Some(sample);
            }
            _ => (),
        }
        None
    }
}

fn fault(text: &str) -> Option<Fault> {
    let mut words = text.splitn(5, ' ');
    let mut number = || words.next()?.parse().ok();
    let (from, to, found_within, channel) = (number()?, number()?, number()?, number()?);
    Some(Fault {
        name: words.next()?.to_owned(),
        from,
        to,
        found_within,
        channel,
    })
}

fn event(text: &str) -> Option<Event> {
    let mut words = text.splitn(3, ' ');
    let mut number = || words.next()?.parse().ok();
    let (from, to) = (number()?, number()?);
    Some(Event {
        name: words.next()?.to_owned(),
        from,
        to,
    })
}

fn health(text: &str) -> Option<Health> {
    let words: Vec<&str> = text.split(' ').collect();
    let &[time, channel, condition, moved, explained] = words.as_slice() else {
        return None;
    };
    Some(Health {
        time: time.parse().ok()?,
        channel: channel.parse().ok()?,
        condition: condition.to_owned(),
        moved: moved.parse().ok()?,
        explained: explained.parse().ok()?,
    })
}

fn counts(text: &str) -> Option<[usize; 3]> {
    let numbers: Vec<usize> = text.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?;
    numbers.try_into().ok()
}

fn sample(text: &str, channels: usize) -> Option<Sample> {
    let mut words = text.split(' ');
    let time = words.next()?.parse().ok()?;
    let (phase, state) = (words.next()?.to_owned(), words.next()?.to_owned());
    let numbers: Vec<f64> = words.map(str::parse).collect::<Result<_, _>>().ok()?;
    let (&[score, threshold, alarm, guilty], values) = numbers.split_first_chunk::<4>()?;
    let (readings, contributions) = values.split_at_checked(channels)?;
    (contributions.len() == channels).then(|| Sample {
        time,
        phase,
        state,
        score,
        threshold,
        alarm: alarm != 0.0,
        guilty: guilty as usize,
        readings: readings.to_vec(),
        contributions: contributions.to_vec(),
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Two channels; a fault of the second in samples 3 to 5, to be found by sample 4; an alarm in samples 4 to 6.
    pub(in super::super) fn tape() -> Tape {
        let mut tape = Tape::default();
        let mut lines = vec!["bytes 600".to_owned(), "channel a".into(), "channel b b".into()];
        lines.extend(["fault 3 6 1 1 worn out".to_owned(), "event 1 3 idle hours".into()]);
        for time in 0..10 {
            let alarm = (4..7).contains(&time);
            let state = if alarm { "unusual" } else { "normal" };
            let number = u8::from(alarm);
            lines.push(format!(
                "sample {time} watching {state} 2 1 {number} {number} 5 6 0.5 1.5"
            ));
        }
        lines.extend(
            [
                "health 5 1 stuck 0.5 0.9",
                "health 10 0 good 0.1 0.8",
                "health 10 1 good 0.2 0.9",
            ]
            .map(str::to_owned),
        );
        lines.push("watched 10 3 1".into());
        for line in lines {
            tape.read(&line);
        }
        tape
    }

    #[test]
    fn lines_become_numbers() {
        let tape = tape();
        assert_eq!((tape.bytes, tape.samples.len()), (600, 10));
        assert_eq!(tape.channels, ["a", "b b"]);
        assert_eq!((tape.faults[0].name.as_str(), tape.faults[0].to), ("worn out", 6));
        assert_eq!(tape.samples[5].parts(), [(1, 0.75), (0, 0.25)]);
        assert_eq!((tape.samples[5].guilty, tape.samples[5].state.as_str()), (1, "unusual"));
        assert_eq!((tape.events[0].to, tape.events[0].name.as_str()), (3, "idle hours"));
        assert_eq!(tape.watched, Some([10, 3, 1]));
        let health = tape.last_health(1);
        let health = health.map(|health| (health.time, health.condition.as_str(), health.moved));
        assert_eq!(health, Some((10, "good", 0.2)));
    }

    #[test]
    fn readings_become_a_recording() {
        let recording = tape().recording();
        let lines: Vec<&str> = recording.lines().collect();
        assert_eq!(
            (lines.len(), &lines[..3]),
            (11, &["seconds,a,b_b", "0,5,6", "0.1,5,6"][..])
        );
    }

    #[test]
    fn a_line_that_is_broken_off_is_passed_over() {
        let mut tape = tape();
        for line in [
            "sample 11 watching normal 2 1",
            "sample 11 watching normal 2 1 0 0 5 6 0.5",
            "health 11 0 good",
            "event 1 x",
            "sample",
            "",
            "fault 1 x",
        ] {
            assert!(tape.read(line).is_none());
        }
        assert_eq!((tape.samples.len(), tape.faults.len()), (10, 1));
    }
}
