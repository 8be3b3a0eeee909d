//! The header of an image, which names the type of the outer learner; an inner learner has its tag in the content.
//! Cost: 20 bytes.

use super::CHECKSUM;
use super::checksum::checksum;
use super::exchange::Exchange;
use super::layout::{ImageLayout, Kind, TAG};
use super::stored::{Learned, Reader, Writer};
use crate::error::CodecError;

/// The first four bytes of every image.
const MAGIC: [u8; 4] = *b"eigs";

/// The version of the format.
const VERSION: u8 = 1;

/// The header of an image: learner, number type, kernel and sizes, and the length of the content.
///
/// ```
/// use eigenstream::{Centering, Codec, codec::{Header, Kind}, pca::BatchPca};
///
/// let mut image = [0; BatchPca::<f32, 4, 2>::ENCODED_LEN];
/// BatchPca::<f32, 4, 2>::new(Centering::Centered).encode(&mut image)?;
/// let header = Header::read(&image)?;
/// assert_eq!((header.kind(), header.sizes(), header.precision()), (Some(Kind::Batch), [4, 2, 0, 0], 4));
/// assert_eq!(header.content(&image)?.len(), image.len() - 24);
/// # Ok::<(), eigenstream::CodecError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Header {
    tag: Tag,
    /// The number of bytes of the content.
    length: u32,
}

/// The tag of a learner, which names its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Tag {
    kind: u8,
    precision: u8,
    kernel: u8,
    sizes: [u16; 4],
}

impl Header {
    pub(crate) const LENGTH: usize = 20;

    /// Reads the header of an image.
    ///
    /// # Errors
    /// [`CodecError::Torn`] if `image` is shorter than a header, [`CodecError::Magic`] if it does not begin with
    /// `eigs`, [`CodecError::Version`] if the format has another version.
    pub fn read(image: &[u8]) -> Result<Self, CodecError> {
        let torn = CodecError::Torn {
            needed: Self::LENGTH,
            found: image.len(),
        };
        // All bytes are read at once: a `Reader` would check the length before each field.
        let &[a, b, c, d, found, ref tag @ .., e, f, g, h] = image.first_chunk::<{ Self::LENGTH }>().ok_or(torn)?;
        if [a, b, c, d] != MAGIC {
            return Err(CodecError::Magic);
        }
        if found != VERSION {
            return Err(CodecError::Version { found });
        }
        Ok(Self {
            tag: Tag::from_bytes(tag),
            length: u32::from_le_bytes([e, f, g, h]),
        })
    }

    /// Checks the checksum and returns the content of an image.
    ///
    /// # Errors
    /// [`CodecError::Count`] if the length does not fit into a `usize` of 16 bits, [`CodecError::Torn`] if bytes are
    /// missing, [`CodecError::Checksum`] if the checksum differs.
    ///
    /// ```
    /// use eigenstream::{Codec, CodecError, codec::Header, weights::FollowTheLeader};
    /// let mut image = [0; 36];
    /// FollowTheLeader::<f32, 3>::new().encode(&mut image)?;
    /// let header = Header::read(&image)?;
    /// assert_eq!(header.content(&image)?, [0; 12]);
    /// assert_eq!(header.content(&image[..30]), Err(CodecError::Torn { needed: 36, found: 30 }));
    /// # Ok::<(), CodecError>(())
    /// ```
    pub fn content<'image>(&self, image: &'image [u8]) -> Result<&'image [u8], CodecError> {
        let length = usize::try_from(self.length).map_err(|_| CodecError::Count)?;
        let checked = length.saturating_add(Self::LENGTH);
        let torn = CodecError::Torn {
            needed: checked.saturating_add(CHECKSUM),
            found: image.len(),
        };
        let (checked, rest) = image.split_at_checked(checked).ok_or(torn)?;
        let &end = rest.first_chunk::<CHECKSUM>().ok_or(torn)?;
        if checksum(checked) != u32::from_le_bytes(end) {
            return Err(CodecError::Checksum);
        }
        checked.get(Self::LENGTH..).ok_or(torn)
    }

    /// The kind of learner, or `None` if this version of the crate does not know it.
    #[must_use]
    pub fn kind(&self) -> Option<Kind> {
        Kind::of(self.tag.kind)
    }

    /// The number of bytes of a floating-point number: 4 for `f32`, 8 for `f64`.
    #[must_use]
    pub const fn precision(&self) -> u8 {
        self.tag.precision
    }

    /// The sizes of the learner, in the order that [`Kind`] lists, then zeros.
    #[must_use]
    pub const fn sizes(&self) -> [u16; 4] {
        self.tag.sizes
    }

    /// The number of the kernel, or 0 for a learner without kernel.
    #[must_use]
    pub const fn kernel(&self) -> u8 {
        self.tag.kernel
    }

    /// The number of bytes of the whole image.
    #[cfg(feature = "storage")]
    pub(crate) fn image_length(&self) -> usize {
        Self::LENGTH
            .saturating_add(self.length as usize)
            .saturating_add(CHECKSUM)
    }

    /// The header of the images of the learner type `L`.
    pub(crate) const fn of<L: Learned>() -> Self {
        Self {
            tag: const { Tag::of(&L::IMAGE) },
            length: L::LENGTH as u32,
        }
    }

    pub(crate) const fn bytes(&self) -> [u8; Self::LENGTH] {
        let [a, b, c, d] = MAGIC;
        let [kind, precision, kernel, e, f, g, h, i, j, k, l] = self.tag.bytes();
        let [m, n, o, p] = self.length.to_le_bytes();
        [
            a, b, c, d, VERSION, kind, precision, kernel, e, f, g, h, i, j, k, l, m, n, o, p,
        ]
    }

    /// Checks that the image is of the learner type `L`. The error names the first field that differs.
    pub(crate) fn is_of<L: Learned>(&self) -> Result<(), CodecError> {
        self.tag.is_of::<L>()
    }

    pub(crate) fn store(&self, image: &mut Writer<'_>) {
        image.write(self.bytes());
    }
}

