//! Writes the firmware of a plan in Rust: the monitor as a constant.

use crate::program::LearnerType;
use crate::watching::{HEBBIAN, Limit, Model, Plan, kernel_numbers, learner_type};

/// A constant for a `static`.
///
/// Default settings are left out, except the training.
pub fn snippet(plan: &Plan, channels: usize) -> String {
    let parts = Parts::of(plan, channels);
    let Parts {
        settings, name, value, ..
    } = &parts;
    let constants = format!("const SETTINGS: MonitorSettings<f32> = {settings};\nconst MONITOR: {name} = {value};\n");
    format!("{}\n{constants}", parts.imports(&[]))
}

pub(crate) struct Parts {
    /// Names to import from `monitor`.
    types: Vec<&'static str>,
    /// Empty for the default monitor.
    learner: String,
    /// The settings of the monitor.
    pub(crate) settings: String,
    /// The type of the monitor.
    pub(crate) name: String,
    /// Constructs the monitor from `SETTINGS`.
    pub(crate) value: String,
}

impl Parts {
    pub(crate) fn of(plan: &Plan, channels: usize) -> Self {
        let mut code = Code::default();
        code.settings(plan);
        let training = format!(".with_training({})", plan.training);
        let settings = match code.calls.as_slice() {
            [] => format!("MonitorSettings::DEFAULT{training}"),
            calls => format!("MonitorSettings::DEFAULT\n    {training}{}", calls.concat()),
        };
        let (learner, name, value) = if plan.model == Model::Mahalanobis {
            code.types.extend(["MonitorSettings", "SensorMonitor"]);
            let name = format!("SensorMonitor<f32, {channels}>");
            (String::new(), name, "SensorMonitor::standard(SETTINGS)".to_owned())
        } else {
            code.types.extend(["Monitor", "MonitorSettings"]);
            let (learner, value, import) = code.learner(plan, channels);
            let name = format!("Monitor<f32, {learner}, {channels}>");
            (import, name, format!("Monitor::new(SETTINGS, {value})"))
        };
        Self {
            types: code.types,
            learner,
            settings,
            name,
            value,
        }
    }

    /// `more` are further names of the module `monitor`.
    pub(crate) fn imports(&self, more: &[&'static str]) -> String {
        let mut types = [&self.types, more].concat();
        types.sort_unstable();
        let types = match types.as_slice() {
            [one] => (*one).to_owned(),
            several => format!("{{{}}}", several.join(", ")),
        };
        let checked = match [&self.settings, &self.value]
            .iter()
            .any(|text| text.contains("constant!"))
        {
            true => "use eigenstream::constant;\n",
            false => "",
        };
        let learner = match self.learner.as_str() {
            "" => String::new(),
            import => format!("{import}\n"),
        };
        format!("{checked}use eigenstream::monitor::{types};\n{learner}")
    }
}

/// Imports and settings, collected while lines are written.
#[derive(Default)]
struct Code {
    /// Names to import from `monitor`.
    types: Vec<&'static str>,
    calls: Vec<String>,
}

impl Code {
    fn call(&mut self, types: &[&'static str], call: String) {
        self.types.extend(types);
        self.calls.push(format!("\n    .{call}"));
    }

    /// Adds every setting that differs from the default monitor.
    fn settings(&mut self, plan: &Plan) {
        let start = Plan::DEFAULT;
        if let Some(rows) = plan.level_memory {
            self.call(&[], format!("with_level_memory({rows})"));
        }
        if plan.input_smoothing != start.input_smoothing {
            self.call(&[], format!("with_input_smoothing({})", plan.input_smoothing));
        }
        if plan.score != start.score {
            self.call(&["Score"], format!("with_score(Score::{:?})", plan.score));
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
            self.call(&["Learning"], format!("with_learning(Learning::{:?})", plan.learning));
        }
        if plan.new_level != start.new_level {
            self.call(&["NewLevel"], format!("with_new_level(NewLevel::{:?})", plan.new_level));
        }
        if plan.gaps {
            self.call(&["Missing"], "with_missing(Missing::Impute)".into());
        }
    }

    /// The type of the learner, the expression that constructs it, and its import.
    fn learner(&mut self, plan: &Plan, channels: usize) -> (String, String, String) {
        let wide = channels * plan.lags;
        let (gamma, kernel_rate, stride, window) = kernel_numbers(wide, plan.rate);
        let learner = learner_type(plan.model, wide, plan.keep, window);
        let LearnerType {
            module, name, settings, ..
        } = learner;
        let with_rate = |rate: f32| format!("constant!({settings}::new({rate:?}))");
        let imports = |more: &str| format!("use eigenstream::{module}::{{{more}{name}, {settings}}};");
        let (import, arguments) = match plan.model {
            Model::Mahalanobis => (imports(""), format!("{settings}::DEFAULT")),
            Model::Tracking | Model::Centered => (imports(""), with_rate(plan.rate)),
            Model::Hebbian => (imports(""), with_rate(plan.rate / HEBBIAN)),
            Model::Kernel => (
                format!("use eigenstream::Centering;\n{}", imports("Gaussian, ")),
                format!(
                    "\n    constant!(Gaussian::new({gamma:?})),\n    constant!({}.with_stride({stride})).with_centering(Centering::Centered),\n",
                    with_rate(kernel_rate)
                ),
            ),
        };
        let (kind, value) = (learner.short(), format!("{name}::new({arguments})"));
        match plan.lags {
            1 => (kind, value, import),
            lags => {
                self.types.push("Lagged");
                let kind = format!("Lagged<f32, {kind}, {channels}, {lags}, {wide}>");
                (kind, format!("Lagged::new({value})"), import)
            }
        }
    }
}

fn threshold(plan: &Plan) -> String {
    let limit = match plan.limit {
        Limit::FalseAlarms(rate) => format!("constant!(Threshold::false_alarms({rate:e}))"),
        Limit::Quantile(probability) => format!("constant!(Threshold::quantile({probability:?}))"),
        Limit::Fixed(level) => return format!("constant!(Threshold::fixed({level:?}))"),
    };
    match plan.factor {
        1.0 => limit,
        factor => format!("constant!({limit}.with_factor({factor:?}))"),
    }
}

#[cfg(test)]
mod tests {
    use eigenstream::monitor::{Learning, NewLevel, Score};

