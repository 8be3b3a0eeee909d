//! How a recording is watched: the options of `replay`, and what they make of a monitor.
//! In: a preset, changes to it, and how many channels there are. Out: a monitor of that size, and its configuration in words.

mod choice;
mod monitor;
mod sizes;

pub(crate) use choice::{LearningName, ModelName, Preset, ScalingName, ScoreName};
pub(crate) use monitor::{Model, Sight, Size, Watch};

use anyhow::{Result, anyhow};
use eigenstream::monitor::{Learning, Missing, MonitorSettings, Scaling, Schedule, Score, Threshold};

/// What can be chosen about a monitor.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// What learns; tracking, or where models are compared, each in turn.
    #[arg(long)]
    pub(crate) model: Option<ModelName>,
    /// Directions kept: 1, 2 or 4; fewer than channels.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) keep: usize,
    /// Samples that the learner sees side by side: 1, or 4 for up to 6 channels.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) lags: usize,
    /// Learning rate relative to the energy of the samples.
    #[arg(long, value_name = "X")]
    rate: Option<f32>,
    /// Where the other options start from: the defaults of the crate, or the configuration for slow processes, which is that of
    /// `evaluate skab`.
    #[arg(long)]
    pub(crate) preset: Option<Preset>,
    /// Rows to settle the scale, to learn, to calibrate.
    #[arg(long, value_name = "S,L,C", value_parser = three_counts)]
    schedule: Option<[u32; 3]>,
    /// How long the scale of the channels is learned.
    #[arg(long)]
    scaling: Option<ScalingName>,
    /// Memory in rows of the exponential mean of each channel, before anything else; 1 is none.
    #[arg(long, value_name = "ROWS")]
    input_smoothing: Option<u32>,
    /// Memory in rows of the exponential mean of the score; 1 is none.
    #[arg(long, value_name = "ROWS")]
    smoothing: Option<u32>,
    /// What is unusual: the loss, the loss relative to the sample, the place in the subspace, or loss and place.
    #[arg(long)]
    score: Option<ScoreName>,
    /// The threshold is a factor times this quantile of the calibration scores.
    #[arg(long, value_name = "Q")]
    quantile: Option<f32>,
    /// How many times the quantile.
    #[arg(long, value_name = "X")]
    factor: Option<f32>,
    /// What is learned after the calibration.
    #[arg(long)]
    learning: Option<LearningName>,
}

/// A configuration: a preset with everything changed that was asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Configuration {
    /// Learning rate, η, relative to the energy of the samples.
    rate: f32,
    /// Rows to settle, learn and calibrate.
    schedule: [u32; 3],
    scaling: Scaling,
    input_smoothing: u32,
    smoothing: u32,
    score: Score,
    quantile: f32,
    factor: f32,
    learning: Learning,
}

impl Configuration {
    /// `MonitorSettings::DEFAULT`.
    const DEFAULT: Self = Self {
        rate: 1.0,
        schedule: [64, 192, 256],
        scaling: Scaling::Fixed,
        input_smoothing: 1,
        smoothing: 8,
        score: Score::Loss,
        quantile: 0.99,
        factor: 2.0,
        learning: Learning::WhileNormal,
    };

    /// For processes in which levels matter and drift: what `evaluate skab` measures.
    const SLOW: Self = Self {
        // Neighbouring means have most samples in common: each says less, and should move the learner less.
        rate: 0.3,
        schedule: [200, 100, 100],
        scaling: Scaling::Settled,
        input_smoothing: 15,
        smoothing: 1,
        factor: 5.0,
        learning: Learning::Frozen,
        ..Self::DEFAULT
    };

    /// Rows until it watches.
    pub(crate) fn training(&self) -> usize {
        self.schedule.iter().map(|&rows| rows as usize).sum()
    }

    fn settings(&self) -> Result<MonitorSettings<f32>> {
        let refused = |option: &'static str| move |error| anyhow!("{option} does not do: {error}");
        let [settle, learn, calibrate] = self.schedule;
        let schedule = Schedule::new(settle, learn, calibrate).map_err(refused("--schedule"))?;
        let threshold = Threshold::quantile(self.quantile).map_err(refused("--quantile"))?;
        let threshold = threshold.with_factor(self.factor).map_err(refused("--factor"))?;
        Ok(MonitorSettings::DEFAULT
            .with_schedule(schedule)
            .with_scaling(self.scaling)
            .with_input_smoothing(self.input_smoothing)
            .with_smoothing(self.smoothing)
            .with_score(self.score)
            .with_threshold(threshold)
            .with_learning(self.learning)
            .with_missing(Missing::Impute))
    }
}

