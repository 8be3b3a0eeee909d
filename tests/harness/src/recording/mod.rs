//! Reads a recorded stream: any CSV file, one line at a time, in the same memory whatever its length.
//! In: a file (packed with gzip or not), a header line, cells between `,`, `;` or tabs. Out: rows of cells, each with the
//! number of its line. What a cell holds is said by `cell`, how a line is cut by `line`, who hears of a bad one by `complaints`.

mod cell;
mod complaints;
mod line;

pub(crate) use cell::Value;
pub(crate) use complaints::{Complaints, Strictness};

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use flate2::bufread::MultiGzDecoder;

use crate::progress::Progress;
use line::{Separator, split};

/// No line of a recording is longer, in bytes; what is longer is no CSV file.
const LONGEST_LINE: u64 = 1 << 20;

/// What a file packed with gzip begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// What some programs write in front of everything else.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// What to do about lines that end as they did on computers of the last century.
const BARE_RETURN: &str = "its lines end with a carriage return alone: save it with line feeds";

/// A recording that is being read.
pub(crate) struct Recording {
    path: PathBuf,
    source: Box<dyn BufRead>,
    header: Vec<String>,
    separator: Separator,
    /// Number of the line in `text`, the first being 1.
    line: u64,
    text: String,
    cells: Vec<Range<usize>>,
    bytes: Vec<u8>,
}

/// One line of a recording.
pub(crate) struct Row<'recording> {
    /// Its number in the file, the first being 1.
    pub(crate) line: u64,
    text: &'recording str,
    cells: &'recording [Range<usize>],
    separator: Separator,
}

impl Recording {
    /// Opens a file and reads its header. `progress` hears of every byte.
    pub(crate) fn open(path: &Path, progress: &Progress) -> Result<Self> {
        let unreadable =
            |error: io::Error| anyhow!("cannot read {} ({error}): is it there, and a file?", path.display());
        let file = File::open(path).map_err(unreadable)?;
        let mut file = BufReader::new(progress.reading(file));
        let packed = file.fill_buf().map_err(unreadable)?.starts_with(&GZIP);
        let source: Box<dyn BufRead> = if packed {
            Box::new(BufReader::new(MultiGzDecoder::new(file)))
        } else {
            Box::new(file)
        };
        Self::read_from(source, path)
    }

    /// Reads the header of a source; `path` is what complaints call it.
    pub(crate) fn read_from(source: Box<dyn BufRead>, path: &Path) -> Result<Self> {
        let mut recording = Self {
            path: path.to_path_buf(),
            source,
            header: Vec::new(),
            separator: Separator::Comma,
            line: 0,
            text: String::new(),
            cells: Vec::new(),
            bytes: Vec::new(),
        };
        let shown = path.display();
        if !recording.next_line()? {
            bail!("{shown} is empty: the first line of a recording names its columns");
        }
        let line = recording.text.trim_start_matches(BYTE_ORDER_MARK);
        if line.contains('\0') {
            bail!("{shown} is not plain text: save it as UTF-8");
        }
        if line.contains('\r') {
            bail!("{shown} cannot be read: {BARE_RETURN}");
        }
        recording.separator = Separator::of_header(line);
        split(line, recording.separator, &mut recording.cells)
            .map_err(|what| anyhow!("line {} of {shown}, the header: {what}", recording.line))?;
        let cells = recording.cells.iter().cloned();
        recording.header = cells.map(|cell| cell::unquoted(&line[cell]).into_owned()).collect();
        let numbers = recording.header.iter().all(|name| name.parse::<f64>().is_ok());
        if numbers {
            bail!(
                "{shown} has no header, its first line is all numbers: put a line with the names of the columns first"
            );
        }
        Ok(recording)
    }

    /// The names of the columns.
    pub(crate) fn header(&self) -> &[String] {
        &self.header
    }

