//! The tables of measurements in the README and the guides.
//! In: the committed rows. Out: these files with new text between `<!-- table NAME -->` and `<!-- end -->`.

use std::fs;

use anyhow::{Context, Result, bail};

use super::tables::table;
use super::{Row, record};
use crate::cargo::root;

const BEGIN: &str = "<!-- table ";
const END: &str = "<!-- end -->";

/// The files with tables that this module writes.
const FILES: [&str; 5] = [
    "README.md",
    "src/guide/memory.md",
    "src/guide/learners.md",
    "src/guide/trust.md",
    "src/guide/tuning.md",
];

pub(crate) fn write() -> Result<()> {
    let rows = record::load()?;
    for file in FILES {
        let text = rendered(&read(file)?, &rows)?;
        fs::write(root().join(file), text).with_context(|| format!("cannot write {file}"))?;
    }
    Ok(())
}

/// Fails if a table differs from the committed rows.
pub(super) fn check() -> Result<()> {
    let rows = record::load()?;
    for file in FILES {
        let text = read(file)?;
        if rendered(&text, &rows)? != text {
            bail!("a table of {file} is stale: type `cargo harness bench --save`");
        }
    }
    Ok(())
}

fn read(file: &str) -> Result<String> {
    fs::read_to_string(root().join(file)).with_context(|| format!("cannot read {file}"))
}

/// The text with every table replaced.
fn rendered(text: &str, rows: &[Row]) -> Result<String> {
    let mut parts = text.split(BEGIN);
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(" -->\n").context("a table has no name")?;
        let (_, after) = rest
            .split_once(END)
            .with_context(|| format!("table {name} has no end"))?;
        result += &format!("{BEGIN}{name} -->\n{}{END}{after}", table(name, rows)?);
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_replaced_and_the_rest_stays() -> Result<()> {
        let text = "before\n<!-- table eigen -->\nold\n<!-- end -->\nafter <!-- no table -->\n";
        let new = rendered(text, &[])?;
        assert!(new.starts_with("before\n<!-- table eigen -->\n| eigendecomposition"));
        assert!(new.ends_with("<!-- end -->\nafter <!-- no table -->\n"));
        assert_eq!(rendered(&new, &[])?, new);
        assert!(rendered("<!-- table unknown -->\n<!-- end -->", &[]).is_err());
        assert!(rendered("<!-- table eigen -->\n", &[]).is_err());
        Ok(())
    }
}