impl Options {
    /// The preset, changed as asked.
    pub(crate) fn configuration(&self) -> Configuration {
        let preset = match self.preset {
            None | Some(Preset::Default) => Configuration::DEFAULT,
            Some(Preset::Slow) => Configuration::SLOW,
        };
        Configuration {
            rate: self.rate.unwrap_or(preset.rate),
            schedule: self.schedule.unwrap_or(preset.schedule),
            scaling: self.scaling.map_or(preset.scaling, |name| name.0),
            input_smoothing: self.input_smoothing.unwrap_or(preset.input_smoothing),
            smoothing: self.smoothing.unwrap_or(preset.smoothing),
            score: self.score.map_or(preset.score, |name| name.0),
            quantile: self.quantile.unwrap_or(preset.quantile),
            factor: self.factor.unwrap_or(preset.factor),
            learning: self.learning.map_or(preset.learning, |name| name.0),
        }
    }

    /// What learns.
    pub(crate) fn model(&self) -> ModelName {
        self.model.unwrap_or(ModelName(Model::Tracking))
    }

    /// A monitor of so many channels.
    pub(crate) fn monitor(&self, channels: usize) -> Result<Box<dyn Watch>> {
        let configuration = self.configuration();
        let size = Size {
            model: self.model().0,
            channels,
            keep: self.keep,
            lags: self.lags,
            learning_rate: configuration.rate,
        };
        monitor(size, configuration.settings()?)
    }

    /// The configuration in words.
    pub(crate) fn describe(&self) -> String {
        let configuration = self.configuration();
        let [settle, learn, calibrate] = configuration.schedule;
        let over = |rows: u32| {
            if rows > 1 {
                format!(" over {rows}")
            } else {
                String::new()
            }
        };
        let lags = if self.lags > 1 {
            format!(" of {} rows side by side", self.lags)
        } else {
            String::new()
        };
        format!(
            "keep {}{lags}, rate {}; input{}; {settle} rows settle, {learn} learn, {calibrate} calibrate, then {}; {}{} above {} × {} quantile",
            self.keep,
            configuration.rate,
            match configuration.input_smoothing {
                0 | 1 => " as it is".into(),
                rows => over(rows),
            },
            LearningName(configuration.learning).word(),
            ScoreName(configuration.score).word(),
            over(configuration.smoothing),
            configuration.factor,
            configuration.quantile,
        )
    }
}

fn three_counts(typed: &str) -> Result<[u32; 3], String> {
    let counts = typed.split(',').map(|count| count.trim().parse().ok());
    let counts: Option<Vec<u32>> = counts.collect();
    let counts = counts.and_then(|counts| <[u32; 3]>::try_from(counts).ok());
    counts.ok_or_else(|| "three whole numbers with commas between them are wanted".into())
}

/// A monitor of this size and with these settings; what there is not is said in a sentence.
pub(crate) fn monitor(size: Size, settings: MonitorSettings<f32>) -> Result<Box<dyn Watch>> {
    monitor::build(size, settings).ok_or_else(|| anyhow!(sizes::refusal(size)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, Command, FromArgMatches, ValueEnum};

    fn parsed(typed: &[&str]) -> Result<Options> {
        let command = Options::augment_args(Command::new("options").no_binary_name(true));
        Ok(Options::from_arg_matches(&command.try_get_matches_from(typed)?)?)
    }

    #[test]
    fn every_model_can_be_named() {
        let named: Vec<Model> = ModelName::value_variants().iter().map(|name| name.0).collect();
        assert_eq!(named, Model::ALL);
    }

    #[test]
    fn the_default_preset_is_that_of_the_crate() -> Result<()> {
        // The crate spells its default quantile otherwise; everything else can be compared.
        let same = |settings: MonitorSettings<f32>| settings.with_threshold(Threshold::DEFAULT);
        let expected = MonitorSettings::DEFAULT.with_missing(Missing::Impute);
        assert_eq!(same(parsed(&[])?.configuration().settings()?), expected);
        let Configuration { quantile, factor, .. } = Configuration::DEFAULT;
        let threshold = Threshold::quantile(quantile)?.with_factor(factor)?;
        assert_eq!(threshold.level(0.3), Threshold::DEFAULT.level(0.3));
        Ok(())
    }

    #[test]
    fn options_change_a_preset_and_leave_the_rest() -> Result<()> {
        let typed = [
            "--preset",
            "slow",
            "--schedule",
            "50,60,70",
            "--learning",
            "always",
            "--factor",
            "3",
        ];
        let expected = Configuration {
            schedule: [50, 60, 70],
            learning: Learning::Always,
            factor: 3.0,
            ..Configuration::SLOW
        };
        assert_eq!(parsed(&typed)?.configuration(), expected);
        assert!(parsed(&["--schedule", "50,60"]).is_err());
        assert!(parsed(&["--factor=-1"])?.monitor(4).is_err());
        Ok(())
    }
}
