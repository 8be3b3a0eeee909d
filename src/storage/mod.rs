//! Stores a learner in two slots of a flash, so that a power cut does not destroy it. Feature `storage`.
//! In: a flash (`NorFlash` of `embedded-storage`), and the region of the two slots. Out: the learner of the last complete save,
//! or of the save before if the last one cannot be used.
//! Method: a slot begins with an image (the encoded bytes of a learner) and ends with a record. The record is the sequence number
//! of the save and the bitwise complement of this number. A slot is valid if number and complement agree, the image belongs to
//! this learner and the checksum is right. A slot that cannot be read is not valid. A save erases the slot that is not the newest
//! valid slot, writes the image, reads the image back, writes the record, and reads the record back. If no slot is valid, the
//! save erases a slot without record, or the slot with the older record. A save never changes the slot that it does not erase.
//! Cost: a save reads both records (twice if no slot is valid), all or a part of the image in each slot with a record, then the
//! new image and the new record. Stack: two pieces of 32 bytes and the frames of the calls. No page (the smallest unit that can
//! be erased) is in memory. An image is in memory only in the buffer of [`Slots::restore_or_keep`].

mod pieces;

use core::fmt;
use core::ops::Range;

use embedded_storage::nor_flash::NorFlash;

use crate::codec::exchange::take;
use crate::codec::{CHECKSUM, Header, Writer, check_inside};
use crate::{Codec, CodecError};
use pieces::{PIECE, Source, Target};

/// Bytes of the record of a save: the sequence number and its bitwise complement.
const RECORD: usize = 8;

/// Bytes that a slot must have for the image (the encoded bytes) of a learner: the image in whole pieces of 32 bytes, and one
/// more piece for the record. The two slots of [`Slots`] need twice this number, in whole pages of the flash. A firmware can
/// check its region when it is compiled:
///
/// ```
/// use core::ops::Range;
/// use eigenstream::{pca::TrackingPca, storage::slot_length};
///
/// const REGION: Range<u32> = 0xf_e000..0x10_0000;
/// const _: () = assert!(2 * slot_length::<TrackingPca<f32, 6, 2, 6>>() <= (REGION.end - REGION.start) as usize);
/// ```
#[must_use]
pub const fn slot_length<L: Codec>() -> usize {
    L::ENCODED_LEN.next_multiple_of(PIECE) + PIECE
}

/// Why a save or a restore failed.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum StorageError<E> {
    /// The flash returned an error when it was erased or written.
    Flash(E),
    /// The region or the flash does not meet the conditions of [`Slots::new`].
    Region,
    /// The image does not fit into a slot.
    Room {
        /// Bytes that a slot must have.
        needed: usize,
        /// Bytes that a slot has.
        found: usize,
    },
    /// The flash does not contain the bytes that were written, or cannot be read. The other slot is as before.
    NotWritten,
    /// No save was restored. The [`CodecError`] gives the reason:
    /// - A slot holds an image (encoded learner) of another learner or of another format version.
    /// - The numbers of an image are not valid for this learner.
    /// - A read of the flash failed after the checksum of an image was found right.
    /// - The buffer of [`Slots::restore_or_keep`] is too short.
    Image(CodecError),
}

impl<E: fmt::Debug> fmt::Display for StorageError<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flash(error) => write!(formatter, "the flash refuses: {error:?}"),
            Self::Region => formatter.write_str(
                "the region must be two slots of whole pages and a multiple of 32 bytes each, within a flash with words of 1, 2, 4, \
                 8, 16 or 32 bytes",
            ),
            Self::Room { needed, found } => write!(formatter, "a slot has {found} bytes and needs {needed}"),
            Self::NotWritten => {
                formatter.write_str("the flash does not hold the bytes that were written, or cannot be read")
            }
            Self::Image(error) => error.fmt(formatter),
        }
    }
}

impl<E: fmt::Debug> core::error::Error for StorageError<E> {}

