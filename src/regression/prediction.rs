//! A predicted value and its error bar.

/// A predicted value and the standard deviation of its error.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Prediction<T> {
    /// The expected value.
    pub value: T,
    /// Standard deviation of the measured value about [`value`](Self::value), from the noise and from the uncertainty of the
    /// learned relation at these features. `None` unless the number of samples exceeds the number of features plus one. With
    /// forgetting, [`noise`](super::RecursiveLeastSquares::noise) defines the number of samples.
    pub deviation: Option<T>,
}
