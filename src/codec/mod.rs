//! What was learned, as bytes that outlive a reset.
//! In: a learner, or the bytes that one was saved as. Out: bytes for flash or a wire, or the learner as it was: going on from
//! there gives the same bits as never having stopped, on any machine.
//! Method: an image is little-endian and has no padding:
//!
//! | bytes | what |
//! |---|---|
//! | 4 | the word `eigs` |
//! | 1 | version of the format, 1 |
//! | 1 | which learner, [`Kind`] |
//! | 1 | bytes of a number, 4 or 8 |
//! | 1 | which kernel; 0 where there is none |
//! | 8 | four sizes of two bytes each, by the order of the type's parameters; 0 where there are fewer |
//! | 4 | bytes of settings and state, n |
//! | n | settings and state, field by field; a learner inside another has the bytes of learner to sizes before its own |
//! | 4 | CRC-32 of everything before |
//!
//! The settings and state of a learner are listed field by field in [`Codec::LAYOUT`], as data: a program that does not have the
//! learner's type reads an image by it.
//!
//! An image is plain bytes: whatever carries bytes carries it, a page of flash, a frame on a wire, a field of a message that
//! `serde` writes (`Image`, feature `serde`). A learner with a kernel of the user's own, a function or a closure, has none: code cannot
//! be saved.
//!
//! Cost: one pass over the bytes to save; two to restore, and the learner once more on the stack.
//!
//! # What a later version does with an older image
//! It restores what this version saved, bit for bit, or refuses it as [`CodecError::Version`]; it never reads it as something
//! else. A change to the settings or the state of any learner raises the version of the format, and until version 1.0 of the
//! crate an image of an earlier format may be refused. Patch releases leave the format alone. Images of this version are part of the tests.

mod checksum;
mod header;
#[cfg(feature = "serde")]
mod image;
mod layout;
mod stored;
pub(crate) mod validate;

pub use header::{Header, Kind};
#[cfg(feature = "serde")]
pub use image::Image;
pub use layout::{Field, ImageLayout, Layout};

pub(crate) use header::{Inner, Learned};
pub(crate) use layout::last_word;
pub(crate) use stored::{Reader, Stored, StoredKernel, Writer, stored, stored_choice};

use crate::CodecError;
use checksum::checksum;

/// Bytes of the checksum.
const CHECKSUM: usize = size_of::<u32>();

/// A learner that can be saved and restored.
///
/// The first bytes of a longer slice will do, so that a whole page of flash can be handed over as it is. Nothing is ever half
/// restored: there is a learner that was checked from the first bit to the last, or an error that says what is wrong. Samples were
/// missed meanwhile; a [`Monitor`](crate::monitor::Monitor) around a learner of several samples in a row is told by its `interrupt`.
///
/// ```
/// use eigenstream::{Codec, pca::{TrackingPca, TrackingSettings}};
///
/// type Pca = TrackingPca<f32, 6, 2, 6>;
/// let mut pca = Pca::new(TrackingSettings::DEFAULT);
/// pca.learn(&[0.1, 0.2, 0.3, 0.1, 0.0, 0.2])?;
///
/// let mut image = [0; Pca::ENCODED_LEN];
/// pca.encode(&mut image)?;
///
/// // After the reset: go on as if nothing had happened.
/// let mut restored = Pca::decode(&image)?;
/// let sample = [0.3, 0.1, 0.2, 0.1, 0.4, 0.0];
/// assert_eq!(restored.score(&sample), pca.score(&sample));
/// restored.learn(&sample)?;
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
///
/// What came out of the flash is checked first:
/// ```
/// use eigenstream::{Codec, CodecError, pca::{TrackingPca, TrackingSettings}};
///
/// type Pca = TrackingPca<f32, 6, 2, 6>;
/// let mut image = [0; Pca::ENCODED_LEN];
/// Pca::new(TrackingSettings::DEFAULT).encode(&mut image)?;
///
/// assert_eq!(Pca::decode(&[0xff; 512]).err(), Some(CodecError::Magic)); // erased flash
/// assert_eq!(TrackingPca::<f32, 8, 2, 6>::decode(&image).err(), Some(CodecError::Sizes { found: [6, 2, 6, 0] }));
/// image[40] ^= 1;
/// assert_eq!(Pca::decode(&image).err(), Some(CodecError::Checksum));
/// # Ok::<(), CodecError>(())
/// ```
#[allow(private_bounds, reason = "the format is ours to keep: no one else adds to it")]
pub trait Codec: Learned {
    /// Bytes of an image.
    ///
    /// ```
    /// use eigenstream::{Codec, pca::TrackingPca};
    /// // Header and checksum, settings, scale, directions, evidence and counts.
    /// let numbers = 4 + 1 + 1 + 2 + 6 * 20 + 2 * 6 + 2;
    /// assert_eq!(TrackingPca::<f32, 20, 2, 6>::ENCODED_LEN, 24 + 4 * numbers + 3 + 4 + 8);
    /// ```
    const ENCODED_LEN: usize = Header::LENGTH + Self::LENGTH + CHECKSUM;

