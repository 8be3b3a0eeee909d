//! Reads a recording, CSV or Parquet, row by row in constant memory.
//! In: a file, plain or gzip, with a header and cells between `,`, `;`, tabs or blanks. Out: rows of cells with their line
//! numbers. `preview` finds the header; `line` splits a line; `cell` and `digits` read a cell; `time` reads a date; `names`
//! reads and prints lists of columns; `complaints` reports bad cells.

mod cell;
mod complaints;
mod digits;
#[cfg(feature = "parquet")]
mod guarded;
mod line;
pub mod names;
#[cfg_attr(not(feature = "parquet"), path = "no_parquet.rs")]
mod parquet;
mod preview;
mod table;
#[cfg(test)]
mod tests;
pub mod time;

pub use cell::Value;
pub use complaints::{Complaints, Strictness};
pub use time::Clock;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use flate2::bufread::MultiGzDecoder;

use crate::progress::Progress;
use line::{Separator, split};
use preview::{Columns, Preview};
use table::{Opened, Rows};

/// A longer line is not CSV.
const LONGEST_LINE: u64 = 1 << 20;

/// The first bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The first bytes of a Parquet file.
const PARQUET: &[u8] = b"PAR1";

/// Bytes read at once.
const BUFFER: usize = 1 << 16;

const BARE_RETURN: &str = "its lines end with a carriage return alone: save it with line feeds";

/// A recording that is being read.
pub struct Recording {
    path: PathBuf,
    source: Box<dyn BufRead>,
    /// The rows of a Parquet file.
    table: Option<Box<dyn Rows>>,
    header: Vec<String>,
    /// Columns that are not read; empty for text.
    unread: Vec<bool>,
    separator: Separator,
    /// Number of the line in `text`; the first line is 1.
    line: u64,
    text: String,
    cells: Vec<Range<usize>>,
    ended: bool,
    has_rows: bool,
    columns: Columns,
}

/// One line of a recording.
pub struct Row<'recording> {
    /// The line in the file, from 1; for Parquet the row.
    pub line: u64,
    text: &'recording str,
    cells: &'recording [Range<usize>],
    separator: Separator,
    /// The numbers of a row that has no text.
    numbers: &'recording [f64],
    /// If the column of times has only dates.
    time_of_day: Option<usize>,
}

