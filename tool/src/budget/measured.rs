//! The measurements that the model is fitted to, as the repository commits them.

use anyhow::{Context, Result};
use serde_json::{Map, Value};

/// One measurement: the fields of a line that a measuring program prints.
pub(super) type Row = Map<String, Value>;

/// How far the price of a trace in cycles may be off.
pub const MODEL_ERROR: f64 = 0.15;

/// All rows.
pub(super) fn committed() -> Result<Vec<Row>> {
    serde_json::from_str(include_str!("../../../tests/data/bench.json")).context("the measurements inside are damaged")
}
