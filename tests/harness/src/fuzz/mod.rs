//! `fuzz`: hostile input for everything that takes input.
//! In: a time or a number of executions. Out: for each target the number of executions, and the first broken promise
//! with its seed; last a line `N executions, N findings`.
//! The targets of the crate are in `tests/fuzz`, those of readers of files in `readers`.

mod readers;

use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use eigenstream_fuzz::dice::Dice;
use eigenstream_fuzz::{Target, targets};

use crate::Verdict;
use crate::progress::Progress;

/// Feeds hostile bytes and numbers to every learner, image and reader; ends with `N executions, N findings`.
///
/// Every learner gets arbitrary bit patterns in arbitrary calls. It must not panic, its outputs must be finite, a
/// refused sample must not change it, and it must be the same after saving and restoring. Images are damaged, most of
/// them with a checksum that fits. An execution depends only on its seed: `--target NAME --seed N` repeats it.
#[derive(clap::Args)]
#[command(after_help = "Example: cargo harness fuzz --minutes 10")]
pub(crate) struct Arguments {
    /// Time to run. Without this option it is one minute, or with `--executions` unlimited.
    #[arg(long, value_name = "N", value_parser = above_zero)]
    minutes: Option<f64>,
    /// Executions of each target.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    executions: Option<u64>,
    /// Run only targets whose name contains this text.
    #[arg(long, value_name = "NAME")]
    target: Option<String>,
    /// The first seed; with `--target` and without `--executions` the only one. Seeds wrap after the largest number.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

fn above_zero(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(minutes) if minutes > 0.0 => Ok(minutes),
        _ => Err("give a number above zero".into()),
    }
}

/// Executions of each target between two checks of the time limit.
const BATCH: u64 = 500;

struct Record {
    target: Target,
    executions: u64,
    finding: Option<Finding>,
}

struct Finding {
    seed: u64,
    what: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let wanted = |target: &Target| arguments.target.as_ref().is_none_or(|name| target.name.contains(name));
    let mut records: Vec<Record> = all_targets()?.into_iter().filter(wanted).map(Record::new).collect();
    if records.is_empty() {
        bail!("there is no such target: leave `--target` out to see all names");
    }
    let first = arguments.seed.unwrap_or(0);
    let alone = arguments.target.is_some() && arguments.seed.is_some();
    let most = arguments.executions.unwrap_or(if alone { 1 } else { u64::MAX });
    run_all(&mut records, first, most, arguments.limit());
    print(&records)
}

impl Arguments {
    /// The time limit; a time that `Duration` cannot hold is no limit.
    fn limit(&self) -> Duration {
        let unsaid = if self.executions.is_some() { f64::INFINITY } else { 1.0 };
        let seconds = 60.0 * self.minutes.unwrap_or(unsaid);
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }
}

fn all_targets() -> Result<Vec<Target>> {
    Ok(targets().into_iter().chain(readers::targets()?).collect())
}

/// Runs all targets in turn up to the time limit, or `most` executions of each; a target with a finding is not run
/// again.
fn run_all(records: &mut [Record], first: u64, most: u64, limit: Duration) {
    let start = Instant::now();
    let progress = Progress::begin(records.len());
    // A panic is reported as a finding, so the message of the panic is suppressed.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| ()));
    let mut done = 0;
    while done < most && start.elapsed() < limit {
        let batch = BATCH.min(most - done);
        let total: u64 = records.iter().map(|record| record.executions).sum();
        progress.doing(&format!("{total} executions"));
        for record in records.iter_mut() {
            record.run(first.wrapping_add(done), batch);
        }
        done += batch;
        if records.iter().all(|record| record.finding.is_some()) {
            break;
        }
    }
    panic::set_hook(hook);
}

impl Record {
    fn new(target: Target) -> Self {
        Self {
            target,
            executions: 0,
            finding: None,
        }
    }

    fn run(&mut self, first: u64, executions: u64) {
        for seed in (0..executions).map(|place| first.wrapping_add(place)) {
            if self.finding.is_some() {
                return;
            }
            self.executions += 1;
            let outcome = panic::catch_unwind(AssertUnwindSafe(|| (self.target.execute)(&mut Dice::new(seed))));
            let outcome = outcome.unwrap_or_else(|reason| Err(format!("it panicked: {}", message(reason.as_ref()))));
            self.finding = outcome.err().map(|what| Finding { seed, what });
        }
    }

    fn complaint(&self) -> Option<String> {
        let finding = self.finding.as_ref()?;
        let name = &self.target.name;
        Some(format!(
            "{name}: {} (--target {name} --seed {})",
            finding.what, finding.seed
        ))
    }
}

fn message(reason: &(dyn std::any::Any + Send)) -> String {
    let text = reason.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| reason.downcast_ref::<String>().cloned())
        .unwrap_or_default()
}

fn print(records: &[Record]) -> Result<Verdict> {
    let mut out = io::stdout().lock();
    for record in records {
        let fate = record
            .complaint()
            .map_or("ok".into(), |complaint| format!("FOUND {complaint}"));
        writeln!(out, "{:<32}{:>10}  {fate}", record.target.name, record.executions)?;
    }
    let total: u64 = records.iter().map(|record| record.executions).sum();
    let findings = records.iter().filter(|record| record.finding.is_some()).count();
    writeln!(out, "{total} executions, {findings} findings")?;
    Ok(Verdict::of_failures(findings))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        _arguments: Arguments,
    }

    fn record(execute: fn(&mut Dice) -> Result<(), String>) -> Record {
        let name = "test".into();
        Record::new(Target { name, execute })
    }

    #[test]
    fn a_finding_is_reported_with_its_seed() {
        let mut broken = record(|dice| if dice.chance(20) { Err("lost".into()) } else { Ok(()) });
        broken.run(0, 1_000);
        let finding = broken.finding.as_ref().map(|finding| finding.seed);
        assert_eq!(finding, broken.executions.checked_sub(1));
        assert!(
            broken
                .complaint()
                .is_some_and(|complaint| complaint.starts_with("test: lost (--target"))
        );
    }

    #[test]
    fn a_number_of_executions_has_no_time_limit_unless_one_is_given() {
        let limit = |minutes, executions| {
            let (target, seed) = (None, None);
            Arguments {
                minutes,
                executions,
                target,
                seed,
            }
            .limit()
        };
        assert_eq!(limit(None, None), Duration::from_secs(60));
        assert_eq!(limit(None, Some(20_000)), Duration::MAX);
        assert_eq!(limit(Some(0.5), Some(20_000)), Duration::from_secs(30));
        assert_eq!(limit(Some(1e300), None), Duration::MAX);
    }

    #[test]
    fn zero_minutes_and_zero_executions_are_refused() {
        let refused = |text: &str| Command::try_parse_from(text.split(' ')).is_err();
        for text in [
            "fuzz --minutes 0",
            "fuzz --minutes=-1",
            "fuzz --minutes nan",
            "fuzz --executions 0",
        ] {
            assert!(refused(text), "{text}");
        }
        assert!(!refused("fuzz --minutes 0.5 --executions 1"));
    }

    #[test]
    fn seeds_wrap_after_the_largest() {
        let mut records = [record(|_| Ok(()))];
        run_all(&mut records, u64::MAX, 3, Duration::MAX);
        assert_eq!(records[0].executions, 3);
    }

    #[test]
    fn a_panic_is_a_finding() {
        let mut broken = record(|_| unreachable!("planted panic"));
        broken.run(7, 5);
        assert!(
            broken
                .complaint()
                .is_some_and(|complaint| complaint.contains("planted panic"))
        );
    }
}
