//! Replaces `parquet` in a tool that was built without Parquet.

use std::path::Path;

use anyhow::{Result, bail};

use super::table::Opened;

/// Returns an error that says how to install the tool with Parquet.
pub(super) fn open(path: &Path) -> Result<Opened> {
    bail!(
        "{} is a Parquet file: install the tool with `--features parquet`, or save it as CSV",
        path.display()
    )
}
