//! Replaces `parquet` in a tool that was built without Parquet.

use std::path::Path;

use anyhow::{Result, bail};

use super::table::Opened;

pub(super) fn open(path: &Path) -> Result<Opened> {
    bail!(
        "{} is a Parquet file: install the tool with `--features parquet`, or save it as CSV",
        path.display()
    )
}
