//! Converts the counts of a converter to numbers.
//! In: one integer per channel (`u8`, `i8`, `u16`, `i16` or `i32`), as converters and inertial sensors deliver it. Out: the
//! numbers in the unit of the sensor.
//! Method: (count − zero)·worth, with an integer difference that cannot overflow; an `f32` rounds a difference of more than 24
//! bits.
//! Cost: some 10 instructions per channel. Kept: DIM numbers and DIM counts, which can be in flash.

use crate::scalar::constant::of_number;
use crate::{Scalar, SettingsError};

/// The worth of one count and the count that means 0, for each of `DIM` channels.
///
/// ```
/// use eigenstream::{constant, monitor::Counts};
///
/// // An accelerometer at ±2 g, and a 12-bit current sensor whose zero is at half of its range.
/// static COUNTS: Counts<f32, 2> = constant!(Counts::new([1.0 / 16_384.0, 0.01], [0, 2_048]));
/// assert_eq!(COUNTS.convert(&[-16_384_i16, 2_148]), [-1.0, 1.0]);
///
/// // A 16-bit converter whose HAL returns offset binary.
/// let offset = Counts::<f32, 1>::new([0.5], [0x8000])?;
/// assert_eq!(offset.convert(&[0x8002_u16]), [1.0]);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Counts<T, const DIM: usize> {
    worth: [T; DIM],
    zero: [i32; DIM],
}

impl<T: Scalar, const DIM: usize> Counts<T, DIM> {
    /// One count is `worth` units; the count `zero` is 0 units.
    ///
    /// `zero` is usually 0 in two's complement and 2ⁿ⁻¹ in offset binary of n bits.
    ///
    /// # Errors
    /// [`SettingsError::CountScale`] if the `worth` of a channel is zero, or if 2³²·`worth` is not finite.
    pub const fn new(worth: [T; DIM], zero: [i32; DIM]) -> Result<Self, SettingsError> {
        let mut channel = 0;
        while channel < DIM {
            let one = worth[channel];
            if !of_number!(one => one != 0.0 && (one * 4_294_967_296.0).is_finite()) {
                return Err(SettingsError::CountScale);
            }
            channel += 1;
        }
        Ok(Self { worth, zero })
    }

    /// Converts counts to units.
    ///
    /// ```
    /// use eigenstream::monitor::Counts;
    /// let counts = Counts::new([0.5_f64], [i32::MAX])?;
    /// assert_eq!(counts.convert(&[i32::MIN]), [-2_147_483_647.5]);
    /// # Ok::<(), eigenstream::SettingsError>(())
    /// ```
    #[must_use]
    pub fn convert<C: Copy + Into<i32>>(&self, counts: &[C; DIM]) -> [T; DIM] {
        let mut values = self.worth;
        for ((value, &zero), &count) in values.iter_mut().zip(&self.zero).zip(counts) {
            let count: i32 = count.into();
            let size = T::from_usize(count.abs_diff(zero) as usize);
            *value *= if count < zero { -size } else { size };
        }
        values
    }
}

/// Reads a number in two's complement from the low `bits` bits of a word, as 24-bit converters deliver it.
///
/// The higher bits are ignored. A number of bits below 1 counts as 1, above 32 as 32.
///
/// ```
/// use eigenstream::monitor::sign_extended;
/// assert_eq!(sign_extended(0x00ff_ffff, 24), -1);
/// assert_eq!(sign_extended(0xab7f_ffff, 24), 8_388_607);
/// // Three bytes, the high one first.
/// assert_eq!(sign_extended(u32::from_be_bytes([0, 0x80, 0x00, 0x00]), 24), -8_388_608);
/// ```
#[must_use]
pub const fn sign_extended(raw: u32, bits: u32) -> i32 {
    let unused = match bits {
        0 => 31,
        1..=32 => 32 - bits,
        _ => 0,
    };
    ((raw << unused) as i32) >> unused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_integer_is_what_it_counts() {
        let counts = Counts::<f64, 2>::new([2.0, -0.5], [10, -10]);
        let values = |convert: &dyn Fn(&Counts<f64, 2>) -> [f64; 2]| counts.as_ref().map(convert);
        assert_eq!(values(&|counts| counts.convert(&[0_u8, 255])), Ok([-20.0, -132.5]));
        assert_eq!(values(&|counts| counts.convert(&[-128_i8, 127])), Ok([-276.0, -68.5]));
        assert_eq!(
            values(&|counts| counts.convert(&[0_u16, u16::MAX])),
            Ok([-20.0, -32_772.5])
        );
        assert_eq!(
            values(&|counts| counts.convert(&[i16::MIN, i16::MAX])),
            Ok([-65_556.0, -16_388.5])
        );
        let widest = Ok([2.0 * (f64::from(i32::MIN) - 10.0), -0.5 * (f64::from(i32::MAX) + 10.0)]);
        assert_eq!(values(&|counts| counts.convert(&[i32::MIN, i32::MAX])), widest);
    }

    #[test]
    fn offset_binary_and_twos_complement_of_one_voltage_are_one_number() {
        let (signed, offset) = (
            Counts::<f32, 1>::new([0.25], [0]),
            Counts::<f32, 1>::new([0.25], [1 << 23]),
        );
        for code in [0, 1, 0x7f_ffff, 0x80_0000, 0x80_0001, 0xff_ffff_u32] {
            let two = signed.map(|counts| counts.convert(&[sign_extended(code, 24)]));
            assert_eq!(two, offset.map(|counts| counts.convert(&[(code ^ 0x80_0000) as i32])));
        }
    }

    #[test]
    fn every_width_is_read_in_twos_complement() {
        for bits in 1..=32 {
            let most = (1_i64 << (bits - 1)) - 1;
            assert_eq!(i64::from(sign_extended(most as u32, bits)), most);
            assert_eq!(i64::from(sign_extended((most + 1) as u32, bits)), -most - 1);
        }
        assert_eq!(sign_extended(1, 0), -1);
        assert_eq!(sign_extended(u32::MAX, 99), -1);
    }

    #[test]
    fn a_worth_that_is_none_is_refused() {
        for worth in [0.0, f32::NAN, f32::INFINITY, f32::MAX, -1e30] {
            assert_eq!(Counts::new([1.0, worth], [0, 0]), Err(SettingsError::CountScale));
        }
        assert!(Counts::new([-1e28_f32], [i32::MIN]).is_ok());
    }
}
