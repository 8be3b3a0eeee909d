//! The image of a learner as a part of a `serde` message. Feature `serde`.

use core::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::codec::codec::Codec;
use crate::error::CodecError;

/// The image of a learner, as a part of a message.
///
/// ```
/// use eigenstream::{Codec, codec::Image, pca::{TrackingPca, TrackingSettings}};
///
/// type Pca = TrackingPca<f32, 6, 2, 6>;
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Report {
///     device: u32,
///     learned: Image<{ Pca::ENCODED_LEN }>,
/// }
///
/// let mut pca = Pca::new(TrackingSettings::DEFAULT);
/// pca.learn(&[0.1, 0.2, 0.3, 0.1, 0.0, 0.2])?;
/// let mut frame = [0; 300];
/// let frame = postcard::to_slice(&Report { device: 7, learned: Image::of(&pca) }, &mut frame)?;
///
/// let report: Report = postcard::from_bytes(frame)?;
/// let restored: Pca = report.learned.restore()?;
/// assert_eq!(restored.components(), pca.components());
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
///
/// `postcard` and CBOR write the image as a byte string, JSON as a list of numbers. A reader with a buffer of its own
/// needs room for the whole image: `from_reader` of `ciborium` has 4,096 bytes and refuses a longer image;
/// `from_reader_with_buffer` takes a larger buffer. The bytes are checked when the learner is restored. `of` does not
/// compile with a `LENGTH` other than `ENCODED_LEN`:
/// ```compile_fail,E0080
/// use eigenstream::{codec::Image, weights::FollowTheLeader};
/// let image = Image::<35>::of(&FollowTheLeader::<f32, 3>::new());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Image<const LENGTH: usize> {
    bytes: [u8; LENGTH],
}

impl<const LENGTH: usize> Image<LENGTH> {
    /// Encodes this learner as an image.
    #[must_use]
    pub fn of<L: Codec>(learner: &L) -> Self {
        const { assert!(LENGTH == L::ENCODED_LEN, "LENGTH is the learner's ENCODED_LEN") };
        let mut bytes = [0; LENGTH];
        // The assertion excludes the only error, a short buffer.
        let _ = learner.encode(&mut bytes);
        Self { bytes }
    }

    /// Restores the learner.
    ///
    /// # Errors
    /// The errors of [`Codec::decode`].
    pub fn restore<L: Codec>(&self) -> Result<L, CodecError> {
        L::decode(&self.bytes)
    }

    /// The bytes of the image, for flash or a file.
    #[must_use]
    pub const fn bytes(&self) -> &[u8; LENGTH] {
        &self.bytes
    }
}

impl<const LENGTH: usize> Serialize for Image<LENGTH> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.bytes)
    }
}

impl<'de, const LENGTH: usize> Deserialize<'de> for Image<LENGTH> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(Bytes)
    }
}

/// Accepts exactly `LENGTH` bytes, as one byte string or one by one.
struct Bytes<const LENGTH: usize>;

impl<'de, const LENGTH: usize> Visitor<'de> for Bytes<LENGTH> {
    type Value = Image<LENGTH>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "an image of {LENGTH} bytes")
    }

    fn visit_bytes<E: Error>(self, found: &[u8]) -> Result<Self::Value, E> {
        let bytes = found.try_into().map_err(|_| E::invalid_length(found.len(), &self))?;
        Ok(Image { bytes })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut bytes = [0; LENGTH];
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = list
                .next_element()?
                .ok_or_else(|| A::Error::invalid_length(index, &self))?;
        }
        match list.next_element::<u8>()? {
            None => Ok(Image { bytes }),
            Some(_) => Err(A::Error::invalid_length(LENGTH.saturating_add(1), &self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::FollowTheLeader;
    use serde::de::value::{BytesDeserializer, Error as ValueError, SeqDeserializer};

    const WHOLE: usize = FollowTheLeader::<f32, 3>::ENCODED_LEN;

    fn in_one_piece(bytes: &[u8]) -> Result<Image<WHOLE>, ValueError> {
        Image::deserialize(BytesDeserializer::new(bytes))
    }

    fn one_by_one(bytes: &[u8]) -> Result<Image<WHOLE>, ValueError> {
        Image::deserialize(SeqDeserializer::new(bytes.iter().copied()))
    }

    #[test]
    fn bytes_come_in_one_piece_or_one_by_one_and_exactly_as_many_as_there_are() {
        let image = Image::of(&FollowTheLeader::<f32, 3>::new());
        let bytes = image.bytes();
        let mut longer = [0; WHOLE + 1];
        longer[..WHOLE].copy_from_slice(bytes);
        for read in [in_one_piece, one_by_one] {
            assert_eq!(read(bytes), Ok(image));
            assert!(read(&bytes[..WHOLE - 1]).is_err());
            assert!(read(&longer).is_err());
            assert!(read(&[]).is_err());
        }
    }
}
