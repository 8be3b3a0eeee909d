//! The rows that `evaluate` prints: `{"model","file","f1","far","mar","auc"}`, as fractions of one, null if not
//! defined. The rows of `evaluate labelled` are in `sets.rs`.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};

use serde_json::{Map, Value, json};

use super::metrics::Counts;
use crate::cargo::root;

/// A row for a model and a file, with further fields.
pub(super) fn row(model: &str, file: &str, counts: Counts, area: Option<f64>, further: &[(&str, Value)]) -> Value {
    let mut row = Map::new();
    row.insert("model".into(), json!(model));
    row.insert("file".into(), json!(file));
    for (name, value) in [
        ("f1", counts.f1()),
        ("far", counts.false_alarm_rate()),
        ("mar", counts.missed_alarm_rate()),
        ("auc", area),
    ] {
        row.insert(name.into(), json!(value));
    }
    for (name, value) in further {
        row.insert((*name).into(), value.clone());
    }
    Value::Object(row)
}

pub(super) fn print(rows: &[Value]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, rows)?;
    writeln!(out)
}

fn file() -> PathBuf {
    root().join("tests/data/evaluate.json")
}

/// Writes the rows with the file `pooled`, which are over all files, one per line.
pub(super) fn save(rows: &[Value]) -> Result<()> {
    let pooled = rows.iter().filter(|row| row["file"] == "pooled");
    let lines = pooled.map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    fs::write(file(), format!("[\n{}\n]\n", lines.join(",\n"))).context("cannot write tests/data/evaluate.json")
}

pub(crate) fn committed() -> Result<Vec<Value>> {
    let text = fs::read_to_string(file()).context("cannot read tests/data/evaluate.json")?;
    serde_json::from_str(&text).context("tests/data/evaluate.json is damaged")
}

pub(super) fn fraction(value: Option<f64>) -> String {
    value.map_or("-".into(), |value| format!("{value:.3}"))
}

pub(super) fn percent(value: Option<f64>) -> String {
    value.map_or("-".into(), |value| format!("{:.1} %", 100.0 * value))
}
