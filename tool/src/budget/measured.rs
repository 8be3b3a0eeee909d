//! The measurements to which the model is fitted. They are committed in the repository.

use anyhow::{Context, Result};
use serde_json::{Map, Value};

/// One measurement: the fields of a line that a measuring program prints.
pub(super) type Row = Map<String, Value>;

/// The allowed relative error of the cycles that are computed from a trace.
pub const MODEL_ERROR: f64 = 0.15;

/// All rows.
pub(super) fn committed() -> Result<Vec<Row>> {
    serde_json::from_str(include_str!("../../../tests/data/bench.json")).context("the measurements inside are damaged")
}
