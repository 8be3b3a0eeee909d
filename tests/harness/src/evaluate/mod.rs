//! `evaluate`: what the monitor is worth on recordings whose faults are known.
//! In: recordings that are not part of this repository. Out: a short summary, or with `--json` one row for each model and file.
//! Labels are looked at after everything is decided: none reaches the monitor.

mod imu;
mod labelled;
mod metrics;
mod report;
mod skab;

pub(crate) use metrics::area_under_curve;
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
    /// One monitor for each file; the first 400 rows train (scale, subspace, threshold), the rest is judged. F1, false alarm rate
    /// (FAR) and missed alarm rate (MAR) over the rows of all files, AUC as the mean over files. One configuration for all: the
    /// preset `slow`, unless options say otherwise.
    #[command(after_help = "Example: cargo harness evaluate skab path/to/skab --json")]
    Skab {
        /// Folder with CSV files that have a column `anomaly`; folders in it are read too.
        directory: PathBuf,
        #[command(flatten)]
        options: Options,
        /// Beside it what `tune` proposes from the training rows alone: one configuration for all files, and one for each.
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
        /// Beside it what `tune` proposes from the training rows alone.
        #[arg(long)]
        tuned: bool,
        /// Print one JSON array and nothing else.
        #[arg(long)]
        json: bool,
    },
}

/// Which settings are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Settings {
    /// One plan for all recordings.
    Given,
    /// Beside it, for each recording, what `tune` proposes from its training rows.
    Tuned,
}

impl Settings {
    fn of(tuned: bool) -> Self {
        if tuned { Self::Tuned } else { Self::Given }
    }
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
            let rows = skab::run(directory, options, Settings::of(*tuned), *json)?;
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
            tuned,
            json,
        } => imu::run(file, *rate, score.0, Settings::of(*tuned), *json),
    }
}
