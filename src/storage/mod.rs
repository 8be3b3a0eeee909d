//! Stores a learner in two slots of a flash, so that a power cut does not destroy it. Feature `storage`.
//!
//! Words: slot = one half of a region of the flash; record = the sequence number of a save and its bitwise complement,
//! at the end of a slot; page = the smallest unit that can be erased; word = the smallest unit to write; piece = 32
//! bytes, the most that is read or written at once. A slot is valid if its record is right and its image is complete
//! and of this learner type.
//!
//! In: a flash (`NorFlash` of `embedded-storage`) and a region. Out: the learner of the last complete save, or, if this
//! image is refused, of the save before.
//! Method: a save erases the slot that is not the newest valid one, writes the image, reads it back, writes the record,
//! reads it back.
//! Cost: stack for two pieces. No page is in memory, an image only in the buffer of [`Slots::restore_or_keep`].

mod pieces;

use core::fmt;
use core::ops::Range;

use embedded_storage::nor_flash::NorFlash;

use crate::codec::codec::take;
use crate::codec::{CHECKSUM, Header, Writer, check_inside};
use crate::{Codec, CodecError};
use pieces::{PIECE, Source, Target};

const RECORD: usize = 8;

/// The number of bytes that a slot must have for a learner: the image in whole pieces, and one piece for the record.
///
/// [`Slots`] needs twice this number, in whole pages. A firmware can check its region when it is compiled:
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
        /// The number of bytes that a slot must have.
        needed: usize,
        /// The number of bytes that a slot has.
        found: usize,
    },
    /// The flash does not hold the bytes that were written, or cannot be read; the other slot is as before.
    NotWritten,
    /// No save was restored.
    ///
    /// A slot holds an image of another learner or of another format version, the numbers of an image are not valid, a
    /// read failed after the checksum was right, or the buffer of [`Slots::restore_or_keep`] is too short.
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

/// Two slots in flash for one learner, of which one holds a complete image at any time after the first save.
///
/// This is guaranteed if all saves are of one learner type and the flash can be read; see [`save`](Self::save).
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
    /// The length of a slot in bytes.
    length: u32,
}

#[derive(Default)]
struct Survey {
    /// Offset and sequence number of the newest valid slot.
    newest: Option<(u32, u32)>,
    /// Offset and sequence number of the other valid slot.
    older: Option<(u32, u32)>,
    /// The first error that `whole` returned in `Err(Some(_))`.
    stranger: Option<CodecError>,
}

impl<F: NorFlash> Slots<F> {
    /// Divides a region of the flash into two slots of equal length.
    ///
    /// `flash` may be a `&mut`: several learners can use one flash in turn, if each has its own region.
    ///
    /// # Errors
    /// [`StorageError::Region`] unless the region is not empty and within the flash, begins at the start of a page, and
    /// half of it is whole pages and a multiple of 32 bytes; the units to read and to write must be 1, 2, 4, 8, 16 or
    /// 32 bytes.
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

    /// Saves a learner into the slot that does not hold the newest complete save of this learner type.
    ///
    /// A power cut does not damage the other slot. Without a complete save of this type the slot with the newer record
    /// stays: after an update of the firmware to another type, the newest save of the old firmware remains until the
    /// second save of the new firmware. A slot that cannot be read counts as empty: if a read of the newest save fails
    /// and the older one is complete, the newest is erased.
    ///
    /// # Errors
    /// [`StorageError::Room`] if a slot is shorter than [`slot_length`], [`StorageError::Flash`] if the flash refuses,
    /// [`StorageError::NotWritten`] if the save cannot be read back. The other slot is unchanged.
    pub fn save<L: Codec>(&mut self, learner: &L) -> Result<(), StorageError<F::Error>> {
        let (needed, found) = (slot_length::<L>(), self.length as usize);
        if needed > found {
            return Err(StorageError::Room { needed, found });
        }
        let (slot, number) = match self.survey::<L>().newest {
            Some((slot, number)) => (self.other(slot), after(number)),
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
        // The slot becomes valid only with this record.
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

    /// Replaces `learner` by the one that was saved last, and returns the number of the save, counted from 0.
    ///
    /// If the last save is refused, the save before is used. The result is `None` if no slot holds a complete save. The
    /// learner is read piece by piece, without a copy on the stack.
    ///
    /// # Errors
    /// [`StorageError::Image`] if no save is restored and a slot holds an image of another type or format version:
    /// `learner` is then as before. The error also occurs if the numbers of a complete image cannot be read or are not
    /// valid (this crate writes no such image): `learner` may then be overwritten in part and must not be used.
    /// [`restore_or_keep`](Slots::restore_or_keep) keeps the old learner.
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
                // This error replaces an earlier `stranger`, because `learner` may now be overwritten.
                Err(error) => stranger = Some(error),
            }
        }
        match stranger {
            Some(error) => Err(StorageError::Image(error)),
            None => Ok(None),
        }
    }

    /// Like [`restore`](Slots::restore), but after an error `learner` is as before, bit for bit, except for scratch.
    ///
    /// A `usize` count above `u32::MAX` can become `u32::MAX`. The buffer `before` receives the image of the old
    /// learner and needs [`ENCODED_LEN`](Codec::ENCODED_LEN) bytes.
    ///
    /// # Errors
    /// [`StorageError::Image`], also if `before` is too short.
    pub fn restore_or_keep<L: Codec>(
        &mut self,
        learner: &mut L,
        before: &mut [u8],
    ) -> Result<Option<u32>, StorageError<F::Error>> {
        learner.encode(before).map_err(StorageError::Image)?;
        let restored = self.restore(learner);
        if restored.is_err() {
            // `before` is the image of `learner`, so `decode_into` accepts it.
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

    /// The slot and the number of the next save if no slot is valid. If there are two records, the slot with the newer
    /// one stays.
    fn unused(&mut self) -> (u32, u32) {
        let second = self.other(self.start);
        match (self.number(self.start), self.number(second)) {
            (Some(number), other) if other.is_none_or(|other| is_newer(number, other)) => (second, after(number)),
            (_, number) => (self.start, number.map_or(0, after)),
        }
    }

    fn survey<L: Codec>(&mut self) -> Survey {
        let mut survey = Survey::default();
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

    /// The sequence number in a slot, if its record is right.
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

    /// Checks the image of a slot, not its record. `Err(None)` means no complete image, or a read error before the
    /// checksum was checked. `Err(Some(_))` means another format version, a complete image of another learner, or a
    /// later read error.
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

/// Whether `number` is of a later save than `other`; correct even after a wraparound, if the numbers of saves differ by
/// less than 2³¹.
const fn is_newer(number: u32, other: u32) -> bool {
    (other.wrapping_sub(number) as i32) < 0
}

/// The number of the next save; it wraps around.
const fn after(number: u32) -> u32 {
    number.wrapping_add(1)
}
