//! The tables of measurements, as Markdown.
//! In: the committed rows and the name of a table. Out: its lines.

use anyhow::{Result, bail};
use serde_json::Value;

use super::{Row, restoring_table, speed_tables};
use crate::evaluate;

pub(super) fn table(name: &str, rows: &[Row]) -> Result<String> {
    let table = Table { rows };
    match name {
        "trial" => Ok(table.trial()),
        "eigen" => Ok(table.eigen()),
        "memory" => Ok(table.memory()),
        "beside" => Ok(table.beside()),
        "worst" => Ok(table.worst()),
        "kernel" => Ok(table.kernel()),
        "monitor" => Ok(table.monitor()),
        "smallest" => Ok(table.smallest()),
        "restoring" => Ok(restoring_table::restoring(rows)),
        "soak" => Ok(table.soak()),
        "life" => Ok(table.life()),
        "choose" => Ok(table.choose()),
        "compare" => Ok(table.compare()),
        "cost" => Ok(speed_tables::cost(rows)),
        "brief" => Ok(speed_tables::brief(rows)),
        "peers" => Ok(speed_tables::peers(rows)),
        "streams" => Ok(speed_tables::streams(rows)),
        "skab" => skab(),
        _ => bail!("there is no table {name}: see tests/harness/src/bench/tables.rs"),
    }
}

pub(super) struct Table<'rows> {
    pub(super) rows: &'rows [Row],
}

