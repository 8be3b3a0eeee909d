//! The trait that saves and restores a learner.
//! In: a learner, or an image. Out: an image, or the learner of the image.

use super::checksum::checksum;
use super::exchange::exchange;
use super::stored::Slice;
use super::{CHECKSUM, Header, ImageLayout, Learned, Reader, Writer, validate};
use crate::CodecError;

/// A learner that can be saved and restored.
///
/// A slice may be longer than the image, so a whole page of flash can be passed. A learner is restored completely or not at
/// all: every bit is checked, and an error says what is wrong. The restored learner has missed the samples since the save. For
/// a [`Monitor`](crate::monitor::Monitor) whose learner has lags, call `interrupt`.
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
/// // After the reset the learner continues as before.
/// let mut restored = Pca::decode(&image)?;
/// let sample = [0.3, 0.1, 0.2, 0.1, 0.4, 0.0];
/// assert_eq!(restored.score(&sample), pca.score(&sample));
/// restored.learn(&sample)?;
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
///
/// An image is checked before any of its numbers is used:
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
    /// Length of an image in bytes.
    const ENCODED_LEN: usize = Header::LENGTH + Self::LENGTH + CHECKSUM;

    /// The fields of an image, their order and their names, for a program that shows images. If a program does not use this
    /// constant, it takes no flash. The example is at [`Layout`](crate::codec::Layout).
    const LAYOUT: ImageLayout = Self::IMAGE;

    /// Writes an image into the first [`ENCODED_LEN`](Codec::ENCODED_LEN) bytes, and returns this length.
    ///
    /// # Errors
    /// [`CodecError::Buffer`] if `image` is shorter; nothing is written then.
    fn encode(&self, image: &mut [u8]) -> Result<usize, CodecError> {
        let found = image.len();
        let needed = Self::ENCODED_LEN;
        let short = CodecError::Buffer { needed, found };
        let (content, rest) = image.split_at_mut_checked(needed - CHECKSUM).ok_or(short)?;
        let end = rest.first_chunk_mut::<CHECKSUM>().ok_or(short)?;
        let mut writer = Writer {
            sink: &mut Slice { free: &mut *content },
        };
        Header::of::<Self>().store(&mut writer);
        self.store(&mut writer);
        *end = checksum(content).to_le_bytes();
        Ok(needed)
    }

    /// Returns the learner of an image.
    ///
    /// # Errors
    /// In this order: [`CodecError::Torn`] if there are fewer bytes than a header, [`Magic`](CodecError::Magic),
    /// [`Version`](CodecError::Version), [`Learner`](CodecError::Learner), [`Precision`](CodecError::Precision),
    /// [`Kernel`](CodecError::Kernel) or [`Sizes`](CodecError::Sizes) if it is an image of something else,
    /// [`Torn`](CodecError::Torn) or [`Checksum`](CodecError::Checksum) if the image is not complete, and another error if its
    /// numbers are not valid for this learner.
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

    /// Replaces this learner by the learner of an image, and writes this learner into the image. No learner is on the stack.
    ///
    /// The image must be writable memory. A second call of `decode_into` restores both, learner and image. A refused image was
    /// already swapped back in this way.
    ///
    /// # Errors
    /// As [`decode`](Codec::decode). Then learner and image are as before, bit for bit.
    ///
    /// ```
    /// use eigenstream::{Codec, CodecError, pca::{TrackingPca, TrackingSettings}};
    ///
    /// type Pca = TrackingPca<f32, 6, 2, 6>;
    /// let mut saved = Pca::new(TrackingSettings::DEFAULT);
    /// saved.learn(&[0.1, 0.2, 0.3, 0.1, 0.0, 0.2])?;
    /// let mut image = [0; Pca::ENCODED_LEN];
    /// saved.encode(&mut image)?;
    ///
    /// let mut pca = Pca::new(TrackingSettings::DEFAULT);
    /// pca.decode_into(&mut image)?;
    /// assert_eq!((pca.samples_seen(), Pca::decode(&image)?.samples_seen()), (1, 0));
    ///
    /// image[40] ^= 1;
    /// assert_eq!(pca.decode_into(&mut image), Err(CodecError::Checksum));
    /// assert_eq!(pca.samples_seen(), 1);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    fn decode_into(&mut self, image: &mut [u8]) -> Result<(), CodecError> {
        exchange(self, image)
    }
}

impl<L: Learned> Codec for L {}
