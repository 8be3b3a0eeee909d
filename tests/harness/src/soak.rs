//! `soak`: long runs of every learner beside a twin in `f64`, and of a monitor.
//! In: a number of steps. Out: the largest errors and the mean losses of every learner, the alarms of the monitor; last
//! a line `N passed, N failed`. In `tests/soak`, `driver` checks the learners every 997 steps and at the last step, and
//! `life` checks the monitor.

use std::io::{self, Write};

use anyhow::Result;
use serde_json::json;

use crate::Verdict;
use crate::bench::{self, Row};
use crate::progress::Progress;
use eigenstream_soak::driver::{CHECK_EVERY, Report};
use eigenstream_soak::learners;
use eigenstream_soak::life::{self, DAY, Days, Script};

/// Runs every learner on a long, difficult stream and checks its promises; ends with `N passed, N failed`.
///
/// The stream changes its directions, has outliers, stuck channels and silence. Every loss must be finite and not
/// negative. Every 997 steps, and at the last, the run checks that the components are orthonormal to 1e-5, that the
/// probabilities sum to KEEP to 1e-3, that the mean loss of a compared learner differs from that in f64 by at most 1e-3
/// of the mean energy, and that the image restores the learner. The components of Hebbian learners are orthonormal only
/// in the limit. Slow learners, such as those with kernels, run a tenth of the steps. A learner that forgets nothing is
/// compared with f64 for at most two million steps, because in f32 it begins to forget at 2^21 samples.
///
/// A monitor is not compared with f64. It watches a machine whose days follow a script (idle hours, restarts, new
/// sensors, drift, spikes, dead and coarse channels, updates, power cuts). It must find a test fault every day, give a
/// reason for every long alarm, and have at most 1 % of the calm samples in alarm.
#[derive(clap::Args)]
#[command(after_help = "Example: cargo harness soak --steps 10000000 --save")]
pub(crate) struct Arguments {
    /// Steps of each learner that is not slow, at least 2. The monitor watches as many samples, rounded up to whole
    /// days of 100,000 samples; nine days contain every script.
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(2..))]
    steps: u64,
    /// Write the results to tests/data/bench.json and to the tables, if all learners and the monitor passed.
    #[arg(long)]
    save: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let checks = |soaked: &learners::Soaked| soaked.steps(arguments.steps).div_ceil(CHECK_EVERY) as usize;
    let days = arguments.steps.div_ceil(DAY) as usize;
    let progress = Progress::begin(days + learners::ALL.iter().map(checks).sum::<usize>());
    let mut reports = Vec::new();
    for (index, soaked) in learners::ALL.iter().enumerate() {
        let steps = soaked.steps(arguments.steps);
        progress.doing(&format!(
            "learner {} of {}, {steps} steps",
            index + 1,
            learners::ALL.len()
        ));
        reports.push((soaked.run)(steps, &mut || progress.done()));
    }
    progress.doing(&format!("a monitor, {days} days"));
    let lives = life::live(arguments.steps, &mut || progress.done());
    drop(progress);
    print(&reports)?;
    let lives = lived(&lives);
    print_life(&lives)?;
    let broken = (lives.iter()).filter(|(_, days)| days.violation().is_some()).count();
    let failed = broken + reports.iter().filter(|report| report.violation.is_some()).count();
    if arguments.save && failed == 0 {
        let days = lives.iter().map(|(script, days)| life_row(*script, days));
        bench::commit(&reports.iter().map(row).chain(days).collect::<Vec<_>>())?;
    }
    writeln!(
        io::stdout(),
        "{} passed, {failed} failed",
        reports.len() + lives.len() - failed
    )?;
    Ok(Verdict::of_failures(failed))
}

/// The scripts that had at least one day; the other scripts were not tried, so they do not count as passed.
fn lived(lives: &[Days]) -> Vec<(Script, Days)> {
    let all = Script::ALL.into_iter().zip(lives.iter().copied());
    all.filter(|(_, days)| days.faults > 0).collect()
}

/// A report as a row. A learner that was not compared with its twin has the difference zero; the row then has null.
fn row(report: &Report) -> Row {
    let difference = (report.difference != 0.0).then_some(report.difference);
    [
        ("workload", json!("soak")),
        ("variant", json!(report.learner)),
        ("steps", json!(report.steps)),
        ("orthogonality", json!(report.orthogonality)),
        ("probability_sum", json!(report.probability_sum)),
        ("difference", json!(difference)),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .into_iter()
    .collect()
}

fn print(reports: &[Report]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{:<46}{:>10}{:>11}{:>13}{:>12}{:>12}{:>12}",
        "learner", "steps", "|V'V - I|", "|sum p - k|", "loss f32", "loss f64", "difference"
    )?;
    for report in reports {
        let [sum, skew] = [report.probability_sum, report.orthogonality]
            .map(|worst| worst.map_or("-".into(), |worst| format!("{worst:.1e}")));
        writeln!(
            out,
            "{:<46}{:>10}{skew:>11}{sum:>13}{:>12.6}{:>12.6}{:>12.1e}",
            report.learner, report.steps, report.loss, report.twin_loss, report.difference
        )?;
        if let Some(violation) = &report.violation {
            writeln!(out, "    FAILED: {violation}")?;
        }
    }
    writeln!(
        out,
        "difference: of the mean losses, in units of the mean energy of the stream"
    )
}

/// The results of all days with one script, as a row.
fn life_row(script: Script, days: &Days) -> Row {
    [
        ("workload", json!("life")),
        ("variant", json!(script.words())),
        ("days", json!(days.faults)),
        ("false_alarms", json!(days.false_alarm_rate())),
        ("scripted_alarms", json!(days.scripted_alarm_rate())),
        ("found", json!(days.found)),
        ("longest", json!(days.longest)),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .into_iter()
    .collect()
}

fn print_life(lives: &[(Script, Days)]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{:<46}{:>10}{:>14}{:>22}{:>14}{:>26}",
        "day of the monitor",
        "days",
        "false alarms",
        "alarms in the script",
        "faults found",
        "longest without a reason"
    )?;
    for (script, days) in lives {
        writeln!(
            out,
            "{:<46}{:>10}{:>12.2} %{:>20.2} %{:>14}{:>26}",
            script.words(),
            days.faults,
            100.0 * days.false_alarm_rate(),
            100.0 * days.scripted_alarm_rate(),
            days.found,
            days.longest
        )?;
        if let Some(violation) = days.violation() {
            writeln!(out, "    FAILED: {violation}")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_without_a_day_has_not_passed() {
        let mut lives = [Days::default(); Script::ALL.len()];
        lives[0].faults = 1;
        let lived: Vec<Script> = lived(&lives).into_iter().map(|(script, _)| script).collect();
        assert_eq!(lived, [Script::Calm]);
    }
}
