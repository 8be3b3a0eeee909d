//! The tables that help to choose a learner.
//! In: the committed rows. Out: Markdown.

use eigenstream::kernel::{Gaussian, KernelPca};
use eigenstream::pca::BatchPca;
use serde_json::Value;

use super::Row;
use super::tables::{Table, grouped, short};

impl Table<'_> {
    /// The row of a variant in the workload `compare`.
    fn compared(&self, variant: &str, settings: &str) -> Option<&Row> {
        let mut rows = self
            .rows
            .iter()
            .filter(|row| row["workload"] == "compare" && row["opt"] == "3");
        rows.find(|row| row["variant"] == variant && row.get("settings").is_some_and(|named| named == settings))
    }

    /// The table of the learner for each need, with its bytes and instructions at 20 channels.
    pub(super) fn choose(&self) -> String {
        let measured = |row: Option<&Row>| {
            let cell = |key: &str, show: fn(&Value) -> String| row.map_or("-".into(), |row| show(&row[key]));
            [cell("state_bytes", grouped), cell("instructions_mean", short)]
        };
        let fitted = |bytes: usize| [format!("{:.1} kB", bytes as f64 / 1e3), "-".into()];
        // The instructions are from `cycles`, because the row of W2 (`OnlineKernelPca`) leaves out those for kernel
        // values.
        let kernel = |workload: &str| {
            self.rows.iter().find(|row| {
                row["workload"] == workload
                    && row["variant"] == "exact"
                    && row["opt"] == "3"
                    && row["window"] == 32
                    && row["kernel"] == "gauss"
            })
        };
        let [bytes, _] = measured(kernel("W2"));
        let steps = kernel(super::cycles::WORKLOAD);
        let kernel = [bytes, steps.map_or("-".into(), |row| short(&row["instructions_mean"]))];
        let lines = [
            (
                "samples around zero whose directions change",
                "`TrackingPca`",
                measured(self.compared("tracking", "rate_1")),
                "a bound on every stream, at every `RANK`; it counts its `excess`",
            ),
            (
                "samples around zero, and hardly any memory or time",
                "`Gha`",
                measured(self.compared("gha", "rate_0.3")),
                "none; the rate has to fit the data",
            ),
            (
                "samples around zero, one direction",
                "`Oja`",
                measured(self.compared("oja", "rate_0.3")),
                "none",
            ),
            (
                "samples around an unknown mean, or a memory of known length",
                "`CenteredPca`",
                measured(self.find("W3", "centered", "3", 20)),
                "a bound, if unscaled and without forgetting",
            ),
            (
                "covariances instead of samples, or regimes that return",
                "`DensityPca`",
                measured(self.find("sizes", "density", "3", 20)),
                "a bound on every stream; it counts its `excess`",
            ),
            (
                "two groups of channels whose relation may break",
                "`PairedPca`, 20 channels in each group",
                measured(self.find("beside", "paired", "3", 20)),
                "a bound on every stream, if unscaled and without forgetting",
            ),
            (
                "a value to predict from others, with error bars",
                "`RecursiveLeastSquares`, 20 features",
                measured(self.find("beside", "least_squares", "3", 20)),
                "error bars, if the relation is linear",
            ),
            (
                "a curve or surface that no plane fits, and that changes",
                "`OnlineKernelPca`, 32 points, 4 directions",
                kernel,
                "a bound that knows no dimension plus `excess()`, until the window is full; none after that",
            ),
            (
                "a curve or surface that was recorded and fitted before",
                "`KernelPca`, 32 points",
                fitted(size_of::<KernelPca<f32, Gaussian<f32>, 20, 2, 32>>()),
                "best in hindsight",
            ),
            (
                "a fixed set of samples",
                "`BatchPca`",
                fitted(size_of::<BatchPca<f32, 20, 2>>()),
                "best in hindsight",
            ),
        ];
        let mut text =
            "| you have | take | bytes | instructions a step | guarantee |\n|---|---|---|---|---|\n".to_owned();
        for (have, take, [bytes, instructions], guarantee) in lines {
            text += &format!("| {have} | {take} | {bytes} | {instructions} | {guarantee} |\n");
        }
        text
    }

    pub(super) fn compare(&self) -> String {
        let mut text = "| learner | settings | instructions a step | worst | state | stack | total loss |\n|---|---|---|---|---|---|---|\n".to_owned();
        for (title, variant, settings, words) in [
            (
                "`Oja`, one direction of the two",
                "oja",
                "rate_0.03125",
                "rate 1/32 (default)",
            ),
            ("", "oja", "rate_0.3", "rate 0.3"),
            ("`Gha`", "gha", "rate_0.03125", "rate 1/32 (default)"),
            ("", "gha", "rate_0.3", "rate 0.3"),
            ("", "ascent", "rate_0.3", "rate 0.3, gradient ascent"),
            ("`TrackingPca`", "tracking", "rate_1", "rate 1, unscaled"),
            ("", "tracking", "rate_5", "rate 5, unscaled"),
            ("`AdditivePca`", "additive", "rate_0.1", "rate 0.1, unscaled"),
            ("", "additive", "rate_1", "rate 1, unscaled"),
            (
                "`CenteredPca`, leader",
                "centered",
                "memory_10_leader",
                "forgetting, memory 10",
            ),
            ("", "centered", "memory_100_leader", "forgetting, memory 100"),
        ] {
            if let Some(row) = self.compared(variant, settings) {
                text += &format!(
                    "| {title} | {words} | {} | {} | {} | {} | {} |\n",
                    short(&row["instructions_mean"]),
                    short(&row["instructions_max"]),
                    grouped(&row["state_bytes"]),
                    grouped(&row["stack_bytes"]),
                    row["total_loss"].as_str().unwrap_or("-").replace('/', " / "),
                );
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_step_of_a_kernel_learner_includes_its_kernel_values() {
        let rows = [("W2", 77_413), ("cycles", 82_069)].map(|(workload, instructions)| {
            let row = json!({"workload": workload, "variant": "exact", "opt": "3", "dim": 20, "window": 32, "kernel": "gauss",
                "eta": 5.0, "instructions_mean": instructions, "state_bytes": 9184});
            row.as_object().cloned().unwrap_or_default()
        });
        let text = Table { rows: &rows }.choose();
        assert!(text.contains(", 32 points, 4 directions | 9,184 | 82.1k |"), "{text}");
    }
}
