//! `test`: checks the promises of the README, and with `--all` everything that must hold before a change lands.
//! In: this checkout. Out: a line for each check with its result and time; the error of a failed check; last a line
//! `N passed, N failed`. A check whose tool cannot be installed here is skipped and named. With `--machines all`, or
//! where `CI` is set, such a check fails.

mod board;
mod checks;
pub(crate) mod conformance;
mod coverage;
mod data;
pub(crate) mod examples;
pub(crate) mod foreign;
mod lanes;
mod no_panic;
mod sentences;
mod words;

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Result, bail};

use crate::Verdict;
use crate::install::{Need, provide};
use crate::progress::Progress;
use crate::python::Missing;
pub(crate) use board::{log_is_readable, log_leaves_no_trace};
use checks::{Check, Tier};
pub(crate) use no_panic::{Build, Number, Sizes, image_is_free};

/// Checks each promise of the README, and closes with `N passed, N failed`.
///
/// Fetches rustup targets and QEMU when they are missing and may be installed. A check whose tool is still missing is
/// skipped and named; with `--machines all`, and where the variable CI is set, it fails.
#[derive(clap::Args)]
#[command(after_help = "Examples: cargo harness test --all; cargo harness test --only 'same bits' --machines all")]
pub(crate) struct Arguments {
    /// Run every check that must hold before a change lands: every board, more builds, lints, the tests of the tool and
    /// of the proofs.
    #[arg(long)]
    all: bool,
    /// Run only the checks whose name contains this text, also checks that otherwise run only with --all.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// The result of a check whose tool is missing.
    #[arg(long, value_enum, default_value_t)]
    machines: Machines,
}

/// The result of a check whose tool is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Machines {
    /// Skip the check; where the variable CI is set, it fails.
    #[default]
    Installed,
    /// Fail the check.
    All,
}

/// The ending of one check.
enum Ending {
    Passed,
    Failed(String),
    Skipped(String),
}

/// The numbers of checks that passed, failed and were skipped.
#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
    skipped: usize,
}

/// Runs the verb `test`.
pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let mut checks = checks::all();
    if !arguments.all && arguments.only.is_none() {
        checks.retain(|check| check.tier == Tier::Promises);
    }
    if let Some(text) = &arguments.only {
        checks.retain(|check| check.name.contains(text.as_str()));
        if checks.is_empty() {
            bail!("no check has a name with `{text}` in it: `cargo harness test --all` shows them all");
        }
    }
    let demanded = arguments.machines == Machines::All || std::env::var_os("CI").is_some();
    let toolbox = Toolbox::provide(&checks);
    let progress = Progress::begin_timed(checks.iter().map(|check| check.seconds).sum());
    let tally = Mutex::new(Tally::default());
    let start = Instant::now();
    lanes::run(
        &checks,
        |check| check.lane,
        |check| {
            progress.doing(&check.name);
            let start = Instant::now();
            let ending = match toolbox.missing(check) {
                Some(sentence) if demanded => Ending::Failed(sentence.to_owned()),
                Some(sentence) => Ending::Skipped(sentence.to_owned()),
                None => match (check.work)() {
                    Ok(()) => Ending::Passed,
                    Err(error) if !demanded && error.is::<Missing>() => Ending::Skipped(error.to_string()),
                    Err(error) => Ending::Failed(format!("{error:#}")),
                },
            };
            let seconds = start.elapsed().as_secs_f64();
            // The lock is held while printing, so that two reports do not mix.
            let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
            tally.count(&ending);
            progress.done_for(check.seconds);
            Ok(progress.aside(|| print_ending(check, &ending, seconds))?)
        },
    )?;
    drop(progress);
    let tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    eprintln!("{} checks in {:.0} s", checks.len(), start.elapsed().as_secs_f64());
    writeln!(io::stdout(), "{}", tally.closing_line())?;
    Ok(Verdict::of_failures(tally.failed))
}

impl Tally {
    fn count(&mut self, ending: &Ending) {
        match ending {
            Ending::Passed => self.passed += 1,
            Ending::Failed(_) => self.failed += 1,
            Ending::Skipped(_) => self.skipped += 1,
        }
    }

    fn closing_line(&self) -> String {
        let Self {
            passed,
            failed,
            skipped,
        } = self;
        match skipped {
            0 => format!("{passed} passed, {failed} failed"),
            _ => format!("{passed} passed, {failed} failed, {skipped} skipped"),
        }
    }
}

/// The tools that could not be installed, with the reasons; each tool is tried once.
struct Toolbox {
    refusals: Vec<(Need, String)>,
}

impl Toolbox {
    fn provide(checks: &[Check]) -> Self {
        let mut needs: Vec<Need> = Vec::new();
        for &need in checks.iter().flat_map(|check| &check.needs) {
            if !needs.contains(&need) {
                needs.push(need);
            }
        }
        let refusals = needs
            .into_iter()
            .filter_map(|need| provide(need).err().map(|sentence| (need, sentence)));
        Self {
            refusals: refusals.collect(),
        }
    }

    /// The reason why the check cannot run here, or `None` if it can.
    fn missing(&self, check: &Check) -> Option<&str> {
        let refusal = self.refusals.iter().find(|(need, _)| check.needs.contains(need));
        refusal.map(|(_, sentence)| sentence.as_str())
    }
}

fn print_ending(check: &Check, ending: &Ending, seconds: f64) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let name = &check.name;
    match ending {
        Ending::Passed => writeln!(out, "ok       {seconds:6.1} s  {name}"),
        Ending::Skipped(sentence) => writeln!(out, "skipped  {seconds:6.1} s  {name}: {sentence}"),
        Ending::Failed(text) => {
            writeln!(out, "FAILED   {seconds:6.1} s  {name}")?;
            text.lines().try_for_each(|line| writeln!(out, "    {line}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_closing_line_names_skipped_checks_only_when_there_are_some() {
        let mut tally = Tally {
            passed: 3,
            failed: 1,
            skipped: 0,
        };
        assert_eq!(tally.closing_line(), "3 passed, 1 failed");
        tally.count(&Ending::Skipped(String::new()));
        assert_eq!(tally.closing_line(), "3 passed, 1 failed, 1 skipped");
    }

    #[test]
    fn a_check_without_its_tool_is_told_why() {
        let toolbox = Toolbox {
            refusals: vec![(Need::Emulator("qemu"), "type this".into())],
        };
        let check = |needs| Check {
            name: "x".into(),
            lane: checks::Lane::Debug,
            tier: Tier::Rest,
            seconds: 1,
            needs,
            work: Box::new(|| Ok(())),
        };
        assert_eq!(
            toolbox.missing(&check(vec![Need::FORMATTER, Need::Emulator("qemu")])),
            Some("type this")
        );
        assert_eq!(toolbox.missing(&check(vec![Need::FORMATTER])), None);
    }

    #[test]
    fn every_check_belongs_to_one_name_and_some_are_for_all_alone() {
        let checks = checks::all();
        let names: HashSet<&str> = checks.iter().map(|check| check.name.as_str()).collect();
        assert_eq!(names.len(), checks.len());
        let promises = checks.iter().filter(|check| check.tier == Tier::Promises).count();
        assert!(promises > 0 && promises < checks.len());
    }
}
