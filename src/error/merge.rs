//! The reasons why two learners cannot be merged.

use core::fmt;

/// Why two learners were not merged. Neither of them was changed.
///
/// ```
/// use eigenstream::{Centering, MergeError, pca::BatchPca};
///
/// let mut centered = BatchPca::<f32, 3, 1>::new(Centering::Centered);
/// let uncentered = BatchPca::<f32, 3, 1>::new(Centering::Uncentered);
/// assert_eq!(centered.merge(&uncentered), Err(MergeError::Settings));
/// assert_eq!(MergeError::Settings.to_string(), "the two learners have different settings");
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum MergeError {
    /// The settings, the kernels or the starting centres of the two learners differ.
    Settings,
    /// The learner or its energy scale forgets old samples. Then the weight of a sample depends on its position in the stream,
    /// but the samples of two streams have no common order.
    Forgetting,
    /// A number of the merged learner, for example a count or a scatter, would overflow.
    Overflow,
    /// The points of the two learners do not fit into one window.
    Room {
        /// The number of points of the two learners together.
        needed: usize,
        /// The largest number of points in the window.
        capacity: usize,
    },
}

impl fmt::Display for MergeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Settings => formatter.write_str("the two learners have different settings"),
            Self::Forgetting => formatter.write_str("a learner that forgets cannot be merged"),
            Self::Overflow => formatter.write_str("the sums of both learners are too large to compute with"),
            Self::Room { needed, capacity } => write!(formatter, "{needed} points do not fit into {capacity} slots"),
        }
    }
}

impl core::error::Error for MergeError {}
