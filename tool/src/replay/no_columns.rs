//! Replaces `columns` in a tool that was built without Parquet.

use std::fs::File;
use std::path::Path;

use anyhow::{Result, bail};
use eigenstream_sizes::PlainVerdict;

/// No values: without Parquet there is no table.
pub(super) enum Columns {}

impl Columns {
    /// The error says how to install the tool with Parquet; no file is created or emptied.
    pub(super) fn begin(_: impl FnOnce() -> Result<File>, path: &Path, _: &[String]) -> Result<Self> {
        bail!(
            "{} would be a Parquet file: install the tool with `--features parquet`, or name a file.csv",
            path.display()
        )
    }

    pub(super) fn add(&mut self, _: u64, _: Option<&PlainVerdict>, _: &[f32]) -> Result<()> {
        match *self {}
    }

    pub(super) fn finish(self) -> Result<()> {
        match self {}
    }
}
