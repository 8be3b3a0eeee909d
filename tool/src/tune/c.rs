//! Writes the firmware of a plan in C. Out: lines that make the monitor, and the image of a trained monitor as an array.
//! `eig_settings` has no score and no quantile, which come from the image, and an archive has no lags.

use std::fmt::Write as _;

use eigenstream::monitor::{Learning, NewLevel, Score};

use crate::recording::names;
use crate::watching::{HEBBIAN, Limit, Model, ModelName, Plan, kernel_numbers};

/// The lines of C: storage, settings and the call that starts the monitor.
///
/// For a plan with lags, a line with `#error`. Default values are left out, except `training`, `learning_rate` and `gamma`.
pub fn c_snippet(plan: &Plan, channels: usize) -> String {
    if plan.lags > 1 {
        return format!(
            "#error \"There is no archive for C with {} rows side by side: use the monitor in Rust, or tune the default model.\"\n",
            plan.lags
        );
    }
    let mut text = format!(
        "/* monitor.h and the archive: eigenstream c --name monitor {} --cpu cortex-m4f --out DIR */\n",
        archive(plan, channels)
    );
    text += "#include \"monitor.h\"\n\nstatic monitor_t monitor;\n\n";
    text += "eig_status monitor_begin(void) {\n  eig_settings settings = eig_settings_default();\n";
    for (field, value) in settings(plan, channels) {
        let _ = writeln!(text, "  settings.{field} = {value};");
    }
    for missing in beyond(plan) {
        let _ = writeln!(
            text,
            "  /* {missing} is no field of eig_settings: load the image afterwards, with NULL for the settings. */"
        );
    }
    text + "  return monitor_init(&monitor, &settings);\n}\n"
}

fn archive(plan: &Plan, channels: usize) -> String {
    if !plan.model.keeps_directions() {
        return format!("--channels {channels}");
    }
    let learner = ModelName(plan.model).word();
    format!("--channels {channels} --learner {learner} --keep {}", plan.keep)
}

/// Every field that differs from `eig_settings_default`, and those that depend on plan and learner.
fn settings(plan: &Plan, channels: usize) -> Vec<(&'static str, String)> {
    let start = Plan::DEFAULT;
    let mut fields = vec![("training", format!("{}u", plan.training))];
    let mut count = |field, value: u32, usual: u32| {
        if value != usual {
            fields.push((field, format!("{value}u")));
        }
    };
    count("level_memory", plan.level_memory.unwrap_or(0), 0);
    count("input_smoothing", plan.input_smoothing, start.input_smoothing);
    count("smoothing", plan.smoothing, start.smoothing);
    count("hold_off", plan.hold_off, start.hold_off);
    match plan.limit {
        limit if limit == start.limit => {}
        Limit::FalseAlarms(rate) => fields.push(("false_alarms", float(rate))),
        Limit::Fixed(level) => fields.push(("fixed_threshold", float(level))),
        Limit::Quantile(_) => {}
    }
    if plan.factor != 1.0 {
        fields.push(("threshold_factor", float(plan.factor)));
    }
    if plan.learning != start.learning {
        let learning = match plan.learning {
            Learning::Always => "EIG_LEARN_ALWAYS",
            Learning::Frozen => "EIG_LEARN_NOTHING",
            _ => "EIG_LEARN_WHILE_NORMAL",
        };
        fields.push(("learning", learning.into()));
    }
    if plan.new_level != start.new_level {
        let (choice, rows) = match plan.new_level {
            NewLevel::Accept(rows) => ("EIG_NEW_LEVEL_ACCEPT", Some(rows)),
            NewLevel::Ask(rows) => ("EIG_NEW_LEVEL_ASK", Some(rows)),
            _ => ("EIG_NEW_LEVEL_NEVER", None),
        };
        fields.push(("new_level", choice.into()));
        fields.extend(rows.map(|rows| ("new_level_samples", format!("{rows}u"))));
    }
    if plan.gaps {
        fields.push(("missing", "EIG_MISSING_IMPUTE".into()));
    }
    match plan.model {
        Model::Mahalanobis => {}
        Model::Tracking | Model::Centered => fields.push(("learning_rate", float(plan.rate))),
        Model::Hebbian => fields.push(("learning_rate", float(plan.rate / HEBBIAN))),
        Model::Kernel => {
            let (gamma, rate, ..) = kernel_numbers(channels, plan.rate);
            fields.extend([("learning_rate", float(rate)), ("gamma", float(gamma))]);
        }
    }
    fields
}

