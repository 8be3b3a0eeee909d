//! Splits a line of a recording into cells.
//! In: the line without its end. Out: the byte range of each cell. A comma, semicolon or tab between quotes does not split. If
//! blanks are the separator, quotes have no effect. A cell never continues on the next line, so a missing quote spoils one line
//! and not the remaining file.

use std::ops::Range;

use super::Clock;
use super::cell::Value;

/// The character between two cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    Comma,
    Semicolon,
    Tab,
    /// One or more blanks.
    Blanks,
}

impl Separator {
    /// The separator that splits a header into the most names.
    pub(super) fn of_header(line: &str) -> Self {
        let cuts = |separator: Self| {
            let mut cells = Vec::new();
            split(line, separator, &mut cells).map_or(0, |()| cells.len())
        };
        // `max_by_key` returns the last of equal candidates, so the most common separator is last.
        let candidates = [Self::Tab, Self::Semicolon, Self::Comma];
        let best = candidates.into_iter().max_by_key(|&separator| cuts(separator));
        best.unwrap_or(Self::Comma)
    }

    /// The number of cells of a line with its best separator, and this separator. Blanks separate cells only if no other
    /// separator does, because names may contain blanks. Commas do not separate cells if they are decimal commas between
    /// semicolons, tabs or blanks.
    pub(super) fn of_line(line: &str) -> (usize, Self) {
        let mut cells = Vec::new();
        let decimal = [Self::Semicolon, Self::Tab, Self::Blanks]
            .into_iter()
            .find(|&separator| has_decimal_commas(line, separator));
        let best = decimal.unwrap_or_else(|| Self::of_header(line));
        let mut cuts = |separator: Self| split(line, separator, &mut cells).map_or(0, |()| cells.len());
        match (cuts(best), cuts(Self::Blanks)) {
            (0 | 1, blanks @ 2..) => (blanks, Self::Blanks),
            (count, _) => (count, best),
        }
    }

    const fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
            Self::Blanks => b' ',
        }
    }
}

/// Whether a separator cuts a line into cells, and each comma in a cell is the decimal comma of a number or of a time.
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

/// Writes the byte range of each cell of a line to `cells`. The error says what is wrong with the line.
pub(super) fn split(line: &str, separator: Separator, cells: &mut Vec<Range<usize>>) -> Result<(), &'static str> {
    cells.clear();
    if separator == Separator::Blanks {
        let start = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize;
        cells.extend(
            line.split_ascii_whitespace()
                .map(|word| start(word)..start(word) + word.len()),
        );
        return Ok(());
    }
    let mark = separator.byte();
    let mut quoted = false;
    let mut from = 0;
    for (place, byte) in line.bytes().enumerate() {
        if byte == b'"' {
            // A doubled quote closes and opens the quotation.
            quoted = !quoted;
        } else if byte == mark && !quoted {
            cells.push(from..place);
            from = place + 1;
        }
    }
    cells.push(from..line.len());
    if quoted { Err("a quote is not closed") } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_separator_is_the_one_that_cuts_most() {
        for (header, separator) in [
            ("t,a,b", Separator::Comma),
            ("t;a, in m/s;b", Separator::Semicolon),
            ("t\ta;b\tc\td", Separator::Tab),
            ("\"a;b;c;d\",e", Separator::Comma),
            ("alone", Separator::Comma),
        ] {
            assert_eq!(Separator::of_header(header), separator, "{header}");
        }
    }

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
            assert_eq!(Separator::of_line(line), cut, "{line}");
        }
    }

    #[test]
    fn quotes_protect_separators() {
        let mut cells = Vec::new();
        let line = "é,\"b,\"\"c\",";
        assert_eq!(split(line, Separator::Comma, &mut cells), Ok(()));
        let cut: Vec<&str> = cells.into_iter().map(|cell| &line[cell]).collect();
        assert_eq!(cut, ["é", "\"b,\"\"c\"", ""]);
    }
}
