//! The trait that saves and restores a learner.

use super::checksum::checksum;
use super::exchange::{Direction, Exchange, Medium, Written};
use super::header::Header;
use super::layout::ImageLayout;
use super::stored::{Learned, Reader, Slice, Writer};
use super::{CHECKSUM, validate};
use crate::error::CodecError;

/// A learner that can be saved and restored.
///
/// A learner is restored completely or not at all. The slice that holds an image may be longer than the image, for
/// example a page of flash. The restored learner has not seen the samples since the save, so call `interrupt` of a
/// [`Monitor`](crate::monitor::Monitor) whose learner has lags.
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
/// An image is checked before the learner uses any of its numbers:
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
    /// The length of an image in bytes.
    const ENCODED_LEN: usize = Header::LENGTH + Self::LENGTH + CHECKSUM;

    /// The fields of an image, with their names, for a program that shows images; see [`Layout`](crate::codec::Layout).
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

    /// Writes the bytes that [`encode`](Codec::encode) writes, with the compiled code of
    /// [`decode_into`](Codec::decode_into).
    ///
    /// A program that restores only with `decode_into` takes less flash with `encode_mut` than with `encode`. The call
    /// computes scratch again, and a `usize` count of the learner above `u32::MAX` becomes `u32::MAX`.
    ///
    /// # Errors
    /// The errors of [`encode`](Codec::encode).
    ///
    /// ```
    /// use eigenstream::{Codec, pca::{TrackingPca, TrackingSettings}};
    ///
    /// type Pca = TrackingPca<f32, 6, 2, 6>;
    /// let mut pca = Pca::new(TrackingSettings::DEFAULT);
    /// pca.learn(&[0.1, 0.2, 0.3, 0.1, 0.0, 0.2])?;
    ///
    /// let (mut image, mut same) = ([0; Pca::ENCODED_LEN], [0; Pca::ENCODED_LEN]);
    /// pca.encode(&mut image)?;
    /// pca.encode_mut(&mut same)?;
    /// assert_eq!(image, same);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    fn encode_mut(&mut self, image: &mut [u8]) -> Result<usize, CodecError> {
        write(self, image)
    }

    /// Returns the learner of an image.
    ///
    /// # Errors
    /// In this order: [`CodecError::Torn`] if there are fewer bytes than a header; [`Magic`](CodecError::Magic),
    /// [`Version`](CodecError::Version), [`Learner`](CodecError::Learner), [`Precision`](CodecError::Precision),
    /// [`Kernel`](CodecError::Kernel), [`Sizes`](CodecError::Sizes) for the header; [`Count`](CodecError::Count) if the
    /// length does not fit into a `usize` of 16 bits; [`Torn`](CodecError::Torn) if the end is missing;
    /// [`Checksum`](CodecError::Checksum) if the checksum differs; the error of the first check of the content that
    /// fails; [`Count`](CodecError::Count) if bytes are left over.
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

    /// Swaps this learner with the learner of an image, without a second learner on the stack.
    ///
    /// The image must be writable memory; a second call swaps both back. In the image a `usize` count above `u32::MAX`
    /// becomes `u32::MAX`.
    ///
    /// # Errors
    /// The errors of [`decode`](Codec::decode). Learner and image are then as before, bit for bit, except that scratch
    /// may have been computed again, and a `usize` count of the learner above `u32::MAX` may have become `u32::MAX`.
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

/// Reads the content at the start of `medium` into `learner`. After an error the learner may be invalid.
pub(crate) fn take<L: Learned>(learner: &mut L, medium: &mut dyn Medium, length: usize) -> Result<(), CodecError> {
    let mut exchange = Exchange::new(medium, Direction::Take);
    learner.replace(&mut exchange);
    if exchange.at != length {
        exchange.refuse(CodecError::Count);
    }
    exchange.refusal.map_or(Ok(()), Err)
}

/// Swaps a learner with that of an image in memory. If the content is refused, a second pass swaps all fields back.
fn exchange<L: Learned>(learner: &mut L, image: &mut [u8]) -> Result<(), CodecError> {
    let header = Header::read(image)?;
    header.is_of::<L>()?;
    let length = header.content(image)?.len();
    let (content, _) = image
        .get_mut(Header::LENGTH..)
        .and_then(|content| content.split_at_mut_checked(length))
        .ok_or(CodecError::Count)?;
    if let Err(error) = take(learner, &mut { &mut *content }, length) {
        learner.replace(&mut Exchange::new(&mut { content }, Direction::GiveBack));
        return Err(error);
    }
    seal(image, Header::LENGTH.saturating_add(length));
    Ok(())
}

/// Writes the checksum of the first `length` bytes directly after these bytes.
fn seal(image: &mut [u8], length: usize) {
    if let Some((content, rest)) = image.split_at_mut_checked(length)
        && let Some(end) = rest.first_chunk_mut::<CHECKSUM>()
    {
        *end = checksum(content).to_le_bytes();
    }
}

/// Writes a learner into an image with `replace`, which a restore in place also uses, to save flash.
fn write<L: Learned>(learner: &mut L, image: &mut [u8]) -> Result<usize, CodecError> {
    let short = CodecError::Buffer {
        needed: L::ENCODED_LEN,
        found: image.len(),
    };
    let image = image.get_mut(..L::ENCODED_LEN).ok_or(short)?;
    let (header, content) = image.split_first_chunk_mut().ok_or(short)?;
    *header = const { Header::of::<L>().bytes() };
    learner.replace(&mut Exchange::new(&mut Written(content), Direction::GiveBack));
    seal(image, const { L::ENCODED_LEN - CHECKSUM });
    Ok(L::ENCODED_LEN)
}
