//! Parses plain decimal numbers fast. Out: the nearest `f32`, as of `str::parse`, or `None` for the slower way. The digits
//! are an integer below 2⁵³, divided by a power of ten up to 10²²: both are exact in `f64`, so the quotient is rounded
//! once. The conversion to `f32` rounds again, which is wrong only half-way between two `f32`: `None` then, and for
//! subnormal numbers.

use super::line::Separator;

/// Powers of ten that are exact in `f64`.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Every integer of so many digits is below 2⁵³.
const MOST_DIGITS: usize = 15;

/// Bits of an `f64` that an `f32` does not store.
const DROPPED: u64 = (1 << 29) - 1;
/// `DROPPED` bits half-way between two `f32`.
const HALF: u64 = 1 << 28;

pub(super) fn plain(cell: &[u8], separator: Separator) -> Option<f32> {
    let (negative, digits) = match cell {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.len() > MOST_DIGITS + 1 {
        return None;
    }
    let mut whole = 0_u64;
    let mut point = None;
    for (place, &byte) in digits.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            whole = 10 * whole + u64::from(digit);
        } else if point.is_none() && (byte == b'.' || byte == b',' && separator != Separator::Comma) {
            point = Some(place);
        } else {
            return None;
        }
    }
    let behind = match point {
        // 16 digits without a point may exceed 2⁵³.
        Some(_) if digits.len() == 1 => return None,
        Some(place) => digits.len() - 1 - place,
        None if digits.is_empty() || digits.len() > MOST_DIGITS => return None,
        None => 0,
    };
    let number = whole as f64 / POWERS.get(behind)?;
    let below = number < f64::from(f32::MIN_POSITIVE) && whole != 0;
    if number.to_bits() & DROPPED == HALF || below {
        return None;
    }
    let number = number as f32;
    Some(if negative { -number } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) {
        if let Some(number) = plain(text.as_bytes(), Separator::Comma) {
            assert_eq!(text.parse::<f32>().map(f32::to_bits), Ok(number.to_bits()), "{text}");
        }
    }

    #[test]
    fn the_bits_are_those_of_the_standard_library() {
        // Random decimals, and near ties: midpoints between two `f32`, rounded to 4 to 13 decimals.
        let mut noise = 0x9e37_79b9_7f4a_7c15_u64;
        let mut read = 0;
        for _ in 0..200_000 {
            noise ^= noise << 13;
            noise ^= noise >> 7;
            noise ^= noise << 17;
            let digits = noise % 10_u64.pow(1 + (noise >> 58) as u32 % 15);
            let behind = (noise >> 40) as usize % 16;
            let sign = if noise & 1 == 0 { "" } else { "-" };
            let text = format!("{digits:0width$}", width = behind + 1);
            let (front, back) = text.split_at(text.len() - behind);
            let text = if behind == 0 {
                format!("{sign}{front}")
            } else {
                format!("{sign}{front}.{back}")
            };
            check(&text);
            read += usize::from(plain(text.as_bytes(), Separator::Comma).is_some());
            let float = f32::from_bits((noise >> 32) as u32 & 0x0fff_ffff | 0x3000_0000);
            let tie = (f64::from(float) + f64::from(float.next_up())) / 2.0;
            for places in 4..14 {
                check(&format!("{tie:.places$}"));
            }
            check(&float.to_string());
        }
        assert!(read > 150_000, "{read}");
        // The quotients of these numbers in `f64` are half-way between two `f32`, but the numbers themselves are not. So
        // rounding the quotient to even is wrong.
        for text in [".001073349325452", ".003155427868478", ".002418601536192"] {
            let twice = text.parse::<f64>().map(|number| number as f32);
            assert_ne!(twice.ok(), text.parse::<f32>().ok());
            check(text);
        }
    }

    #[test]
    fn plain_numbers_are_read_and_others_are_left() {
        for (text, number) in [
            ("0", 0.0),
            ("-1.5", -1.5),
            ("007", 7.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("123456789.125", 123_456_789.125),
        ] {
            assert_eq!(plain(text.as_bytes(), Separator::Comma), Some(number), "{text}");
            let german = text.replace('.', ",");
            assert_eq!(plain(german.as_bytes(), Separator::Semicolon), Some(number), "{german}");
        }
        assert_eq!(
            plain(b"-0", Separator::Comma).map(f32::to_bits),
            Some((-0.0_f32).to_bits())
        );
        // 2²⁴ + 1 is half-way between two `f32`.
        for text in [
            "",
            "-",
            ".",
            "1e3",
            " 1",
            "1 ",
            "+1",
            "1.2.3",
            "nan",
            "1,5",
            "16777217",
            "0000000000000001",
            "--1",
        ] {
            assert_eq!(plain(text.as_bytes(), Separator::Comma), None, "{text}");
        }
    }
}