fn beyond(plan: &Plan) -> Vec<&'static str> {
    [
        (plan.score != Score::Loss, "the score"),
        (matches!(plan.limit, Limit::Quantile(_)), "the quantile"),
    ]
    .into_iter()
    .filter_map(|(is_missing, words)| is_missing.then_some(words))
    .collect()
}

/// The number parses to the same `f32`.
fn float(number: f32) -> String {
    format!("{number:e}f")
}

/// Bytes of an image in one line.
const LINE: usize = 16;

/// Not constant: `monitor_load` exchanges the monitor in the array with that in the storage.
pub(super) fn c_image(image: &[u8], names: &[String]) -> String {
    let mut text = format!(
        "/* A trained monitor, {} bytes. Its channels: {}.\n *   monitor_begin();\n *   monitor_load(&monitor, monitor_image, \
         sizeof monitor_image, NULL);\n * monitor_load exchanges the two: afterwards the array holds the monitor from before.\n */\n",
        image.len(),
        // A channel name must not end the comment.
        names::listed(names, ", ").replace("*/", "* /")
    );
    text += "#ifndef MONITOR_IMAGE_H\n#define MONITOR_IMAGE_H\n\n#include <stdint.h>\n\n";
    let _ = writeln!(text, "static uint8_t monitor_image[{}] = {{", image.len());
    for line in image.chunks(LINE) {
        let bytes: Vec<String> = line.iter().map(|byte| format!("0x{byte:02x}")).collect();
        let _ = writeln!(text, "  {},", bytes.join(", "));
    }
    text + "};\n\n#endif\n"
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use anyhow::Result;

    use super::*;
    use crate::process::finish;

    #[test]
    fn the_default_monitor_changes_the_training_alone() {
        let text = c_snippet(&Plan::DEFAULT.trained_in(1_000), 6);
        let fields: Vec<&str> = text.lines().filter(|line| line.contains("settings.")).collect();
        assert_eq!(fields, ["  settings.training = 1000u;"]);
        assert!(text.contains("--channels 6 --cpu"), "{text}");
    }

    #[test]
    fn a_plan_that_c_has_no_settings_for_asks_for_its_image() {
        let plan = Plan {
            limit: Limit::Quantile(0.99),
            ..Plan::of(Model::Tracking)
        };
        let text = c_snippet(&plan, 6);
        assert!(text.contains("the score is no field") && text.contains("the quantile is no field"));
        assert!(!c_snippet(&Plan::DEFAULT, 6).contains("is no field"));
        let with_lags = Plan { lags: 4, ..plan };
        assert!(c_snippet(&with_lags, 6).starts_with("#error \"There is no archive for C with 4 rows"));
    }

    #[test]
    fn the_kernel_learner_has_the_numbers_of_the_plan() {
        let plan = Plan {
            rate: 0.1,
            ..Plan::of(Model::Kernel)
        };
        // With four channels γ is 1/1024, and the rate 0.1 times 512.
        let text = c_snippet(&plan, 4);
        for line in [
            "  settings.learning_rate = 5.12e1f;\n",
            "  settings.gamma = 9.765625e-4f;\n",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
        assert!(!text.contains("is no field"), "{text}");
    }

    #[test]
    fn a_compiler_takes_what_is_printed() -> Result<()> {
        let folder = std::env::temp_dir().join(format!("eigenstream-tune-c-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let header = "#include \"eigenstream.h\"\nEIG_DECLARE_MONITOR(monitor, 6, 1504)\n";
        fs::write(folder.join("monitor.h"), header)?;
        let image = c_image(&[1, 2, 255], &["flow */".into()]);
        for model in Model::ALL {
            for new_level in [NewLevel::Never, NewLevel::Ask(7)] {
                let plan = Plan {
                    limit: Limit::FalseAlarms(1e-4),
                    factor: 2.5,
                    hold_off: 3,
                    learning: Learning::Frozen,
                    level_memory: Some(500),
                    new_level,
                    ..Plan::of(model)
                };
                let use_image = "eig_status restore(void);\neig_status restore(void) {\n  return monitor_load(&monitor, monitor_image, \
                                 sizeof monitor_image, 0);\n}\n";
                let text = format!("{image}{}{use_image}", c_snippet(&plan, 6));
                fs::write(folder.join("monitor.c"), text)?;
                let mut compiler = Command::new("cc");
                compiler.args([
                    "-std=c11",
                    "-Wall",
                    "-Wextra",
                    "-Wpedantic",
                    "-Werror",
                    "-fsyntax-only",
                    "-I",
                ]);
                compiler.arg(crate::repository().join("bindings/c/include"));
                finish(compiler.arg(folder.join("monitor.c")))?;
            }
        }
        fs::remove_dir_all(&folder)?;
        Ok(())
    }
}
