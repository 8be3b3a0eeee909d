//! The time of a row.
//! In: the text of a cell. Out: seconds since 1970 in the time zone of the file; a time with an offset becomes UTC. Forms:
//! `2024-05-03 12:00:01.25`, with `T`, `Z` or an offset; `03.05.2024 12:00:01`; `03/05/2024 12:00:01`, the day first;
//! `05/03/2024 12:00:01 PM`, the month first; `20240503 120001`; seconds to nanoseconds.

use super::cell::is_gap;
use super::line::Separator;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// In `03/05/2024` the day is first.
    Calendar,
    /// In `05/03/2024` the month is first.
    MonthFirst,
    /// Seconds since 1970 times 10ᵖ: p is 0, 3, 6 or 9.
    Epoch(i32),
    /// Counts from an unknown start, in seconds.
    Count,
}

impl Clock {
    /// The time of a cell, in seconds.
    pub(super) fn seconds(self, text: &str, separator: Separator) -> Option<f64> {
        match self {
            Self::Calendar => calendar(text, false),
            Self::MonthFirst => calendar(text, true),
            Self::Epoch(power) => decimal(text, separator).map(|number| number * 10_f64.powi(-power)),
            Self::Count => decimal(text, separator),
        }
        .filter(|seconds| seconds.is_finite())
    }

    /// A date in a numeric cell is already in seconds.
    pub(super) fn seconds_of(self, number: f64) -> Option<f64> {
        let seconds = match self {
            Self::Calendar | Self::MonthFirst | Self::Count => number,
            Self::Epoch(power) => number * 10_f64.powi(-power),
        };
        Some(seconds).filter(|seconds| seconds.is_finite())
    }

    /// The form of a column by its first cells; `None` without times.
    ///
    /// A column of days in which a day repeats has no times: the time of day is in another column.
    pub(super) fn of(name: &str, cells: &[&str], separator: Separator) -> Option<Self> {
        let filled: Vec<&str> = cells.iter().copied().filter(|cell| !is_gap(cell)).collect();
        if filled.is_empty() {
            return None;
        }
        let named = has_word(name, &WORDS) || has_word(name, &["t"]);
        // A number such as 20240503 is a date if the name says so.
        let is_marked = |cell: &&str| cell.contains(|letter: char| !letter.is_ascii_digit());
        if let Some(clock) = Self::of_dates(&filled).filter(|_| named || filled.iter().any(is_marked)) {
            let has_hours = filled.iter().any(|cell| cell.contains(':'));
            let repeats = filled.windows(2).any(|pair| pair[0] == pair[1]);
            return (has_hours || !repeats).then_some(clock);
        }
        let numbers: Option<Vec<f64>> = filled.iter().map(|cell| decimal(cell, separator)).collect();
        let numbers = numbers.filter(|_| named)?;
        if numbers.iter().all(|&number| number == numbers[0]) {
            return None;
        }
        // The first unit that gives a date between 2000 and 2100.
        let is_date = |number: f64, power: i32| {
            let seconds = number * 10_f64.powi(-power);
            (946_684_800.0..4_102_444_800.0).contains(&seconds)
        };
        let power = [0, 3, 6, 9].into_iter().find(|&power| is_date(numbers[0], power));
        // A clock may be set back; a sensor goes back often.
        let back = numbers.windows(2).filter(|pair| pair[1] < pair[0]).count();
        let ahead = numbers.windows(2).filter(|pair| pair[1] > pair[0]).count();
        let are_dates = power.is_some_and(|power| numbers.iter().all(|&number| is_date(number, power)));
        let is_clock = are_dates || RARE * back < ahead;
        is_clock.then(|| power.map_or(Self::Count, Self::Epoch))
    }

    /// The form of dates whose time of day is in the column `name`.
    pub(super) fn of_split(dates: &[&str], times: &[&str], name: &str) -> Option<Self> {
        let filled = dates.iter().zip(times);
        let mut filled = filled.filter(|(date, time)| !is_gap(date) && !is_gap(time)).peekable();
        Self::of_dates(&[filled.peek()?.0])?;
        // 120001 is a time only if the name says so.
        let is_time = |time: &str| time.contains(':') || has_word(name, &WORDS);
        let joined: Option<Vec<String>> = filled
            .map(|(date, time)| is_time(time).then(|| join(date, time)))
            .collect();
        Self::of_dates(&joined?)
    }

