//! A predicted value and its error bar.

/// A predicted value and the standard deviation of its error.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Prediction<T> {
    /// The expected value.
    pub value: T,
    /// Standard deviation of the measured value about [`value`](Self::value), from the noise and from the uncertainty of the
    /// learned relation at these features. `None` until there are more samples than features plus one; with forgetting only the
    /// samples in memory count.
    pub deviation: Option<T>,
}
