//! `tune`: proposes settings for a recording. Out: the settings that were tried, the best first, and the firmware of the
//! best in Rust and in C.

mod c;
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
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use eigenstream_sizes::AnyMonitor;

use crate::progress::Progress;
use crate::recording::{Complaints, Recording, Strictness, names};
use crate::replay::kept;
use crate::watching::{ModelName, Plan, observe_rows};
use crate::{Verdict, counted};
pub use c::c_snippet;
pub use search::{Proposal, most, propose};
pub(crate) use snippet::Parts;
pub use snippet::snippet;

/// Proposes settings for a recording, without labels.
///
/// All rows have to be normal. The verb trains on the first three fifths of them. In the remaining rows the level of one channel
/// after the other is changed, and the verb counts how many faulty rows and how many sound rows are in alarm. It starts from the
/// default settings of the model. For a model other than mahalanobis it changes directions, rate, score and lags, and keeps a
/// change that is clearly better. If more sound rows are in alarm than a small outlier explains (8 with the default smoothing),
/// it lowers the false-alarm rate of the threshold. With fewer than 248 rows, or if the last rows are not like the first, it says
/// that there is too little to tune on; if the rows train no monitor, it says so. It does not know the faults of your machine:
/// if you have recordings with faults, try the proposal on them with `replay`. The file is read as by `replay`.
#[derive(clap::Args)]
#[command(after_help = "Example: eigenstream tune machine.csv --columns current,pressure,flow --rows 2000")]
pub struct Arguments {
    /// The recording: a CSV file, or a Parquet file if the tool was built with the feature `parquet`. `-` is standard input, for
    /// CSV only.
    file: PathBuf,
    /// The columns to watch, in the order of the channels; default: all columns of numbers that change. A name
    /// with a comma is in quotes: '"flow, l/min",pressure'.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    columns: Vec<String>,
    /// Number of first rows that are normal. The settings are tried on these rows, and the proposed training has as many rows.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    rows: usize,
    /// The learner.
    #[arg(long, default_value = "mahalanobis")]
    model: ModelName,
    /// A cell that is neither a number nor a gap (empty, NaN, n/a, -) is an error, and so is a damaged line.
    #[arg(long)]
    strict: bool,
    /// Writes the proposal to this folder: monitor.rs and monitor.c for firmware, and the monitor trained on the rows as the
    /// image monitor.eigs and as monitor_image.h for C.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

const SHOWN: usize = 10;

/// Runs the verb `tune`.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let (rows, held_out, names) = read(arguments)?;
    if rows.is_empty() {
        bail!("there is no row to tune on: ask for more with --rows, of a recording that has rows behind its header");
    }
    let (count, channels) = (rows.len(), names.len());
    let model = arguments.model.0;
    if channels == 1 && model.keeps_directions() {
        bail!("there is no such learner of one channel: name 2 or more with --columns, or take the model mahalanobis");
    }
    let mut start = Plan::of(model).trained_in(count);
    start.gaps = rows.iter().chain(&held_out).flatten().any(|value| value.is_nan());
    if model.keeps_directions() {
        start.keep = Plan::usual_keep(channels);
    }
    let progress = Progress::begin(most(model, channels));
    progress.doing(&format!(
        "trying settings on {} of {}",
        counted(count as u64, "row"),
        arguments.file.display()
    ));
    let proposal = propose(&rows, start, || progress.done())?;
    drop(progress);
    print(&proposal, arguments, &names, count)?;
    let monitor = trained(&proposal.best, &rows, &held_out)?;
    if let Some(folder) = &arguments.out {
        write(folder, &proposal.best, &*monitor, &names)?;
    }
    Ok(Verdict::Holds)
}

/// Prints how many of the later rows, `held_out`, are in alarm.
fn trained(plan: &Plan, rows: &[Vec<f32>], held_out: &[Vec<f32>]) -> Result<Box<dyn AnyMonitor>> {
    let channels = rows.first().map_or(0, Vec::len);
    let mut monitor = plan.monitor(channels)?;
    // A row with only gaps is refused.
    observe_rows(monitor.as_mut(), rows);
    let verdicts = observe_rows(monitor.twin().as_mut(), held_out);
    let watched: Vec<_> = verdicts
        .iter()
        .flatten()
        .filter(|verdict| verdict.phase.is_watching())
        .collect();
    if !watched.is_empty() {
        let alarmed = watched.iter().filter(|verdict| verdict.alarm).count();
        writeln!(
            io::stdout(),
            "Rows behind those it was tuned on: {} watched, {alarmed} in alarm ({:.2} %).",
            watched.len(),
            100.0 * alarmed as f64 / watched.len() as f64
        )?;
    }
    Ok(monitor)
}

