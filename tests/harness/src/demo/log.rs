//! The log that a reader of the demo sees, and the table at its end.
//! In: samples as they come. Out: a line where something happens; then, for each fault, whether and when it was found.

use super::tape::{Fault, RATE, Sample, Tape};

/// After a fault has gone, an alarm may stand for so many samples: the score is smoothed.
const AFTERMATH: usize = 60;

/// What was said last.
#[derive(Default)]
pub(super) struct Log {
    phase: String,
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
        for fault in &tape.faults {
            if sample.time == fault.from {
                events.push(format!("   (the motor: {} sets in)", fault.name));
            }
            if sample.time == fault.to {
                events.push(format!("   (the motor: {} is repaired)", fault.name));
            }
        }
        match (sample.alarm, self.alarm_since) {
            (true, None) => {
                self.alarm_since = Some(sample.time);
                events.push(format!(
                    "ALARM  {:.1} times the threshold: {}",
                    sample.score / sample.threshold,
                    blame(tape, sample)
                ));
            }
            (false, Some(since)) => {
                self.alarm_since = None;
                let seconds = (sample.time - since) as f64 / RATE;
                events.push(format!("normal again after {seconds:.1} s"));
            }
            _ => (),
        }
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
        "calibrating" => "learned; calibrating the threshold".to_owned(),
        _ => format!("watching, threshold {:.3}", sample.threshold),
    }
}

/// The three channels with the largest parts.
fn blame(tape: &Tape, sample: &Sample) -> String {
    let parts: Vec<String> = sample
        .guilty()
        .into_iter()
        .take(3)
        .map(|(channel, part)| {
            let name = tape.channels.get(channel).map_or("?", String::as_str);
            format!("{name} {:.0} %", 100.0 * part)
        })
        .collect();
    parts.join(", ")
}

/// The table, and how many of its lines are not as they should be.
pub(super) fn table(tape: &Tape) -> (String, usize) {
    let mut lines = vec![format!(
        "{:<16}{:>10}{:>12}  {:<24}{}",
        "fault", "sets in", "alarm after", "blamed, while it lasts", "expected"
    )];
    let mut failures = 0;
    for fault in &tape.faults {
        let expected = tape.channels.get(fault.channel).map_or("?", String::as_str);
        let (found, named) = found(tape, fault);
        let after = found.map_or("never".to_owned(), |time| {
            format!("{:.1} s", (time - fault.from) as f64 / RATE)
        });
        let blamed = named
            .and_then(|channel| tape.channels.get(channel))
            .map_or("-", String::as_str);
        failures += usize::from(blamed != expected);
        lines.push(format!(
            "{:<16}{:>8.1} s{after:>12}  {blamed:<24}{expected}",
            fault.name,
            fault.from as f64 / RATE
        ));
    }
    let healthy = tape.samples.iter().filter(|sample| !explained(tape, sample.time));
    let false_alarms = healthy.filter(|sample| sample.alarm).count();
    failures += usize::from(false_alarms > 0);
    lines.push(format!(
        "{} samples, {false_alarms} of them an alarm without a fault",
        tape.samples.len()
    ));
    (lines.join("\n"), failures)
}

/// When a fault was alarmed first, and which channel had the largest part in most of its alarms.
fn found(tape: &Tape, fault: &Fault) -> (Option<usize>, Option<usize>) {
    let during = |sample: &&Sample| (fault.from..fault.to).contains(&sample.time) && sample.alarm;
    let mut votes = vec![0_usize; tape.channels.len()];
    let mut first = None;
    for sample in tape.samples.iter().filter(during) {
        first = first.or(Some(sample.time));
        if let Some((channel, _)) = sample.guilty().first() {
            votes[*channel] += 1;
        }
    }
    let winner = (0..votes.len()).max_by_key(|&channel| votes[channel]);
    (first, first.and(winner))
}

/// Whether a fault, or what it left in the smoothed score, explains an alarm now.
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
    fn a_found_fault_is_in_order_and_a_missed_one_is_not() {
        let mut tape = tape();
        let (text, failures) = table(&tape);
        assert!(
            failures == 0 && text.contains("0.1 s") && text.contains("b b"),
            "{text}"
        );
        tape.faults[0].channel = 0;
        assert_eq!(table(&tape).1, 1);
        tape.faults.clear();
        assert!(table(&tape).0.contains("3 of them an alarm without a fault"));
    }

    #[test]
    fn the_log_speaks_where_something_happens() {
        let tape = tape();
        let mut log = Log::default();
        let lines: Vec<Option<String>> = tape.samples.iter().map(|sample| log.line(&tape, sample)).collect();
        assert_eq!(lines.iter().flatten().count(), 5);
        let alarm = lines[4].as_deref().unwrap_or_default();
        assert!(
            alarm.ends_with("ALARM  2.0 times the threshold: b b 75 %, a 25 %"),
            "{alarm}"
        );
    }
}
