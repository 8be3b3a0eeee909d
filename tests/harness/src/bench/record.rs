//! The measurements that are committed, `tests/data/bench.json`: what the README shows and the budget is fitted to.
//! One row a line, in the order in which they were measured, so that a change can be read in a diff.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Row;
use crate::cargo::root;

/// What tells one measurement from another.
const IDENTITY: [&str; 12] = [
    "workload",
    "variant",
    "machine",
    "opt",
    "precision",
    "dim",
    "keep",
    "window",
    "eta",
    "kernel",
    "rank",
    "settings",
];

/// An instruction count may be off by this much before it is another one: a new compiler shifts a few.
const TOLERANCE: f64 = 0.02;

fn file() -> PathBuf {
    root().join("tests/data/bench.json")
}

/// All committed rows.
pub(crate) fn load() -> Result<Vec<Row>> {
    let file = file();
    let text = fs::read_to_string(&file)
        .with_context(|| format!("cannot read {}: type `cargo harness bench --save`", file.display()))?;
    serde_json::from_str(&text)
        .with_context(|| format!("{} is damaged: type `cargo harness bench --save`", file.display()))
}

/// Puts these rows in the place of the committed ones of the same workloads.
pub(super) fn save(measured: &[Row]) -> Result<()> {
    let mut rows = load().unwrap_or_default();
    rows.retain(|row| !measured.iter().any(|new| new["workload"] == row["workload"]));
    rows.extend(measured.iter().cloned());
    let lines: Vec<String> = rows.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    let file = file();
    fs::write(&file, format!("[\n{}\n]\n", lines.join(",\n")))
        .with_context(|| format!("cannot write {}", file.display()))
}

/// Fails if a row is not what was committed for it.
pub(crate) fn compare(committed: &[Row], measured: &[Row]) -> Result<()> {
    let mut complaints = Vec::new();
    for row in measured {
        let name = || IDENTITY.map(|key| value(row, key).to_string()).join(" ");
        match committed
            .iter()
            .find(|other| IDENTITY.iter().all(|&key| value(other, key) == value(row, key)))
        {
            None => complaints.push(format!("not there: {}", name())),
            Some(other) => complaints.extend(
                ["instructions_mean", "instructions_max", "state_bytes", "stack_bytes"]
                    .into_iter()
                    .filter(|key| differ(&row[*key], &other[*key]))
                    .map(|key| format!("{}: {key} is {}, committed {}", name(), row[key], other[key])),
            ),
        }
    }
    if complaints.is_empty() {
        Ok(())
    } else {
        bail!(
            "tests/data/bench.json is stale: type `cargo harness bench --save`\n{}",
            complaints.join("\n")
        )
    }
}

/// What a row says; a key that it lacks does not apply.
fn value<'row>(row: &'row Row, key: &str) -> &'row Value {
    row.get(key).unwrap_or(&Value::Null)
}

fn differ(measured: &Value, committed: &Value) -> bool {
    match (measured.as_f64(), committed.as_f64()) {
        (Some(measured), Some(committed)) => (measured - committed).abs() > TOLERANCE * committed.abs(),
        (None, None) => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(mean: u32) -> Row {
        let mut row: Row = IDENTITY.iter().map(|&key| (key.to_owned(), Value::Null)).collect();
        row.insert("instructions_mean".into(), mean.into());
        for key in ["instructions_max", "state_bytes", "stack_bytes"] {
            row.insert(key.into(), Value::Null);
        }
        row
    }

    #[test]
    fn a_row_may_be_a_little_off_and_no_more() {
        assert!(compare(&[row(1000)], &[row(1019)]).is_ok());
        assert!(compare(&[row(1000)], &[row(1021)]).is_err());
        assert!(compare(&[], &[row(1000)]).is_err_and(|error| error.to_string().contains("not there")));
    }
}
