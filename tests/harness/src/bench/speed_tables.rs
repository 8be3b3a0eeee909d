//! The tables of speed: W1 to W4, and trackers of the literature beside `TrackingPca`.
//! In: the committed rows. Out: Markdown.

use serde_json::Value;

use super::Row;
use super::tables::{grouped, short};

/// The clock of the column of microseconds, in MHz.
const CLOCK: f64 = 64.0;

fn cell(row: Option<&Row>, key: &str, show: impl Fn(&Value) -> String) -> String {
    row.and_then(|row| row.get(key)).map_or("-".into(), show)
}

fn pair(row: Option<&Row>, keys: [&str; 2]) -> String {
    keys.map(|key| cell(row, key, short)).join(" / ")
}

/// W1 to W4: the title of a line, the workload and the variant.
const WORKLOADS: [(&str, &str, &str); 4] = [
    ("`TrackingPca`, 20 channels, 2 directions (W1)", "W1", "tracking"),
    (
        "`OnlineKernelPca`, 32 points of 20 channels, 4 directions (W2)",
        "W2",
        "exact",
    ),
    ("`CenteredPca`, 20 channels, 2 directions (W3)", "W3", "centered"),
    ("`SensorMonitor`, 6 axes, from counts to verdict (W4)", "W4", "monitor"),
];

/// The traced row and the measured row of one workload, at one size.
fn traced_and_measured<'rows>(rows: &'rows [Row], workload: &str, variant: &str, opt: &str) -> [Option<&'rows Row>; 2] {
    let traced = rows.iter().find(|row| {
        row["workload"] == "cycles"
            && row.get("source").is_some_and(|source| source == workload)
            && row["variant"] == variant
            && row["opt"] == opt
    });
    // W1 to W3 have several sizes, of which one was traced; W4 has one size.
    let measured = rows.iter().find(|row| {
        row["workload"] == workload
            && row["variant"] == variant
            && row["opt"] == opt
            && traced.is_some_and(|traced| {
                ["dim", "window", "kernel", "eta"]
                    .iter()
                    .all(|key| traced.get(*key) == row.get(*key))
            })
    });
    [traced, measured]
}

/// The table of W1 to W4 at both optimisation levels.
pub(super) fn cost(rows: &[Row]) -> String {
    let mut text = "| one step | opt-level | instructions, mean / worst | cycles, mean / worst | µs at 64 MHz, mean / worst | flash (bytes) |\n|---|---|---|---|---|---|\n".to_owned();
    for (title, workload, variant) in WORKLOADS {
        for opt in ["3", "s"] {
            let [traced, measured] = traced_and_measured(rows, workload, variant, opt);
            let microseconds = |key| {
                cell(traced, key, |cycles| {
                    format!("{:.0}", cycles.as_f64().unwrap_or(0.0) / CLOCK)
                })
            };
            text += &format!(
                "| {} | {opt} | {} | {} | {} / {} | {} |\n",
                if opt == "3" { title } else { "" },
                pair(traced, ["instructions_mean", "instructions_max"]),
                pair(traced, ["cycles_mean", "cycles_max"]),
                microseconds("cycles_mean"),
                microseconds("cycles_max"),
                cell(measured, "text_bytes", grouped),
            );
        }
    }
    text
}

/// The README's table of cost: cycles and bytes of W1 to W4.
pub(super) fn brief(rows: &[Row]) -> String {
    let mut text =
        "| one step | cycles, mean / worst | RAM, state + stack (bytes) | flash, opt-level 3 / s (bytes) |\n|---|---|---|---|\n"
            .to_owned();
    for (title, workload, variant) in WORKLOADS {
        let [traced, fast] = traced_and_measured(rows, workload, variant, "3");
        let [_, small] = traced_and_measured(rows, workload, variant, "s");
        text += &format!(
            "| {title} | {} | {} + {} | {} / {} |\n",
            pair(traced, ["cycles_mean", "cycles_max"]),
            cell(fast, "state_bytes", grouped),
            cell(fast, "stack_bytes", grouped),
            cell(fast, "text_bytes", grouped),
            cell(small, "text_bytes", grouped),
        );
    }
    text
}

/// The trackers in the order of the tables: title and variant.
const TRACKERS: [(&str, &str); 9] = [
    ("`TrackingPca`, default", "tracking_default"),
    ("`TrackingPca`, rate 1", "tracking_rate_1"),
    ("`Clipped` `TrackingPca`, defaults", "tracking_clipped"),
    ("GROUSE, 0.2 of the greedy angle", "grouse"),
    ("OPAST with a guard, memory 6", "opast"),
    ("`Clipped` OPAST, memory 6", "opast_clipped"),
    ("incremental SVD, rank 2, memory 6", "svd_rank_2"),
    ("incremental SVD, rank 3, memory 8", "svd_rank_3"),
    ("capped MSG, rank 3, rate 0.4", "capped_msg"),
];