/// Two slots in flash for one learner. After the first successful save, at least one slot holds a complete image (the learner as
/// bytes) at any time. This holds if all saves are of one learner type and the flash can be read. A save of a learner of another
/// type can erase an image. [`save`](Self::save) says what a failed read can erase.
///
/// ```
/// # use embedded_storage::nor_flash::{ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash};
/// # struct Flash([u8; 4096]);
/// # impl ErrorType for Flash { type Error = NorFlashErrorKind; }
/// # impl ReadNorFlash for Flash {
/// #     const READ_SIZE: usize = 1;
/// #     fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), NorFlashErrorKind> {
/// #         bytes.copy_from_slice(&self.0[offset as usize..][..bytes.len()]);
/// #         Ok(())
/// #     }
/// #     fn capacity(&self) -> usize { 4096 }
/// # }
/// # impl NorFlash for Flash {
/// #     const WRITE_SIZE: usize = 4;
/// #     const ERASE_SIZE: usize = 1024;
/// #     fn erase(&mut self, from: u32, to: u32) -> Result<(), NorFlashErrorKind> {
/// #         self.0[from as usize..to as usize].fill(0xff);
/// #         Ok(())
/// #     }
/// #     fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NorFlashErrorKind> {
/// #         self.0[offset as usize..][..bytes.len()].copy_from_slice(bytes);
/// #         Ok(())
/// #     }
/// # }
/// # let flash = Flash([0xff; 4096]);
/// use eigenstream::{pca::{TrackingPca, TrackingSettings}, storage::Slots};
///
/// type Pca = TrackingPca<f32, 6, 2, 6>;
/// // `flash` comes from your HAL and has the trait `NorFlash`. Two slots of one page each, from offset 2048 on.
/// let mut slots = Slots::new(flash, 2048..4096)?;
/// let mut pca = Pca::new(TrackingSettings::DEFAULT);
/// assert_eq!(slots.restore(&mut pca)?, None); // the first start
/// pca.learn(&[0.1, 0.2, 0.3, 0.1, 0.0, 0.2])?;
/// slots.save(&pca)?;
///
/// // After a reset:
/// let mut pca = Pca::new(TrackingSettings::DEFAULT);
/// assert_eq!(slots.restore(&mut pca)?, Some(0));
/// assert_eq!(pca.samples_seen(), 1);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Slots<F> {
    flash: F,
    start: u32,
    /// Length of a slot in bytes.
    length: u32,
}

/// The state of both slots.
struct Survey {
    /// Offset and sequence number of the newest valid slot.
    newest: Option<(u32, u32)>,
    /// Offset and sequence number of the other valid slot.
    older: Option<(u32, u32)>,
    /// The first error of the kind `Err(Some(_))` of `whole`: a complete image of another learner, an image of another format
    /// version, or a read error after the checksum was found right.
    stranger: Option<CodecError>,
}

impl<F: NorFlash> Slots<F> {
    /// Divides a region of the flash into two slots of equal length. `flash` may be a `&mut` of a flash: then several learners
    /// can use one flash in turn, each with its own region.
    ///
    /// # Errors
    /// [`StorageError::Region`] unless all of these conditions hold:
    /// - The region is not empty, and it ends within the flash.
    /// - The region begins at the start of a page. A page is the smallest unit that can be erased.
    /// - Half of the region is a whole number of pages and a multiple of 32 bytes.
    /// - The smallest unit to read and the smallest unit to write are each 1, 2, 4, 8, 16 or 32 bytes.
    pub fn new(flash: F, region: Range<u32>) -> Result<Self, StorageError<F::Error>> {
        let page = F::ERASE_SIZE as u32;
        let length = region.end.saturating_sub(region.start) / 2;
        let words = PIECE.is_multiple_of(F::WRITE_SIZE) && PIECE.is_multiple_of(F::READ_SIZE);
        let whole = |bytes: u32| page > 0 && bytes.is_multiple_of(page);
        let pages = length > 0 && whole(region.start) && whole(length) && (length as usize).is_multiple_of(PIECE);
        let within = region.end as usize <= flash.capacity() && region.end.saturating_sub(region.start) == 2 * length;
        if words && pages && within {
            let start = region.start;
            Ok(Self { flash, start, length })
        } else {
            Err(StorageError::Region)
        }
    }

    /// Returns the flash.
    #[must_use]
    pub fn release(self) -> F {
        self.flash
    }

