//! The committed measurements, `tests/data/bench.json`: source of the tables and of the model of `budget`.
//! The file has one row per line, sorted by workload, so that a diff is readable.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::images::Image;
use super::{Row, keys};
use crate::cargo::root;

/// Largest relative difference of numbers that count as equal; a new compiler changes a few instructions. Words must be
/// equal.
const TOLERANCE: f64 = 0.02;

fn file() -> PathBuf {
    root().join("tests/data/bench.json")
}

pub(crate) fn load() -> Result<Vec<Row>> {
    let file = file();
    let text = fs::read_to_string(&file)
        .with_context(|| format!("cannot read {}: type `cargo harness bench --save`", file.display()))?;
    serde_json::from_str(&text)
        .with_context(|| format!("{} is damaged: type `cargo harness bench --save`", file.display()))
}

/// Replaces the committed rows of the measured workloads.
pub(super) fn save(measured: &[Row]) -> Result<()> {
    let mut rows = load().unwrap_or_default();
    rows.retain(|row| !measured.iter().any(|new| new["workload"] == row["workload"]));
    rows.extend(measured.iter().cloned());
    // The rows are sorted, so that a commit shows only the rows that changed.
    rows.sort_by(|row, other| row["workload"].as_str().cmp(&other["workload"].as_str()));
    let lines: Vec<String> = rows.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    let file = file();
    fs::write(&file, format!("[\n{}\n]\n", lines.join(",\n")))
        .with_context(|| format!("cannot write {}", file.display()))
}

/// Fails if a row differs from its committed row; the keys of [`keys::COMPARED_IF_MEASURED`] are compared only if the
/// new row has them.
pub(crate) fn compare(committed: &[Row], measured: &[Row]) -> Result<()> {
    let mut complaints = Vec::new();
    for row in measured {
        match committed.iter().find(|other| same(row, other)) {
            None => complaints.push(format!("not committed: {}", name(row))),
            Some(other) => complaints.extend(
                (keys::COMPARED_IF_MEASURED.into_iter())
                    .filter(|key| !value(row, key).is_null())
                    .chain(keys::COMPARED)
                    .filter(|key| differ(value(row, key), value(other, key)))
                    .map(|key| {
                        let (row_says, committed_says) = (value(row, key), value(other, key));
                        format!("{}: {key} is {row_says}, committed {committed_says}", name(row))
                    }),
            ),
        }
    }
    stale_if_any(&complaints)
}

/// Fails if a committed row of a workload of these programs was not measured.
pub(super) fn covers(images: &[Image], measured: &[Row]) -> Result<()> {
    let rerun = |row: &Row| {
        let workload = value(row, "workload").as_str().unwrap_or_default();
        images.iter().any(|image| image.prints(workload))
    };
    let complaints: Vec<String> = (load()?.iter())
        .filter(|row| rerun(row) && !measured.iter().any(|other| same(row, other)))
        .map(|row| format!("committed and no longer measured: {}", name(row)))
        .collect();
    stale_if_any(&complaints)
}

fn stale_if_any(complaints: &[String]) -> Result<()> {
    if complaints.is_empty() {
        Ok(())
    } else {
        bail!(
            "tests/data/bench.json is stale: type `cargo harness bench --save`\n{}",
            complaints.join("\n")
        )
    }
}

/// Whether both rows are of the same measurement.
pub(super) fn same(one: &Row, other: &Row) -> bool {
    keys::of_identity().all(|key| value(one, key) == value(other, key))
}

fn name(row: &Row) -> String {
    let words: Vec<String> = keys::of_identity().map(|key| value(row, key).to_string()).collect();
    words.join(" ")
}

/// The value of a key; null if the row does not have it.
fn value<'row>(row: &'row Row, key: &str) -> &'row Value {
    row.get(key).unwrap_or(&Value::Null)
}

fn differ(measured: &Value, committed: &Value) -> bool {
    match (measured.as_f64(), committed.as_f64()) {
        (Some(measured), Some(committed)) => (measured - committed).abs() > TOLERANCE * committed.abs(),
        _ => measured != committed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(mean: u32) -> Row {
        Row::from_iter([("instructions_mean".to_owned(), mean.into())])
    }

    #[test]
    fn a_row_may_differ_by_two_percent() {
        assert!(compare(&[row(1000)], &[row(1019)]).is_ok());
        assert!(compare(&[row(1000)], &[row(1021)]).is_err());
        assert!(compare(&[], &[row(1000)]).is_err_and(|error| error.to_string().contains("not committed")));
    }

    #[test]
    fn flash_is_compared_where_it_was_measured() {
        let with_flash = |bytes: Value| {
            let mut row = row(1000);
            row.insert("text_bytes".into(), bytes);
            row
        };
        let committed = [with_flash(5000.into())];
        assert!(compare(&committed, &[with_flash(Value::Null)]).is_ok());
        assert!(compare(&committed, &[with_flash(5200.into())]).is_err());
    }

    #[test]
    fn losses_and_naive_versions_are_compared_too() {
        let with = |key: &str, value: Value| {
            let mut row = row(1000);
            row.insert(key.into(), value);
            row
        };
        for (key, committed, measured) in [
            ("total_loss", Value::from("89/89/88"), Value::from("89/95/88")),
            ("lost_percent", 5.7.into(), 6.4.into()),
            ("naive_mean", 5300.into(), 5500.into()),
            ("hostile_mean", 2200.into(), 2300.into()),
        ] {
            let rows = [with(key, committed.clone())];
            assert!(compare(&rows, &[with(key, committed)]).is_ok(), "{key}");
            assert!(compare(&rows, &[with(key, measured)]).is_err(), "{key}");
            assert!(compare(&rows, &[row(1000)]).is_ok(), "{key}");
        }
    }
}