    /// Where a column stands; letters that are capital or not make no difference unless they must.
    pub(crate) fn column(&self, name: &str) -> Result<usize> {
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

    /// Where columns stand, each of which may be named once.
    pub(crate) fn columns(&self, names: &[String]) -> Result<Vec<usize>> {
        let mut places = Vec::new();
        for name in names {
            let place = self.column(name)?;
            if places.contains(&place) {
                bail!("column `{name}` is named twice: name each column once");
            }
            places.push(place);
        }
        Ok(places)
    }

    /// Where the columns to watch stand, and what the header calls them.
    pub(crate) fn watched(&self, names: &[String]) -> Result<(Vec<usize>, Vec<String>)> {
        if names.is_empty() {
            bail!(
                "name the columns to watch with --columns A,B,…; {}",
                self.columns_there()
            );
        }
        let places = self.columns(names)?;
        let names = places.iter().map(|&place| self.header[place].clone()).collect();
        Ok((places, names))
    }

    /// A sentence that lists the columns.
    pub(crate) fn columns_there(&self) -> String {
        format!("the columns are {}", self.header.join(", "))
    }

    /// The next row that is not empty, or none at the end. A line that cannot be cut into cells is reported and left out.
    pub(crate) fn next_row(&mut self, complaints: &mut Complaints) -> Result<Option<Row<'_>>> {
        while self.next_line()? {
            match split(&self.text, self.separator, &mut self.cells) {
                Err(what) => complaints.about(&self.path, self.line, what)?,
                // A decimal comma between commas moves every number behind it into the next column.
                Ok(()) if self.has_surplus() => {
                    complaints.about(&self.path, self.line, "more cells than columns, left out")?;
                }
                // Half a number is a number too.
                Ok(()) if self.is_cut_off() => {
                    complaints.about(&self.path, self.line, "the file ends within this line, left out")?;
                }
                Ok(()) => {
                    return Ok(Some(Row {
                        line: self.line,
                        text: &self.text,
                        cells: &self.cells,
                        separator: self.separator,
                    }));
                }
            }
        }
        Ok(None)
    }

    /// Whether there is something in cells behind the last column; separators at the end of a line are nothing.
    fn has_surplus(&self) -> bool {
        let surplus = self.cells.iter().skip(self.header.len());
        surplus
            .into_iter()
            .any(|cell| !self.text[cell.clone()].trim().is_empty())
    }

    /// Whether this is the last line and neither it nor its cells are complete: whoever wrote it was interrupted.
    fn is_cut_off(&self) -> bool {
        !self.bytes.ends_with(b"\n") && self.cells.len() < self.header.len()
    }

    /// The file that is read.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the next line that is not empty into `text`, without its end; false when there is none.
    fn next_line(&mut self) -> Result<bool> {
        loop {
            self.bytes.clear();
            self.line += 1;
            let mut source = self.source.by_ref().take(LONGEST_LINE + 1);
            let read = source.read_until(b'\n', &mut self.bytes);
            let (line, path) = (self.line, self.path.display());
            match read {
                Err(error) => bail!("cannot read line {line} of {path} ({error}): is the file damaged?"),
                Ok(0) => return Ok(false),
                Ok(length) if length as u64 > LONGEST_LINE => {
                    let returns = self.bytes.contains(&b'\r');
                    let what = if returns { BARE_RETURN } else { "is this a CSV file?" };
                    bail!("line {line} of {path} is longer than {LONGEST_LINE} bytes: {what}")
                }
                Ok(_) => {}
            }
            self.text.clear();
            self.text.push_str(&String::from_utf8_lossy(&self.bytes));
            self.text.truncate(self.text.trim_end_matches(['\r', '\n']).len());
            if !self.text.trim_start_matches(BYTE_ORDER_MARK).trim().is_empty() {
                return Ok(true);
            }
        }
    }
}