    /// Saves a learner. Of the complete saves of this learner type, the newest one stays: `save` erases and writes the other
    /// slot. If there is no complete save of this type, the slot with the newer sequence number stays: after an update of the
    /// firmware to another type, the newest save of the old firmware is there until the second save of the new one. If the power
    /// is cut during `save`, the slot that stays is not damaged.
    ///
    /// A slot that cannot be read counts as a slot without a save. So if a read of the newest save fails and the older save is
    /// complete, `save` erases the newest save and keeps the older one.
    ///
    /// # Errors
    /// - [`StorageError::Room`] if a slot is shorter than [`slot_length`]. The flash is not changed then.
    /// - [`StorageError::Flash`] if the flash cannot be erased or written.
    /// - [`StorageError::NotWritten`] if the new save is not complete when it is read back, or cannot be read.
    ///
    /// After every error the slot that stays is unchanged.
    pub fn save<L: Codec>(&mut self, learner: &L) -> Result<(), StorageError<F::Error>> {
        let (needed, found) = (slot_length::<L>(), self.length as usize);
        if needed > found {
            return Err(StorageError::Room { needed, found });
        }
        let (slot, number) = match self.survey::<L>().newest {
            Some((slot, number)) => (self.other(slot), number.wrapping_add(1)),
            None => self.unused(),
        };
        let end = slot.wrapping_add(self.length);
        self.flash.erase(slot, end).map_err(StorageError::Flash)?;
        let mut target = Target::new(&mut self.flash, slot);
        Header::of::<L>().store(&mut Writer { sink: &mut target });
        learner.store(&mut Writer { sink: &mut target });
        target.finish().map_err(StorageError::Flash)?;
        if self.whole::<L>(slot).is_err() {
            return Err(StorageError::NotWritten);
        }
        // The slot is not valid before this record is written. With the record it is the newest valid slot.
        let mut record = [0xff; PIECE];
        let [a, b, c, d] = number.to_le_bytes();
        for (place, byte) in record.iter_mut().zip([a, b, c, d, !a, !b, !c, !d]) {
            *place = byte;
        }
        let length = RECORD.next_multiple_of(F::WRITE_SIZE.max(1));
        let record = record.get(..length).unwrap_or_default();
        self.flash
            .write(end.wrapping_sub(length as u32), record)
            .map_err(StorageError::Flash)?;
        match self.number(slot) {
            Some(found) if found == number => Ok(()),
            _ => Err(StorageError::NotWritten),
        }
    }

    /// Replaces `learner` by the learner that was saved last, and returns the sequence number of the save, counted from 0.
    /// If the last save is refused, the save before is used. Returns `None` if no slot holds a complete save that can be read,
    /// for example before the first save. The learner is read piece by piece; there is no copy of it on the stack.
    ///
    /// # Errors
    /// [`StorageError::Image`] if no save can be restored for one of these reasons:
    /// - A slot holds an image of another format version, learner, number type, kernel, size or inner learner. If this is the
    ///   only reason, `learner` is as before.
    /// - The numbers of a complete image are not valid (this crate writes no such image), or cannot be read. `learner` is then
    ///   possibly overwritten in part: do not use it, make a new learner. [`restore_or_keep`](Slots::restore_or_keep) keeps the
    ///   old learner.
    pub fn restore<L: Codec>(&mut self, learner: &mut L) -> Result<Option<u32>, StorageError<F::Error>> {
        let Survey {
            newest,
            older,
            mut stranger,
        } = self.survey::<L>();
        for (slot, number) in newest.into_iter().chain(older) {
            let mut source = Source::new(&mut self.flash, slot);
            source.skip(Header::LENGTH);
            match take(learner, &mut source, L::LENGTH) {
                Ok(()) => return Ok(Some(number)),
                // The failed `take` may have changed `learner`. So the caller must get this error, not the error of `stranger`,
                // after which `learner` would be unchanged.
                Err(error) => stranger = Some(error),
            }
        }
        match stranger {
            Some(error) => Err(StorageError::Image(error)),
            None => Ok(None),
        }
    }

