//! Writes the table of `replay`: Parquet if the file name ends with `.parquet`, otherwise CSV. Columns:
//! `line,phase,score,threshold,alarm,state,stuck,moved`, then the part of each channel in the score. A channel whose name
//! another column has gets a number at its end. Numbers parse to the same `f32`.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use eigenstream_sizes::PlainVerdict;

use super::columns::Columns;
use super::words::{known, phase_word, state_word};

/// The columns before those of the channels.
const FIRST: &str = "line,phase,score,threshold,alarm,state,stuck,moved";

/// Its file is removed if it is dropped before it is finished.
pub(super) struct Scores {
    // Dropped first: the rest is written before the file is removed.
    table: Table,
    unfinished: Unfinished,
}

enum Table {
    Text(Lines),
    Columns(Box<Columns>),
}

struct Unfinished(Option<PathBuf>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        // A pipe, a device or a link stays.
        let file = self.0.take();
        let file = file.filter(|path| fs::symlink_metadata(path).is_ok_and(|file| file.is_file()));
        if let Some(path) = file {
            let _ = fs::remove_file(path);
        }
    }
}

impl Scores {
    /// The file must not be the recording.
    pub(super) fn create(path: &Path, recording: &Path, channels: &[String]) -> Result<Self> {
        spare(recording, path, "scores", "--scores")?;
        let channels = &distinct(channels);
        let is_parquet = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("parquet"));
        let table = match is_parquet {
            true => Table::Columns(Box::new(Columns::begin(|| new_file(path), path, channels)?)),
            false => Table::Text(Lines::begin(
                BufWriter::new(new_file(path)?),
                path.to_path_buf(),
                channels,
            )?),
        };
        Ok(Self {
            table,
            unfinished: Unfinished(Some(path.to_path_buf())),
        })
    }

    /// Adds a row that the monitor accepted.
    pub(super) fn add(&mut self, line: u64, verdict: &PlainVerdict, contribution: &[f32]) -> Result<()> {
        match &mut self.table {
            Table::Text(lines) => lines.add(line, verdict, contribution),
            Table::Columns(columns) => columns.add(line, Some(verdict), contribution),
        }
    }

    /// Adds a row that the monitor refused.
    pub(super) fn refused(&mut self, line: u64) -> Result<()> {
        match &mut self.table {
            Table::Text(lines) => lines.refused(line),
            Table::Columns(columns) => columns.add(line, None, &[]),
        }
    }

    /// Writes the buffered rows.
    pub(super) fn finish(mut self) -> Result<()> {
        match self.table {
            Table::Text(lines) => lines.finish()?,
            Table::Columns(columns) => columns.finish()?,
        }
        self.unfinished.0 = None;
        Ok(())
    }
}

/// The CSV table during writing.
pub(super) struct Lines<W = BufWriter<File>> {
    out: W,
    path: PathBuf,
    /// The names of the channels, in quotes.
    names: Vec<String>,
}

/// `what` would be written to `path`, which `option` names.
pub(super) fn spare(recording: &Path, path: &Path, what: &str, option: &str) -> Result<()> {
    // Paths that do not both exist differ.
    let same = path.canonicalize().ok().zip(recording.canonicalize().ok());
    if same.is_some_and(|(written, recording)| written == recording) {
        bail!(
            "the {what} would be written over the recording {}: name another file with {option}",
            recording.display()
        );
    }
    Ok(())
}

/// Creates the file and its folder.
fn new_file(path: &Path) -> Result<File> {
    let directory = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    let made = fs::create_dir_all(directory).and_then(|()| File::create(path));
    made.map_err(|error| refused(path, &error))
}

impl<W: Write> Lines<W> {
    fn begin(out: W, path: PathBuf, channels: &[String]) -> Result<Self> {
        let names = channels.iter().map(|name| format!("\"{}\"", name.replace('"', "\"\"")));
        let names: Vec<String> = names.collect();
        let header = format!("{FIRST},{}", names.join(","));
        let mut scores = Self { out, path, names };
        scores.write(&header, &[])?;
        Ok(scores)
    }

