//! Reports bad cells: the first ones with their lines, the others as a count. With `--strict` the first is an error.

use std::path::Path;

use anyhow::{Result, bail};

const SHOWN: usize = 10;

/// The treatment of a bad cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// The cell is reported, and its row is read without it.
    Lenient,
    /// The cell is an error.
    Strict,
}

impl Strictness {
    /// `Strict` if the option `--strict` is given.
    pub const fn of_option(strict: bool) -> Self {
        if strict { Self::Strict } else { Self::Lenient }
    }
}

/// All complaints so far.
pub struct Complaints {
    strictness: Strictness,
    sentences: Vec<String>,
    count: u64,
}

impl Complaints {
    pub const fn new(strictness: Strictness) -> Self {
        Self {
            strictness,
            sentences: Vec::new(),
            count: 0,
        }
    }

    /// Reports a problem in a line; `taken` says how the line is read in spite of it.
    pub fn about(&mut self, path: &Path, line: u64, what: &str, taken: &str) -> Result<()> {
        let sentence = format!("line {line} of {}: {what}", path.display());
        if self.strictness == Strictness::Strict {
            bail!(sentence);
        }
        self.count += 1;
        if self.sentences.len() < SHOWN {
            self.sentences.push(format!("{sentence}, {taken}"));
        }
        Ok(())
    }

    /// The number of complaints.
    pub const fn count(&self) -> u64 {
        self.count
    }

    pub fn lines(&self) -> Vec<String> {
        let mut lines = self.sentences.clone();
        let more = self.count - lines.len() as u64;
        if more > 0 {
            lines.push(format!("and {more} more like these"));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_complaints_are_shown_and_all_are_counted() -> Result<()> {
        let mut complaints = Complaints::new(Strictness::of_option(false));
        for line in 0..25 {
            complaints.about(Path::new("a.csv"), line, "`x` is not a number", "left out")?;
        }
        let lines = complaints.lines();
        assert_eq!(complaints.count(), 25);
        assert_eq!(lines.len(), SHOWN + 1);
        assert_eq!(lines[3], "line 3 of a.csv: `x` is not a number, left out");
        assert_eq!(lines[SHOWN], "and 15 more like these");
        Ok(())
    }
}
