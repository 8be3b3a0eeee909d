//! The trait that saves and restores a learner.
//! In: a learner, or an image (the encoded bytes of a learner). Out: an image, or the learner of the image.

use super::checksum::checksum;
use super::exchange::{exchange, write};
use super::stored::Slice;
use super::{CHECKSUM, Header, ImageLayout, Learned, Reader, Writer, validate};
use crate::CodecError;

/// A learner that can be saved and restored.
///
/// An image is the encoded bytes of a learner. The slice that is passed may be longer than the image, for example a whole page of
/// flash. A learner is restored completely or not at all: the checksum covers every bit, and an error says what is wrong. The
/// restored learner has not seen the samples since the save. After restoring a [`Monitor`](crate::monitor::Monitor) whose learner
/// has lags, call `interrupt`.
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
/// An image is checked before the learner uses a number of the image:
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

    /// The fields of an image, their order and their names, for a program that shows images. A constant that is not used
    /// takes no flash. The example is at [`Layout`](crate::codec::Layout).
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

    /// Writes the bytes that [`encode`](Codec::encode) writes, with the compiled code of [`decode_into`](Codec::decode_into). So
    /// a program that saves a [`SensorMonitor`](crate::monitor::SensorMonitor) by `encode_mut` and restores it by `decode_into`
    /// takes 1.5 kB less flash on a Cortex-M4F than with `encode`. The learner then continues like a learner that was restored
    /// from the image: scratch memory is computed again, a `usize` count above `u32::MAX` becomes `u32::MAX`, and all other
    /// numbers are unchanged.
    ///
    /// # Errors
    /// As [`encode`](Codec::encode).
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
    /// In this order: [`CodecError::Torn`] if there are fewer bytes than a header; [`Magic`](CodecError::Magic) if the bytes are
    /// no image; [`Version`](CodecError::Version) if the format of the image has another version;
    /// [`Learner`](CodecError::Learner), [`Precision`](CodecError::Precision), [`Kernel`](CodecError::Kernel) or
    /// [`Sizes`](CodecError::Sizes) if the image is of another type; [`Count`](CodecError::Count) if the length of the image does
    /// not fit into a `usize` of 16 bits; [`Torn`](CodecError::Torn) if the end of the image is missing;
    /// [`Checksum`](CodecError::Checksum) if a byte has changed. Then the fields are read in their order. The first failed check
    /// of a setting, of a number of the state or of an inner learner (a field that is a learner) returns its error, and a field
    /// whose bytes are missing returns [`Torn`](CodecError::Torn). At last [`Count`](CodecError::Count) if bytes are left over.
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

    /// Swaps this learner with the learner of an image. Then the image contains the old settings and state of this learner. No
    /// second learner is on the stack.
    ///
    /// The image must be writable memory. A second call of `decode_into` swaps both back. In the image a `usize` count above
    /// `u32::MAX` becomes `u32::MAX`.
    ///
    /// # Errors
    /// As [`decode`](Codec::decode). After an error, learner and image are as before, bit for bit, with two exceptions: scratch
    /// memory of the learner may have been computed again, and a `usize` count of the learner above `u32::MAX` may have become
    /// `u32::MAX`.
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
