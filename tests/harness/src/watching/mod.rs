//! How a recording is watched: the options of `replay`, and what they make of a monitor.
//! In: a preset, changes to it, and how many channels there are. Out: a monitor of that size, and its configuration in words.

mod choice;
mod monitor;
mod plan;
mod sizes;

pub(crate) use choice::{LearningName, ModelName, Preset, ScalingName, ScoreName};
pub(crate) use monitor::{Model, Sight, Size, Watch};
pub(crate) use plan::Plan;
pub(crate) use sizes::kernel_numbers;

use anyhow::{Result, anyhow};
use eigenstream::monitor::MonitorSettings;

/// What can be chosen about a monitor.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// What learns; tracking, or where models are compared, each in turn.
    #[arg(long)]
    pub(crate) model: Option<ModelName>,
    /// Directions kept: 1, 2 or 4; fewer than channels. 2 unless the preset says otherwise.
    #[arg(long, value_name = "N")]
    keep: Option<usize>,
    /// Samples that the learner sees side by side: 1, or 4 for up to 6 channels.
    #[arg(long, value_name = "N")]
    lags: Option<usize>,
    /// Learning rate relative to the energy of the samples.
    #[arg(long, value_name = "X")]
    rate: Option<f32>,
    /// Where the other options start from: the defaults of the crate, the configuration for slow processes, which is that of
    /// `evaluate skab`, or the one for movements, which is that of `evaluate imu`.
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
    /// Rows without a new alarm after one.
    #[arg(long, value_name = "ROWS")]
    hold_off: Option<u32>,
    /// What is learned after the calibration.
    #[arg(long)]
    learning: Option<LearningName>,
}

impl Options {
    /// The preset, changed as asked.
    pub(crate) fn plan(&self) -> Plan {
        let preset = Plan::of(self.preset.unwrap_or(Preset::Default));
        Plan {
            model: self.model.map_or(preset.model, |name| name.0),
            keep: self.keep.unwrap_or(preset.keep),
            lags: self.lags.unwrap_or(preset.lags),
            rate: self.rate.unwrap_or(preset.rate),
            schedule: self.schedule.unwrap_or(preset.schedule),
            scaling: self.scaling.map_or(preset.scaling, |name| name.0),
            input_smoothing: self.input_smoothing.unwrap_or(preset.input_smoothing),
            smoothing: self.smoothing.unwrap_or(preset.smoothing),
            score: self.score.map_or(preset.score, |name| name.0),
            quantile: self.quantile.unwrap_or(preset.quantile),
            factor: self.factor.unwrap_or(preset.factor),
            hold_off: self.hold_off.unwrap_or(preset.hold_off),
            learning: self.learning.map_or(preset.learning, |name| name.0),
        }
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
    use eigenstream::monitor::{Learning, Missing, Scaling, Score, Threshold};

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
        assert_eq!(same(parsed(&[])?.plan().settings()?), expected);
        let Plan { quantile, factor, .. } = Plan::DEFAULT;
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
        let expected = Plan {
            schedule: [50, 60, 70],
            learning: Learning::Always,
            factor: 3.0,
            ..Plan::SLOW
        };
        assert_eq!(parsed(&typed)?.plan(), expected);
        assert_eq!(expected.trained_in(90).schedule, [25, 30, 35]);
        assert!(parsed(&["--schedule", "50,60"]).is_err());
        assert!(parsed(&["--factor=-1"])?.plan().monitor(4).is_err());
        Ok(())
    }

    #[test]
    fn what_is_typed_for_a_plan_is_that_plan() -> Result<()> {
        let far = Plan {
            model: Model::Kernel,
            keep: 4,
            rate: 0.1,
            schedule: [7, 8, 9],
            scaling: Scaling::Following,
            input_smoothing: 30,
            score: Score::Combined,
            quantile: 0.95,
            factor: 2.5,
            hold_off: 3,
            ..Plan::SLOW
        };
        for plan in [Plan::DEFAULT, Plan::SLOW, Plan::MOVEMENT, far] {
            let typed = plan.options();
            let words: Vec<&str> = typed.iter().map(String::as_str).collect();
            assert_eq!(parsed(&words)?.plan(), plan);
        }
        assert_eq!(Plan::SLOW.options(), ["--preset", "slow"]);
        Ok(())
    }
}