    /// The order of day and month that fits all cells. If both fit, the day is first, or the month with AM or PM, as
    /// American programs write.
    fn of_dates<S: AsRef<str>>(cells: &[S]) -> Option<Self> {
        let cells = cells.iter().map(AsRef::as_ref);
        let has_halves = (cells.clone()).any(|cell| half_of_day(cell).1.is_some());
        let orders = match has_halves {
            true => [Self::MonthFirst, Self::Calendar],
            false => [Self::Calendar, Self::MonthFirst],
        };
        let is_month_first = |order| order == Self::MonthFirst;
        (orders.into_iter()).find(|&order| {
            cells
                .clone()
                .all(|cell| calendar(cell, is_month_first(order)).is_some())
        })
    }
}

/// Names of columns of times. So is `t`, but `T` is a temperature too.
const WORDS: [&str; 7] = ["time", "timestamp", "epoch", "date", "datetime", "zeit", "seconds"];

fn has_word(name: &str, words: &[&str]) -> bool {
    let name = name.to_lowercase();
    name.split(|letter: char| !letter.is_alphanumeric())
        .any(|word| words.contains(&word))
}

pub(super) fn is_second(name: &str, cells: &[&str], separator: Separator) -> bool {
    has_word(name, &WORDS) && Clock::of(name, cells, separator).is_some()
}

/// Some programs write midnight beside every date.
pub(super) fn join(date: &str, time: &str) -> String {
    format!("{} {time}", date.strip_suffix(" 00:00:00").unwrap_or(date))
}

/// A count of times has more than so many steps ahead for each step back.
const RARE: usize = 100;

/// The nearest `f32` is minutes away from a date.
fn decimal(text: &str, separator: Separator) -> Option<f64> {
    match text.parse() {
        Ok(number) => Some(number),
        Err(_) if separator != Separator::Comma => text.replace(',', ".").parse().ok(),
        Err(_) => None,
    }
}

fn calendar(text: &str, month_first: bool) -> Option<f64> {
    let text = text.trim();
    let (date, time) = text
        .split_once(['T', ' ', '_'])
        .map_or((text, ""), |(date, time)| (date, time.trim()));
    let date = date.trim_end_matches(',');
    let with_marks;
    let date = if date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()) {
        with_marks = format!("{}-{}-{}", &date[..4], &date[4..6], &date[6..]);
        with_marks.as_str()
    } else {
        date
    };
    let mut parts = [0_u32; 3];
    let mark = date.find(|letter: char| !letter.is_ascii_digit())?;
    let mark = date.as_bytes().get(mark).copied().map(char::from)?;
    let mut words = date.split(mark);
    for part in &mut parts {
        let word = words.next()?;
        if word.len() > 4 || word.is_empty() {
            return None;
        }
        *part = word.parse().ok()?;
    }
    if words.next().is_some() {
        return None;
    }
    let first = date.split(mark).next()?.len();
    let (year, month, day) = match (mark, first) {
        ('-' | '/' | '.', 4) => (parts[0], parts[1], parts[2]),
        ('/' | '-', 1 | 2) if parts[2] >= 1_000 && month_first => (parts[2], parts[0], parts[1]),
        ('.' | '/' | '-', 1 | 2) if parts[2] >= 1_000 => (parts[2], parts[1], parts[0]),
        _ => return None,
    };
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    Some(days(year, month, day) * 86_400.0 + time_of_day(time)?)
}

/// A time without AM or PM, and the seconds before this half of the day.
fn half_of_day(text: &str) -> (&str, Option<f64>) {
    let Some((time, mark)) = text.len().checked_sub(2).and_then(|end| text.split_at_checked(end)) else {
        return (text, None);
    };
    // Every row comes here, so nothing is copied.
    match mark {
        _ if mark.eq_ignore_ascii_case("am") => (time.trim_end(), Some(0.0)),
        _ if mark.eq_ignore_ascii_case("pm") => (time.trim_end(), Some(43_200.0)),
        _ => (text, None),
    }
}

