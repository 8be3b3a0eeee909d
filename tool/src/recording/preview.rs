//! The first lines of a recording: where its header is, and what its columns hold.
//! In: the beginning of a file. Out: the names of the columns, what parts cells, and the lines behind the header.
//! Method: lines that begin with `#`, `%` or `//` are a preamble, and so are lines before the header that have another count of cells than the
//! rows. The last line of a preamble is the header where no other line has names. A line of words behind the header holds units.

use std::io::{BufRead, Read as _};
use std::path::Path;

use anyhow::{Result, anyhow, bail};

use super::line::{Separator, split};
use super::{BARE_RETURN, Clock, LONGEST_LINE, Value, cell};

/// As many lines are looked at.
const LINES: usize = 1_000;

/// As many bytes of lines are looked at, unless one line is longer.
const BYTES: usize = 1 << 20;

/// The mark that some programs write in front of everything else.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The beginning of a recording.
pub(super) struct Preview {
    pub(super) header: Vec<String>,
    pub(super) separator: Separator,
    /// Number of the last line before the rows.
    pub(super) line: u64,
    /// The lines behind that, as bytes.
    pub(super) left: Vec<u8>,
    /// The lines that are not empty.
    pub(super) rows: Vec<String>,
}

/// The text of a line without its end. Bytes that are not UTF-8 are Latin-1, as old programs write it.
pub(super) fn decode(bytes: Vec<u8>) -> String {
    let mut text = String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().map(|&byte| char::from(byte)).collect());
    text.truncate(text.trim_end_matches(['\r', '\n']).len());
    text
}

impl Preview {
    pub(super) fn read(source: &mut Box<dyn BufRead>, path: &Path) -> Result<Self> {
        let shown = path.display();
        let (bytes, lines) = first_lines(source, path)?;
        let Some(first) = lines.iter().position(|line| !line.text.trim().is_empty()) else {
            bail!("{shown} is empty: the first line of a recording names its columns");
        };
        if lines[first].text.contains('\0') {
            bail!("{shown} is not plain text: save it as UTF-8");
        }
        if lines[first].text.contains('\r') {
            bail!("{shown} cannot be read: {BARE_RETURN}");
        }
        let place = header_place(&lines);
        let line = &lines[place];
        let names = line.text.trim_start_matches(['#', '%', ' ']);
        let names = if is_comment(&line.text) {
            names
        } else {
            line.text.as_str()
        };
        let separator = separator(names, &lines[place + 1..]);
        let mut cells = Vec::new();
        split(names, separator, &mut cells)
            .map_err(|what| anyhow!("line {} of {shown}, the header: {what}", place + 1))?;
        let header: Vec<String> = (cells.iter().cloned())
            .map(|cell| cell::unquoted(&names[cell]).into_owned())
            .collect();
        if header.iter().all(|name| name.parse::<f64>().is_ok()) {
            bail!(
                "{shown} has no header, its first line is all numbers: put a line with the names of the columns first"
            );
        }
        let mut last = place;
        let next = (lines.iter().enumerate().skip(place + 1)).find(|(_, line)| !line.text.trim().is_empty());
        if let Some((index, line)) = next
            && are_units(&line.text, separator)
            && index + 1 < lines.len()
        {
            last = index;
        }
        let left = bytes[lines[last].end..].to_vec();
        let rows = lines.into_iter().skip(last + 1).map(|line| line.text);
        Ok(Self {
            header,
            separator,
            line: last as u64 + 1,
            left,
            rows: rows.filter(|text| !text.trim().is_empty()).collect(),
        })
    }
}

/// A line of the beginning and where it ends.
struct Line {
    text: String,
    end: usize,
}

fn first_lines(source: &mut Box<dyn BufRead>, path: &Path) -> Result<(Vec<u8>, Vec<Line>)> {
    let mut bytes = Vec::new();
    let mut lines: Vec<Line> = Vec::new();
    while lines.len() < LINES && bytes.len() < BYTES {
        let from = bytes.len();
        let number = lines.len() + 1;
        let read = source.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', &mut bytes);
        match read {
            Err(error) => bail!(
                "cannot read line {number} of {} ({error}): is the file damaged?",
                path.display()
            ),
            Ok(0) => break,
            Ok(length) if length as u64 > LONGEST_LINE => {
                let returns = bytes.contains(&b'\r');
                let what = if returns { BARE_RETURN } else { "is this a CSV file?" };
                bail!(
                    "line {number} of {} is longer than {LONGEST_LINE} bytes: {what}",
                    path.display()
                )
            }
            Ok(_) => {}
        }
        let mut text = decode(bytes[from..].to_vec());
        if lines.is_empty() {
            text = text.trim_start_matches(BYTE_ORDER_MARK).to_owned();
        }
        lines.push(Line { text, end: bytes.len() });
    }
    Ok((bytes, lines))
}

fn is_comment(text: &str) -> bool {
    ["#", "%", "//"].iter().any(|mark| text.trim_start().starts_with(mark))
}

