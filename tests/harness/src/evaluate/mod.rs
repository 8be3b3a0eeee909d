//! `evaluate`: what the monitor is worth on recordings whose faults are known.
//! In: recordings that are not part of this repository. Out: a short summary, or with `--json` one row for each model and file.
//! Labels are looked at after everything is decided: none reaches the monitor.

mod imu;
mod labelled;
mod metrics;
mod peers;
mod report;
mod sets;
#[cfg(test)]
mod sets_tests;
mod skab;
mod streams;

pub(crate) use report::committed;

use std::path::PathBuf;

use anyhow::Result;

use crate::Verdict;
use crate::bench;
use crate::watching::{Options, ScoreName};

/// Measures the monitor on recordings whose faults are known.
#[derive(clap::Args)]
#[command(after_help = "Example: cargo harness evaluate skab path/to/skab --json")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    benchmark: Benchmark,
}

#[derive(clap::Subcommand)]
enum Benchmark {
    /// The Skoltech Anomaly Benchmark: a water circuit with valves that close and other faults.
    ///
    /// One monitor for each file; the first 400 rows train, the rest is judged. F1, false alarm rate (FAR) and missed alarm rate
    /// (MAR) over the rows of all files, AUC as the mean over files. Two defaults differ from those that the options name: without
    /// `--model` the default monitor is evaluated first, then each other model; without `--training` 400 rows train.
    #[command(after_help = "Example: cargo harness evaluate skab path/to/skab --json")]
    Skab {
        /// Folder with CSV files that have a column `anomaly`; folders in it are read too.
        directory: PathBuf,
        #[command(flatten)]
        options: Options,
        /// Beside it what `tune` proposes for each file from its training rows alone, and how both compare file by file.
        #[arg(long)]
        tuned: bool,
        /// Commit the pooled numbers to tests/data/evaluate.json, and write the README's table from them.
        #[arg(long)]
        save: bool,
        /// Print one JSON array and nothing else.
        #[arg(long)]
        json: bool,
    },
    /// Switches of activity in a recording of a wearable.
    ///
    /// The monitor learns all the time; a switch shows while the new movement is still foreign. The first 200 rows train. A
    /// switch is noticed if an alarm begins not later than 50 rows after it; alarms that begin elsewhere are false.
    #[command(after_help = "Example: cargo harness evaluate imu path/to/basicmotions.csv --rate 10")]
    Imu {
        /// A CSV file with a column `activity` or `switch`.
        file: PathBuf,
        /// Rows a second, for false alarms a minute; taken from a column `t_s` if there is one.
        #[arg(long, value_name = "HZ")]
        rate: Option<f64>,
        /// What is unusual: the loss, the loss relative to the sample, the place in the subspace, or loss and place.
        #[arg(long, value_enum, default_value = "loss")]
        score: ScoreName,
        /// Print one JSON array and nothing else.
        #[arg(long)]
        json: bool,
    },
    /// Sets of recordings with labels: the default monitor, as it is, on each of them.
    ///
    /// DIR has a file sets.json, a list of {file, set, training_rows, rows, channels}. Each file is CSV, packed with gzip or not,
    /// with a header, a column for each channel, and the label `anomaly` (0 or 1) last. The first training_rows rows train
    /// `MonitorSettings::DEFAULT.with_training(training_rows)`; the rows after them are judged. The columns of the table:
    ///
    /// auc: mean over the streams of the area under the ROC curve of the score.
    /// f1, far, mar: F1, the part of the normal rows in alarm, and the part of the faulty rows without alarm, of all streams together.
    /// events, events_hit: runs of faulty rows, and those with an alarm row inside.
    /// false_episodes_per_1000: runs of alarm rows without a faulty row, for every 1,000 judged rows that are normal.
    /// fault_free_far: the first third of the training rows trains, and the rest of them is judged: the part in alarm, mean over the
    /// streams; fault_free_far_worst is that of the worst stream.
    /// The last row, `mean`, is the plain mean of every column over the sets.
    #[command(
        verbatim_doc_comment,
        after_help = "Example: cargo harness evaluate labelled path/to/labelled --skab path/to/skab"
    )]
    Labelled {
        /// Folder with sets.json and the recordings.
        directory: PathBuf,
        /// SKAB's folder, as one more set: 400 rows of each file train, and anomaly_free.csv.gz is what has no fault.
        #[arg(long, value_name = "DIR")]
        skab: Option<PathBuf>,
        /// The default monitor, or one of the textbooks under equal rules.
        #[arg(long, value_enum, default_value = "monitor")]
        detector: peers::Detector,
        /// Print one JSON array and nothing else.
        #[arg(long)]
        json: bool,
    },
}

/// The verb.
pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    match &arguments.benchmark {
        Benchmark::Skab {
            directory,
            options,
            tuned,
            save,
            json,
        } => {
            let rows = skab::run(directory, options, *tuned, *json)?;
            if *save {
                report::save(&rows)?;
                bench::write_readme()?;
            }
            Ok(Verdict::Holds)
        }
        Benchmark::Imu {
            file,
            rate,
            score,
            json,
        } => imu::run(file, *rate, score.0, *json),
        Benchmark::Labelled {
            directory,
            skab,
            detector,
            json,
        } => sets::run(directory, skab.as_deref(), *detector, *json),
    }
}
