//! `tune`: proposes settings for a recording.
//! In: a CSV file, the columns that are sensors, and how many of its first rows are known to be normal. Out: the settings that
//! were tried, the best first, and the firmware of the best to paste.

mod faults;
mod search;
mod snippet;

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;

use crate::Verdict;
use crate::progress::Progress;
use crate::recording::{Complaints, Recording, Strictness};
use crate::watching::{Model, ModelName, Plan, Preset};
use search::{Proposal, is_tunable};
pub(crate) use search::{most, propose};

/// Proposes settings for a recording, without labels.
///
/// Trains on part of the first rows, which have to be normal, lets the level of one channel after the other go wrong in the rest,
/// and keeps the settings that tell sound rows from faulty ones best. It starts from the defaults of the crate and from the preset
/// for slow processes, and proposes something else only where it is clearly better. What a fault of your machine looks like it
/// cannot know: try the proposal with `replay` on recordings with faults if you have some. The file is read as by `replay`.
#[derive(clap::Args)]
#[command(after_help = "Example: cargo harness tune machine.csv --columns current,pressure,flow --rows 2000")]
pub(crate) struct Arguments {
    /// The recording.
    file: PathBuf,
    /// The columns to watch, in the order of the channels.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    columns: Vec<String>,
    /// So many of the first rows are normal, and are what the settings are tried on; the schedule takes as many.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    rows: usize,
    /// What learns.
    #[arg(long, default_value = "tracking")]
    model: ModelName,
    /// Start from this alone.
    #[arg(long)]
    preset: Option<Preset>,
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
    let bases = bases(arguments.preset, arguments.model.0, count);
    let progress = Progress::begin(most(bases.len(), channels));
    progress.doing(&format!(
        "trying settings on {count} rows of {}",
        arguments.file.display()
    ));
    let proposal = propose(&[&rows], &bases, || progress.done())?;
    drop(progress);
    print(&proposal, arguments, count)?;
    Ok(Verdict::Holds)
}

/// Where a search starts: at a preset, or without one at the defaults of the crate and at the preset for slow processes. The
/// schedule takes all the rows.
pub(crate) fn bases(preset: Option<Preset>, model: Model, rows: usize) -> Vec<Plan> {
    let presets = preset.map_or(vec![Preset::Default, Preset::Slow], |preset| vec![preset]);
    let plans = presets.into_iter().map(Plan::of);
    plans.map(|plan| Plan { model, ..plan }.trained_in(rows)).collect()
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
    let Proposal { tried, base, best } = proposal;
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{} settings tried on {rows} rows, faults in the last {}; AUC: how surely a faulty row scores above a sound one",
        tried.len(),
        rows - rows * 3 / 5,
    )?;
    writeln!(out, "  AUC    found  false  settings")?;
    let shown = tried.iter().take(SHOWN);
    let others = tried.iter().skip(SHOWN);
    let others = others.filter(|trial| trial.plan == base.plan || trial.plan == best.plan);
    for trial in shown.chain(others) {
        let mark = match (trial.plan == best.plan, trial.plan == base.plan) {
            (true, _) => "*",
            (false, true) => "-",
            _ => " ",
        };
        writeln!(
            out,
            "{mark} {:.3}  {:4.0} %  {:3.0} %  {}",
            trial.worth(),
            100.0 * trial.found,
            100.0 * trial.false_alarms,
            trial.plan.describe()
        )?;
    }
    let verdict = if best.plan != base.plan {
        "* proposed, - what it started from. Most of the others differ by chance only: the first step that is clear is taken."
    } else if !is_tunable(&best.plan) {
        "* the preset as it is: a monitor that always learns takes a lasting fault for normal, so no fault tells its settings apart."
    } else if best.is_too_short() {
        "* what it started from: these rows are too few to say what is better. Record 250 or more, and say so with --rows."
    } else {
        "* what it started from: nothing is clearly better."
    };
    writeln!(out, "{verdict}\n\nTo see what it finds in a recording:\n")?;
    writeln!(out, "{}\n", replay(&best.plan, arguments))?;
    writeln!(
        out,
        "In firmware, where the first program of the README has `let mut monitor = MONITOR.clone();`:\n"
    )?;
    writeln!(out, "{}", snippet::snippet(&best.plan, arguments.columns.len()))
}

/// What to type to watch the recording by a plan.
fn replay(plan: &Plan, arguments: &Arguments) -> String {
    let quoted = |word: String| match word.contains(' ') {
        true => format!("\"{word}\""),
        false => word,
    };
    let file = quoted(arguments.file.display().to_string());
    let columns = quoted(arguments.columns.join(","));
    format!(
        "cargo harness replay {file} --columns {columns} {}",
        plan.options().join(" ")
    )
}