impl Row<'_> {
    /// What the cell in a column holds.
    pub(crate) fn value(&self, column: usize) -> Value {
        match self.cells.get(column) {
            Some(cell) => Value::of(&self.text[cell.clone()], self.separator),
            None => Value::Gap,
        }
    }

    /// The channels of a sample; NaN for what is not there.
    pub(crate) fn channels(
        &self,
        columns: &[usize],
        names: &[String],
        path: &Path,
        sample: &mut [f32],
        complaints: &mut Complaints,
    ) -> Result<()> {
        for ((channel, &column), name) in sample.iter_mut().zip(columns).zip(names) {
            let value = self.value(column);
            if let Value::Bad(text) = &value {
                let what = format!(
                    "`{}` in column {name} is no number, taken as a gap",
                    cell::excerpt(text)
                );
                complaints.about(path, self.line, &what)?;
            }
            *channel = value.number().unwrap_or(f32::NAN);
        }
        Ok(())
    }

    /// The words in a column.
    pub(crate) fn words(&self, column: usize) -> String {
        let cell = self.cells.get(column);
        cell.map_or(String::new(), |cell| {
            cell::unquoted(&self.text[cell.clone()]).into_owned()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording(text: &'static str) -> Result<Recording> {
        Recording::read_from(Box::new(text.as_bytes()), Path::new("machine.csv"))
    }

    type Rows = Vec<(u64, [Value; 2])>;

    /// Every row as the values of its columns `a` and `b`, and what was complained about.
    fn read(text: &'static str) -> Result<(Rows, Complaints)> {
        let mut recording = recording(text)?;
        let columns = recording.columns(&["a".into(), "b".into()])?;
        let mut complaints = Complaints::new(Strictness::Lenient);
        let mut rows = Vec::new();
        while let Some(row) = recording.next_row(&mut complaints)? {
            rows.push((row.line, [row.value(columns[0]), row.value(columns[1])]));
        }
        Ok((rows, complaints))
    }

    fn sentence(outcome: Result<impl Sized>) -> String {
        outcome.err().map_or(String::new(), |error| format!("{error:#}"))
    }

    #[test]
    fn separators_line_ends_and_quotes_make_no_difference() -> Result<()> {
        let expected = vec![
            (2, [Value::Number(1.5), Value::Number(2.0)]),
            (4, [Value::Number(-3.0), Value::Gap]),
        ];
        for text in [
            "a,x,b\n1.5,7,2\n\n-3,7,\n",
            "a,x,b\r\n1.5,7,2\r\n\r\n-3,7,\r\n",
            "a;x;b\n1,5;7;2\n\n-3;7;nan",
            "\u{feff}a\tx\tb\n1.5\t7\t2\n\n-3\t7\n",
            "\"a\",\"x, y\",\"b\"\n\"1.5\",\"say \"\"7\"\"\", 2 \n\n-3,7,NA\n",
        ] {
            let (rows, complaints) = read(text)?;
            assert_eq!(rows, expected, "{text:?}");
            assert_eq!(complaints.count(), 0, "{text:?}");
        }
        Ok(())
    }

    #[test]
    fn text_in_a_cell_is_a_bad_value_and_an_open_quote_a_bad_line() -> Result<()> {
        let (rows, complaints) = read("a,b\n1,oops\n\"2,3\n4,5\n")?;
        assert_eq!(
            rows,
            [
                (2, [Value::Number(1.0), Value::Bad("oops".into())]),
                (4, [Value::Number(4.0), Value::Number(5.0)]),
            ]
        );
        assert_eq!(complaints.count(), 1);
        Ok(())
    }

    #[test]
    fn a_last_line_that_is_cut_off_is_left_out_and_one_without_an_end_is_not() -> Result<()> {
        for (end, rows_left, complained) in [("3,7,45", 2, 0), ("3,7,", 2, 0), ("3,7,45\n", 2, 0), ("3,4", 1, 1)] {
            let (rows, complaints) = read(format!("a,x,b\n1,7,2\n{end}").leak())?;
            assert_eq!((rows.len(), complaints.count()), (rows_left, complained), "{end:?}");
        }
        Ok(())
    }

    #[test]
    fn strictly_read_a_bad_line_is_the_end() -> Result<()> {
        let mut recording = recording("a,b\n\"2,3\n")?;
        let mut complaints = Complaints::new(Strictness::Strict);
        assert_eq!(
            sentence(recording.next_row(&mut complaints)),
            "line 2 of machine.csv: a quote is not closed"
        );
        Ok(())
    }

    #[test]
    fn a_wrong_column_is_answered_with_the_right_ones() -> Result<()> {
        let recording = recording("time,Flow Rate,Pressure\n")?;
        assert_eq!(recording.column("flow rate")?, 1);
        assert_eq!(
            sentence(recording.column("flow")),
            "no column `flow` in machine.csv; the columns are time, Flow Rate, Pressure"
        );
        assert_eq!(
            sentence(recording.columns(&["Pressure".into(), "pressure".into()])),
            "column `pressure` is named twice: name each column once"
        );
        Ok(())
    }

    #[test]
    fn a_file_without_names_is_refused_in_a_sentence() {
        for empty in ["", "\n", "\r\n\r\n"] {
            assert!(
                sentence(recording(empty)).starts_with("machine.csv is empty: "),
                "{empty:?}"
            );
        }
        assert!(sentence(recording("1,2,3\n4,5,6\n")).starts_with("machine.csv has no header"));
        assert!(sentence(recording("\"a,b\n1,2\n")).starts_with("line 1 of machine.csv, the header: a quote"));
        assert!(sentence(recording("a,b\r1,2\r3,4\r")).contains("carriage return alone"));
        assert!(sentence(recording("\u{fffd}a\0,\0b\0\n\0")).contains("save it as UTF-8"));
    }

    #[test]
    fn a_line_without_end_is_not_read_into_memory() {
        let endless = Box::new(BufReader::new(io::repeat(b'x')));
        let outcome = Recording::read_from(endless, Path::new("zero"));
        assert!(sentence(outcome).contains("is this a CSV file?"));
    }
}
