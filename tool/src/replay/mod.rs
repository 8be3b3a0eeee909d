//! `replay`: runs the monitor of the chip over a recording. Out: a picture, a report as a web page, the health of the
//! monitor; on request the scores of every row and the image of the monitor. Memory does not grow with the recording.

mod alarms;
mod batch;
mod bins;
#[cfg_attr(not(feature = "parquet"), path = "no_columns.rs")]
mod columns;
mod health;
pub mod kept;
mod picture;
mod report;
mod scores;
mod speed;
mod steps;
#[cfg(test)]
mod tests;
mod words;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::inspect;
use crate::plot::files;
use crate::progress::Progress;
use crate::recording::{Clock, Complaints, Recording, Strictness, names, time};
use crate::tune::print_firmware;
use crate::watching::{ModelName, Options, Plan};
use crate::{Verdict, counted};
use alarms::{Alarm, Alarms};
use batch::{Batch, Replay};
use eigenstream::monitor::{Phase, State};
use eigenstream_sizes::AnyMonitor;
use picture::Picture;
use report::Report;
use scores::Scores;
use speed::Speed;
use steps::Steps;

/// Watches a recording with the code that runs on the chip, and draws the scores and alarms.
///
/// Without options the monitor is the default monitor, which starts to watch after 2,048 rows. At the end the verb prints the
/// state of the machine and how far the monitor can be trusted: channels that never moved, have stopped or are coarse, and the
/// number of rows in alarm. With `--model tracking` it also prints the total loss of the learner, the bound on this loss, and
/// the excess that the learner has counted.
///
/// A CSV file has a header line and cells between commas, semicolons, tabs or blanks. Lines before the header and a row of units
/// are skipped. The file may be compressed with gzip. An empty cell is a gap: the monitor fills it with the value that it
/// expects. Text in a cell is reported with its line, and is a gap too. A column of times becomes the axis of the picture, and
/// a gap in time interrupts the monitor. Date and time of day may be in two neighbouring columns. A time with an offset, such as
/// +02:00, is shown in UTC. In 03/05/2024 the day is first. The month is first if the times have AM or PM, or if the
/// second number is above 12 in one of the first rows. If no row was watched, the exit code is 2.
#[derive(clap::Args)]
#[command(
    after_help = "Examples: eigenstream replay machine.csv; eigenstream replay machine.csv --columns current,pressure,flow --image monitor.eigs"
)]
pub struct Arguments {
    /// The recording: a CSV file, or a Parquet file if the tool was built with the feature `parquet`. `-` is standard input, for
    /// CSV only.
    file: PathBuf,
    /// The columns to watch, in the order of the channels; default: those of --start-from, otherwise all columns of numbers that
    /// change. A name with a comma is in quotes: '"flow, l/min",pressure'.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    columns: Vec<String>,
    #[command(flatten)]
    options: Options,
    /// A cell that is neither a number nor a gap (empty, NaN, n/a, -) is an error, and so is a damaged line.
    #[arg(long)]
    strict: bool,
    /// Folder for picture and report; it is created if it does not exist.
    #[arg(long, value_name = "DIR", default_value = "eigenstream-replay")]
    out: PathBuf,
    /// Writes the score of every row to this file, as CSV, or as Parquet if its name ends with .parquet, which needs the feature
    /// `parquet`.
    #[arg(long, value_name = "FILE")]
    scores: Option<PathBuf>,
    /// Writes the trained monitor to this file: the image that the chip restores. This monitor fills in missing values (NaN).
    #[arg(long, value_name = "FILE")]
    image: Option<PathBuf>,
    /// Starts from the monitor in this image, with its settings; the options of a new monitor are refused.
    #[arg(long, value_name = "FILE")]
    start_from: Option<PathBuf>,
    /// Prints the monitor as lines of Rust and of C for firmware. It fills gaps if the recording has some, and refuses them
    /// otherwise. Refused with --start-from.
    #[arg(long, conflicts_with = "start_from")]
    firmware: bool,
    /// Prints how many rows were watched in a second, compared with only reading the numbers of the file. Standard input can be
    /// read only once, so there is no comparison for `-`.
    #[arg(long)]
    speed: bool,
}

/// The counts of a replay.
#[derive(Default)]
struct Summary {
    rows: u64,
    refused: u64,
    /// Rows in alarm.
    alarmed: u64,
    alarms: Alarms,
    watched: u64,
    /// Before the monitor watches, only these rows are learned.
    whole: u64,
    /// Number of gaps in time.
    interruptions: u64,
    state: Option<State>,
    left_out: Option<String>,
}

