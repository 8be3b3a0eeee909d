//! How a recording is watched: the options of `replay`, and the monitor that they define.

mod built;
mod choice;
mod monitor;
mod plan;
mod sizes;
#[cfg(test)]
mod tests;

pub use choice::{LearningName, ModelName, ScoreName};
pub use monitor::{Model, Size};
pub use plan::{Limit, Plan, USUAL_RATE};
pub use sizes::kernel_numbers;
pub(crate) use sizes::{HEBBIAN, LARGEST, SPARE, WINDOW, learner_type, refusal};

use anyhow::{Result, anyhow, bail};
use eigenstream::SampleError;
use eigenstream::monitor::{MonitorSettings, NewLevel, Schedule};
use eigenstream_sizes::{AnyMonitor, PlainVerdict, Refusal};

/// The options of a monitor.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Options {
    /// The learner; default mahalanobis, the learner of the default monitor.
    #[arg(long)]
    pub model: Option<ModelName>,
    /// Directions that a model other than mahalanobis keeps, fewer than channels; default 2. The tool contains 1, 2 and 4, and
    /// more numbers for tracking with few channels; it builds other sizes with cargo.
    #[arg(long, value_name = "N")]
    keep: Option<usize>,
    /// Consecutive samples that a model other than mahalanobis gets as one sample; default 1. The tool contains 4 for up to 6
    /// channels, and builds other sizes with cargo.
    #[arg(long, value_name = "N")]
    lags: Option<usize>,
    /// Learning rate of a model other than mahalanobis, relative to the energy of the samples; default 1; 0.3 for kernel.
    #[arg(long, value_name = "X")]
    rate: Option<f32>,
    /// Rows before the monitor watches: 15 % settle the scale, 55 % are learned, 30 % set the threshold; 27 or more,
    /// default 2,048.
    #[arg(long, value_name = "ROWS")]
    pub training: Option<u32>,
    /// Rows over which the level of a channel follows the data; default a tenth of the training, at least 300.
    #[arg(long, value_name = "ROWS")]
    level_memory: Option<u32>,
    /// Memory in rows of the exponential mean of each channel; 1 means no smoothing; default 3.
    #[arg(long, value_name = "ROWS")]
    input_smoothing: Option<u32>,
    /// Memory in rows of the exponential mean of the score; 1 means no smoothing; default 5.
    #[arg(long, value_name = "ROWS")]
    smoothing: Option<u32>,
    /// The score: loss (the model's own), relative (loss divided by the energy of the sample), leverage (place in the subspace),
    /// or combined (loss and leverage); default loss; combined for tracking, centered and hebbian.
    #[arg(long)]
    score: Option<ScoreName>,
    /// The threshold that this part of the normal rows would exceed; default 1e-7.
    #[arg(long, value_name = "RATE", group = "limit")]
    false_alarms: Option<f32>,
    /// The threshold is this quantile of the calibration scores.
    #[arg(long, value_name = "Q", group = "limit")]
    quantile: Option<f32>,
    /// The threshold is this score; there is no calibration, so the monitor watches after the first 70 % of the training.
    #[arg(long, value_name = "SCORE", group = "limit", conflicts_with = "factor")]
    threshold: Option<f32>,
    /// A factor on the threshold of --false-alarms or --quantile; default 1.
    #[arg(long, value_name = "X")]
    factor: Option<f32>,
    /// Rows after an alarm in which no new alarm can begin; default 0.
    #[arg(long, value_name = "ROWS")]
    hold_off: Option<u32>,
    /// The learning after the training; default while-normal.
    #[arg(long)]
    learning: Option<LearningName>,
    /// The reaction to an alarm that lasts ROWS rows at a steady level: accept:ROWS, ask:ROWS or never; default
    /// accept:2000.
    #[arg(long, value_name = "WHAT", value_parser = choice::new_level)]
    new_level: Option<NewLevel>,
}

impl Options {
    pub fn plan(&self) -> Result<Plan> {
        self.plan_of(self.model.map_or(Plan::DEFAULT.model, |name| name.0))
    }

