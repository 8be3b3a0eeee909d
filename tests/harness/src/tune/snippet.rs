//! The firmware that a plan stands for, to paste.
//! In: a plan and how many channels there are. Out: lines of Rust that build the same monitor.

use eigenstream::monitor::{Learning, Scaling, Score};

use crate::watching::{Model, Plan};

/// The lines.
pub(super) fn snippet(plan: &Plan, channels: usize) -> String {
    let wide = channels * plan.lags;
    let (learner, settings, import) = learner(plan, wide);
    let [settle, learn, calibrate] = plan.schedule;
    let scaling = match plan.scaling {
        Scaling::Settled => "Settled",
        Scaling::Fixed => "Fixed",
        Scaling::Following => "Following",
    };
    let score = match plan.score {
        Score::Loss => "Loss",
        Score::Relative => "Relative",
        Score::Leverage => "Leverage",
        Score::Combined => "Combined",
    };
    let learning = match plan.learning {
        Learning::Always => "Always",
        Learning::WhileNormal => "WhileNormal",
        Learning::Frozen => "Frozen",
    };
    let (decision, hold_off) = match plan.hold_off {
        0 => ("", String::new()),
        rows => (
            "DecisionSettings, ",
            format!("\n    .with_decision(DecisionSettings::DEFAULT.with_hold_off({rows}))"),
        ),
    };
    let (lagged, learner) = match plan.lags {
        1 => ("", format!("{learner}::new({settings})")),
        lags => (
            "Lagged, ",
            format!("Lagged::<f32, _, {channels}, {lags}, {wide}>::new({learner}::new({settings}))"),
        ),
    };
    format!(
        "\
use eigenstream::monitor::{{{decision}{lagged}Learning, Monitor, MonitorSettings, Scaling, Schedule, Score, Threshold}};
{import}

let settings = MonitorSettings::DEFAULT
    .with_schedule(Schedule::new({settle}, {learn}, {calibrate})?)
    .with_scaling(Scaling::{scaling})
    .with_input_smoothing({})
    .with_score(Score::{score})
    .with_smoothing({})
    .with_threshold(Threshold::quantile({:?})?.with_factor({:?})?){hold_off}
    .with_learning(Learning::{learning});
let learner = {learner};
let mut monitor = Monitor::<f32, _, {channels}>::new(settings, learner);
",
        plan.input_smoothing, plan.smoothing, plan.quantile, plan.factor,
    )
}

/// The type of the learner, its settings, and what they are imported from.
fn learner(plan: &Plan, wide: usize) -> (String, String, &'static str) {
    let Plan { keep, rate, .. } = *plan;
    let with_rate = |name: &str| format!("{name}::new({rate:?})?");
    match plan.model {
        Model::Tracking => (
            format!("TrackingPca::<f32, {wide}, {keep}, {}>", (2 * keep + 2).min(wide)),
            with_rate("TrackingSettings"),
            "use eigenstream::pca::{TrackingPca, TrackingSettings};",
        ),
        Model::Centered => (
            format!("CenteredPca::<f32, {wide}, {keep}>"),
            with_rate("CenteredSettings"),
            "use eigenstream::pca::{CenteredPca, CenteredSettings};",
        ),
        Model::Hebbian => (
            format!("Gha::<f32, {wide}, {keep}>"),
            format!("GhaSettings::new({:?})?", rate / 32.0),
            "use eigenstream::hebbian::{Gha, GhaSettings};",
        ),
        Model::Kernel => {
            let (gamma, rate, stride, window) = crate::watching::kernel_numbers(wide, rate);
            (
                format!("OnlineKernelPca::<f32, _, {wide}, {keep}, {window}, {}>", keep + 4),
                format!(
                    "Gaussian::new({gamma:?})?, OnlineKernelSettings::new({rate:?})?.with_centering(Centering::Centered).with_stride({stride})?"
                ),
                "use eigenstream::Centering;\nuse eigenstream::kernel::{Gaussian, OnlineKernelPca, OnlineKernelSettings};",
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::cargo::root;

    /// The guide's code is compiled and run with the documentation.
    #[test]
    fn the_guide_shows_what_is_printed() {
        let guide = include_str!("../../../../src/guide/tuning.md");
        assert!(guide.contains(&snippet(&Plan::SLOW, 8)));
        assert!(guide.contains(&snippet(&Plan::MOVEMENT, 6)));
    }

    /// Every name that a snippet imports is exported from the module that the snippet names.
    #[test]
    fn every_import_of_every_model_exists() {
        for model in [Model::Tracking, Model::Centered, Model::Hebbian, Model::Kernel] {
            let code = snippet(&Plan { model, ..Plan::SLOW }, 8);
            for line in code.lines().filter_map(|line| line.strip_prefix("use eigenstream::")) {
                let (module, names) = line.rsplit_once("::").unwrap_or(("", line));
                let file = match module {
                    "" => root().join("src/lib.rs"),
                    module => root().join("src").join(module).join("mod.rs"),
                };
                let text = fs::read_to_string(&file).unwrap_or_default();
                let exports: Vec<&str> = text.lines().filter(|line| line.starts_with("pub use ")).collect();
                for name in names
                    .split(|letter: char| !letter.is_alphanumeric())
                    .filter(|name| !name.is_empty())
                {
                    let exported = |line: &&str| {
                        line.split(|letter: char| !letter.is_alphanumeric())
                            .any(|word| word == name)
                    };
                    assert!(
                        exports.iter().any(exported),
                        "{} does not export {name}",
                        file.display()
                    );
                }
            }
        }
    }
}