/// The number of alarms that are printed.
const LISTED: usize = 5;

const UNTRAINED: &str =
    "nothing was watched: the monitor of --start-from is still in training, or it could use no row; give it more rows";

/// Runs the verb `replay`.
pub fn run(arguments: &Arguments) -> Result<Verdict> {
    let trained = arguments.start_from.as_deref();
    if let (Some(image), Some(option)) = (trained, arguments.options.first()) {
        bail!(
            "{option} is for a new monitor, and the monitor in {} keeps its settings: leave out {option} or --start-from",
            image.display()
        );
    }
    let mut speed = match arguments.speed {
        true => Some(Speed::begin(&arguments.file)?),
        false => None,
    };
    let size = fs::metadata(&arguments.file).map_or(0, |file| file.len());
    let progress = Progress::begin_reading(size);
    progress.doing(&format!("watching {}", arguments.file.display()));
    let mut recording = Recording::open(&arguments.file, &progress)?;
    let (named, (columns, names)) = match (&names::typed(&arguments.columns)[..], trained.and_then(kept::names)) {
        ([], Some(names)) => (names.clone(), kept::columns(&recording, &names)?),
        (names, _) => (names.to_vec(), recording.watched(names)?),
    };
    let plan = arguments.options.plan()?;
    if let Some(image) = &arguments.image {
        scores::spare(&arguments.file, image, "monitor", "--image")?;
        if arguments.scores.as_ref() == Some(image) {
            bail!(
                "--scores and --image name one file, {}: name two files",
                image.display()
            );
        }
    }
    let (monitor, words) = begin(&plan, trained, &names)?;
    if let Some(speed) = &mut speed {
        speed.restart();
    }
    let mut complaints = Complaints::new(Strictness::of_option(arguments.strict));
    let scores = match &arguments.scores {
        Some(path) => Some(Scores::create(path, &arguments.file, &names)?),
        None => None,
    };
    let clock = recording.clock().filter(|(place, _)| !columns.contains(place));
    let mut replay = Replay {
        monitor,
        summary: Summary {
            left_out: recording.left_out(&named),
            ..Summary::default()
        },
        picture: Picture::new(&names, clock.map(|(_, clock)| clock)),
        scores,
    };
    let (mut batch, mut steps) = (Batch::new(columns.len()), Steps::default());
    let path = recording.path().to_path_buf();
    while let Some(row) = recording.next_row(&mut complaints)? {
        let seconds = clock.and_then(|clock| row.time(clock));
        if steps.breaks_at(seconds) {
            replay.observe(&mut batch)?;
            replay.interrupt();
        }
        let sample = batch.row(row.line, seconds);
        row.channels(&columns, &names, &path, sample, &mut complaints)?;
        if batch.is_full() {
            replay.observe(&mut batch)?;
        }
    }
    replay.observe(&mut batch)?;
    let Replay {
        monitor,
        summary,
        picture,
        scores,
    } = replay;
    drop(progress);
    for line in complaints.lines() {
        eprintln!("{line}");
    }
    if summary.rows == 0 && complaints.count() > 0 {
        bail!(
            "every row of {} was left out: there is nothing to watch",
            path.display()
        );
    }
    if summary.rows == 0 {
        bail!("{} has a header and no rows: there is nothing to watch", path.display());
    }
    if let Some(scores) = scores {
        scores.finish()?;
    }
    let clock = clock.map(|(_, clock)| clock);
    // If all channels stand still, the warm-up ends in a standstill.
    let is_settled =
        !matches!(monitor.phase(), Phase::Warmup { .. }) || monitor.level().1.iter().any(|&spread| spread > 0.0);
    // The settings of --start-from are in the image, not in the plan.
    let expected_rate = inspect::expected_rate(&monitor.encode());
    let health = health::lines(&monitor.health(), is_settled, summary.watched, &names, expected_rate);
    let training = trained.is_none().then(|| plan.unwatched());
    summary.print(&words, training, complaints.count(), &names, clock)?;
    summary.print_end(&health)?;
    if let Some(certificate) = monitor.certificate() {
        writeln!(io::stdout(), "{}", health::certificate(&certificate))?;
    }
    files::write_picture(&picture.chart(&path, &words), &arguments.out, "replay")?;
    let report = Report {
        title: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        words: &words,
        picture: &picture,
        alarms: &summary.alarms,
        health: &health,
        clock,
    };
    report.write(&arguments.out)?;
    let folder = arguments.out.display();
    writeln!(io::stdout(), "wrote replay.svg, replay.png and replay.html to {folder}")?;
    if let Some(image) = &arguments.image {
        kept::write(&*monitor, image, &names)?;
        let untrained = match summary.watched {
            0 => "; it is not trained yet",
            _ => "",
        };
        writeln!(io::stdout(), "wrote the monitor to {}{untrained}", image.display())?;
    }
    if arguments.firmware {
        let gaps = summary.whole < summary.rows;
        print_firmware(&Plan { gaps, ..plan }, names.len(), &mut io::stdout().lock())?;
    }
    drop(monitor);
    if let Some(speed) = speed {
        speed.print(summary.rows)?;
    }
    Ok(summary.verdict())
}

