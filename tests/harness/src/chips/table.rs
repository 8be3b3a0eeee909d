//! The table of sizes in the guide `board`, with a row for each chip.
//! A size may differ by 2 %, because a program contains file names, whose length depends on the folder of the sources.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use super::{Chip, Sizes};
use crate::cargo::root;

const BEGIN: &str = "<!-- table chips -->\n";
const END: &str = "<!-- end -->";
const HEADING: &str = "| chip | program | flash, bytes | RAM, bytes |\n|---|---|---|---|\n";

/// The largest relative difference of a size from the table is 1 divided by this number.
const TOLERANCE: u64 = 50;

fn file() -> PathBuf {
    root().join("src/guide/board.md")
}

/// Returns the text before the table, the table, and the text after the table.
fn parts(text: &str) -> Result<(&str, &str, &str)> {
    let (before, rest) = text.split_once(BEGIN).context("board.md has no table of chips")?;
    let (rows, after) = rest.split_once(END).context("the table of board.md has no end")?;
    Ok((before, rows, after))
}

fn row(chip: &Chip, sizes: Sizes) -> String {
    format!(
        "| {} | {} | {} | {} |\n",
        chip.words, chip.program, sizes.flash, sizes.ram
    )
}

/// The sizes in the row of a chip.
fn sizes_in(rows: &str, chip: &Chip) -> Option<Sizes> {
    let beginning = format!("| {} |", chip.words);
    let row = rows.lines().find(|row| row.starts_with(&beginning))?;
    let mut cells = row.trim_matches('|').rsplit('|').map(|cell| cell.trim().parse().ok());
    let (ram, flash) = (cells.next()??, cells.next()??);
    Some(Sizes { flash, ram })
}

/// Fails if the table has no row for the chip, or if a size differs by more than 2 %.
pub(super) fn check(chip: &Chip, found: Sizes) -> Result<()> {
    let text = fs::read_to_string(file()).context("cannot read board.md")?;
    let (_, rows, _) = parts(&text)?;
    let close = |written: u64, found: u64| written.abs_diff(found) <= written / TOLERANCE;
    match sizes_in(rows, chip) {
        Some(written) if close(written.flash, found.flash) && close(written.ram, found.ram) => Ok(()),
        Some(written) => bail!("src/guide/board.md has {written}, found {found}: type `cargo harness chips --save`"),
        None => bail!("src/guide/board.md has no row for this chip: type `cargo harness chips --save`"),
    }
}

pub(super) fn save(chip: &Chip, found: Sizes) -> Result<()> {
    let text = fs::read_to_string(file()).context("cannot read board.md")?;
    fs::write(file(), with_row(&text, chip, found)?).context("cannot write board.md")
}

fn with_row(text: &str, chip: &Chip, found: Sizes) -> Result<String> {
    let (before, rows, after) = parts(text)?;
    let mut table = HEADING.to_owned();
    for other in &super::CHIPS {
        let sizes = if other.name == chip.name {
            Some(found)
        } else {
            sizes_in(rows, other)
        };
        table += &sizes.map(|sizes| row(other, sizes)).unwrap_or_default();
    }
    Ok(format!("{before}{BEGIN}{table}{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_written_and_found_again() -> Result<()> {
        let [first, second, ..] = &super::super::CHIPS;
        let sizes = Sizes {
            flash: 40_000,
            ram: 3_000,
        };
        let empty = format!("before\n{BEGIN}{END}\nafter\n");
        let once = with_row(&empty, first, sizes)?;
        let twice = with_row(&once, second, Sizes { flash: 1, ram: 2 })?;
        let (before, rows, after) = parts(&twice)?;
        assert_eq!((before, after), ("before\n", "\nafter\n"));
        assert_eq!(sizes_in(rows, first), Some(sizes));
        assert_eq!(sizes_in(rows, second), Some(Sizes { flash: 1, ram: 2 }));
        assert!(with_row("no table", first, sizes).is_err());
        Ok(())
    }
}