/// Which line names the columns.
fn header_place(lines: &[Line]) -> usize {
    let filled = || {
        lines
            .iter()
            .enumerate()
            .filter(|(_, line)| !line.text.trim().is_empty())
    };
    let mut plain = filled().filter(|(_, line)| !is_comment(&line.text));
    let Some((first, line)) = plain.next() else {
        return filled().map(|(place, _)| place).next().unwrap_or(0);
    };
    // The cells of a row, told from the last whole line of the beginning.
    let whole = filled().rev().nth(1).or_else(|| filled().next_back());
    let (wide, parted_by) = whole.map_or((0, Separator::Comma), |(_, line)| Separator::of_line(&line.text));
    let fits = |text: &str| {
        let cut = Separator::of_line(text.trim_start_matches(['#', '%', ' ']));
        cut == (wide, parted_by) && !has_numbers(text, parted_by)
    };
    if !fits(&line.text) && wide > 1 {
        let before = filled().take_while(|&(place, _)| place < first).last();
        // Names behind the mark of a comment, right before the first row.
        if let Some((place, comment)) = before
            && has_numbers(&line.text, Separator::of_line(&line.text).1)
            && fits(&comment.text)
        {
            return place;
        }
        // Lines about the recording before its header.
        let header = filled().find(|&(place, line)| place > first && !is_comment(&line.text) && fits(&line.text));
        if let Some((place, _)) = header
            && !lines[first..place]
                .iter()
                .any(|line| is_row(&line.text, (wide, parted_by)))
        {
            return place;
        }
    }
    first
}

/// Whether a line has the cells of a row, and numbers in them.
fn is_row(text: &str, cut: (usize, Separator)) -> bool {
    Separator::of_line(text) == cut && has_numbers(text, cut.1)
}

fn has_numbers(text: &str, separator: Separator) -> bool {
    let mut cells = Vec::new();
    let cut = split(text, separator, &mut cells).is_ok();
    cut && cells
        .into_iter()
        .any(|cell| matches!(Value::of(&text[cell], separator), Value::Number(_)))
}

/// The mark between the cells: the one that gives the header the most cells, or blanks where the rows have no other mark.
fn separator(names: &str, rows: &[Line]) -> Separator {
    let best = Separator::of_header(names);
    let mut cells = Vec::new();
    let cuts = split(names, best, &mut cells).map_or(0, |()| cells.len());
    let mut parted_by_blanks = rows
        .iter()
        .filter(|line| !line.text.trim().is_empty())
        .take(5)
        .peekable();
    let blanks = cuts == 1
        && parted_by_blanks.peek().is_some()
        && parted_by_blanks.all(|line| Separator::of_line(&line.text).1 == Separator::Blanks);
    if blanks { Separator::Blanks } else { best }
}

/// Whether a line holds units: words, but neither a number nor a time nor a gap.
fn are_units(text: &str, separator: Separator) -> bool {
    let mut cells = Vec::new();
    if split(text, separator, &mut cells).is_err() {
        return false;
    }
    let mut words = 0;
    for cell in cells {
        let text = cell::unquoted(&text[cell]).into_owned();
        if text.is_empty() || text == "-" {
            continue;
        }
        let is_word = matches!(Value::of(&text, separator), Value::Bad(_)) && Clock::of("", &[&text]).is_none();
        if !is_word || text.chars().count() > 16 {
            return false;
        }
        words += 1;
    }
    words > 0
}

/// A column of these names counts the rows.
const COUNTERS: [&str; 7] = ["", "index", "row", "line", "sample", "id", "unnamed: 0"];

/// A column of these names, of zeros and ones, is a label and no sensor.
const LABELS: [&str; 6] = ["anomaly", "label", "labels", "is_anomaly", "changepoint", "attack"];

/// The columns of numbers that move, and the one that is the time.
pub(super) fn columns(
    header: &[String],
    separator: Separator,
    rows: &[String],
) -> (Vec<usize>, Option<(usize, Clock)>) {
    let mut cells = Vec::new();
    let mut texts: Vec<Vec<&str>> = vec![Vec::new(); header.len()];
    for row in rows {
        if split(row, separator, &mut cells).is_ok() && cells.len() >= header.len() {
            for (column, cell) in texts.iter_mut().zip(&cells) {
                column.push(row[cell.clone()].trim().trim_matches('"'));
            }
        }
    }
    let clock = (header.iter().zip(&texts).enumerate())
        .find_map(|(place, (name, texts))| Some((place, Clock::of(name, texts)?)));
    let moving = (0..header.len()).filter(|&place| {
        clock.is_none_or(|(time, _)| time != place) && moves(&header[place], &texts[place], separator)
    });
    (moving.collect(), clock)
}

fn moves(name: &str, texts: &[&str], separator: Separator) -> bool {
    let mut numbers = Vec::new();
    let mut words = 0;
    for text in texts {
        match Value::of(text, separator) {
            Value::Number(number) => numbers.push(number),
            Value::Gap => {}
            Value::Bad(_) => words += 1,
        }
    }
    let counts =
        COUNTERS.contains(&name.to_lowercase().as_str()) && numbers.windows(2).all(|pair| pair[1] == pair[0] + 1.0);
    let labels =
        LABELS.contains(&name.to_lowercase().as_str()) && numbers.iter().all(|&number| number == 0.0 || number == 1.0);
    let moves = numbers.windows(2).any(|pair| pair[0] != pair[1]);
    // A few words among many numbers are bad cells.
    moves && !counts && !labels && 10 * words <= numbers.len()
}
