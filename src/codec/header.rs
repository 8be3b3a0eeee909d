//! The header: the first bytes of an image (the encoded bytes of a learner). The header names the type of the outer learner.
//! In: bytes. Out: learner, precision, kernel and sizes. With these fields a program or a tool recognises the outer learner of an
//! image. An inner learner, for example in a monitor, is not in the header: it has its own tag in the content.
//! Cost: 20 bytes.

use super::checksum::checksum;
use super::exchange::Exchange;
use super::{CHECKSUM, ImageLayout, Reader, Stored, Writer};
use crate::CodecError;

/// The first four bytes of every image.
const MAGIC: [u8; 4] = *b"eigs";

/// The version of the format.
const VERSION: u8 = 1;

/// Defines the enum `Kind` and the list of all variants. `Kind::of` searches the list.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $number:literal,)+) => {
        /// Which learner an image holds. The number of a learner never changes.
        #[non_exhaustive]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        #[repr(u8)]
        pub enum Kind {
            $($(#[$doc])* $kind = $number,)+
        }

        impl Kind {
            /// All kinds.
            const ALL: &[Self] = &[$(Self::$kind),+];
        }
    };
}

kinds! {
    /// [`TrackingPca`](crate::pca::TrackingPca); sizes DIM, KEEP, RANK.
    Tracking = 1,
    /// [`DensityPca`](crate::pca::DensityPca); sizes DIM, KEEP.
    Density = 2,
    /// [`CenteredPca`](crate::pca::CenteredPca); sizes DIM, KEEP.
    Centered = 3,
    /// [`BatchPca`](crate::pca::BatchPca); sizes DIM, KEEP.
    Batch = 4,
    /// [`VarianceMinimizer`](crate::pca::VarianceMinimizer); size DIM.
    Variance = 5,
    /// [`AverageDensity`](crate::pca::AverageDensity); sizes DIM, KEEP.
    Average = 6,
    /// [`EnergyScale`](crate::EnergyScale).
    Scale = 7,
    /// [`Hedge`](crate::weights::Hedge); size N.
    Hedge = 8,
    /// [`FollowTheLeader`](crate::weights::FollowTheLeader); size N.
    Leader = 9,
    /// [`RegretMeter`](crate::bounds::RegretMeter).
    Regret = 10,
    /// [`Monitor`](crate::monitor::Monitor), with a learner inside; sizes DIM, MEDIAN.
    Monitor = 11,
    /// [`Lagged`](crate::monitor::Lagged), with a learner inside; sizes DIM, LAGS, WIDE.
    Lagged = 12,
    /// [`Standardizer`](crate::monitor::Standardizer); size DIM.
    Standardizer = 13,
    /// [`GramWindow`](crate::kernel::GramWindow); sizes DIM, WINDOW.
    Gram = 14,
    /// [`Gha`](crate::hebbian::Gha) and its variant with a kernel; sizes DIM, KEEP, POINTS (0 without kernel).
    Parallel = 15,
    /// [`Apex`](crate::hebbian::Apex) and its variant with a kernel; sizes DIM, KEEP, POINTS (0 without kernel).
    Chain = 16,
    /// [`KernelPca`](crate::kernel::KernelPca); sizes DIM, WINDOW, KEEP, which is not the order of the type.
    Kernel = 17,
    /// [`KernelRidge`](crate::kernel::KernelRidge); sizes DIM, WINDOW.
    Ridge = 18,
    /// [`OnlineKernelPca`](crate::kernel::OnlineKernelPca); sizes DIM, KEEP, WINDOW, RANK.
    OnlineKernel = 19,
    /// [`Mahalanobis`](crate::pca::Mahalanobis); size DIM.
    Mahalanobis = 20,
    /// [`PairedPca`](crate::pca::PairedPca); sizes LEFT, RIGHT, KEEP.
    Paired = 21,
    /// [`SetExperts`](crate::weights::SetExperts); size N.
    SetExperts = 22,
    /// [`PerturbedLeader`](crate::weights::PerturbedLeader); size N.
    PerturbedLeader = 23,
    /// [`AdditivePca`](crate::pca::AdditivePca); sizes DIM, KEEP, RANK.
    Additive = 24,
    /// [`RandomStop`](crate::pca::RandomStop), with a learner inside.
    RandomStop = 25,
    /// [`RecursiveLeastSquares`](crate::regression::RecursiveLeastSquares); size FEATURES.
    LeastSquares = 26,
    /// [`Clipped`](crate::pca::Clipped), with a learner inside.
    Clipped = 27,
}

impl Kind {
    /// Returns the kind with this number, or `None` if there is no such kind.
    #[must_use]
    pub fn of(number: u8) -> Option<Self> {
        Self::ALL.iter().copied().find(|&kind| kind as u8 == number)
    }
}

/// A learner that can be encoded as an image.
pub trait Learned: Stored {
    /// Kind, name, sizes and layout of the image.
    const IMAGE: ImageLayout;
}

/// The header of an image: says which learner, number type, kernel and sizes the image has.
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
    /// The number of bytes between header and checksum.
    length: u32,
}

/// The fields of the header that name the type of the learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Tag {
    kind: u8,
    precision: u8,
    kernel: u8,
    sizes: [u16; 4],
}

impl Header {
    /// The number of bytes of a header.
    pub(crate) const LENGTH: usize = 20;

