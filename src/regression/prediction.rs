//! A predicted value with its error bar.

/// A value that was predicted, and how far off it usually is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Prediction<T> {
    /// The value to expect.
    pub value: T,
    /// Standard deviation of the measured value about [`value`](Self::value): the noise, and how little is known of the relation at these
    /// features. `None` until there are more samples than weights.
    pub deviation: Option<T>,
}