/// The monitor, and its configuration in words.
fn begin(plan: &Plan, trained: Option<&Path>, names: &[String]) -> Result<(Box<dyn AnyMonitor>, String)> {
    match trained {
        Some(path) => {
            let monitor = kept::read(path)?;
            kept::check(&*monitor, path, names)?;
            Ok((monitor, format!("the monitor in {}", path.display())))
        }
        None => {
            let words = format!("{}: {}", ModelName(plan.model).word(), plan.describe());
            Ok((plan.monitor(names.len())?, words))
        }
    }
}

impl Summary {
    /// `Nothing` if no row was watched.
    const fn verdict(&self) -> Verdict {
        if self.watched == 0 {
            Verdict::Nothing
        } else {
            Verdict::Holds
        }
    }

    fn too_few(&self, training: u32) -> String {
        let usable = self.whole.min(self.rows.saturating_sub(self.refused));
        if self.rows < u64::from(training) {
            format!(
                "nothing was watched: it watches after {training} rows, and there are {}; ask for fewer with --training",
                self.rows
            )
        } else if self.whole >= u64::from(training) && usable < u64::from(training) {
            format!(
                "nothing was watched: it watches after {training} rows, and it could use only {usable} of them: the numbers of the others are too large"
            )
        } else if usable >= u64::from(training) {
            format!(
                "nothing was watched: {training} rows of training were not enough, and there are {}; no channel moved, wild rows were held back, or the scores still rose",
                self.rows
            )
        } else {
            format!(
                "nothing was watched: it learns only rows without a gap, and these are {} of {} rows; name columns with fewer gaps, or ask for fewer rows with --training",
                self.whole, self.rows
            )
        }
    }

    fn print(
        &self,
        words: &str,
        training: Option<u32>,
        complaints: u64,
        names: &[String],
        clock: Option<Clock>,
    ) -> io::Result<()> {
        let mut out = io::stdout().lock();
        writeln!(out, "{words}")?;
        writeln!(out, "channels: {}", names::listed(names, ", "))?;
        if let Some(left_out) = &self.left_out {
            writeln!(out, "{left_out}")?;
        }
        write!(out, "{}, {} watched", counted(self.rows, "row"), self.watched)?;
        for (count, one, many) in [
            (complaints, "bad cell or line", "bad cells or lines"),
            (
                self.refused,
                "row without a usable value",
                "rows without a usable value",
            ),
            (self.interruptions, "gap in time", "gaps in time"),
        ] {
            match count {
                0 => {}
                1 => write!(out, ", 1 {one}")?,
                _ => write!(out, ", {count} {many}")?,
            }
        }
        writeln!(out)?;
        if self.watched == 0 {
            let why = training.map_or_else(|| UNTRAINED.into(), |training| self.too_few(training));
            writeln!(out, "{why}")?;
        }
        let (alarms, rows) = (counted(self.alarms.count, "alarm"), counted(self.alarmed, "row"));
        writeln!(out, "{alarms}, {rows} with one")?;
        for alarm in self.alarms.list.iter().take(LISTED) {
            let when = match (alarm.seconds, clock) {
                (Some(seconds), Some(clock)) => format!(", at {}", time::stamp(seconds, clock)),
                _ => String::new(),
            };
            let Alarm { line, rows, guilty, .. } = alarm;
            let rows = counted(*rows, "row");
            writeln!(out, "  line {line}{when}, {rows}, mostly {}", names[*guilty])?;
        }
        let more = self.alarms.count.saturating_sub(LISTED as u64);
        if more > 0 {
            writeln!(out, "  and {more} more")?;
        }
        Ok(())
    }

    fn print_end(&self, health: &[String]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if let Some(state) = self.state {
            writeln!(out, "state in the last row: {}", words::state_word(state))?;
        }
        health.iter().try_for_each(|line| writeln!(out, "{line}"))
    }
}