    /// The fields of an image, their order and their names, for a program that shows images. A program that does not read it has
    /// no byte of it in flash. The example is at [`Layout`].
    const LAYOUT: ImageLayout = Self::IMAGE;

    /// Writes an image into the first [`ENCODED_LEN`](Codec::ENCODED_LEN) bytes, and returns how many those are.
    ///
    /// # Errors
    /// [`CodecError::Buffer`] if there are fewer bytes than that; nothing is written then.
    ///
    /// ```
    /// use eigenstream::{Codec, CodecError, weights::FollowTheLeader};
    /// let follower = FollowTheLeader::<f32, 3>::new();
    /// assert_eq!(follower.encode(&mut [0; 256]), Ok(36));
    /// assert_eq!(follower.encode(&mut [0; 8]), Err(CodecError::Buffer { needed: 36, found: 8 }));
    /// ```
    fn encode(&self, image: &mut [u8]) -> Result<usize, CodecError> {
        let found = image.len();
        let needed = Self::ENCODED_LEN;
        let short = CodecError::Buffer { needed, found };
        let (content, rest) = image.split_at_mut_checked(needed - CHECKSUM).ok_or(short)?;
        let end = rest.first_chunk_mut::<CHECKSUM>().ok_or(short)?;
        let mut writer = Writer { free: content };
        Header::of::<Self>().store(&mut writer);
        self.store(&mut writer);
        *end = checksum(content).to_le_bytes();
        Ok(needed)
    }

    /// The learner that an image holds.
    ///
    /// # Errors
    /// In this order: [`CodecError::Torn`] if there are fewer bytes than a header, [`Magic`](CodecError::Magic),
    /// [`Version`](CodecError::Version), [`Learner`](CodecError::Learner), [`Precision`](CodecError::Precision),
    /// [`Kernel`](CodecError::Kernel) or [`Sizes`](CodecError::Sizes) if it is an image of something else, [`Torn`](CodecError::Torn) or
    /// [`Checksum`](CodecError::Checksum) if it is not whole, and another one if what it says makes no learner.
    ///
    /// ```
    /// use eigenstream::{Codec, CodecError, weights::FollowTheLeader};
    /// let mut image = [0; 36];
    /// FollowTheLeader::<f32, 3>::new().encode(&mut image)?;
    /// assert_eq!(FollowTheLeader::<f32, 3>::decode(&image), Ok(FollowTheLeader::new()));
    /// assert_eq!(FollowTheLeader::<f64, 3>::decode(&image), Err(CodecError::Precision { found: 4 }));
    /// # Ok::<(), CodecError>(())
    /// ```
    fn decode(image: &[u8]) -> Result<Self, CodecError> {
        let header = Header::read(image)?;
        header.is_of::<Self>()?;
        let mut reader = Reader {
            left: header.content(image)?,
        };
        let learner = Self::load(&mut reader)?;
        validate::accept(reader.left.is_empty(), CodecError::Count)?;
        Ok(learner)
    }
}

impl<L: Learned> Codec for L {}
