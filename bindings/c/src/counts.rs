//! Converts the counts of an ADC to floating-point numbers. The monitor learns the scale of each channel, so counts need no
//! unit.

/// An integer from an ADC.
pub trait Count: Copy {
    /// The count as `f32`; the conversion is exact.
    fn number(self) -> f32;
}

impl Count for i16 {
    fn number(self) -> f32 {
        f32::from(self)
    }
}

impl Count for u16 {
    fn number(self) -> f32 {
        f32::from(self)
    }
}