/// Zero for an empty text. The offset of a time zone is subtracted.
fn time_of_day(text: &str) -> Option<f64> {
    if text.is_empty() {
        return Some(0.0);
    }
    let (text, half) = half_of_day(text);
    let text = text.trim_end_matches(['Z', 'z']).trim_end_matches("UTC").trim_end();
    let zone = text.rfind(['+', '-']);
    let (clock, offset) = match zone {
        Some(place) => (text[..place].trim(), &text[place..]),
        None => (text, ""),
    };
    let mut seconds = 0.0;
    let digits = clock
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(clock.len());
    let words: Vec<&str> = match digits {
        // Without marks; the first zero can be missing.
        5 | 6 => vec![
            &clock[..digits - 4],
            &clock[digits - 4..digits - 2],
            &clock[digits - 2..],
        ],
        _ => clock.split(':').collect(),
    };
    if !(2..=3).contains(&words.len()) {
        return None;
    }
    // 24:00 is the end of a day, and second 60 a leap second.
    for (word, (unit, limit)) in words.iter().zip([(3_600.0, 25.0), (60.0, 60.0), (1.0, 61.0)]) {
        let number: f64 = word.replace(',', ".").parse().ok()?;
        (0.0..limit).contains(&number).then_some(())?;
        seconds += number * unit;
    }
    (seconds < 86_401.0).then_some(())?;
    if let Some(before) = half {
        (seconds < 46_800.0).then_some(())?;
        // 12 is the first hour of a half.
        let first = if words[0] == "12" { 43_200.0 } else { 0.0 };
        seconds += before - first;
    }
    let digits: String = offset.chars().filter(char::is_ascii_digit).collect();
    let (hours, minutes) = match digits.len() {
        0 => (0.0, 0.0),
        2 => (digits.parse::<f64>().ok()?, 0.0),
        4 => (digits[..2].parse::<f64>().ok()?, digits[2..].parse::<f64>().ok()?),
        _ => return None,
    };
    let sign = if offset.starts_with('-') { -1.0 } else { 1.0 };
    Some(seconds - sign * (hours * 3_600.0 + minutes * 60.0))
}

/// In the Gregorian calendar.
fn days(year: u32, month: u32, day: u32) -> f64 {
    // The year begins in March, so that the leap day is its last day.
    let (year, month) = (i64::from(year) - i64::from(month <= 2), (i64::from(month) + 9) % 12);
    let century = year.div_euclid(400);
    let of_century = year.rem_euclid(400);
    let of_year = (153 * month + 2) / 5 + i64::from(day) - 1;
    let of_centuries = of_century * 365 + of_century / 4 - of_century / 100 + of_year;
    (century * 146_097 + of_centuries - 719_468) as f64
}

/// The span of the axis decides how fine it is.
pub fn shown(seconds: f64, clock: Clock, span: f64) -> String {
    if clock == Clock::Count {
        return format!("{:.6}", seconds)
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned();
    }
    let day = (seconds / 86_400.0).floor();
    let (year, month, date) = date(day as i64);
    let of_day = seconds - day * 86_400.0;
    let (hours, minutes) = ((of_day / 3_600.0) as u32, (of_day / 60.0) as u32 % 60);
    let rest = of_day % 60.0;
    match span {
        ..120.0 => format!("{hours:02}:{minutes:02}:{rest:04.1}"),
        ..7_200.0 => format!("{hours:02}:{minutes:02}:{:02}", rest as u32),
        ..172_800.0 => format!("{month:02}-{date:02} {hours:02}:{minutes:02}"),
        ..8e6 => format!("{year}-{month:02}-{date:02}"),
        _ => format!("{year}-{month:02}"),
    }
}

/// A time with seconds, for a list.
pub fn stamp(seconds: f64, clock: Clock) -> String {
    if clock == Clock::Count {
        return shown(seconds, clock, 0.0);
    }
    let day = (seconds / 86_400.0).floor();
    let (year, month, date) = date(day as i64);
    let of_day = (seconds - day * 86_400.0) as u32;
    let (hours, minutes, rest) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
    format!("{year}-{month:02}-{date:02} {hours:02}:{minutes:02}:{rest:02}")
}

