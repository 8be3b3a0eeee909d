//! Converts the counts of an ADC, which need no unit: the monitor learns the scale of each channel.

/// An integer from an ADC.
pub trait Count: Copy {
    /// Exact.
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