impl Recording {
    /// Opens a file and reads its header; `-` is standard input.
    ///
    /// `progress` counts the bytes of a text file.
    pub fn open(path: &Path, progress: &Progress) -> Result<Self> {
        let unreadable =
            |error: io::Error| anyhow!("cannot read {} ({error}): is it there, and a file?", path.display());
        let bytes: Box<dyn Read> = if path == Path::new("-") {
            Box::new(io::stdin())
        } else {
            progress.reading(File::open(path).map_err(unreadable)?)
        };
        let mut file = BufReader::with_capacity(BUFFER, bytes);
        let start = file.fill_buf().map_err(unreadable)?;
        if start.starts_with(PARQUET) {
            return Ok(Self::of_table(parquet::open(path)?, path));
        }
        let packed = start.starts_with(&GZIP);
        let source: Box<dyn BufRead> = if packed {
            Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(file)))
        } else {
            Box::new(file)
        };
        Self::read_from(source, path)
    }

    /// A recording whose cells are already numbers.
    fn of_table(opened: Opened, path: &Path) -> Self {
        let separator = Separator::Comma;
        let columns = preview::columns(&opened.header, separator, &opened.first);
        Self {
            path: path.to_path_buf(),
            source: Box::new(io::empty()),
            table: Some(opened.rows),
            header: opened.header,
            unread: opened.unread,
            separator,
            line: 0,
            text: String::new(),
            cells: Vec::new(),
            ended: true,
            has_rows: !opened.first.is_empty(),
            columns,
        }
    }

    /// `path` is the name in error messages.
    pub fn read_from(mut source: Box<dyn BufRead>, path: &Path) -> Result<Self> {
        let preview = Preview::read(&mut source, path)?;
        let columns = preview::columns(&preview.header, preview.separator, &preview.rows);
        Ok(Self {
            path: path.to_path_buf(),
            source: Box::new(io::Cursor::new(preview.left).chain(source)),
            table: None,
            header: preview.header,
            unread: Vec::new(),
            separator: preview.separator,
            line: preview.line,
            text: String::new(),
            cells: Vec::new(),
            ended: true,
            has_rows: !preview.rows.is_empty(),
            columns,
        })
    }

    pub const fn clock(&self) -> Option<(usize, Clock)> {
        self.columns.clock
    }

    /// The names of the columns.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// Upper and lower case differ only if a name matches exactly.
    pub fn column(&self, name: &str) -> Result<usize> {
        let place = |same: &dyn Fn(&str) -> bool| self.header.iter().position(|known| same(known));
        let found = place(&|known| known == name).or_else(|| place(&|known| known.eq_ignore_ascii_case(name.trim())));
        found.ok_or_else(|| {
            anyhow!(
                "no column `{name}` in {}; {}",
                self.path.display(),
                self.columns_there()
            )
        })
    }

    /// An error if a column is named twice, or has text in a Parquet file.
    pub fn columns(&self, names: &[String]) -> Result<Vec<usize>> {
        let mut places = Vec::new();
        for name in names {
            let place = self.column(name)?;
            if places.contains(&place) {
                bail!("column `{name}` is named twice: name each column once");
            }
            if self.unread.get(place) == Some(&true) {
                bail!("column `{name}` in {} cannot be read as numbers", self.path.display());
            }
            places.push(place);
        }
        Ok(places)
    }

    /// Indices and names of the columns to watch.
    ///
    /// Without `names`: all columns of numbers that change in the first rows, except time, row counters and labels.
    pub fn watched(&self, names: &[String]) -> Result<(Vec<usize>, Vec<String>)> {
        let places = match names {
            [] => self.columns.moving.clone(),
            names => self.columns(names)?,
        };
        if places.is_empty() && !self.has_rows {
            bail!("{} has a header and no rows", self.path.display());
        }
        if places.is_empty() {
            bail!(
                "no column of numbers moves in the first rows of {}: name the columns to watch with --columns A,B,…; {}",
                self.path.display(),
                self.columns_there()
            );
        }
        let names = places.iter().map(|&place| self.header[place].clone()).collect();
        Ok((places, names))
    }

    /// The sentence about columns that `watched` leaves out; `None` if there are none or the user has named columns.
    pub fn left_out(&self, names: &[String]) -> Option<String> {
        let Columns {
            moving,
            clock,
            time_of_day,
        } = &self.columns;
        let is_time = |place| clock.is_some_and(|(time, _)| time == place) || *time_of_day == Some(place);
        let others = self.header.iter().enumerate();
        let left_out: Vec<&str> = others
            .filter(|(place, _)| !moving.contains(place) && !is_time(*place))
            .map(|(_, name)| name.as_str())
            .filter(|name| !name.is_empty())
            .collect();
        (names.is_empty() && !left_out.is_empty()).then(|| {
            format!(
                "left out, since they do not move in the first rows or are no sensors: {}; to use them, name them with --columns",
                names::listed(&left_out, ", ")
            )
        })
    }

    /// A sentence that lists the columns.
    pub fn columns_there(&self) -> String {
        format!("the columns are {}", names::listed(&self.header, ", "))
    }

    /// The next row that is not empty; `None` at the end.
    ///
    /// A line with an open quote, too many cells, or cut off by the end of the file is reported and left out.
    pub fn next_row(&mut self, complaints: &mut Complaints) -> Result<Option<Row<'_>>> {
        if self.table.is_some() {
            return self.next_of_table();
        }
        while self.next_line()? {
            match split(&self.text, self.separator, &mut self.cells) {
                Err(what) => complaints.about(&self.path, self.line, what, "left out")?,
                // A decimal comma in a file separated by commas shifts every later number.
                Ok(()) if self.has_surplus() => {
                    complaints.about(&self.path, self.line, "more cells than columns", "left out")?;
                }
                // A truncated number would still parse.
                Ok(()) if self.is_cut_off() => {
                    complaints.about(&self.path, self.line, "the file ends within this line", "left out")?;
                }
                Ok(()) => {
                    return Ok(Some(Row {
                        line: self.line,
                        text: &self.text,
                        cells: &self.cells,
                        separator: self.separator,
                        numbers: &[],
                        time_of_day: self.columns.time_of_day,
                    }));
                }
            }
        }
        Ok(None)
    }

    fn next_of_table(&mut self) -> Result<Option<Row<'_>>> {
        self.line += 1;
        let (line, separator, time_of_day) = (self.line, self.separator, self.columns.time_of_day);
        let numbers = match &mut self.table {
            Some(table) => table.next()?,
            None => None,
        };
        Ok(numbers.map(|numbers| Row {
            line,
            text: "",
            cells: &[],
            separator,
            numbers,
            time_of_day,
        }))
    }

    /// Separators at the end of a line are allowed.
    fn has_surplus(&self) -> bool {
        let surplus = self.cells.iter().skip(self.header.len());
        surplus
            .into_iter()
            .any(|cell| !self.text[cell.clone()].trim().is_empty())
    }

    /// The last line, without a line feed and with too few cells: the writing program was interrupted.
    fn is_cut_off(&self) -> bool {
        !self.ended && self.cells.len() < self.header.len()
    }

    /// The file that is read.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns false at the end of the file.
    fn next_line(&mut self) -> Result<bool> {
        loop {
            // Reuses the memory of the last line.
            let mut bytes = std::mem::take(&mut self.text).into_bytes();
            bytes.clear();
            self.line += 1;
            let mut source = self.source.by_ref().take(LONGEST_LINE + 1);
            let read = source.read_until(b'\n', &mut bytes);
            let (line, path) = (self.line, self.path.display());
            match read {
                Err(error) => bail!("cannot read line {line} of {path} ({error}): is the file damaged?"),
                Ok(0) => return Ok(false),
                Ok(length) if length as u64 > LONGEST_LINE => {
                    let returns = bytes.contains(&b'\r');
                    let what = if returns { BARE_RETURN } else { "is this a CSV file?" };
                    bail!("line {line} of {path} is longer than {LONGEST_LINE} bytes: {what}")
                }
                Ok(_) => {}
            }
            self.ended = bytes.ends_with(b"\n");
            self.text = preview::decode(bytes);
            if self.text.bytes().any(|byte| byte > b' ') && !self.text.trim().is_empty() {
                return Ok(true);
            }
        }
    }
}

