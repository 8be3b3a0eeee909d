//! Parquet, where the tool was built without it.

use std::path::Path;

use anyhow::{Result, bail};

use super::table::Opened;

/// Says how to get it.
pub(super) fn open(path: &Path) -> Result<Opened> {
    bail!(
        "{} is a Parquet file: install the tool with `--features parquet`, or save it as CSV",
        path.display()
    )
}
