//! The test data belong to the checkout: nothing in them leads out of it.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::cargo::root;

/// Fails on a symbolic link, or on a file that contains `../shared`, a folder outside of the checkout.
pub(super) fn stands_alone() -> Result<()> {
    inspect(&root().join("tests/data"))
}

fn inspect(directory: &Path) -> Result<()> {
    let entries = fs::read_dir(directory).with_context(|| format!("cannot read {}", directory.display()))?;
    for entry in entries {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_symlink() {
            bail!("{} is a link: put a copy of the file in its place", path.display());
        } else if kind.is_dir() {
            inspect(&path)?;
        } else if fs::read(&path)?
            .windows(b"../shared".len())
            .any(|window| window == b"../shared")
        {
            bail!(
                "{} points outside of the checkout: copy what it needs into tests/data",
                path.display()
            );
        }
    }
    Ok(())
}