    /// Like [`restore`](Slots::restore), but after an error `learner` is as before, bit for bit, with two exceptions. Scratch
    /// memory of the learner, which is not in the image, can differ. A count of the learner above `u32::MAX` can become
    /// `u32::MAX`.
    ///
    /// The buffer `before` receives the image (encoded bytes) of the old learner and needs at least
    /// [`ENCODED_LEN`](Codec::ENCODED_LEN) bytes.
    ///
    /// # Errors
    /// [`StorageError::Image`]; it contains [`CodecError::Buffer`] if `before` is too short.
    pub fn restore_or_keep<L: Codec>(
        &mut self,
        learner: &mut L,
        before: &mut [u8],
    ) -> Result<Option<u32>, StorageError<F::Error>> {
        learner.encode(before).map_err(StorageError::Image)?;
        let restored = self.restore(learner);
        if restored.is_err() {
            // `learner` wrote this image itself, so `decode_into` accepts the image.
            learner.decode_into(before).map_err(StorageError::Image)?;
        }
        restored
    }

    fn other(&self, slot: u32) -> u32 {
        if slot == self.start {
            self.start.wrapping_add(self.length)
        } else {
            self.start
        }
    }

    /// The slot and the sequence number for a save if no slot holds a complete save of this learner type. A slot with a sequence
    /// number holds an image of another type, a damaged image, or an image that could not be read this time. Of two such images
    /// the newer one stays. The new number follows the number of the slot that stays.
    fn unused(&mut self) -> (u32, u32) {
        let second = self.other(self.start);
        match (self.number(self.start), self.number(second)) {
            (Some(number), other) if other.is_none_or(|other| is_newer(number, other)) => {
                (second, number.wrapping_add(1))
            }
            (_, number) => (self.start, number.map_or(0, |number| number.wrapping_add(1))),
        }
    }

    /// Reads the state of both slots.
    fn survey<L: Codec>(&mut self) -> Survey {
        let mut survey = Survey {
            newest: None,
            older: None,
            stranger: None,
        };
        for slot in [self.start, self.start.wrapping_add(self.length)] {
            let Some(number) = self.number(slot) else { continue };
            match self.whole::<L>(slot) {
                Ok(()) => match survey.newest {
                    Some((_, other)) if is_newer(other, number) => survey.older = Some((slot, number)),
                    other => {
                        survey.older = other;
                        survey.newest = Some((slot, number));
                    }
                },
                Err(broken) => survey.stranger = survey.stranger.or(broken),
            }
        }
        survey
    }

    /// The sequence number of the save in a slot; `None` if number and complement do not agree or cannot be read.
    fn number(&mut self, slot: u32) -> Option<u32> {
        let length = RECORD.next_multiple_of(F::WRITE_SIZE.max(1));
        let mut source = Source::new(&mut self.flash, slot);
        source.skip((self.length as usize).wrapping_sub(length));
        let mut record = [0; RECORD];
        source.read(&mut record).ok()?;
        let [a, b, c, d, e, f, g, h] = record;
        let number = u32::from_le_bytes([a, b, c, d]);
        (number == !u32::from_le_bytes([e, f, g, h])).then_some(number)
    }

    /// Checks that a slot holds a complete image of this learner; does not check the record. Errors:
    /// - `Err(Some(_))`: a complete image of another learner, an image of another format version, or a read error in the check of
    ///   the inner learners, after the checksum was found right.
    /// - `Err(None)`: no complete image, or a read error before the checksum was found right.
    fn whole<L: Codec>(&mut self, slot: u32) -> Result<(), Option<CodecError>> {
        let room = self.length as usize;
        let mut source = Source::new(&mut self.flash, slot);
        let mut header = [0; Header::LENGTH];
        source.read(&mut header).map_err(|_| None)?;
        let header = match Header::read(&header) {
            Ok(header) if header.image_length() <= room => header,
            Err(error @ CodecError::Version { .. }) => return Err(Some(error)),
            _ => return Err(None),
        };
        source.rewind();
        let checksum = source
            .checksum(header.image_length().wrapping_sub(CHECKSUM))
            .map_err(|_| None)?;
        let mut end = [0; CHECKSUM];
        source.read(&mut end).map_err(|_| None)?;
        if checksum != u32::from_le_bytes(end) {
            return Err(None);
        }
        header.is_of::<L>().map_err(Some)?;
        check_inside::<L>(|at, bytes| source.copy(at, bytes)).map_err(Some)
    }
}

/// Whether a sequence number is newer than the other. If they differ by less than 2³¹, the sign of the difference is right, even
/// after a wraparound.
const fn is_newer(number: u32, other: u32) -> bool {
    (other.wrapping_sub(number) as i32) < 0
}