impl Row<'_> {
    pub fn value(&self, column: usize) -> Value {
        if let Some(&number) = self.numbers.get(column) {
            return match number as f32 {
                number if number.is_finite() => Value::Number(number),
                _ if number.is_nan() => Value::Gap,
                _ => Value::Bad(number.to_string()),
            };
        }
        match self.cells.get(column) {
            Some(cell) => Value::of(&self.text[cell.clone()], self.separator),
            None => Value::Gap,
        }
    }

    /// NaN for a missing or bad cell.
    pub fn channels(
        &self,
        columns: &[usize],
        names: &[String],
        path: &Path,
        sample: &mut [f32],
        complaints: &mut Complaints,
    ) -> Result<()> {
        for ((channel, &column), name) in sample.iter_mut().zip(columns).zip(names) {
            if let Some(number) = self.numbers.get(column).map(|&number| number as f32)
                && !number.is_infinite()
            {
                *channel = number;
                continue;
            }
            // Most cells are plain numbers.
            let cell = self
                .cells
                .get(column)
                .and_then(|cell| self.text.as_bytes().get(cell.clone()));
            if let Some(number) = cell.and_then(|cell| digits::plain(cell, self.separator)) {
                *channel = number;
                continue;
            }
            let value = self.value(column);
            if let Value::Bad(text) = &value {
                let what = format!("`{}` in column {name} is not a number", cell::excerpt(text));
                complaints.about(path, self.line, &what, "taken as a gap")?;
            }
            *channel = value.number().unwrap_or(f32::NAN);
        }
        Ok(())
    }

    /// In seconds; date and time of day together if they are in two columns.
    pub fn time(&self, (column, clock): (usize, Clock)) -> Option<f64> {
        if let Some(&number) = self.numbers.get(column) {
            let time = self
                .time_of_day
                .map_or(Some(0.0), |column| self.numbers.get(column).copied());
            return clock.seconds_of(number + time?);
        }
        let text = self.text(column)?;
        let Some(column) = self.time_of_day else {
            return clock.seconds(&text, self.separator);
        };
        // Without its time of day the row would be at midnight.
        let time = self.text(column).filter(|time| !cell::is_gap(time))?;
        clock.seconds(&time::join(&text, &time), self.separator)
    }

    /// The text in a column.
    pub fn words(&self, column: usize) -> String {
        if let Some(number) = self.numbers.get(column) {
            return number.to_string();
        }
        self.text(column).map_or(String::new(), Cow::into_owned)
    }

    /// Without quotes; `None` if the row has no such cell.
    fn text(&self, column: usize) -> Option<Cow<'_, str>> {
        Some(cell::unquoted(self.text.get(self.cells.get(column)?.clone())?))
    }
}