impl Table<'_> {
    pub(super) fn find(&self, workload: &str, variant: &str, opt: &str, dim: u64) -> Option<&Row> {
        self.rows.iter().find(|row| {
            row["workload"] == workload
                && row["variant"] == variant
                && row["opt"] == opt
                && row["dim"] == dim
                // A row with the default settings has no rate; any other row must have rate 1.
                && row["eta"].as_f64().is_none_or(|rate| rate == 1.0)
        })
    }

    /// One line of a table, with a value for each size.
    fn line(
        &self,
        title: &str,
        (workload, variant): (&str, &str),
        dims: &[u64],
        value: impl Fn(&Row) -> String,
    ) -> String {
        let cells = dims
            .iter()
            .map(|&dim| self.find(workload, variant, "3", dim).map_or("-".to_owned(), &value));
        format!("| {title} | {} |\n", cells.collect::<Vec<_>>().join(" | "))
    }

    fn trial(&self) -> String {
        let dims = [8, 16, 20, 32, 64];
        let mut text = head("one trial, 2 directions kept, n =", &dims);
        for (title, kind) in [
            ("`TrackingPca`, draw and learning included", ("W1", "tracking")),
            ("`CenteredPca`", ("W3", "centered")),
        ] {
            text += &self.line(title, kind, &dims, |row| short(&row["instructions_mean"]));
            text += &self.line("worst trial", kind, &dims, |row| short(&row["instructions_max"]));
        }
        text
    }

    fn eigen(&self) -> String {
        let dims = [4, 8, 16, 20, 32, 64];
        let full = ("eigen", "full");
        let mut text = head("eigendecomposition, n =", &dims);
        text += &self.line("values and vectors", full, &dims, |row| {
            short(&row["instructions_mean"])
        });
        text += &self.line("nalgebra, the same", full, &dims, |row| short(&row["naive_mean"]));
        text += &self.line("values alone", ("eigen", "values"), &dims, |row| {
            short(&row["instructions_mean"])
        });
        text += &self.line("stack, values and vectors (bytes)", full, &dims, |row| {
            grouped(&row["stack_bytes"])
        });
        text += &self.line("nalgebra's stack", full, &dims, |row| {
            grouped(&row["naive_stack_bytes"])
        });
        text
    }

    /// The table of bytes of three learners, all from the workload `sizes`, so that the stack is the largest on the
    /// same streams.
    fn memory(&self) -> String {
        let mut text =
            "| bytes, 20 channels, 2 directions | state | stack | flash, opt-level s | 3 |\n|---|---|---|---|---|\n"
                .to_owned();
        for (title, variant) in [
            ("`TrackingPca`", "tracking"),
            ("`CenteredPca`", "centered"),
            ("`DensityPca`", "density"),
        ] {
            let find = |opt| self.find("sizes", variant, opt, 20);
            let cell = |opt, key: &str| find(opt).and_then(|row| row.get(key)).map_or("-".into(), grouped);
            text += &format!(
                "| {title} | {} | {} | {} | {} |\n",
                cell("3", "state_bytes"),
                cell("3", "stack_bytes"),
                cell("s", "text_bytes"),
                cell("3", "text_bytes"),
            );
        }
        text
    }

    fn beside(&self) -> String {
        let mut text = "| a trial, 6 channels / 20 channels, 2 directions | instructions, mean | worst | state | stack | flash |\n|---|---|---|---|---|---|\n".to_owned();
        for (title, variant) in [
            ("`AdditivePca`", "additive"),
            ("`PairedPca`, so many channels in each group", "paired"),
            ("`AverageDensity`, one direction added", "average"),
            ("`RandomStop` of a `TrackingPca`, its trial included", "random_stop"),
            (
                "`RecursiveLeastSquares` with forgetting, so many features",
                "least_squares",
            ),
            ("`SetExperts`, so many experts, sets of one", "set_experts"),
            ("`PerturbedLeader`, so many experts, one leader", "perturbed_leader"),
            (
                "`KernelRidge`, 16 points: a prediction with its variance",
                "posterior_variance",
            ),
        ] {
            let cell = |key: &str, show: fn(&Value) -> String| {
                let value = |dim| self.find("beside", variant, "3", dim).and_then(|row| row.get(key));
                [6, 20].map(|dim| value(dim).map_or("-".into(), show)).join(" / ")
            };
            text += &format!(
                "| {title} | {} | {} | {} | {} | {} |\n",
                cell("instructions_mean", short),
                cell("instructions_max", short),
                cell("state_bytes", grouped),
                cell("stack_bytes", grouped),
                cell("text_bytes", grouped),
            );
        }
        text
    }

    /// The table of mean and worst trials, on the standard stream and the hostile ones.
    fn worst(&self) -> String {
        let sizes = [(3, 1), (6, 2), (12, 2), (20, 2), (32, 4)];
        let mut text = "| instructions of a trial, n / k =".to_owned();
        sizes
            .iter()
            .for_each(|(dim, keep)| text += &format!(" | {dim} / {keep}"));
        text += &format!(" |\n|---|{}\n", "---|".repeat(sizes.len()));
        for (title, variant) in [
            ("`TrackingPca`", "tracking"),
            ("`CenteredPca`", "centered"),
            ("`DensityPca`", "density"),
        ] {
            for (what, key) in [
                ("mean", "instructions_mean"),
                ("hostile mean", "hostile_mean"),
                ("worst", "instructions_max"),
            ] {
                text += &format!("| {title}, {what}");
                for (dim, keep) in sizes {
                    let found = self.rows.iter().find(|row| {
                        row["workload"] == "sizes"
                            && row["variant"] == variant
                            && row["opt"] == "3"
                            && row["dim"] == dim
                            && row["keep"] == keep
                    });
                    text += &format!(" | {}", found.map_or("-".into(), |row| short(&row[key])));
                }
                text += " |\n";
            }
        }
        text
    }

    /// The table of `OnlineKernelPca` with the Gaussian kernel.
    fn kernel(&self) -> String {
        let windows = [8, 16, 32, 64];
        let mut text = head(
            "one step of `OnlineKernelPca`, 4 directions of 20 channels, Gaussian kernel (W2), window =",
            &windows,
        );
        let mut line = |title: &str, variant: &str, value: &dyn Fn(&Row) -> String| {
            let cells = windows.map(|window| {
                let found = self.rows.iter().find(|row| {
                    row["workload"] == "W2"
                        && row["variant"] == variant
                        && row["opt"] == "3"
                        && row["window"] == window
                        && row["kernel"].as_str().is_some_and(|kernel| kernel.starts_with("gauss"))
                });
                found.map_or("-".to_owned(), value)
            });
            text += &format!("| {title} | {} |\n", cells.join(" | "));
        };
        line("instructions, mean", "exact", &|row| short(&row["instructions_mean"]));
        line("its losses, root mean square error", "exact", &|row| {
            format!("{:.1e}", row["rms_loss_error"].as_f64().unwrap_or(0.0))
        });
        line("comparisons with the points, not counted above", "exact", &|row| {
            short(&row["row_mean"])
        });
        line("state / stack (bytes)", "exact", &|row| {
            format!("{} / {}", grouped(&row["state_bytes"]), grouped(&row["stack_bytes"]))
        });
        text
    }

    fn monitor(&self) -> String {
        let mut text = "| a whole `Monitor` on a six-axis sensor, from counts to verdict (W4) | opt-level 3 | s |\n|---|---|---|\n".to_owned();
        type Cell = fn(&Row) -> String;
        let lines: [(&str, &str, Cell); 4] = [
            ("instructions a sample, mean / worst", "monitor", |row| {
                format!(
                    "{} / {}",
                    short(&row["instructions_mean"]),
                    short(&row["instructions_max"])
                )
            }),
            ("RAM: state, monitor and `Counts`, + stack (bytes)", "monitor", |row| {
                format!("{} + {}", grouped(&row["state_bytes"]), grouped(&row["stack_bytes"]))
            }),
            (
                "stack if two channels are missing, `Missing::Impute` (bytes)",
                "gaps",
                |row| grouped(&row["stack_bytes"]),
            ),
            ("flash beyond an empty program (bytes)", "monitor", |row| {
                grouped(&row["text_bytes"])
            }),
        ];
        for (title, variant, cell) in lines {
            let [fast, small] = ["3", "s"].map(|opt| self.find("W4", variant, opt, 6).map_or("-".into(), cell));
            text += &format!("| {title} | {fast} | {small} |\n");
        }
        text
    }

    fn smallest(&self) -> String {
        let mut text = "| Cortex-M0, 3 channels, 1 direction | state | stack | flash | instructions, mean | worst |\n|---|---|---|---|---|---|\n".to_owned();
        for (title, workload, variant) in [
            ("`TrackingPca`", "smallest", "tracking"),
            ("`CenteredPca`", "smallest", "centered"),
            ("`Oja`", "oja", "step"),
        ] {
            if let Some(row) = self.find(workload, variant, "s", 3) {
                text += &format!(
                    "| {title} | {} | {} | {} | {} | {} |\n",
                    grouped(&row["state_bytes"]),
                    grouped(&row["stack_bytes"]),
                    grouped(&row["text_bytes"]),
                    short(&row["instructions_mean"]),
                    short(&row["instructions_max"]),
                );
            }
        }
        text
    }

    /// The table of the soak test, committed by `cargo harness soak --save`: the largest errors, and the difference of
    /// the mean losses at the last comparison with `f64`.
    fn soak(&self) -> String {
        let mut text = "| a long life in `f32` | steps | ‖VᵀV − I‖ | Σp − k | mean loss beside `f64`, of the energy |\n|---|---|---|---|---|\n".to_owned();
        for row in self.rows.iter().filter(|row| row["workload"] == "soak") {
            let figure = |key: &str| row[key].as_f64().map_or("-".into(), |worst| format!("{worst:.1e}"));
            text += &format!(
                "| `{}` | {} | {} | {} | {} |\n",
                row["variant"].as_str().unwrap_or_default(),
                grouped(&row["steps"]),
                figure("orthogonality"),
                figure("probability_sum"),
                figure("difference"),
            );
        }
        text
    }

    fn life(&self) -> String {
        let mut text = "| script of the day | days | calm samples in alarm | in alarm during the script | test faults found | longest alarm without a reason |\n|---|---|---|---|---|---|\n".to_owned();
        for row in self.rows.iter().filter(|row| row["workload"] == "life") {
            let percent = |key: &str| {
                row[key]
                    .as_f64()
                    .map_or("-".into(), |part| format!("{:.2} %", 100.0 * part))
            };
            text += &format!(
                "| {} | {} | {} | {} | {} | {} |\n",
                row["variant"].as_str().unwrap_or_default(),
                grouped(&row["days"]),
                percent("false_alarms"),
                percent("scripted_alarms"),
                grouped(&row["found"]),
                grouped(&row["longest"]),
            );
        }
        text
    }
}

