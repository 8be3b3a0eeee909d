//! What the demo's program has said.
//! In: its lines, `bytes N`, `channel NAME`, `fault FROM TO CHANNEL NAME` and
//! `sample TIME PHASE SCORE THRESHOLD ALARM READINGS… CONTRIBUTIONS…`. Out: the same as numbers; other lines are passed over.

/// Samples a second.
pub(super) const RATE: f64 = 10.0;

/// Everything so far.
#[derive(Default)]
pub(super) struct Tape {
    /// What the monitor keeps in memory.
    pub(super) bytes: usize,
    pub(super) channels: Vec<String>,
    pub(super) faults: Vec<Fault>,
    pub(super) samples: Vec<Sample>,
}

/// A fault as the motor had it.
pub(super) struct Fault {
    pub(super) name: String,
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) channel: usize,
}

/// A sample and what the monitor said of it.
#[derive(Clone)]
pub(super) struct Sample {
    pub(super) time: usize,
    pub(super) phase: String,
    pub(super) score: f64,
    pub(super) threshold: f64,
    pub(super) alarm: bool,
    pub(super) readings: Vec<f64>,
    pub(super) contributions: Vec<f64>,
}

impl Sample {
    /// Seconds since the start.
    pub(super) fn seconds(&self) -> f64 {
        self.time as f64 / RATE
    }

    /// The channels by falling part in the score, with that part.
    pub(super) fn guilty(&self) -> Vec<(usize, f64)> {
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
    /// What the sensors read, as a recording for `replay` and `tune`.
    pub(super) fn recording(&self) -> String {
        let mut text = format!("seconds,{}\n", self.channels.join(",").replace(' ', "_"));
        for sample in &self.samples {
            let cells = sample.readings.iter().map(|reading| format!(",{reading}"));
            text.extend([sample.seconds().to_string()].into_iter().chain(cells));
            text.push('\n');
        }
        text
    }

    /// Takes in a line; a sample is also returned.
    pub(super) fn read(&mut self, line: &str) -> Option<Sample> {
        let (word, rest) = line.trim().split_once(' ')?;
        match word {
            "bytes" => self.bytes = rest.parse().unwrap_or_default(),
            "channel" => self.channels.push(rest.to_owned()),
            "fault" => self.faults.extend(fault(rest)),
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
    let mut words = text.splitn(4, ' ');
    let mut number = || words.next()?.parse().ok();
    let (from, to, channel) = (number()?, number()?, number()?);
    Some(Fault {
        name: words.next()?.to_owned(),
        from,
        to,
        channel,
    })
}

fn sample(text: &str, channels: usize) -> Option<Sample> {
    let mut words = text.split(' ');
    let time = words.next()?.parse().ok()?;
    let phase = words.next()?.to_owned();
    let numbers: Vec<f64> = words.map(str::parse).collect::<Result<_, _>>().ok()?;
    let (&[score, threshold, alarm], values) = numbers.split_first_chunk::<3>()?;
    let (readings, contributions) = values.split_at_checked(channels)?;
    (contributions.len() == channels).then(|| Sample {
        time,
        phase,
        score,
        threshold,
        alarm: alarm != 0.0,
        readings: readings.to_vec(),
        contributions: contributions.to_vec(),
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Two channels, a fault on the second from 3 to 6; alarm from 4 to 7.
    pub(in super::super) fn tape() -> Tape {
        let mut tape = Tape::default();
        let mut lines = vec!["bytes 600".to_owned(), "channel a".into(), "channel b b".into()];
        lines.push("fault 3 6 1 worn out".into());
        for time in 0..10 {
            let alarm = (4..7).contains(&time);
            lines.push(format!("sample {time} watching 2 1 {} 5 6 0.5 1.5", u8::from(alarm)));
        }
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
        assert_eq!(tape.samples[5].guilty(), [(1, 0.75), (0, 0.25)]);
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
            "sample 11 watching 2 1",
            "sample 11 watching 2 1 0 5 6 0.5",
            "sample",
            "",
            "fault 1 x",
        ] {
            assert!(tape.read(line).is_none());
        }
        assert_eq!((tape.samples.len(), tape.faults.len()), (10, 1));
    }
}
