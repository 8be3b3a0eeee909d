//! The firmware that a plan stands for, to paste.
//! In: a plan and how many channels there are. Out: lines of Rust that build the same monitor.

use eigenstream::monitor::{Learning, NewLevel, Score};

use crate::watching::{Limit, Model, Plan};

/// The lines. What is as in the default monitor is not said.
pub(super) fn snippet(plan: &Plan, channels: usize) -> String {
    let mut code = Code::default();
    code.settings(plan);
    let training = format!(".with_training({})", plan.training);
    let settings = match code.calls.as_slice() {
        [] => format!("MonitorSettings::DEFAULT{training}"),
        calls => format!("MonitorSettings::DEFAULT\n    {training}{}", calls.concat()),
    };
    let (import, lines) = if plan.model == Model::Mahalanobis {
        code.types.extend(["MonitorSettings", "SensorMonitor"]);
        let monitor = format!("let mut monitor = SensorMonitor::<f32, {channels}>::standard");
        let lines = match code.calls.is_empty() {
            true => format!("{monitor}({settings});\n"),
            false => format!("let settings = {settings};\n{monitor}(settings);\n"),
        };
        (String::new(), lines)
    } else {
        code.types.extend(["Monitor", "MonitorSettings"]);
        let (import, learner) = code.learner(plan, channels);
        let lines = format!(
            "let settings = {settings};\nlet learner = {learner};\nlet mut monitor = Monitor::<f32, _, {channels}>::new(settings, learner);\n"
        );
        (format!("{import}\n"), lines)
    };
    code.types.sort_unstable();
    let types = match code.types.as_slice() {
        [one] => (*one).to_owned(),
        several => format!("{{{}}}", several.join(", ")),
    };
    format!("use eigenstream::monitor::{types};\n{import}\n{lines}")
}

/// What is collected while lines are written.
#[derive(Default)]
struct Code {
    /// Imported from `monitor`.
    types: Vec<&'static str>,
    /// Changes to the settings, one a line.
    calls: Vec<String>,
}

impl Code {
    fn call(&mut self, types: &[&'static str], call: String) {
        self.types.extend(types);
        self.calls.push(format!("\n    .{call}"));
    }

    /// Everything that the default monitor has otherwise.
    fn settings(&mut self, plan: &Plan) {
        let start = Plan::DEFAULT;
        if let Some(rows) = plan.level_memory {
            self.call(&[], format!("with_level_memory({rows})"));
        }
        if plan.input_smoothing != start.input_smoothing {
            self.call(&[], format!("with_input_smoothing({})", plan.input_smoothing));
        }
        if plan.score != start.score {
            self.call(&["Score"], format!("with_score(Score::{})", score(plan.score)));
        }
        if plan.smoothing != start.smoothing {
            self.call(&[], format!("with_smoothing({})", plan.smoothing));
        }
        if (plan.limit, plan.factor) != (start.limit, start.factor) {
            self.call(&["Threshold"], format!("with_threshold({})", threshold(plan)));
        }
        if plan.hold_off != start.hold_off {
            let decision = format!("DecisionSettings::DEFAULT.with_hold_off({})", plan.hold_off);
            self.call(&["DecisionSettings"], format!("with_decision({decision})"));
        }
        if plan.learning != start.learning {
            self.call(
                &["Learning"],
                format!("with_learning(Learning::{})", learning(plan.learning)),
            );
        }
        if plan.new_level != start.new_level {
            self.call(
                &["NewLevel"],
                format!("with_new_level(NewLevel::{})", new_level(plan.new_level)),
            );
        }
    }

    /// What has to be imported for the learner, and how it is made.
    fn learner(&mut self, plan: &Plan, channels: usize) -> (&'static str, String) {
        let wide = channels * plan.lags;
        let (name, settings, import) = learner(plan, wide);
        let learner = format!("{name}::new({settings})");
        match plan.lags {
            1 => (import, learner),
            lags => {
                self.types.push("Lagged");
                (
                    import,
                    format!("Lagged::<f32, _, {channels}, {lags}, {wide}>::new({learner})"),
                )
            }
        }
    }
}

const fn score(score: Score) -> &'static str {
    match score {
        Score::Loss => "Loss",
        Score::Relative => "Relative",
        Score::Leverage => "Leverage",
        Score::Combined => "Combined",
    }
}

const fn learning(learning: Learning) -> &'static str {
    match learning {
        Learning::Always => "Always",
        Learning::WhileNormal => "WhileNormal",
        Learning::Frozen => "Frozen",
    }
}

fn new_level(new_level: NewLevel) -> String {
    match new_level {
        NewLevel::Accept(rows) => format!("Accept({rows})"),
        NewLevel::Ask(rows) => format!("Ask({rows})"),
        NewLevel::Never => "Never".into(),
    }
}

fn threshold(plan: &Plan) -> String {
    let limit = match plan.limit {
        Limit::FalseAlarms(rate) => format!("Threshold::false_alarms({rate:e})?"),
        Limit::Quantile(probability) => format!("Threshold::quantile({probability:?})?"),
        Limit::Fixed(level) => return format!("Threshold::fixed({level:?})?"),
    };
    match plan.factor {
        1.0 => limit,
        factor => format!("{limit}.with_factor({factor:?})?"),
    }
}

/// The type of the learner, its settings, and what they are imported from.
fn learner(plan: &Plan, wide: usize) -> (String, String, &'static str) {
    let Plan { keep, rate, .. } = *plan;
    let with_rate = |name: &str| format!("{name}::new({rate:?})?");
    match plan.model {
        Model::Mahalanobis => (
            format!("Mahalanobis::<f32, {wide}>"),
            "MahalanobisSettings::DEFAULT".into(),
            "use eigenstream::pca::{Mahalanobis, MahalanobisSettings};",
        ),
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
    use crate::evaluate::plan_for_movements;

    #[test]
    fn the_default_monitor_is_one_line() {
        let expected = "\
use eigenstream::monitor::{MonitorSettings, SensorMonitor};

let mut monitor = SensorMonitor::<f32, 6>::standard(MonitorSettings::DEFAULT.with_training(1000));
";
        assert_eq!(snippet(&Plan::DEFAULT.trained_in(1_000), 6), expected);
    }

    #[test]
    fn what_differs_is_said() {
        let plan = Plan {
            smoothing: 10,
            limit: Limit::FalseAlarms(1e-4),
            ..Plan::DEFAULT.trained_in(400)
        };
        let expected = "\
use eigenstream::monitor::{MonitorSettings, SensorMonitor, Threshold};

let settings = MonitorSettings::DEFAULT
    .with_training(400)
    .with_smoothing(10)
    .with_threshold(Threshold::false_alarms(1e-4)?);
let mut monitor = SensorMonitor::<f32, 8>::standard(settings);
";
        assert_eq!(snippet(&plan, 8), expected);
    }

    /// The guide's code is compiled and run with the documentation.
    #[test]
    fn the_guide_shows_what_is_printed() {
        let guide = include_str!("../../../../src/guide/tuning.md");
        let code = snippet(&plan_for_movements(Model::Tracking, Score::Loss), 6);
        assert!(guide.contains(&code), "{code}");
    }

    /// Every name that a snippet imports is exported from the module that the snippet names.
    #[test]
    fn every_import_of_every_model_exists() {
        for model in Model::ALL {
            let plan = Plan {
                score: Score::Relative,
                factor: 2.0,
                hold_off: 3,
                learning: Learning::Frozen,
                new_level: NewLevel::Never,
                ..Plan::of(model)
            };
            let code = snippet(&plan, 6);
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
