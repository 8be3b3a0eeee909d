//! Counts of a converter as numbers. The monitor learns the scale of each channel, so that counts need no unit.

/// An integer that a converter gives.
pub trait Count: Copy {
    /// The count as a number; exact.
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
