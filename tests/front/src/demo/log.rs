//! The log that a reader of the demo sees, and the table at its end.
//! In: samples as they come. Out: a line where something happens; then, for each fault, when it was found, whether it stayed found and
//! how often the right channel was blamed; the false alarms; and the health of every channel.

use super::tape::{Fault, RATE, Sample, Tape};

/// The number of samples that an alarm may last after the end of a fault, because the score is smoothed.
const AFTERMATH: usize = 60;

/// The phase and the state of the last sample, and the sample at which its alarm began.
#[derive(Default)]
pub(super) struct Log {
    phase: String,
    state: String,
    alarm_since: Option<usize>,
}

impl Log {
    /// A line for this sample, if it brings anything new.
    pub(super) fn line(&mut self, tape: &Tape, sample: &Sample) -> Option<String> {
        let mut events = Vec::new();
        if sample.phase != self.phase {
            self.phase.clone_from(&sample.phase);
            events.push(phase_words(tape, sample));
        }
        for event in &tape.events {
            if sample.time == event.from {
                events.push(format!("   (the motor: {})", event.name));
            }
            if sample.time == event.to && event.to > event.from + 1 {
                events.push(format!("   (the motor: {} is over)", event.name));
            }
        }
        for fault in &tape.faults {
            if sample.time == fault.from {
                events.push(format!("   (the motor: {} sets in)", fault.name));
            }
            if sample.time == fault.to {
                events.push(format!("   (the motor: {} is repaired)", fault.name));
            }
        }
        if sample.alarm && (self.alarm_since.is_none() || sample.state != self.state) {
            self.alarm_since = self.alarm_since.or(Some(sample.time));
            events.push(alarm_words(tape, sample));
        } else if !sample.alarm
            && let Some(since) = self.alarm_since.take()
        {
            let seconds = (sample.time - since) as f64 / RATE;
            events.push(format!("normal again after {seconds:.1} s"));
        }
        self.state.clone_from(&sample.state);
        let lines: Vec<String> = events
            .iter()
            .map(|event| format!("{:7.1} s  {event}", sample.seconds()))
            .collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

fn phase_words(tape: &Tape, sample: &Sample) -> String {
    match sample.phase.as_str() {
        "warmup" => format!("learning what is normal, in {} bytes", tape.bytes),
        "standstill" => "no channel moves; waiting for one that does".to_owned(),
        "calibrating" => "learned; calibrating the threshold".to_owned(),
        "unsettled" => "the scores have not settled; calibrating again".to_owned(),
        _ => format!("watching, threshold {:.3}", sample.threshold),
    }
}

fn alarm_words(tape: &Tape, sample: &Sample) -> String {
    match sample.state.as_str() {
        "stuck" => format!("ALARM  stuck: {} does not change any more", tape.channel(sample.guilty)),
        "moving" => format!(
            "ALARM  lasts, and the machine still moves away from normal: {}",
            blame(tape, sample)
        ),
        "steady" => format!("ALARM  lasts, at a level that stands still: {}", blame(tape, sample)),
        _ => format!(
            "ALARM  {:.1} times the threshold: {}",
            sample.score / sample.threshold,
            blame(tape, sample)
        ),
    }
}

/// The three channels with the largest parts.
fn blame(tape: &Tape, sample: &Sample) -> String {
    let parts: Vec<String> = sample
        .parts()
        .into_iter()
        .take(3)
        .map(|(channel, part)| format!("{} {:.0} %", tape.channel(channel), 100.0 * part))
        .collect();
    parts.join(", ")
}

/// The table, and the number of its lines that show an error of the monitor.
pub(super) fn table(tape: &Tape) -> (String, usize) {
    let mut lines = vec![format!(
        "{:<16}{:>10}{:>12}{:>12}  {:<22}{}",
        "fault", "sets in", "alarm after", "since then", "guilty", "blamed in so many alarm samples"
    )];
    let mut failures = 0;
    for fault in &tape.faults {
        let finding = Finding::of(tape, fault);
        failures += usize::from(!finding.is_right());
        let after = finding.first.map_or("never".to_owned(), |time| {
            format!("{:.1} s", (time - fault.from) as f64 / RATE)
        });
        lines.push(format!(
            "{:<16}{:>8.1} s{after:>12}{:>10.1} %  {:<22}{} of {}",
            fault.name,
            fault.from as f64 / RATE,
            finding.percent_of_the_rest(fault),
            tape.channel(fault.channel),
            finding.blamed_right,
            finding.alarms,
        ));
    }
    let healthy = tape.samples.iter().filter(|sample| !explained(tape, sample.time));
    let false_alarms = healthy.filter(|sample| sample.alarm).count();
    failures += usize::from(false_alarms > 0);
    lines.push(format!(
        "{} samples, {false_alarms} of them an alarm without a fault ({AFTERMATH} samples after a repair do not count)",
        tape.samples.len()
    ));
    lines.extend(health(tape));
    (lines.join("\n"), failures)
}

/// The health of every channel at the end, and the monitor's own count of alarms.
fn health(tape: &Tape) -> Vec<String> {
    let mut lines = vec![format!(
        "\n{:<22}{:<12}{:>16}{:>22}",
        "channel", "health", "level has moved", "explained by others"
    )];
    for (channel, name) in tape.channels.iter().enumerate() {
        if let Some(health) = tape.last_health(channel) {
            lines.push(format!(
                "{name:<22}{:<12}{:>8.2} spreads{:>20.0} %",
                health.condition,
                health.moved,
                100.0 * health.explained
            ));
        }
    }
    if let Some([watched, in_alarm, alarms]) = tape.watched {
        lines.push(format!(
            "{watched} samples judged, {in_alarm} of them in alarm, in {alarms} alarms"
        ));
    }
    lines
}

/// The result of the monitor on one fault.
struct Finding {
    /// The first sample in alarm.
    first: Option<usize>,
    /// Samples in alarm, and those of them that blame the right channel.
    alarms: usize,
    blamed_right: usize,
    /// Samples without an alarm after the time by which the fault had to be found.
    missed: usize,
}

impl Finding {
    fn of(tape: &Tape, fault: &Fault) -> Self {
        let mut finding = Self {
            first: None,
            alarms: 0,
            blamed_right: 0,
            missed: 0,
        };
        for sample in tape
            .samples
            .iter()
            .filter(|sample| (fault.from..fault.to).contains(&sample.time))
        {
            if sample.alarm {
                finding.first = finding.first.or(Some(sample.time));
                finding.alarms += 1;
                finding.blamed_right += usize::from(sample.guilty == fault.channel);
            } else if sample.time >= fault.from + fault.found_within {
                finding.missed += 1;
            }
        }
        finding
    }

    /// Whether the fault was found in time, stayed in alarm until its end, and was always blamed on the right channel.
    fn is_right(&self) -> bool {
        self.first.is_some() && self.missed == 0 && self.blamed_right == self.alarms
    }

    /// The percentage of the samples in alarm, from the first alarm to the end of the fault.
    fn percent_of_the_rest(&self, fault: &Fault) -> f64 {
        let rest = self.first.map_or(0, |first| fault.to - first);
        100.0 * self.alarms as f64 / rest.max(1) as f64
    }
}

/// Whether a fault, or its remainder in the smoothed score, explains an alarm at `time`.
fn explained(tape: &Tape, time: usize) -> bool {
    tape.faults
        .iter()
        .any(|fault| (fault.from..fault.to + AFTERMATH).contains(&time))
}

#[cfg(test)]
mod tests {
    use super::super::tape::tests::tape;
    use super::*;

    #[test]
    fn a_found_fault_is_in_order() {
        let (text, failures) = table(&tape());
        assert!(
            failures == 0 && text.contains("0.1 s") && text.contains("2 of 2"),
            "{text}"
        );
        assert!(text.contains("100.0 %  b b"), "{text}");
    }

    #[test]
    fn a_fault_that_is_missed_late_left_or_blamed_wrong_is_a_failure() {
        let mut missed = tape();
        missed.samples.iter_mut().for_each(|sample| sample.alarm = false);
        assert!(table(&missed).1 == 1 && table(&missed).0.contains("never"));
        let mut late = tape();
        late.samples[4].alarm = false;
        assert_eq!(table(&late).1, 1);
        let mut left = tape();
        left.samples[5].alarm = false;
        assert_eq!(table(&left).1, 1);
        let mut wrong = tape();
        wrong.samples[5].guilty = 0;
        assert!(table(&wrong).1 == 1 && table(&wrong).0.contains("1 of 2"));
    }

    #[test]
    fn an_alarm_without_a_fault_is_a_failure() {
        let mut tape = tape();
        tape.faults.clear();
        let (text, failures) = table(&tape);
        assert!(
            failures == 1 && text.contains("3 of them an alarm without a fault"),
            "{text}"
        );
    }

    #[test]
    fn the_table_ends_with_the_health_of_the_channels() {
        let (text, _) = table(&tape());
        assert!(
            text.contains("b b                   good            0.20 spreads"),
            "{text}"
        );
        assert!(
            text.ends_with("10 samples judged, 3 of them in alarm, in 1 alarms"),
            "{text}"
        );
    }

    #[test]
    fn the_log_speaks_where_something_happens() {
        let mut tape = tape();
        tape.samples[6].state = "stuck".into();
        let mut log = Log::default();
        let lines: Vec<Option<String>> = tape.samples.iter().map(|sample| log.line(&tape, sample)).collect();
        assert_eq!(lines.iter().flatten().count(), 6);
        let alarm = lines[4].as_deref().unwrap_or_default();
        assert!(
            alarm.ends_with("ALARM  2.0 times the threshold: b b 75 %, a 25 %"),
            "{alarm}"
        );
        assert!(
            lines[1]
                .as_deref()
                .is_some_and(|line| line.ends_with("(the motor: idle hours)"))
        );
        let stuck = lines[6].as_deref().unwrap_or_default();
        assert!(stuck.contains("ALARM  stuck: b b does not change"), "{stuck}");
    }
}
