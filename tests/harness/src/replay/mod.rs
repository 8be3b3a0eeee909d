//! `replay`: the monitor of the chip over a recording.
//! In: a CSV file and the columns that are sensors. Out: `scores.csv`, a line for each row of the recording, a picture of
//! signal, score, threshold, alarms and contributions, and the health of the monitor at the end. Memory does not grow with the
//! recording.

mod bins;
mod health;
mod picture;
mod scores;
#[cfg(test)]
mod tests;

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::Verdict;
use crate::plot::files;
use crate::progress::Progress;
use crate::recording::{Complaints, Recording, Strictness};
use crate::watching::{ModelName, Options, Plan};
use eigenstream::monitor::State;
use eigenstream_sizes::Condition;
use picture::Picture;
use scores::Scores;

/// Watches a recording with the same code that runs on the chip, and writes scores and a picture.
///
/// Without options it is the default monitor, which watches after 2,048 rows. At the end it says how the machine stands and how
/// far the monitor can be trusted: channels that never moved, have stopped or are coarse, and how many rows were in alarm. With
/// `--model tracking` it also says what the learner has lost, the bound on that, and the excess that the learner has counted.
///
/// The file has a header line and cells between commas, semicolons or tabs; it may be packed with gzip. A cell that is empty is a
/// gap, which the monitor fills in as it expects it; text in a cell is reported with its line and then a gap too.
#[derive(clap::Args)]
#[command(
    after_help = "Example: cargo harness replay machine.csv --columns current,pressure,flow --out target/harness/machine"
)]
pub(crate) struct Arguments {
    /// The recording.
    file: PathBuf,
    /// The columns to watch, in the order of the channels.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    columns: Vec<String>,
    #[command(flatten)]
    options: Options,
    /// A cell that is no number is an error.
    #[arg(long)]
    strict: bool,
    /// Folder for the files; it is made if it is not there.
    #[arg(long, value_name = "DIR", default_value = "target/harness/replay")]
    out: PathBuf,
}

/// What happened, in numbers.
#[derive(Default)]
struct Summary {
    rows: u64,
    refused: u64,
    /// Rows in which there was an alarm.
    alarmed: u64,
    /// Rows in which one began, with the line and the guiltiest column; the first few.
    alarms: u64,
    first_alarms: Vec<(u64, String)>,
    watched: u64,
    /// Rows without a gap: before it watches, no others count.
    whole: u64,
    /// How the machine stands in the last row.
    state: Option<State>,
}

/// So many alarms are listed.
const LISTED: usize = 5;

/// The verb.
pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let size = fs::metadata(&arguments.file).map_or(0, |file| file.len());
    let progress = Progress::begin_reading(size);
    progress.doing(&format!("watching {}", arguments.file.display()));
    let mut recording = Recording::open(&arguments.file, &progress)?;
    let (columns, names) = recording.watched(&arguments.columns)?;
    let plan = arguments.options.plan()?;
    let mut monitor = plan.monitor(columns.len())?;
    let mut complaints = Complaints::new(Strictness::of_option(arguments.strict));
    let mut scores = Scores::create(&arguments.out, &arguments.file, &names)?;
    let mut picture = Picture::new(&names);
    let mut summary = Summary::default();
    let mut sample = vec![0.0; columns.len()];
    let mut contribution = vec![0.0; columns.len()];
    let mut was_alarm = false;
    let path = recording.path().to_path_buf();
    while let Some(row) = recording.next_row(&mut complaints)? {
        row.channels(&columns, &names, &path, &mut sample, &mut complaints)?;
        summary.rows += 1;
        summary.whole += u64::from(!sample.iter().any(|value| value.is_nan()));
        match monitor.observe(&sample, &mut contribution) {
            Err(_) => {
                // Nothing but gaps, or a number beyond all measure: the monitor has not seen it.
                summary.refused += 1;
                scores.refused(row.line)?;
                picture.refused(&sample);
            }
            Ok(sight) => {
                let begins = sight.alarm && !was_alarm;
                was_alarm = sight.alarm;
                summary.count(row.line, &names[sight.guilty], sight.alarm, begins);
                summary.watched += u64::from(sight.phase.is_watching());
                summary.state = Some(sight.state);
                scores.add(row.line, &sight, &contribution)?;
                picture.add(&sample, &sight, &contribution);
            }
        }
    }
    scores.finish()?;
    drop(progress);
    for line in complaints.lines() {
        eprintln!("{line}");
    }
    if summary.rows == 0 {
        bail!("{} has a header and no rows: there is nothing to watch", path.display());
    }
    let chart = picture.chart(&path, &plan);
    files::write_picture(&chart, &arguments.out, "replay")?;
    summary.print(&plan, complaints.count())?;
    print_end(&summary, &monitor.condition(), &names, &plan)?;
    if let Some(certificate) = monitor.certificate() {
        writeln!(io::stdout(), "{}", health::certificate(&certificate))?;
    }
    let folder = arguments.out.display();
    writeln!(io::stdout(), "wrote scores.csv, replay.svg and replay.png to {folder}")?;
    Ok(Verdict::Holds)
}

impl Summary {
    fn count(&mut self, line: u64, guilty: &str, alarm: bool, begins: bool) {
        self.alarmed += u64::from(alarm);
        if begins {
            self.alarms += 1;
            if self.first_alarms.len() < LISTED {
                self.first_alarms.push((line, guilty.to_owned()));
            }
        }
    }

    /// Why nothing was watched.
    fn too_few(&self, training: u32) -> String {
        if self.whole < self.rows {
            format!(
                "it watches after {training} rows without a gap, and there are {}: name columns with fewer gaps, or ask for fewer rows with --training",
                self.whole
            )
        } else {
            format!("it watches after {training} rows: ask for fewer with --training")
        }
    }

    fn print(&self, plan: &Plan, complaints: u64) -> io::Result<()> {
        let mut out = io::stdout().lock();
        writeln!(out, "{}: {}", ModelName(plan.model).word(), plan.describe())?;
        write!(out, "{} rows, {} watched", self.rows, self.watched)?;
        for (count, what) in [
            (complaints, "bad cells or lines"),
            (self.refused, "rows without a usable value"),
        ] {
            if count > 0 {
                write!(out, ", {count} {what}")?;
            }
        }
        writeln!(out)?;
        if self.watched == 0 {
            writeln!(out, "{}", self.too_few(plan.training))?;
        }
        writeln!(out, "{} alarms, {} rows with one", self.alarms, self.alarmed)?;
        for (line, guilty) in &self.first_alarms {
            writeln!(out, "  line {line}, mostly {guilty}")?;
        }
        let more = self.alarms.saturating_sub(self.first_alarms.len() as u64);
        if more > 0 {
            writeln!(out, "  and {more} more")?;
        }
        Ok(())
    }
}

/// How the machine stands in the end, and how far the monitor can be trusted.
fn print_end(summary: &Summary, condition: &Condition, names: &[String], plan: &Plan) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if let Some(state) = summary.state {
        writeln!(out, "state in the last row: {}", scores::state_word(state))?;
    }
    for line in health::lines(condition, names, plan.expected_rate()) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}