/// Writes the firmware and the image.
fn write(folder: &Path, plan: &Plan, monitor: &dyn AnyMonitor, names: &[String]) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let channels: Vec<String> = names.iter().map(|name| format!("//! {name}\n")).collect();
    let text = format!(
        "//! The monitor that was tuned. Its channels:\n//!\n{}\n{}",
        channels.concat(),
        snippet(plan, names.len())
    );
    let code = c_snippet(plan, names.len());
    // With lags there is no archive for C.
    let image = if plan.lags > 1 {
        code.clone()
    } else {
        c::c_image(&monitor.encode(), names)
    };
    for (file, text) in [("monitor.rs", text), ("monitor.c", code), ("monitor_image.h", image)] {
        let file = folder.join(file);
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    kept::write(monitor, &folder.join("monitor.eigs"), names)?;
    // Refused rows do not count in training.
    let untrained = match monitor.phase().is_watching() {
        true => "",
        false => "; the monitor is not trained yet",
    };
    writeln!(
        io::stdout(),
        "wrote monitor.rs, monitor.c, monitor_image.h and monitor.eigs to {}{untrained}",
        folder.display()
    )?;
    Ok(())
}

/// Rows after the tuning rows that check the proposal.
const HELD_OUT: usize = 10_000;

/// Rows of samples.
type Rows = Vec<Vec<f32>>;

fn read(arguments: &Arguments) -> Result<(Rows, Rows, Vec<String>)> {
    let size = fs::metadata(&arguments.file).map_or(0, |file| file.len());
    let progress = Progress::begin_reading(size);
    let mut recording = Recording::open(&arguments.file, &progress)?;
    let (columns, names) = recording.watched(&names::typed(&arguments.columns))?;
    let mut complaints = Complaints::new(Strictness::of_option(arguments.strict));
    let path = recording.path().to_path_buf();
    let mut rows = Vec::new();
    let mut sample = vec![0.0; columns.len()];
    while rows.len() < arguments.rows.saturating_add(HELD_OUT)
        && let Some(row) = recording.next_row(&mut complaints)?
    {
        row.channels(&columns, &names, &path, &mut sample, &mut complaints)?;
        rows.push(sample.clone());
    }
    drop(progress);
    for line in complaints.lines() {
        eprintln!("{line}");
    }
    let held_out = rows.split_off(rows.len().min(arguments.rows));
    Ok((rows, held_out, names))
}

fn print(proposal: &Proposal, arguments: &Arguments, names: &[String], rows: usize) -> io::Result<()> {
    let Proposal { tried, start, best, .. } = proposal;
    let mut out = io::stdout().lock();
    if !tried.is_empty() {
        writeln!(
            out,
            "{} tried on {rows} rows, faults in the last {}; F1 of faulty and sound rows at the own threshold",
            if tried.len() == 1 {
                "one setting".to_owned()
            } else {
                format!("{} settings", tried.len())
            },
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
    writeln!(out, "{}\n", replay(best, arguments, names))?;
    print_firmware(best, names.len(), &mut out)
}

pub fn print_firmware(plan: &Plan, channels: usize, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "In firmware, where the first program of the README has `let mut monitor = MONITOR.clone();`:\n"
    )?;
    writeln!(out, "{}", snippet(plan, channels))?;
    writeln!(out, "In firmware in C:\n\n{}", c_snippet(plan, channels))
}

fn replay(plan: &Plan, arguments: &Arguments, names: &[String]) -> String {
    let file = quoted(&arguments.file.display().to_string());
    let mut words = vec![format!("eigenstream replay {file}")];
    // --columns cannot name a column twice; without it, replay finds the same columns.
    let are_named = |(place, name): (usize, &String)| !names[..place].contains(name);
    if !arguments.columns.is_empty() || names.iter().enumerate().all(are_named) {
        words.push(format!("--columns {}", quoted(&names::listed(names, ","))));
    }
    words.extend(plan.options());
    words.join(" ")
}

/// In quotes if a shell would change the word.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "_-.,/:+%@=\\".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else if word.contains(['"', '$', '`', '!']) {
        format!("'{}'", word.replace('\'', "'\\''"))
    } else {
        format!("\"{word}\"")
    }
}