    pub fn first(&self) -> Option<&'static str> {
        let Self {
            model,
            keep,
            lags,
            rate,
            training,
            level_memory,
            input_smoothing,
            smoothing,
            score,
            false_alarms,
            quantile,
            threshold,
            factor,
            hold_off,
            learning,
            new_level,
        } = self;
        let given = [
            ("--model", model.is_some()),
            ("--keep", keep.is_some()),
            ("--lags", lags.is_some()),
            ("--rate", rate.is_some()),
            ("--training", training.is_some()),
            ("--level-memory", level_memory.is_some()),
            ("--input-smoothing", input_smoothing.is_some()),
            ("--smoothing", smoothing.is_some()),
            ("--score", score.is_some()),
            ("--false-alarms", false_alarms.is_some()),
            ("--quantile", quantile.is_some()),
            ("--threshold", threshold.is_some()),
            ("--factor", factor.is_some()),
            ("--hold-off", hold_off.is_some()),
            ("--learning", learning.is_some()),
            ("--new-level", new_level.is_some()),
        ];
        given.iter().find(|(_, is_given)| *is_given).map(|(option, _)| *option)
    }

    pub fn plan_of(&self, model: Model) -> Result<Plan> {
        for (option, is_given) in [
            ("--keep", self.keep.is_some()),
            ("--lags", self.lags.is_some()),
            ("--rate", self.rate.is_some()),
        ] {
            if is_given && !model.keeps_directions() {
                bail!("{option} is for models that keep directions: name one with --model, tracking for one");
            }
        }
        if let Some(rows) = self.training
            && Schedule::training(rows).total() != rows
        {
            let [least, most] = [0, u32::MAX].map(|rows| Schedule::training(rows).total());
            bail!("--training {rows} is not possible: ask for {least} to {most} rows");
        }
        let start = Plan::of(model);
        let limits = [
            self.false_alarms.map(Limit::FalseAlarms),
            self.quantile.map(Limit::Quantile),
            self.threshold.map(Limit::Fixed),
        ];
        Ok(Plan {
            model,
            keep: self.keep.unwrap_or(start.keep),
            lags: self.lags.unwrap_or(start.lags),
            rate: self.rate.unwrap_or(start.rate),
            training: self.training.unwrap_or(start.training),
            level_memory: self.level_memory.or(start.level_memory),
            input_smoothing: self.input_smoothing.unwrap_or(start.input_smoothing),
            smoothing: self.smoothing.unwrap_or(start.smoothing),
            score: self.score.map_or(start.score, |name| name.0),
            limit: limits.into_iter().flatten().next().unwrap_or(start.limit),
            factor: self.factor.unwrap_or(start.factor),
            hold_off: self.hold_off.unwrap_or(start.hold_off),
            learning: self.learning.map_or(start.learning, |name| name.0),
            new_level: self.new_level.unwrap_or(start.new_level),
            gaps: start.gaps,
        })
    }
}

/// A monitor of this size, from the table or built with cargo.
///
/// The error is a sentence that says why the size is impossible.
pub fn monitor(size: Size, settings: MonitorSettings<f32>) -> Result<Box<dyn AnyMonitor>> {
    if let Some(monitor) = sizes::build(size, settings) {
        return Ok(monitor);
    }
    match sizes::refusal(size) {
        Some(sentence) => bail!(sentence),
        None => built::monitor(size, settings),
    }
}

/// Rows that a monitor observes in one call.
pub const BATCH: usize = 256;

pub fn observe_rows(monitor: &mut dyn AnyMonitor, rows: &[Vec<f32>]) -> Vec<Result<PlainVerdict, SampleError>> {
    let (mut all, mut verdicts) = (Vec::with_capacity(rows.len()), Vec::new());
    let mut contributions = Vec::new();
    for batch in rows.chunks(BATCH) {
        let samples = batch.concat();
        contributions.resize(samples.len(), 0.0);
        monitor.observe_all(&samples, &mut contributions, &mut verdicts);
        all.append(&mut verdicts);
    }
    all
}

/// From the table, or built with cargo.
pub fn monitor_of_image(image: &[u8]) -> Result<Box<dyn AnyMonitor>> {
    match eigenstream_sizes::monitor_of_image(image) {
        Err(Refusal::Size) => built::monitor_of_image(image),
        known => known.map_err(|refusal| anyhow!("{refusal}")),
    }
}
