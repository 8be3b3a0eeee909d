//! Splits a line of a recording into cells. A separator between quotes does not split; with blanks quotes have no effect. A
//! cell never continues on the next line, so a missing quote spoils one line.

use std::ops::Range;

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
        // The last of equal candidates wins.
        let candidates = [Self::Tab, Self::Semicolon, Self::Comma];
        let best = candidates.into_iter().max_by_key(|&separator| cuts(separator));
        best.unwrap_or(Self::Comma)
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

/// Writes the byte range of each cell; the error says what is wrong.
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
    fn quotes_protect_separators() {
        let mut cells = Vec::new();
        let line = "é,\"b,\"\"c\",";
        assert_eq!(split(line, Separator::Comma, &mut cells), Ok(()));
        let cut: Vec<&str> = cells.into_iter().map(|cell| &line[cell]).collect();
        assert_eq!(cut, ["é", "\"b,\"\"c\"", ""]);
    }
}
