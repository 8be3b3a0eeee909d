//! The table of the cost of restoring, in place and by value, from `bench_restore.rs` and `flash.rs`.

use anyhow::{Result, bail};

use super::Row;
use super::tables::grouped;

/// The most bytes of stack allowed for restoring in place, at opt-level 3.
const LIMIT: u64 = 1024;

const SHOWN: [(&str, &str); 4] = [
    ("`SensorMonitor`", "sensor_monitor"),
    ("`TrackingPca`, 2 directions", "tracking"),
    ("`CenteredPca`, 2 directions", "centered"),
    ("`OnlineKernelPca`, 16 points", "online_kernel"),
];

/// Fails if restoring a learner in place takes more than [`LIMIT`] bytes of stack.
pub(super) fn check_stack(rows: &[Row]) -> Result<()> {
    let deep =
        |row: &&Row| row["workload"] == "restore" && row["stack_bytes"].as_u64().is_none_or(|bytes| bytes > LIMIT);
    match rows.iter().find(deep) {
        None => Ok(()),
        Some(row) => bail!(
            "restoring {} takes {} bytes of stack, more than {LIMIT}",
            row["variant"],
            row["stack_bytes"]
        ),
    }
}

pub(super) fn restoring(rows: &[Row]) -> String {
    let find = |variant: &str, opt: &str| {
        let mut rows = rows.iter();
        rows.find(|row| row["workload"] == "restore" && row["variant"] == variant && row["opt"] == opt)
    };
    let mut text =
        "| bytes, 20 channels | state | image | stack, in place | by value | flash beyond the learner, opt-level s |\n\
                    |---|---|---|---|---|---|\n"
            .to_owned();
    for (title, variant) in SHOWN {
        let cell = |opt, key: &str| {
            let value = find(variant, opt).and_then(|row| row.get(key));
            value.map_or("-".into(), grouped)
        };
        let cells = [
            cell("3", "state_bytes"),
            cell("3", "image_bytes"),
            cell("3", "stack_bytes"),
            cell("3", "by_value_stack_bytes"),
            cell("s", "text_bytes"),
        ];
        text += &format!("| {title} | {} |\n", cells.join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_deep_stack_is_refused() {
        let row = |bytes: u64| json!({"workload": "restore", "variant": "tracking", "stack_bytes": bytes});
        let check = |bytes| check_stack(&row(bytes).as_object().cloned().into_iter().collect::<Vec<Row>>());
        assert!(check(1024).is_ok());
        assert!(check(1025).is_err());
    }

    #[test]
    fn a_row_that_was_not_measured_is_shown_as_a_dash() {
        let row = json!({"workload": "restore", "variant": "tracking", "opt": "3", "state_bytes": 1600});
        let rows: Vec<Row> = row.as_object().cloned().into_iter().collect();
        let text = restoring(&rows);
        assert!(text.contains("| `TrackingPca`, 2 directions | 1,600 | - | - | - | - |"));
        assert!(text.contains("| `SensorMonitor` | - | - | - | - | - |"));
    }
}
