//! The content of a cell of a recording: a number, a gap, or text that does not belong there.

use std::borrow::Cow;

use super::line::Separator;
use super::number::number;

/// The value of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Rounded once, from the digits to the nearest `f32`. A chip that parses these digits gets the same number.
    Number(f32),
    /// No value was measured: the cell is empty, missing, or contains a word of `GAPS`.
    Gap,
    /// Text that is not a number, or a number outside the range of `f32`.
    Bad(String),
}

/// The words with which programs mark a value that was not measured.
const GAPS: [&str; 8] = ["", "nan", "na", "n/a", "null", "none", "-", "---"];

impl Value {
    /// Reads the text of a cell.
    pub(super) fn of(cell: &str, separator: Separator) -> Self {
        // The fast way first: most cells are plain numbers, and a recording has many cells.
        if let Ok(number) = cell.parse::<f32>()
            && number.is_finite()
        {
            return Self::Number(number);
        }
        let cell = unquoted(cell);
        let text = cell.trim();
        match number(text, separator) {
            Some(number) => Self::Number(number),
            None if is_gap(text) => Self::Gap,
            None => Self::Bad(text.to_owned()),
        }
    }

    /// The number, or `None` for a gap or a bad cell.
    pub fn number(&self) -> Option<f32> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Gap | Self::Bad(_) => None,
        }
    }
}

/// Whether the text is a mark for a value that was not measured.
pub(super) fn is_gap(text: &str) -> bool {
    GAPS.iter().any(|gap| text.eq_ignore_ascii_case(gap))
}

/// The text of a cell, without the quotes around it.
pub(super) fn unquoted(cell: &str) -> Cow<'_, str> {
    let cell = cell.trim();
    match cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => Cow::Owned(inner.replace("\"\"", "\"")),
        None => Cow::Borrowed(cell),
    }
}

/// The number of characters that are shown of a cell. A cell may be very long.
const SHOWN: usize = 40;

/// The beginning of a cell, with control characters replaced.
pub(super) fn excerpt(text: &str) -> String {
    let printable = |letter: char| if letter.is_control() { '\u{fffd}' } else { letter };
    let mut shown: String = text.chars().take(SHOWN).map(printable).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_or_wild_cell_is_shown_in_part() {
        assert_eq!(excerpt("it's off"), "it's off");
        assert_eq!(excerpt("\u{1b}[2J\0"), "\u{fffd}[2J\u{fffd}");
        assert_eq!(excerpt(&"é".repeat(SHOWN)), "é".repeat(SHOWN));
        assert_eq!(excerpt(&"é".repeat(SHOWN + 1)), "é".repeat(SHOWN) + "…");
    }

    #[test]
    fn numbers_gaps_and_the_rest_are_told_apart() {
        let value = |cell| Value::of(cell, Separator::Comma);
        assert_eq!(value(" -1.25e2 "), Value::Number(-125.0));
        assert_eq!(value("\"7\""), Value::Number(7.0));
        for gap in ["", "  ", "NaN", "\"\"", "NULL"] {
            assert_eq!(value(gap), Value::Gap, "{gap}");
        }
        for bad in ["off", "1,5", "inf", "1e60", "0x10"] {
            assert!(matches!(value(bad), Value::Bad(_)), "{bad}");
        }
        assert_eq!(Value::of("1,5", Separator::Semicolon), Value::Number(1.5));
    }
}
