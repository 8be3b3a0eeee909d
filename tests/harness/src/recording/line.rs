//! Cuts a line of a recording into cells.
//! In: the line without its end. Out: where each cell stands. Quotes protect separators; a cell does not go over several lines,
//! so that one forgotten quote costs one line and not the rest of the file.

use std::ops::Range;

/// What stands between two cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    Comma,
    Semicolon,
    Tab,
}

impl Separator {
    /// The one that cuts a header into the most names.
    pub(super) fn of_header(line: &str) -> Self {
        let cuts = |separator: Self| {
            let mut cells = Vec::new();
            split(line, separator, &mut cells).map_or(0, |()| cells.len())
        };
        // Of equals the last wins, so that the commonest stands last.
        let candidates = [Self::Tab, Self::Semicolon, Self::Comma];
        candidates
            .into_iter()
            .max_by_key(|&separator| cuts(separator))
            .unwrap_or(Self::Comma)
    }

    const fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
        }
    }
}

/// Writes where the cells of a line stand; the error says what is wrong with the line.
pub(super) fn split(line: &str, separator: Separator, cells: &mut Vec<Range<usize>>) -> Result<(), &'static str> {
    cells.clear();
    let mut quoted = false;
    let mut from = 0;
    for (place, byte) in line.bytes().enumerate() {
        if byte == b'"' {
            // A doubled quote closes and opens again.
            quoted = !quoted;
        } else if byte == separator.byte() && !quoted {
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