    /// Adds a row that the monitor accepted.
    fn add(&mut self, line: u64, verdict: &PlainVerdict, contribution: &[f32]) -> Result<()> {
        let threshold = known(verdict).map_or(String::new(), |threshold| threshold.to_string());
        let stuck = verdict.stuck.and_then(|channel| self.names.get(channel));
        let beginning = format!(
            "{line},{},{},{threshold},{},{},{},{}",
            phase_word(verdict.phase),
            verdict.score,
            u8::from(verdict.alarm),
            state_word(verdict.state),
            stuck.map_or("", String::as_str),
            verdict.moved,
        );
        self.write(&beginning, contribution)
    }

    /// Adds a row that the monitor refused.
    fn refused(&mut self, line: u64) -> Result<()> {
        let empty = ",".repeat(self.names.len());
        self.write(&format!("{line},refused,,,,,,{empty}"), &[])
    }

    /// Writes the buffered rows.
    fn finish(mut self) -> Result<()> {
        self.out.flush().map_err(|error| refused(&self.path, &error))
    }

    fn write(&mut self, beginning: &str, rest: &[f32]) -> Result<()> {
        let mut line = || {
            self.out.write_all(beginning.as_bytes())?;
            rest.iter().try_for_each(|part| write!(self.out, ",{part}"))?;
            writeln!(self.out)
        };
        line().map_err(|error| refused(&self.path, &error))
    }
}

/// Programs find a column by its name.
fn distinct(channels: &[String]) -> Vec<String> {
    let mut names: Vec<String> = FIRST.split(',').map(str::to_owned).collect();
    let first = names.len();
    for channel in channels {
        let numbered = (2..).map(|number: u32| format!("{channel} {number}"));
        let mut tried = std::iter::once(channel.clone()).chain(numbered);
        names.extend(tried.find(|name| !names.contains(name)));
    }
    names.split_off(first)
}

fn refused(path: &Path, error: &io::Error) -> anyhow::Error {
    anyhow!(
        "cannot write {} ({error}): name another file with --scores",
        path.display()
    )
}

#[cfg(test)]
mod tests {
    use eigenstream::monitor::{Phase, State};

    use super::*;

    #[test]
    fn no_two_columns_have_one_name() {
        let channels = ["score", "a", "a", "a 2", "b"].map(str::to_owned);
        assert_eq!(distinct(&channels), ["score 2", "a", "a 2", "a 2 2", "b"]);
    }

    #[test]
    fn a_table_that_is_not_finished_is_removed() -> Result<()> {
        let file = std::env::temp_dir().join(format!("eigenstream-scores-{}.csv", std::process::id()));
        drop(Scores::create(&file, Path::new("recording.csv"), &["a".into()])?);
        assert!(!file.exists());
        Scores::create(&file, Path::new("recording.csv"), &["a".into()])?.finish()?;
        assert!(file.exists());
        fs::remove_file(file)?;
        Ok(())
    }

    #[test]
    fn a_row_reads_back_to_the_same_bits() -> Result<()> {
        let mut scores = Lines::begin(Vec::new(), PathBuf::new(), &["flow".into(), "a \"b\"".into()])?;
        let verdict = PlainVerdict {
            score: 0.1 + 0.2,
            threshold: f32::MAX,
            alarm: true,
            phase: Phase::Frozen,
            state: State::Stuck,
            stuck: Some(1),
            moved: 0.25,
            guilty: 1,
        };
        let warmup = Phase::Warmup { seen: 1, need: 2 };
        scores.add(
            2,
            &PlainVerdict {
                phase: warmup,
                alarm: false,
                state: State::Learning,
                stuck: None,
                ..verdict
            },
            &[0.0, 0.5],
        )?;
        scores.add(3, &verdict, &[1e-20, 0.25])?;
        scores.refused(4)?;
        let text = String::from_utf8(scores.out)?;
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "line,phase,score,threshold,alarm,state,stuck,moved,\"flow\",\"a \"\"b\"\"\""
        );
        assert_eq!(lines[1], "2,warmup,0.3,,0,learning,,0.25,0,0.5");
        let cells: Vec<&str> = lines[2].split(',').collect();
        assert_eq!(cells[3].parse(), Ok(f32::MAX));
        assert_eq!(cells[5..8], ["stuck", "\"a \"\"b\"\"\"", "0.25"]);
        assert_eq!(cells[8].parse(), Ok(1e-20_f32));
        assert_eq!(lines[3], "4,refused,,,,,,,,");
        Ok(())
    }
}
