//! Reads a number as people and programs write it.
//! In: the text of a cell, and the separator of the cells. Out: the nearest `f32`, or `None`.
//! Method: plain numbers are parsed directly. Other numbers may have a decimal comma, or commas, points, apostrophes or blanks
//! between groups of three digits.

use super::line::Separator;

/// The number in a cell; `text` has no quotes and no blanks around it.
pub(super) fn number(text: &str, separator: Separator) -> Option<f32> {
    if let Ok(number) = text.parse::<f32>() {
        // A number outside the range of `f32`, or a word such as `inf`, is not a measurement.
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
        // If commas do not separate cells, a single comma is the decimal comma.
        (1, 0) if separator != Separator::Comma => Some(text.replace(',', ".")),
        (_, 0) => without_groups(&text, ','),
        // If there are commas and points, the last of them is the decimal mark, which may occur only once.
        _ if text.rfind(',') < text.rfind('.') && points == 1 => without_groups(&text, ','),
        _ if text.rfind(',') > text.rfind('.') && commas == 1 => Some(without_groups(&text, '.')?.replace(',', ".")),
        _ => None,
    }
}

/// Removes the marks between groups of digits. `None` unless the first group has one to three digits and each later group has
/// three.
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
}
