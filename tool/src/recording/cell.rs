//! The content of a cell: a number, a gap, or other text. A number may have a decimal comma, or marks between groups of
//! three digits.

use std::borrow::Cow;

use super::line::Separator;

/// The value of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Rounded once to the nearest `f32`, as a chip that parses the digits.
    Number(f32),
    /// The cell is empty, missing, or a word of `GAPS`.
    Gap,
    /// Text that is not a number, or a number outside the range of `f32`.
    Bad(String),
}

const GAPS: [&str; 8] = ["", "nan", "na", "n/a", "null", "none", "-", "---"];

impl Value {
    /// Reads the text of a cell.
    pub(super) fn of(cell: &str, separator: Separator) -> Self {
        // Most cells are plain numbers.
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

    pub fn number(&self) -> Option<f32> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Gap | Self::Bad(_) => None,
        }
    }
}

pub(super) fn is_gap(text: &str) -> bool {
    GAPS.iter().any(|gap| text.eq_ignore_ascii_case(gap))
}

pub(super) fn unquoted(cell: &str) -> Cow<'_, str> {
    let cell = cell.trim();
    match cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => Cow::Owned(inner.replace("\"\"", "\"")),
        None => Cow::Borrowed(cell),
    }
}

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

/// `text` has no quotes and no blanks around it.
fn number(text: &str, separator: Separator) -> Option<f32> {
    if let Ok(number) = text.parse::<f32>() {
        // Out of the range of `f32`, or a word such as `inf`.
        return number.is_finite().then_some(number);
    }
    let plain = plain(text, separator)?;
    plain.parse::<f32>().ok().filter(|number| number.is_finite())
}

/// Rewrites a number with a decimal point and without marks between thousands.
fn plain(text: &str, separator: Separator) -> Option<String> {
    if !text.bytes().any(|byte| byte.is_ascii_digit())
        || text.bytes().any(|byte| byte.is_ascii_alphabetic() && byte | 32 != b'e')
    {
        return None;
    }
    let grouped: String = text
        .chars()
        .map(|letter| match letter {
            '\u{a0}' | '\u{202f}' | '\u{2009}' | '’' => '\'',
            ' ' => '\'',
            '−' => '-',
            other => other,
        })
        .collect();
    let text = without_groups(&grouped, '\'')?;
    let (commas, points) = (text.matches(',').count(), text.matches('.').count());
    match (commas, points) {
        (0, 0 | 1) => Some(text),
        (0, _) => without_groups(&text, '.'),
        // A decimal comma.
        (1, 0) if separator != Separator::Comma => Some(text.replace(',', ".")),
        (_, 0) => without_groups(&text, ','),
        // The last mark is the decimal mark, which occurs once.
        _ if text.rfind(',') < text.rfind('.') && points == 1 => without_groups(&text, ','),
        _ if text.rfind(',') > text.rfind('.') && commas == 1 => Some(without_groups(&text, '.')?.replace(',', ".")),
        _ => None,
    }
}

/// `None` unless the first group has one to three digits and each later group three.
fn without_groups(text: &str, mark: char) -> Option<String> {
    if !text.contains(mark) {
        return Some(text.to_owned());
    }
    let end = text
        .rfind(|letter: char| letter != mark && matches!(letter, '.' | ','))
        .unwrap_or(text.len());
    let (whole, rest) = text.split_at(end);
    let digits = whole.trim_start_matches(['-', '+']);
    let mut groups = digits.split(mark);
    let first = groups.next()?;
    let is_group = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let fits =
        (1..=3).contains(&first.len()) && is_group(first) && groups.all(|group| group.len() == 3 && is_group(group));
    (fits && !rest.contains(mark)).then(|| whole.replace(mark, "") + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_may_be_marked() {
        for (text, separator, expected) in [
            ("1,234.5", Separator::Comma, Some(1_234.5)),
            ("1,234,567", Separator::Comma, Some(1_234_567.0)),
            ("-1.234,5", Separator::Semicolon, Some(-1_234.5)),
            ("1.234.567", Separator::Semicolon, Some(1_234_567.0)),
            ("1'234.5", Separator::Comma, Some(1_234.5)),
            ("1 234,5", Separator::Semicolon, Some(1_234.5)),
            ("1\u{202f}234", Separator::Comma, Some(1_234.0)),
            ("1,5", Separator::Semicolon, Some(1.5)),
            ("1,234", Separator::Semicolon, Some(1.234)),
            ("−3", Separator::Comma, Some(-3.0)),
            ("1,5", Separator::Comma, None),
            ("12,34", Separator::Comma, None),
            ("1.2.3", Separator::Comma, None),
            ("10.11.2024", Separator::Comma, None),
            ("1,2,3", Separator::Semicolon, None),
            ("1e60", Separator::Comma, None),
            ("inf", Separator::Comma, None),
            ("12 V", Separator::Comma, None),
        ] {
            assert_eq!(number(text, separator), expected, "{text}");
        }
    }

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