/// The row of a tracker on W1 with `dim` channels, or on a stream of 20 channels.
fn tracker<'rows>(rows: &'rows [Row], variant: &str, stream: Option<&str>, dim: u64) -> Option<&'rows Row> {
    rows.iter().find(|row| {
        row["workload"] == "compare"
            && row["variant"] == variant
            && row["opt"] == "3"
            && row["dim"] == dim
            && row.get("stream").and_then(Value::as_str) == stream
    })
}

/// The table of the trackers' cost and loss on W1.
pub(super) fn peers(rows: &[Row]) -> String {
    let mut text = "| two directions of the stream W1 | total loss, n = 20, three seeds | instructions, mean / worst | n = 6 | n = 64 | state (bytes) | stack |\n|---|---|---|---|---|---|---|\n".to_owned();
    for (title, variant) in TRACKERS {
        let at = |dim| tracker(rows, variant, None, dim);
        let costs = [20, 6, 64].map(|dim| pair(at(dim), ["instructions_mean", "instructions_max"]));
        text += &format!(
            "| {title} | {} | {} | {} | {} |\n",
            cell(at(20), "total_loss", |loss| loss
                .as_str()
                .unwrap_or("-")
                .replace('/', " / ")),
            costs.join(" | "),
            cell(at(20), "state_bytes", grouped),
            cell(at(20), "stack_bytes", grouped),
        );
    }
    text
}

/// The table of the part of the energy that each tracker loses, and of its mean instructions, on eight streams.
pub(super) fn streams(rows: &[Row]) -> String {
    let streams = [
        "shift", "long", "noisy", "weak", "outliers", "drift", "silence", "bursts",
    ];
    let mut text = format!(
        "| % of the energy lost · instructions | {} |\n|---|{}\n",
        streams.join(" | "),
        "---|".repeat(streams.len())
    );
    for (title, variant) in TRACKERS {
        let cells = streams.map(|stream| {
            let row = tracker(rows, variant, Some(stream), 20);
            let lost = cell(row, "lost_percent", |lost| {
                format!("{:.1}", lost.as_f64().unwrap_or(0.0))
            });
            format!("{lost} · {}", cell(row, "instructions_mean", short))
        });
        text += &format!("| {title} | {} |\n", cells.join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::row;
    use super::*;
    use serde_json::json;

    #[test]
    fn cycles_and_flash_of_one_size_stand_in_one_line() {
        let rows = [
            row(json!({"workload": "W1", "variant": "tracking", "opt": "3", "dim": 8, "eta": 1.0, "text_bytes": 7})),
            row(
                json!({"workload": "W1", "variant": "tracking", "opt": "3", "dim": 20, "eta": 1.0, "text_bytes": 44_800,
                "state_bytes": 604, "stack_bytes": 1088}),
            ),
            row(
                json!({"workload": "cycles", "source": "W1", "variant": "tracking", "opt": "3", "dim": 20, "eta": 1.0,
                "instructions_mean": 2583, "instructions_max": 12_042, "cycles_mean": 5333, "cycles_max": 23_662}),
            ),
        ];
        let text = cost(&rows);
        assert!(
            text.contains("(W1) | 3 | 2.6k / 12.0k | 5.3k / 23.7k | 83 / 370 | 44,800 |\n"),
            "{text}"
        );
        assert!(text.contains("|  | s | - / - | - / - | - / - | - |\n"), "{text}");
        let text = brief(&rows);
        assert!(
            text.contains("(W1) | 5.3k / 23.7k | 604 + 1,088 | 44,800 / - |\n"),
            "{text}"
        );
    }

    #[test]
    fn a_tracker_is_found_by_its_stream_and_by_its_size() {
        let rows = [
            row(
                json!({"workload": "compare", "variant": "grouse", "opt": "3", "dim": 20, "stream": "drift", "lost_percent": 9.68,
                "instructions_mean": 415}),
            ),
            row(
                json!({"workload": "compare", "variant": "grouse", "opt": "3", "dim": 20, "total_loss": "91/90/93",
                "instructions_mean": 414, "instructions_max": 743, "state_bytes": 168, "stack_bytes": 100}),
            ),
        ];
        assert!(peers(&rows).contains("| 91 / 90 / 93 | 414 / 743 | - / - | - / - | 168 | 100 |\n"));
        assert!(streams(&rows).contains("| 9.7 · 415 |"));
    }
}
