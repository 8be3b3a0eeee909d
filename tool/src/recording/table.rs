//! Recordings whose cells are already numbers.

use anyhow::Result;

/// Rows of numbers, one after the other.
pub(super) trait Rows {
    /// NaN for a missing value; `None` at the end.
    fn next(&mut self) -> Result<Option<&[f64]>>;
}

/// A file whose first rows were read.
pub(super) struct Opened {
    /// The names of the columns.
    pub(super) header: Vec<String>,
    /// Columns without numbers, which are skipped.
    pub(super) unread: Vec<bool>,
    pub(super) first: Vec<String>,
    /// All rows, including the first ones.
    pub(super) rows: Box<dyn Rows>,
}