fn date(day: i64) -> (i64, i64, i64) {
    let day = day + 719_468;
    let century = day.div_euclid(146_097);
    let of_centuries = day.rem_euclid(146_097);
    let of_century = (of_centuries - of_centuries / 1_460 + of_centuries / 36_524 - of_centuries / 146_096) / 365;
    let of_year = of_centuries - (365 * of_century + of_century / 4 - of_century / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (century * 400 + of_century + i64::from(month <= 2), month, date)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_a_time_mean_the_same_second() {
        let noon = 1_714_737_601.25;
        for text in [
            "2024-05-03 12:00:01.25",
            "2024-05-03T12:00:01.25Z",
            "2024-05-03T14:00:01.25+02:00",
            "2024-05-03T11:00:01.25-0100",
            "03.05.2024 12:00:01,25",
            "03/05/2024 12:00:01.25",
            "2024/05/03 12:00:01.25",
        ] {
            assert_eq!(Clock::Calendar.seconds(text, Separator::Comma), Some(noon), "{text}");
            assert_eq!(Clock::of("x", &[text], Separator::Comma), Some(Clock::Calendar));
        }
        for (text, clock) in [
            ("1714737601.25", Clock::Epoch(0)),
            ("1714737601250", Clock::Epoch(3)),
            ("1714737601250000", Clock::Epoch(6)),
        ] {
            assert_eq!(
                Clock::of("timestamp", &[text, "9e18"], Separator::Comma),
                Some(clock),
                "{text}"
            );
            assert_eq!(clock.seconds(text, Separator::Comma), Some(noon), "{text}");
        }
        assert_eq!(stamp(noon, Clock::Calendar), "2024-05-03 12:00:01");
        assert_eq!(
            Clock::of("Time [s]", &["0", "0.5"], Separator::Comma),
            Some(Clock::Count)
        );
        assert_eq!(Clock::of("flow", &["0", "0.5"], Separator::Comma), None);
        // A temperature that seldom changes goes back as often as ahead.
        let mut slow = vec!["20.0"; 500];
        slow.extend(vec!["20.1"; 500]);
        slow.push("20.0");
        assert_eq!(Clock::of("T", &slow, Separator::Comma), None);
        assert_eq!(Clock::of("time", &["3", "1"], Separator::Comma), None);
        for wrong in [
            "",
            "12",
            "1.5",
            "2024-13-01",
            "1.2.3",
            "2024-05-03 24:30",
            "2024-05-03 25:00",
            "2024-05-03 12:60",
            "a-b-c",
        ] {
            assert_eq!(calendar(wrong, false), None, "{wrong}");
        }
    }

    #[test]
    fn the_hours_of_half_a_day_are_those_of_the_day() {
        for (text, hours) in [
            ("12:00 AM", Some(0.0)),
            ("12:30:00 am", Some(0.5)),
            ("1:00AM", Some(1.0)),
            ("12:00 PM", Some(12.0)),
            ("02:30 PM", Some(14.5)),
            ("11:59:60 pm", Some(24.0)),
            ("13:00 PM", None),
            ("PM", None),
            ("ü5", None),
        ] {
            assert_eq!(time_of_day(text).map(|seconds| seconds / 3_600.0), hours, "{text}");
        }
    }

    #[test]
    fn every_day_has_its_date() {
        for day in (-200_000..200_000).step_by(37) {
            let (year, month, of_month) = date(day);
            assert_eq!(days(year as u32, month as u32, of_month as u32) as i64, day);
        }
        assert_eq!(date(0), (1970, 1, 1));
        assert_eq!(date(19_782), (2024, 2, 29));
    }

    #[test]
    fn an_axis_is_as_fine_as_its_span() {
        let noon = 1_714_737_601.25;
        assert_eq!(shown(noon, Clock::Calendar, 60.0), "12:00:01.2");
        assert_eq!(shown(noon, Clock::Calendar, 3_600.0), "12:00:01");
        assert_eq!(shown(noon, Clock::Calendar, 86_400.0), "05-03 12:00");
        assert_eq!(shown(noon, Clock::Calendar, 1e6), "2024-05-03");
        assert_eq!(shown(0.5, Clock::Count, 60.0), "0.5");
    }
}
