//! Recordings whose cells are numbers already.

use anyhow::Result;

/// Rows of numbers, one after the other.
pub(super) trait Rows {
    /// The numbers of the next row, one a column, NaN where there is none; nothing at the end.
    fn next(&mut self) -> Result<Option<&[f64]>>;
}

/// A file whose first rows were read.
pub(super) struct Opened {
    /// The names of the columns.
    pub(super) header: Vec<String>,
    /// The first rows as text, cells between commas.
    pub(super) first: Vec<String>,
    /// All rows, the first ones too.
    pub(super) rows: Box<dyn Rows>,
}
