//! The first bytes of an image: they name the learner that the image holds.
//! In: bytes. Out: learner, precision, kernel and sizes. With them a program recognises its own images, and a tool all images.
//! Cost: 20 bytes.

use super::checksum::checksum;
use super::exchange::Exchange;
use super::stored::Slice;
use super::{CHECKSUM, ImageLayout, Reader, Stored, Writer};
use crate::CodecError;

/// The first four bytes of every image.
const MAGIC: [u8; 4] = *b"eigs";

/// The version of the format.
const VERSION: u8 = 1;

/// Defines the enum and the list of all its variants. The list is used to find the kind of a number.
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
    /// [`Gha`](crate::hebbian::Gha) and its variant with a kernel; sizes DIM, KEEP, POINTS.
    Parallel = 15,
    /// [`Apex`](crate::hebbian::Apex) and its variant with a kernel; sizes DIM, KEEP, POINTS.
    Chain = 16,
    /// [`KernelPca`](crate::kernel::KernelPca); sizes DIM, WINDOW, KEEP.
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
}

impl Kind {
    /// The kind with this number; `None` if there is no such kind.
    #[must_use]
    pub fn of(number: u8) -> Option<Self> {
        Self::ALL.iter().copied().find(|&kind| kind as u8 == number)
    }
}

/// A learner that has an image.
pub trait Learned: Stored {
    /// Kind, name, sizes and layout of the image.
    const IMAGE: ImageLayout;
}

/// The header of an image: which learner, number type, kernel and sizes.
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
    /// Bytes between header and checksum.
    length: u32,
}

/// The fields that tell the image of one type from the image of another type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Tag {
    kind: u8,
    precision: u8,
    kernel: u8,
    sizes: [u16; 4],
}

impl Header {
    /// Bytes of a header.
    pub(crate) const LENGTH: usize = 20;

    /// Reads the header of an image.
    ///
    /// [`CodecError::Torn`] if `image` is shorter than a header, [`CodecError::Magic`] if it is not a header,
    /// [`CodecError::Version`] if the format has another version.
    pub fn read(image: &[u8]) -> Result<Self, CodecError> {
        let torn = CodecError::Torn {
            needed: Self::LENGTH,
            found: image.len(),
        };
        let left = image.get(..Self::LENGTH).ok_or(torn)?;
        let mut reader = Reader { left };
        if reader.read()? != MAGIC {
            return Err(CodecError::Magic);
        }
        let [found] = reader.read()?;
        if found != VERSION {
            return Err(CodecError::Version { found });
        }
        Ok(Self {
            tag: Tag::load(&mut reader)?,
            length: Stored::load(&mut reader)?,
        })
    }

    /// The settings and the state of an image, after a check of the checksum.
    ///
    /// # Errors
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

    /// Which learner; `None` if this version does not know the learner.
    #[must_use]
    pub fn kind(&self) -> Option<Kind> {
        Kind::of(self.tag.kind)
    }

    /// Bytes of a number: 4 for `f32`, 8 for `f64`.
    #[must_use]
    pub const fn precision(&self) -> u8 {
        self.tag.precision
    }

    /// The const parameters of the learner's type, in their order; zero for parameters that the type does not have.
    #[must_use]
    pub const fn sizes(&self) -> [u16; 4] {
        self.tag.sizes
    }

    /// The number of the kernel; 0 for a learner without kernel.
    #[must_use]
    pub const fn kernel(&self) -> u8 {
        self.tag.kernel
    }

    /// Bytes of the whole image.
    #[cfg(feature = "storage")]
    pub(crate) fn image_length(&self) -> usize {
        Self::LENGTH
            .saturating_add(self.length as usize)
            .saturating_add(CHECKSUM)
    }

    /// The header of the images of this learner.
    pub(crate) fn of<L: Learned>() -> Self {
        Self {
            tag: const { Tag::of(&L::IMAGE) },
            length: L::LENGTH as u32,
        }
    }

    /// Checks that the image belongs to this learner. The error names the first field that differs.
    pub(crate) fn is_of<L: Learned>(&self) -> Result<(), CodecError> {
        self.tag.is_of::<L>()
    }

    pub(crate) fn store(&self, image: &mut Writer<'_>) {
        image.write(MAGIC);
        image.write([VERSION]);
        self.tag.store(image);
        self.length.store(image);
    }
}

impl Tag {
    /// Bytes of a tag.
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

    fn store(&self, image: &mut Writer<'_>) {
        image.write([self.kind, self.precision, self.kernel]);
        for size in self.sizes {
            image.write(size.to_le_bytes());
        }
    }

    fn load(image: &mut Reader<'_>) -> Result<Self, CodecError> {
        let [kind, precision, kernel] = image.read()?;
        let mut sizes = [0; 4];
        for size in &mut sizes {
            *size = u16::from_le_bytes(image.read()?);
        }
        Ok(Self {
            kind,
            precision,
            kernel,
            sizes,
        })
    }
}

/// The tags of the inner learners, and their positions in the image. There are at most two: a monitor with lags and a learner.
/// Computed at compile time, so that no layout is in flash.
#[cfg(feature = "storage")]
const fn tags_inside(image: &ImageLayout) -> [Option<(usize, Tag)>; 2] {
    let mut tags = [None; 2];
    let (mut place, mut content, mut level) = (Header::LENGTH, &image.content, 0);
    while let Some((before, inner)) = content.learner_inside() {
        tags[level] = Some((place + before, Tag::of(inner)));
        place += before + Tag::LENGTH;
        content = &inner.content;
        level += 1;
    }
    tags
}

/// Checks the tags of the inner learners, in an image whose header is right. `read` reads the bytes of the image at a position.
#[cfg(feature = "storage")]
pub(crate) fn check_inside<L: Learned>(
    mut read: impl FnMut(usize, &mut [u8]) -> Result<(), CodecError>,
) -> Result<(), CodecError> {
    for (place, wanted) in const { tags_inside(&L::IMAGE) }.into_iter().flatten() {
        let mut bytes = [0; Tag::LENGTH];
        read(place, &mut bytes)?;
        Tag::load(&mut Reader { left: &bytes })?.is(&wanted)?;
    }
    Ok(())
}

/// Stores a learner that is a field of another one: first its tag, then its settings and state.
pub(crate) struct Inner;

impl Inner {
    pub(crate) fn store<L: Learned>(learner: &L, image: &mut Writer<'_>) {
        const { Tag::of(&L::IMAGE) }.store(image);
        learner.store(image);
    }

    pub(crate) fn load<L: Learned>(image: &mut Reader<'_>) -> Result<L, CodecError> {
        Tag::load(image)?.is_of::<L>()?;
        L::load(image)
    }

    pub(crate) fn replace<L: Learned>(learner: &mut L, image: &mut Exchange<'_>) {
        let mut bytes = [0; Tag::LENGTH];
        let sink = &mut Slice { free: &mut bytes };
        const { Tag::of(&L::IMAGE) }.store(&mut Writer { sink });
        if image.next(&mut bytes) {
            let found = Tag::load(&mut Reader { left: &bytes });
            if let Err(error) = found.and_then(|tag| tag.is_of::<L>()) {
                image.take_back(&mut bytes, error);
            }
        }
        learner.replace(image);
    }
}