/// The table of the results of `cargo harness evaluate skab DIR --tuned --save`, beside two results to compare with.
fn skab() -> Result<String> {
    let mut text =
        "| 17 of SKAB's 34 files | F1 | false alarms | missed | mean AUC |\n|---|---|---|---|---|\n".to_owned();
    for row in evaluate::committed()? {
        let name = match row["model"].as_str().unwrap_or_default() {
            "mahalanobis" => "**the default monitor**",
            "mahalanobis, tuned" => "the default monitor, threshold by `tune`",
            "tracking" => "`TrackingPca`",
            "centered" => "`CenteredPca`",
            "hebbian" => "`Gha`",
            "kernel" => "`OnlineKernelPca`",
            other => bail!("tests/data/evaluate.json has a model {other}, which no table shows"),
        };
        let number = |key: &str| row[key].as_f64();
        let percent = |key| number(key).map_or("-".into(), |value| format!("{:.1} %", 100.0 * value));
        let fraction = |key| number(key).map_or("-".into(), |value| format!("{value:.3}"));
        text += &format!(
            "| {name} | {} | {} | {} | {} |\n",
            fraction("f1"),
            percent("far"),
            percent("mar"),
            fraction("auc")
        );
    }
    text += "| T²+Q on PCA, as published for all 34 files | 0.758 | 26.6 % | | |\n| always an alarm | 0.696 | 100 % | 0 % | |\n";
    Ok(text)
}