    use super::*;

    #[test]
    fn the_default_monitor_is_two_lines() {
        let expected = "\
use eigenstream::monitor::{MonitorSettings, SensorMonitor};

const SETTINGS: MonitorSettings<f32> = MonitorSettings::DEFAULT.with_training(1000);
const MONITOR: SensorMonitor<f32, 6> = SensorMonitor::standard(SETTINGS);
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
use eigenstream::constant;
use eigenstream::monitor::{MonitorSettings, SensorMonitor, Threshold};

const SETTINGS: MonitorSettings<f32> = MonitorSettings::DEFAULT
    .with_training(400)
    .with_smoothing(10)
    .with_threshold(constant!(Threshold::false_alarms(1e-4)));
const MONITOR: SensorMonitor<f32, 8> = SensorMonitor::standard(SETTINGS);
";
        assert_eq!(snippet(&plan, 8), expected);
    }

    /// `printed.rs` contains all snippets and is compiled with these tests.
    #[test]
    fn every_model_goes_into_a_static() {
        let mut text = String::from("//! Lines that `tune` prints, each in a `static`.\n");
        for model in Model::ALL {
            for lags in [1, 3].into_iter().filter(|&lags| lags == 1 || model.keeps_directions()) {
                let plan = Plan {
                    lags,
                    score: Score::Relative,
                    limit: Limit::Quantile(0.99),
                    factor: 2.0,
                    hold_off: 3,
                    learning: Learning::Frozen,
                    new_level: NewLevel::Never,
                    ..Plan::of(model)
                };
                let code = snippet(&plan, 6);
                let name = code
                    .split("const MONITOR: ")
                    .nth(1)
                    .and_then(|rest| rest.split(" = ").next());
                let module = format!("{model:?}_{lags}").to_lowercase();
                let kept = format!(
                    "pub(in crate::tune) static KEPT: {} = MONITOR;",
                    name.unwrap_or_default()
                );
                text += &format!("\npub(super) mod {module} {{\n{code}{kept}\n}}\n");
            }
        }
        assert_eq!(include_str!("printed.rs"), text, "printed.rs has to be\n{text}");
        assert_eq!(
            super::super::printed::tracking_3::KEPT
                .learner()
                .learner()
                .samples_seen(),
            0
        );
    }
}