impl Tag {
    const fn of(image: &ImageLayout) -> Self {
        let mut sizes = [0; 4];
        let mut index = 0;
        while index < image.sizes.len() {
            let size = image.sizes[index].1;
            assert!(size <= u16::MAX as usize, "an image has room for sizes up to 65535");
            sizes[index] = size as u16;
            index += 1;
        }
        Self {
            kind: image.kind as u8,
            precision: image.precision,
            kernel: image.kernel,
            sizes,
        }
    }

    fn is_of<L: Learned>(&self) -> Result<(), CodecError> {
        self.is(&const { Self::of(&L::IMAGE) })
    }

    #[cfg_attr(optimize_for_size, inline(never))]
    fn is(&self, wanted: &Self) -> Result<(), CodecError> {
        if self.kind != wanted.kind {
            Err(CodecError::Learner { found: self.kind })
        } else if self.precision != wanted.precision {
            Err(CodecError::Precision { found: self.precision })
        } else if self.kernel != wanted.kernel {
            Err(CodecError::Kernel { found: self.kernel })
        } else if self.sizes != wanted.sizes {
            Err(CodecError::Sizes { found: self.sizes })
        } else {
            Ok(())
        }
    }

    const fn bytes(&self) -> [u8; TAG] {
        let [[a, b], [c, d], [e, f], [g, h]] = [
            self.sizes[0].to_le_bytes(),
            self.sizes[1].to_le_bytes(),
            self.sizes[2].to_le_bytes(),
            self.sizes[3].to_le_bytes(),
        ];
        [self.kind, self.precision, self.kernel, a, b, c, d, e, f, g, h]
    }

    fn from_bytes(&[kind, precision, kernel, a, b, c, d, e, f, g, h]: &[u8; TAG]) -> Self {
        Self {
            kind,
            precision,
            kernel,
            sizes: [[a, b], [c, d], [e, f], [g, h]].map(u16::from_le_bytes),
        }
    }
}

/// The positions and tags of the inner learners, computed at compile time so that no layout is in flash.
///
/// The array has room for three, for example for those in a `Monitor` that holds a `Lagged` that holds a `Clipped` that
/// holds a learner. A fourth inner learner does not compile.
#[cfg(feature = "storage")]
const fn tags_inside(image: &ImageLayout) -> [Option<(usize, Tag)>; 3] {
    let mut tags = [None; 3];
    let (mut place, mut content, mut level) = (Header::LENGTH, &image.content, 0);
    while let Some((before, inner)) = content.learner_inside() {
        tags[level] = Some((place + before, Tag::of(inner)));
        place += before + TAG;
        content = &inner.content;
        level += 1;
    }
    tags
}

/// Checks the tags of the inner learners; `read(position, bytes)` reads the image.
#[cfg(feature = "storage")]
pub(crate) fn check_inside<L: Learned>(
    mut read: impl FnMut(usize, &mut [u8]) -> Result<(), CodecError>,
) -> Result<(), CodecError> {
    for (place, wanted) in const { tags_inside(&L::IMAGE) }.into_iter().flatten() {
        let mut bytes = [0; TAG];
        read(place, &mut bytes)?;
        Tag::from_bytes(&bytes).is(&wanted)?;
    }
    Ok(())
}

/// Stores and restores an inner learner: its tag, then its content.
pub(crate) struct Inner;

impl Inner {
    pub(crate) fn store<L: Learned>(learner: &L, image: &mut Writer<'_>) {
        image.write(const { Tag::of(&L::IMAGE).bytes() });
        learner.store(image);
    }

    pub(crate) fn load<L: Learned>(image: &mut Reader<'_>) -> Result<L, CodecError> {
        Tag::from_bytes(&image.read()?).is_of::<L>()?;
        L::load(image)
    }

    pub(crate) fn replace<L: Learned>(learner: &mut L, image: &mut Exchange<'_>) {
        let mut bytes = const { Tag::of(&L::IMAGE).bytes() };
        if image.next(&mut bytes)
            && let Err(error) = Tag::from_bytes(&bytes).is_of::<L>()
        {
            image.take_back(&mut bytes, error);
        }
        learner.replace(image);
    }
}
