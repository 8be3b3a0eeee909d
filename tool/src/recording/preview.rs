//! Finds the header of a recording and the content of its columns in its first lines. The preamble is lines with `#`, `%`
//! or `//`, a line such as `sep=;`, and lines with another number of cells than the rows. Its last line is the header if no
//! other line has names. A line of words after the header is units.

use std::io::{BufRead, Read as _};
use std::ops::RangeInclusive;
use std::path::Path;

use anyhow::{Result, anyhow, bail};

use super::line::{Separator, split};
use super::{BARE_RETURN, Clock, LONGEST_LINE, Value, cell, time};

/// The number of lines that are examined.
const LINES: usize = 1_000;

/// Unless one line is longer.
const BYTES: usize = 1 << 20;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The beginning of a recording.
pub(super) struct Preview {
    pub(super) header: Vec<String>,
    pub(super) separator: Separator,
    pub(super) line: u64,
    /// The bytes of the lines after `line`.
    pub(super) left: Vec<u8>,
    pub(super) rows: Vec<String>,
}

/// A line that is not UTF-8 is read as Latin-1.
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
        if header.iter().all(|name| is_number(name, separator)) {
            bail!(
                "{shown} has no header, line {} is all numbers: put a line with the names of the columns before it",
                place + 1
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
    let text = text.trim_start();
    // `sep=` and one more character.
    let names_separator = text.len() == 5 && text.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("sep="));
    names_separator || ["#", "%", "//"].iter().any(|mark| text.starts_with(mark))
}

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
    // From the last line but one, because the last may be cut off.
    let whole = filled().rev().nth(1).or_else(|| filled().next_back());
    let (wide, parted_by) = whole.map_or((0, Separator::Comma), |(_, line)| cut_of(&line.text));
    let is_cut = |text: &str| cut_of(text.trim_start_matches(['#', '%', ' '])) == (wide, parted_by);
    let fits = |text: &str| is_cut(text) && !has_numbers(text, parted_by);
    let is_above = |text: &str| whole.is_some_and(|(_, row)| is_cut(text) && has_name(text, &row.text, parted_by));
    if !fits(&line.text) && wide > 1 {
        let before = filled().take_while(|&(place, _)| place < first).last();
        // A comment with names, directly before the first row.
        if let Some((place, comment)) = before
            && has_numbers(&line.text, cut_of(&line.text).1)
            && (fits(&comment.text) || is_above(&comment.text))
        {
            return place;
        }
        // The header follows lines about the recording.
        let header = filled().find(|&(place, line)| place > first && !is_comment(&line.text) && fits(&line.text));
        if let Some((place, _)) = header
            && !lines[first..place]
                .iter()
                .any(|line| is_row(&line.text, (wide, parted_by)))
        {
            return place;
        }
        // Some names can be numbers, and a line before the header can have as many cells.
        let mut tabled =
            filled().filter(|&(place, line)| place >= first && !is_comment(&line.text) && is_cut(&line.text));
        if let Some((place, _)) = tabled.clone().take_while(|(_, line)| is_above(&line.text)).last() {
            return place;
        }
        // A line of one cell names no table: without a header the names are missing.
        let is_title = cells(&line.text, parted_by).len() == 1;
        if let Some((place, row)) = tabled.next()
            && is_title
            && cells(&row.text, parted_by)
                .iter()
                .all(|cell| is_number(cell, parted_by))
        {
            return place;
        }
    }
    first
}

/// Whether a cell is a word, and the cell below it a number or a date.
fn has_name(text: &str, row: &str, separator: Separator) -> bool {
    let is_measured = |cell: &str| !is_word(cell, separator) && Value::of(cell, separator) != Value::Gap;
    (cells(text, separator).iter().zip(cells(row, separator)))
        .any(|(name, cell)| is_word(name, separator) && is_measured(cell))
}

/// None if a quote is not closed.
fn cells(text: &str, separator: Separator) -> Vec<&str> {
    let mut cells = Vec::new();
    match split(text, separator, &mut cells) {
        Ok(()) => cells.into_iter().map(|cell| &text[cell]).collect(),
        Err(_) => Vec::new(),
    }
}

fn is_number(cell: &str, separator: Separator) -> bool {
    matches!(Value::of(cell, separator), Value::Number(_))
}

/// Neither a number, nor a gap, nor a date.
fn is_word(cell: &str, separator: Separator) -> bool {
    let text = cell::unquoted(cell);
    matches!(Value::of(&text, separator), Value::Bad(_)) && Clock::of("", &[&text], separator).is_none()
}

fn is_row(text: &str, cut: (usize, Separator)) -> bool {
    cut_of(text) == cut && has_numbers(text, cut.1)
}

fn has_numbers(text: &str, separator: Separator) -> bool {
    cells(text, separator).iter().any(|cell| is_number(cell, separator))
}

/// The one that cuts the header most, or blanks if the rows have no other.
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
        && parted_by_blanks.all(|line| cut_of(&line.text).1 == Separator::Blanks);
    if blanks { Separator::Blanks } else { best }
}

/// The cells of a line by its best separator. Blanks separate only if no other does: names may have blanks. Decimal commas
/// do not separate.
fn cut_of(line: &str) -> (usize, Separator) {
    let mut cells = Vec::new();
    let decimal = [Separator::Semicolon, Separator::Tab, Separator::Blanks]
        .into_iter()
        .find(|&separator| has_decimal_commas(line, separator));
    let best = decimal.unwrap_or_else(|| Separator::of_header(line));
    let mut cuts = |separator: Separator| split(line, separator, &mut cells).map_or(0, |()| cells.len());
    match (cuts(best), cuts(Separator::Blanks)) {
        (0 | 1, blanks @ 2..) => (blanks, Separator::Blanks),
        (count, _) => (count, best),
    }
}