    /// Reads the header of an image.
    ///
    /// # Errors
    /// [`CodecError::Torn`] if `image` is shorter than a header, [`CodecError::Magic`] if it does not begin with `eigs`,
    /// [`CodecError::Version`] if the format has another version.
    pub fn read(image: &[u8]) -> Result<Self, CodecError> {
        let torn = CodecError::Torn {
            needed: Self::LENGTH,
            found: image.len(),
        };
        // Takes all bytes at once. A `Reader` would check the length before each field, which takes more flash.
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

    /// Checks the checksum. Returns the bytes of the settings and the state of an image.
    ///
    /// # Errors
    /// [`CodecError::Count`] if the length in the header does not fit into `usize` (possible only with a `usize` of 16 bits),
    /// [`CodecError::Torn`] if there are too few bytes, [`CodecError::Checksum`] if a byte has changed.
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

    /// Returns the kind of learner, or `None` if this version of the crate has no such kind.
    #[must_use]
    pub fn kind(&self) -> Option<Kind> {
        Kind::of(self.tag.kind)
    }

    /// Returns the number of bytes of a floating-point number: 4 for `f32`, 8 for `f64`.
    #[must_use]
    pub const fn precision(&self) -> u8 {
        self.tag.precision
    }

    /// Returns the sizes of the learner, in the order that [`Kind`] lists, then zeros.
    #[must_use]
    pub const fn sizes(&self) -> [u16; 4] {
        self.tag.sizes
    }

    /// Returns the number of the kernel, or 0 for a learner without kernel.
    #[must_use]
    pub const fn kernel(&self) -> u8 {
        self.tag.kernel
    }

    /// Returns the number of bytes of the whole image: header, settings and state, checksum.
    #[cfg(feature = "storage")]
    pub(crate) fn image_length(&self) -> usize {
        Self::LENGTH
            .saturating_add(self.length as usize)
            .saturating_add(CHECKSUM)
    }

    /// Returns the header of the images of this type.
    pub(crate) const fn of<L: Learned>() -> Self {
        Self {
            tag: const { Tag::of(&L::IMAGE) },
            length: L::LENGTH as u32,
        }
    }

    /// Returns the bytes of the header.
    pub(crate) const fn bytes(&self) -> [u8; Self::LENGTH] {
        let [a, b, c, d] = MAGIC;
        let [kind, precision, kernel, e, f, g, h, i, j, k, l] = self.tag.bytes();
        let [m, n, o, p] = self.length.to_le_bytes();
        [
            a, b, c, d, VERSION, kind, precision, kernel, e, f, g, h, i, j, k, l, m, n, o, p,
        ]
    }

    /// Checks that the image belongs to the type `L`. The error names the first field that differs.
    pub(crate) fn is_of<L: Learned>(&self) -> Result<(), CodecError> {
        self.tag.is_of::<L>()
    }

    pub(crate) fn store(&self, image: &mut Writer<'_>) {
        image.write(self.bytes());
    }
}

impl Tag {
    /// The number of bytes of a tag: kind, precision, kernel and four sizes.
    pub(super) const LENGTH: usize = 3 + 4 * 2;

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

    /// Returns the bytes of the tag.
    const fn bytes(&self) -> [u8; Self::LENGTH] {
        let [[a, b], [c, d], [e, f], [g, h]] = [
            self.sizes[0].to_le_bytes(),
            self.sizes[1].to_le_bytes(),
            self.sizes[2].to_le_bytes(),
            self.sizes[3].to_le_bytes(),
        ];
        [self.kind, self.precision, self.kernel, a, b, c, d, e, f, g, h]
    }

    fn from_bytes(&[kind, precision, kernel, a, b, c, d, e, f, g, h]: &[u8; Self::LENGTH]) -> Self {
        Self {
            kind,
            precision,
            kernel,
            sizes: [[a, b], [c, d], [e, f], [g, h]].map(u16::from_le_bytes),
        }
    }
}

/// Returns the tags (kind, precision, kernel, sizes) of the inner learners and the positions of these tags in the image. An inner
/// learner is a field of another learner. There is room for three tags, for example if a monitor contains a learner with lags,
/// which contains a clip, which contains a learner. A fourth inner learner is a compile error. The result is computed at compile
/// time, so that no layout is in flash.
#[cfg(feature = "storage")]
const fn tags_inside(image: &ImageLayout) -> [Option<(usize, Tag)>; 3] {
    let mut tags = [None; 3];
    let (mut place, mut content, mut level) = (Header::LENGTH, &image.content, 0);
    while let Some((before, inner)) = content.learner_inside() {
        tags[level] = Some((place + before, Tag::of(inner)));
        place += before + Tag::LENGTH;
        content = &inner.content;
        level += 1;
    }
    tags
}

/// Checks the tags (kind, precision, kernel, sizes) of the inner learners in an image whose header was checked before.
/// `read(position, bytes)` reads the bytes of the image from this position on.
#[cfg(feature = "storage")]
pub(crate) fn check_inside<L: Learned>(
    mut read: impl FnMut(usize, &mut [u8]) -> Result<(), CodecError>,
) -> Result<(), CodecError> {
    for (place, wanted) in const { tags_inside(&L::IMAGE) }.into_iter().flatten() {
        let mut bytes = [0; Tag::LENGTH];
        read(place, &mut bytes)?;
        Tag::from_bytes(&bytes).is(&wanted)?;
    }
    Ok(())
}

/// Stores an inner learner (a learner that is a field of another learner): first the tag (kind, precision, kernel, sizes), then
/// settings and state.
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
