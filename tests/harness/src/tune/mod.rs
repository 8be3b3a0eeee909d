//! `tune`: proposes settings for a recording.
//! In: a CSV file, the columns that are sensors, and how many of its first rows are known to be normal. Out: the settings that
//! were tried, the best first, and the firmware of the best to paste.

mod faults;
#[cfg(test)]
#[rustfmt::skip]
#[allow(dead_code, clippy::declare_interior_mutable_const)]
mod printed;
mod search;
mod snippet;
#[cfg(test)]
mod tests;

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;

use crate::Verdict;
use crate::progress::Progress;
use crate::recording::{Complaints, Recording, Strictness};
use crate::watching::{ModelName, Plan};
pub(crate) use search::{Proposal, most, propose};

/// Proposes settings for a recording, without labels.
///
/// Trains on the first three fifths of the rows, which have to be normal, lets the level of one channel after the other go wrong
/// in the rest, and looks how many of the faulty rows and of the sound ones are in alarm. It starts from the default monitor and
/// changes the false-alarm rate that the threshold asks for, of the other models also directions, rate and score, only where that is
/// clearly better. With fewer than 250 rows, or where the last rows are not like the first, it says that there is too little to
/// tune on. What a fault of your machine looks like it cannot know: try the proposal with `replay` on recordings with faults if you
/// have some. The file is read as by `replay`.
#[derive(clap::Args)]
#[command(after_help = "Example: cargo harness tune machine.csv --columns current,pressure,flow --rows 2000")]
pub(crate) struct Arguments {
    /// The recording.
    file: PathBuf,
    /// The columns to watch, in the order of the channels.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    columns: Vec<String>,
    /// So many of the first rows are normal, and are what the settings are tried on; the training takes as many.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    rows: usize,
    /// What learns.
    #[arg(long, default_value = "mahalanobis")]
    model: ModelName,
    /// A cell that is no number is an error.
    #[arg(long)]
    strict: bool,
}

/// So many of the plans that were tried are shown.
const SHOWN: usize = 10;

/// The verb.
pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let rows = read(arguments)?;
    let (count, channels) = (rows.len(), arguments.columns.len());
    let model = arguments.model.0;
    let progress = Progress::begin(most(model, channels));
    progress.doing(&format!(
        "trying settings on {count} rows of {}",
        arguments.file.display()
    ));
    let proposal = propose(&rows, Plan::of(model).trained_in(count), || progress.done())?;
    drop(progress);
    print(&proposal, arguments, count)?;
    Ok(Verdict::Holds)
}

/// The first rows of the recording.
fn read(arguments: &Arguments) -> Result<Vec<Vec<f32>>> {
    let size = fs::metadata(&arguments.file).map_or(0, |file| file.len());
    let progress = Progress::begin_reading(size);
    let mut recording = Recording::open(&arguments.file, &progress)?;
    let (columns, names) = recording.watched(&arguments.columns)?;
    let mut complaints = Complaints::new(Strictness::of_option(arguments.strict));
    let path = recording.path().to_path_buf();
    let mut rows = Vec::new();
    let mut sample = vec![0.0; columns.len()];
    while rows.len() < arguments.rows
        && let Some(row) = recording.next_row(&mut complaints)?
    {
        row.channels(&columns, &names, &path, &mut sample, &mut complaints)?;
        rows.push(sample.clone());
    }
    drop(progress);
    for line in complaints.lines() {
        eprintln!("{line}");
    }
    Ok(rows)
}

fn print(proposal: &Proposal, arguments: &Arguments, rows: usize) -> io::Result<()> {
    let Proposal { tried, start, best, .. } = proposal;
    let mut out = io::stdout().lock();
    if !tried.is_empty() {
        writeln!(
            out,
            "{} settings tried on {rows} rows, faults in the last {}; F1 of faulty and sound rows at the own threshold",
            tried.len(),
            rows - search::learned(rows),
        )?;
        writeln!(out, "  F1     found  false  settings")?;
    }
    let shown = tried.iter().take(SHOWN);
    let others = tried.iter().skip(SHOWN);
    let others = others.filter(|trial| trial.plan == *start || trial.plan == *best);
    for trial in shown.chain(others) {
        let mark = match (trial.plan == *best, trial.plan == *start) {
            (true, _) => "*",
            (false, true) => "-",
            _ => " ",
        };
        writeln!(
            out,
            "{mark} {:.3}  {:4.0} %  {:3.0} %  {}",
            trial.worth(),
            100.0 * trial.found(),
            100.0 * trial.false_alarms,
            trial.plan.describe()
        )?;
    }
    if best == start {
        writeln!(out, "* what it started from: {}.", proposal.words())?;
    } else {
        writeln!(out, "* proposed, - what it started from.")?;
    }
    writeln!(out, "\nTo see what it finds in a recording:\n")?;
    writeln!(out, "{}\n", replay(best, arguments))?;
    writeln!(
        out,
        "In firmware, where the first program of the README has `let mut monitor = MONITOR.clone();`:\n"
    )?;
    writeln!(out, "{}", snippet::snippet(best, arguments.columns.len()))
}

/// What to type to watch the recording by a plan.
fn replay(plan: &Plan, arguments: &Arguments) -> String {
    let quoted = |word: String| match word.contains(' ') {
        true => format!("\"{word}\""),
        false => word,
    };
    let file = quoted(arguments.file.display().to_string());
    let columns = quoted(arguments.columns.join(","));
    let mut words = vec![format!("cargo harness replay {file} --columns {columns}")];
    words.extend(plan.options());
    words.join(" ")
}
