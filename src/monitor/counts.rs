//! From the counts of a converter to numbers.
//! In: one `i16` a channel, as converters and inertial sensors give them. Out: what they stand for, in the sensor's unit.
//! Method: value = (count − zero)·worth, channel by channel; the difference is exact.
//! Cost: some 10 instructions a channel. Kept: DIM numbers and DIM counts, which can sit in flash.

use crate::{Scalar, SettingsError};

/// Unit and zero of the converter, for each of `DIM` channels.
///
/// ```
/// use eigenstream::monitor::Counts;
///
/// // An accelerometer at ±2 g and a 12-bit current sensor whose zero is half way.
/// let counts = Counts::<f32, 2>::new([1.0 / 16_384.0, 0.01], [0, 2_048])?;
/// assert_eq!(counts.convert(&[-16_384, 2_148]), [-1.0, 1.0]);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Counts<T, const DIM: usize> {
    worth: [T; DIM],
    zero: [i16; DIM],
}

impl<T: Scalar, const DIM: usize> Counts<T, DIM> {
    /// One count above `zero` is worth `worth`.
    ///
    /// # Errors
    /// [`SettingsError::CountScale`] if the worth of a channel is zero, or not finite, or 2¹⁷ of it are not.
    ///
    /// ```
    /// use eigenstream::{SettingsError, monitor::Counts};
    /// assert_eq!(Counts::new([0.0_f32], [0]), Err(SettingsError::CountScale));
    /// ```
    pub fn new(worth: [T; DIM], zero: [i16; DIM]) -> Result<Self, SettingsError> {
        let usable = |worth: &T| *worth != T::ZERO && (*worth * T::from_f64(131_072.0)).is_finite();
        if worth.iter().all(usable) {
            Ok(Self { worth, zero })
        } else {
            Err(SettingsError::CountScale)
        }
    }

    /// Converts counts to units.
    ///
    /// ```
    /// use eigenstream::monitor::Counts;
    /// assert_eq!(Counts::new([0.5_f32], [i16::MAX])?.convert(&[i16::MIN]), [-32_767.5]);
    /// # Ok::<(), eigenstream::SettingsError>(())
    /// ```
    #[must_use]
    pub fn convert(&self, counts: &[i16; DIM]) -> [T; DIM] {
        let mut values = self.worth;
        for ((value, &zero), &count) in values.iter_mut().zip(&self.zero).zip(counts) {
            let difference = i32::from(count) - i32::from(zero);
            let size = T::from_usize(difference.unsigned_abs() as usize);
            *value *= if difference < 0 { -size } else { size };
        }
        values
    }
}