fn head(title: &str, dims: &[u64]) -> String {
    let columns: Vec<String> = dims.iter().map(u64::to_string).collect();
    format!(
        "| {title} | {} |\n|---|{}\n",
        columns.join(" | "),
        "---|".repeat(dims.len())
    )
}

/// A number with about three digits: 804, 4.4k, 36.6k, 179k, 1.10M.
pub(super) fn short(value: &Value) -> String {
    let Some(value) = value.as_f64() else { return "-".into() };
    match value {
        ..1e3 => format!("{value}"),
        ..99_950.0 => format!("{:.1}k", value / 1e3),
        ..999_500.0 => format!("{:.0}k", value / 1e3),
        _ => format!("{:.2}M", value / 1e6),
    }
}

/// A count with its digits in groups of three, separated by commas.
pub(super) fn grouped(value: &Value) -> String {
    let Some(value) = value.as_u64() else { return "-".into() };
    let digits = value.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::row;
    use super::*;
    use serde_json::json;

    #[test]
    fn the_bytes_of_all_learners_are_from_one_experiment() {
        let rows = [("W1", 1080), ("sizes", 1312)].map(|(workload, stack)| {
            row(
                json!({"workload": workload, "variant": "tracking", "opt": "3", "dim": 20, "eta": null,
                "state_bytes": 600, "stack_bytes": stack, "text_bytes": 42_688}),
            )
        });
        let text = Table { rows: &rows }.memory();
        assert!(text.contains("| `TrackingPca` | 600 | 1,312 | - | 42,688 |"), "{text}");
    }

    #[test]
    fn the_smallest_learner_is_in_the_table_of_the_smallest_core() {
        let rows = [row(
            json!({"workload": "oja", "variant": "step", "opt": "s", "dim": 3, "eta": null, "state_bytes": 56, "stack_bytes": 184,
                "text_bytes": null, "instructions_mean": 5966, "instructions_max": 6100}),
        )];
        let text = Table { rows: &rows }.smallest();
        assert!(text.contains("| `Oja` | 56 | 184 | - | 6.0k | 6.1k |"), "{text}");
    }

    #[test]
    fn numbers_have_about_three_digits() {
        assert_eq!(
            [804, 4412, 36_644, 99_960, 178_636, 1_104_509].map(|n| short(&json!(n))),
            ["804", "4.4k", "36.6k", "100k", "179k", "1.10M"]
        );
        assert_eq!(
            [7, 1084, 117_124].map(|n| grouped(&json!(n))),
            ["7", "1,084", "117,124"]
        );
    }
}
