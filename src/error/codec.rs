//! Errors of encoding and decoding a learner.

use super::SettingsError;
use core::fmt;

/// Why a learner was not decoded from an image, or not encoded to one.
///
/// After an error, `encode` and `decode` have changed nothing. `decode_into` can have changed only scratch memory and
/// `usize` counts above `u32::MAX`, which can become `u32::MAX`.
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
    /// The buffer is too short for the image.
    Buffer {
        /// The number of bytes of the image.
        needed: usize,
        /// The number of bytes given.
        found: usize,
    },
    /// The end of the image is missing.
    Torn {
        /// The number of bytes expected.
        needed: usize,
        /// The number of bytes given.
        found: usize,
    },
    /// The first bytes are not those of an image.
    Magic,
    /// The format version of the image is not supported.
    Version {
        /// The version of the image.
        found: u8,
    },
    /// The image holds another learner.
    Learner {
        /// The number of the learner in the image, see [`Kind`](crate::codec::Kind).
        found: u8,
    },
    /// The numbers in the image are `f64` and the learner uses `f32`, or the reverse.
    Precision {
        /// The number of bytes of each number in the image.
        found: u8,
    },
    /// The learner in the image has another kernel.
    Kernel {
        /// The number of the kernel in the image.
        found: u8,
    },
    /// The learner in the image has other sizes, for example another number of channels.
    Sizes {
        /// The sizes in the image.
        found: [u16; 4],
    },
    /// The checksum does not match: bits have changed, or the image was not written completely.
    Checksum,
    /// The flash driver returned an error.
    Unreadable,
    /// The settings in the image are not valid.
    Settings(SettingsError),
    /// A number is NaN, infinite, or too large to compute with.
    NotANumber,
    /// The bytes of an enum, a flag or an optional value are not bytes that the encoder writes.
    Choice,
    /// A count is not valid, or the content of the image is longer than the fields of the learner.
    Count,
    /// The directions are not orthonormal, or the numbers of a kernel PCA are not those of a fit.
    Directions,
    /// A probability is not between zero and one, or does not fit the ceiling of the evidence.
    Probability,
    /// A number is outside the range that a learner can reach, or contradicts another number.
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
            Self::Precision { found } => {
                write!(
                    formatter,
                    "the image holds numbers of {found} bytes, the learner numbers of another size"
                )
            }
            Self::Kernel { found } => write!(formatter, "the image holds another kernel, number {found}"),
            Self::Sizes { found } => write!(formatter, "the image holds a learner of other sizes, {found:?}"),
            Self::Checksum => formatter.write_str("the checksum of the image does not fit its bytes"),
            Self::Unreadable => formatter.write_str("the bytes of the image cannot be read"),
            Self::Settings(error) => write!(formatter, "the image holds impossible settings: {error}"),
            Self::NotANumber => formatter.write_str("the image holds a number that is not finite"),
            Self::Choice => formatter.write_str("the image holds a choice that does not exist"),
            Self::Count => formatter.write_str("the image holds a count that is not possible"),
            Self::Directions => formatter.write_str("the image holds directions that are not orthonormal"),
            Self::Probability => formatter.write_str("the image holds a probability that is not between zero and one"),
            Self::Range => formatter.write_str("the image holds a number that no learner can reach"),
        }
    }
}

impl core::error::Error for CodecError {}