/// Whether every comma in a cell is the decimal comma of a number or time.
fn has_decimal_commas(line: &str, separator: Separator) -> bool {
    let mut cells = Vec::new();
    if !line.contains(',') || split(line, separator, &mut cells).is_err() || cells.len() < 2 {
        return false;
    }
    let mut commas = cells
        .into_iter()
        .map(|cell| &line[cell])
        .filter(|cell| cell.contains(','));
    commas.all(|cell| {
        // In `1, 2` and in `1 ,2` the comma separates cells.
        let is_decimal = !cell.starts_with(',') && !cell.ends_with(',');
        let is_number = matches!(Value::of(cell, separator), Value::Number(_));
        is_decimal && is_number || Clock::of("", &[cell], separator).is_some()
    })
}

/// Words only; empty cells and `-` are allowed.
fn are_units(text: &str, separator: Separator) -> bool {
    let mut words = 0;
    for cell in cells(text, separator) {
        let text = cell::unquoted(cell);
        if text.is_empty() || text == "-" {
            continue;
        }
        if !is_word(&text, separator) || text.chars().count() > 16 {
            return false;
        }
        words += 1;
    }
    words > 0
}

/// Columns that count rows; rows may be missing.
const COUNTERS: [&str; 8] = ["", "index", "row", "line", "sample", "id", "no", "unnamed: 0"];

/// Columns of whole numbers in this range are parts of a time.
const PARTS: [(&str, RangeInclusive<f32>); 6] = [
    ("year", 1900.0..=2200.0),
    ("month", 1.0..=12.0),
    ("day", 1.0..=31.0),
    ("hour", 0.0..=24.0),
    ("minute", 0.0..=59.0),
    ("second", 0.0..=60.0),
];

/// Columns of zeros and ones with these names are labels.
const LABELS: [&str; 6] = ["anomaly", "label", "labels", "is_anomaly", "changepoint", "attack"];

pub(super) struct Columns {
    /// The columns of numbers that change.
    pub(super) moving: Vec<usize>,
    pub(super) clock: Option<(usize, Clock)>,
    /// If the column of times has only dates.
    pub(super) time_of_day: Option<usize>,
}

pub(super) fn columns(header: &[String], separator: Separator, rows: &[String]) -> Columns {
    let mut cells = Vec::new();
    let mut texts: Vec<Vec<&str>> = vec![Vec::new(); header.len()];
    for (place, row) in rows.iter().enumerate() {
        // The last line may be cut off; in others the last cells may be missing.
        let is_whole = |cells: &[_]| cells.len() >= header.len() || place + 1 < rows.len();
        if split(row, separator, &mut cells).is_ok() && is_whole(&cells) {
            for (column, cell) in texts.iter_mut().zip(&cells) {
                column.push(row[cell.clone()].trim().trim_matches('"'));
            }
        }
    }
    // After the date or before it.
    let day_and_time = |day: usize| {
        [day + 1, day.wrapping_sub(1)].into_iter().find_map(|time| {
            Some((
                (day, Clock::of_split(&texts[day], texts.get(time)?, &header[time])?),
                Some(time),
            ))
        })
    };
    let whole = |place: usize| Some(((place, Clock::of(&header[place], &texts[place], separator)?), None));
    let (clock, time_of_day) = (0..header.len())
        .find_map(|place| day_and_time(place).or_else(|| whole(place)))
        .unzip();
    let is_time = |place: usize| {
        clock.is_some_and(|(time, _)| time == place) || time::is_second(&header[place], &texts[place], separator)
    };
    let moving = (0..header.len()).filter(|&place| !is_time(place) && moves(&header[place], &texts[place], separator));
    Columns {
        moving: moving.collect(),
        clock,
        time_of_day: time_of_day.flatten(),
    }
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
    let counts = COUNTERS.contains(&name.to_lowercase().as_str())
        && numbers
            .windows(2)
            .all(|pair| pair[1] > pair[0] && (pair[1] - pair[0]).fract() == 0.0);
    let labels =
        LABELS.contains(&name.to_lowercase().as_str()) && numbers.iter().all(|&number| number == 0.0 || number == 1.0);
    let part = PARTS.iter().find(|(part, _)| part.eq_ignore_ascii_case(name));
    let is_part =
        part.is_some_and(|(_, range)| (numbers.iter()).all(|number| range.contains(number) && number.fract() == 0.0));
    let moves = numbers.windows(2).any(|pair| pair[0] != pair[1]);
    // A few words among many numbers are bad cells.
    moves && !counts && !labels && !is_part && 10 * words <= numbers.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_comma_does_not_cut_a_line() {
        for (line, cut) in [
            ("1,5;2,5;3", (3, Separator::Semicolon)),
            ("1,5\t2,5\t3,5", (3, Separator::Tab)),
            ("1,5 2,5 3,5", (3, Separator::Blanks)),
            ("1, 2, 3", (3, Separator::Comma)),
            ("1 ,2 ,3", (3, Separator::Comma)),
            ("2024-05-03 12:00:01,5,7", (3, Separator::Comma)),
            ("a, in m/s;b", (2, Separator::Comma)),
        ] {
            assert_eq!(cut_of(line), cut, "{line}");
        }
    }
}
