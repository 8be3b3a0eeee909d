//! `evaluate`: quality of the monitor on recordings with known faults.
//! In: recordings that are not part of this repository. Out: a summary, or with `--json` a row for each model and file,
//! or for each set.
//! The monitor never gets a label.

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

/// Measures the monitor on recordings with known faults.
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
    /// Each file has its own monitor, which trains on the first 400 rows and judges the rest. The results are F1, false
    /// alarm rate (FAR) and missed alarm rate (MAR) over the rows of all files, and AUC as the mean over files. Two
    /// defaults differ from those in the options: without `--model` the default monitor is evaluated first, then each
    /// other model; without `--training` 400 rows train.
    #[command(after_help = "Example: cargo harness evaluate skab path/to/skab --json")]
    Skab {
        /// Folder with CSV files that have a column `anomaly`; its subfolders are read too.
        directory: PathBuf,
        #[command(flatten)]
        options: Options,
        /// Also evaluate the settings that `tune` proposes for each file from its training rows, and compare both for
        /// each file.
        #[arg(long)]
        tuned: bool,
        /// Write the results over all files to tests/data/evaluate.json, and from them the table in
        /// src/guide/tuning.md.
        #[arg(long)]
        save: bool,
        /// Print only a JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Changes of activity in a recording of a wearable sensor.
    ///
    /// The monitor learns all the time, so a new movement is unusual only at its beginning. The first 200 rows train. A
    /// switch is noticed if an alarm begins at most 50 rows after it; other alarms are false.
    #[command(after_help = "Example: cargo harness evaluate imu path/to/basicmotions.csv --rate 10")]
    Imu {
        /// A CSV file with a column `activity` or `switch`.
        file: PathBuf,
        /// Rows per second, for false alarms per minute; without it, the column `t_s` gives the time if there is one.
        #[arg(long, value_name = "HZ")]
        rate: Option<f64>,
        /// The score: the loss, the loss relative to the sample, the place in the subspace, or loss and place.
        #[arg(long, value_enum, default_value = "loss")]
        score: ScoreName,
        /// Print only a JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Sets of recordings with labels, with the default monitor or a textbook detector.
    ///
    /// DIR has a file sets.json, a list of {file, set, training_rows, rows, channels}. Each file is CSV, compressed with
    /// gzip or not, with a header, a column for each channel, and the label `anomaly` (0 or 1) last. The first
    /// training_rows rows train `MonitorSettings::DEFAULT.with_training(training_rows)`; the rows after them are judged.
    /// The columns of the table:
    ///
    /// auc: area under the ROC curve of the score, mean over the streams.
    /// f1, far, mar: F1, the part of the normal rows in alarm, and the part of the faulty rows without alarm, of all
    /// streams together.
    /// events, events_hit: runs of faulty rows, and runs of faulty rows with an alarm in them.
    /// false_episodes_per_1000: runs of alarm rows without a faulty row, for every 1,000 normal rows.
    /// fault_free_far: a monitor trained on the first third of the training rows judges the other two thirds; the part
    /// in alarm, mean over the streams. fault_free_far_worst: that part for the worst stream.
    /// The last row, `mean`, is the mean of every column over the sets.
    #[command(
        verbatim_doc_comment,
        after_help = "Example: cargo harness evaluate labelled path/to/labelled --skab path/to/skab"
    )]
    Labelled {
        /// Folder with sets.json and the recordings.
        directory: PathBuf,
        /// SKAB's folder, as another set: 400 rows of each file train; anomaly_free.csv.gz is the recording without
        /// faults.
        #[arg(long, value_name = "DIR")]
        skab: Option<PathBuf>,
        /// The default monitor, or a textbook detector under the same rules.
        #[arg(long, value_enum, default_value = "monitor")]
        detector: peers::Detector,
        /// Print only a JSON array.
        #[arg(long)]
        json: bool,
    },
}

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
