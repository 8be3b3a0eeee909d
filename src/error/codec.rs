//! Errors of bytes that are read as a learner.

use super::SettingsError;
use core::fmt;

/// Why bytes were not taken for a learner, or a learner not put into bytes. Nothing was changed.
///
/// ```
/// use eigenstream::{Codec, CodecError, weights::FollowTheLeader};
///
/// let refused = FollowTheLeader::<f32, 3>::decode(&[0xff; 64]);
/// assert_eq!(refused, Err(CodecError::Magic));
/// assert_eq!(CodecError::Magic.to_string(), "these bytes are no image of a learner");
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum CodecError {
    /// The buffer is too short to save to.
    Buffer {
        /// Bytes of the image.
        needed: usize,
        /// Bytes there are.
        found: usize,
    },
    /// There are too few bytes: an image of which the end is missing.
    Torn {
        /// Bytes that were expected.
        needed: usize,
        /// Bytes there are.
        found: usize,
    },
    /// The first bytes are not those of an image.
    Magic,
    /// The image has a format of another version.
    Version {
        /// Its version.
        found: u8,
    },
    /// The image holds another learner.
    Learner {
        /// Its number, see [`Kind`](crate::codec::Kind).
        found: u8,
    },
    /// The image holds numbers of another precision.
    Precision {
        /// Bytes of its numbers.
        found: u8,
    },
    /// The learner in the image compares samples with another kernel.
    Kernel {
        /// The number of its kernel.
        found: u8,
    },
    /// The learner in the image has other sizes.
    Sizes {
        /// Its sizes.
        found: [u16; 4],
    },
    /// The checksum does not fit: bits have changed, or the image was not written to its end.
    Checksum,
    /// The bytes of the image cannot be read: the flash refuses.
    Unreadable,
    /// Settings that no learner can have.
    Settings(SettingsError),
    /// A number is NaN or infinite.
    NotANumber,
    /// A choice that there is not.
    Choice,
    /// A count is larger than the room for it.
    Count,
    /// Directions that are not orthonormal.
    Directions,
    /// A probability that is not between zero and one.
    Probability,
    /// A number beyond those that a learner can have come to.
    Range,
}

impl From<SettingsError> for CodecError {
    fn from(error: SettingsError) -> Self {
        Self::Settings(error)
    }
}

impl fmt::Display for CodecError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Buffer { needed, found } => {
                write!(formatter, "an image takes {needed} bytes, the buffer has {found}")
            }
            Self::Torn { needed, found } => write!(formatter, "the image is torn: {found} bytes of {needed}"),
            Self::Magic => formatter.write_str("these bytes are no image of a learner"),
            Self::Version { found } => write!(formatter, "the image has format {found}, which is not read here"),
            Self::Learner { found } => write!(formatter, "the image holds another learner, number {found}"),
            Self::Precision { found } => write!(formatter, "the image holds numbers of {found} bytes"),
            Self::Kernel { found } => write!(formatter, "the image holds another kernel, number {found}"),
            Self::Sizes { found } => write!(formatter, "the image holds a learner of other sizes, {found:?}"),
            Self::Checksum => formatter.write_str("the checksum of the image does not fit its bytes"),
            Self::Unreadable => formatter.write_str("the bytes of the image cannot be read"),
            Self::Settings(error) => write!(formatter, "the image holds impossible settings: {error}"),
            Self::NotANumber => formatter.write_str("the image holds a number that is not finite"),
            Self::Choice => formatter.write_str("the image holds a choice that there is not"),
            Self::Count => formatter.write_str("the image holds a count that there is no room for"),
            Self::Directions => formatter.write_str("the image holds directions that are not orthonormal"),
            Self::Probability => formatter.write_str("the image holds a probability that is not between zero and one"),
            Self::Range => formatter.write_str("the image holds a number that no learner can have come to"),
        }
    }
}

impl core::error::Error for CodecError {}
