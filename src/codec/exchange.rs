//! Restores a learner in place: swaps the numbers of a learner with the numbers of an image.
//! In: a learner, and an image of a learner of equal type. Out: the learner of the image. An image in memory then holds the old
//! learner.
//! Method: every field has a fixed place in an image, so the old and the new bytes of a field swap there. All fields are
//! swapped before the checks, because the checks read the learner. If the image is refused, a second pass swaps all fields
//! back. A field with invalid bytes is not swapped in either pass. An optional value (`Option`) is swapped completely or not at
//! all.
//! Cost: two passes and the checks of `decode`. Stack: [`PART`] bytes and the frames of the calls; the learner is never on the
//! stack.

use super::checksum::Checksum;
use super::stored::{Reader, Slice, Stored, Writer};
use super::{CHECKSUM, Header, Learned};
use crate::CodecError;

/// The largest part, in bytes, that is swapped as a whole: settings that have their own layout.
const PART: usize = 32;

/// The bytes of an image, in memory or in flash.
pub(crate) trait Medium {
    /// Reads the bytes of the image at `at` into `bytes`. If the image can be written, writes the old `bytes` there.
    ///
    /// # Errors
    /// An error if the bytes cannot be read; nothing is swapped then.
    fn exchange(&mut self, at: usize, bytes: &mut [u8]) -> Result<(), CodecError>;
}

/// An image in memory.
impl Medium for &mut [u8] {
    fn exchange(&mut self, at: usize, bytes: &mut [u8]) -> Result<(), CodecError> {
        let torn = CodecError::Torn {
            needed: at.saturating_add(bytes.len()),
            found: self.len(),
        };
        let place = self.get_mut(at..).and_then(|rest| rest.get_mut(..bytes.len()));
        // Byte by byte, because `swap_with_slice` keeps a panic about lengths in code that is optimised for size.
        for (stored, byte) in place.ok_or(torn)?.iter_mut().zip(bytes) {
            core::mem::swap(stored, byte);
        }
        Ok(())
    }
}

/// The direction of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    /// From the image into the learner.
    Take,
    /// Back, after the image was refused. The learner was valid before, so it is not checked again.
    GiveBack,
}

/// A running exchange.
pub struct Exchange<'image> {
    medium: &'image mut dyn Medium,
    at: usize,
    direction: Direction,
    /// The first error.
    refusal: Option<CodecError>,
}

impl Exchange<'_> {
    /// Swaps the next bytes. Returns false, and swaps nothing, if the image has no such bytes.
    #[inline(never)]
    pub(crate) fn next(&mut self, bytes: &mut [u8]) -> bool {
        let at = self.at;
        self.at = at.saturating_add(bytes.len());
        let exchanged = self.medium.exchange(at, bytes);
        if let Err(error) = exchanged {
            self.refuse(error);
        }
        exchanged.is_ok()
    }

    /// Swaps the last bytes back, because they are invalid.
    #[inline(never)]
    pub(crate) fn take_back(&mut self, bytes: &mut [u8], error: CodecError) {
        self.at = self.at.saturating_sub(bytes.len());
        self.next(bytes);
        self.refuse(error);
    }

    /// Swaps bytes back that lie before the last `count` bytes. The last `count` bytes are not changed.
    pub(crate) fn take_back_before(&mut self, bytes: &mut [u8], count: usize, error: CodecError) {
        let end = self.at;
        self.at = end.saturating_sub(count);
        self.take_back(bytes, error);
        self.at = end;
    }

    /// Swaps a value. If a part of the value is refused, swaps all of the value back.
    ///
    /// # Errors
    /// The first error of this value.
    pub(crate) fn whole<S: Stored>(&mut self, value: &mut S) -> Result<(), CodecError> {
        let (start, earlier) = (self.at, self.refusal.take());
        value.replace(self);
        let refusal = self.refusal.take();
        if refusal.is_some() {
            self.at = start;
            value.replace(self);
        }
        self.refusal = earlier;
        refusal.map_or(Ok(()), Err)
    }

    /// The position of the next bytes.
    pub(crate) const fn place(&self) -> usize {
        self.at
    }

    /// Swaps the bytes at `place` back, because they are invalid, and continues after them.
    #[inline(never)]
    pub(crate) fn take_back_from(&mut self, place: usize, bytes: &mut [u8], error: CodecError) {
        self.at = place;
        self.next(bytes);
        self.refuse(error);
    }

    /// Whether the next `count` bytes are all zero. Does not move the position.
    pub(crate) fn has_zeros(&mut self, count: usize) -> bool {
        let start = self.at;
        let mut zeros = true;
        for _ in 0..count {
            let mut byte = [0];
            if self.next(&mut byte) && byte != [0] {
                self.at = self.at.saturating_sub(1);
                self.next(&mut byte);
                zeros = false;
            }
        }
        self.at = start;
        zeros
    }

    /// Skips the next bytes; they are not swapped.
    pub(crate) fn skip(&mut self, count: usize) {
        self.at = self.at.saturating_add(count);
    }

    /// Stores the first error.
    #[inline(never)]
    pub(crate) fn refuse(&mut self, error: CodecError) {
        self.refusal.get_or_insert(error);
    }

    /// Stores the error of a check, if there is one.
    #[cfg_attr(optimize_for_size, inline(never))]
    pub(crate) fn judge(&mut self, outcome: Result<(), CodecError>) {
        if let Err(error) = outcome {
            self.refuse(error);
        }
    }

    /// Whether the checks may run: they need valid numbers.
    pub(crate) fn is_sound(&self) -> bool {
        self.direction == Direction::GiveBack || self.refusal.is_none()
    }

    /// Swaps a part as a whole, if the bytes of the image are a valid part.
    #[cfg_attr(optimize_for_size, inline(never))]
    pub(crate) fn part<S: Stored>(&mut self, part: &mut S) {
        const { assert!(S::LENGTH <= PART, "a larger part is exchanged field by field") };
        let mut buffer = [0; PART];
        let Some(bytes) = buffer.get_mut(..S::LENGTH) else {
            return self.refuse(CodecError::Count);
        };
        part.store(&mut Writer {
            sink: &mut Slice { free: bytes },
        });
        if !self.next(bytes) {
            return;
        }
        match S::load(&mut Reader { left: bytes }) {
            Ok(read) => *part = read,
            Err(error) => self.take_back(bytes, error),
        }
    }
}

/// Reads the learner of an image into `learner`. `medium` begins with the content, which has `length` bytes. After an error
/// `learner` is not valid; the caller must swap it back or make a new one.
pub(crate) fn take<L: Learned>(learner: &mut L, medium: &mut dyn Medium, length: usize) -> Result<(), CodecError> {
    let mut exchange = Exchange {
        medium,
        at: 0,
        direction: Direction::Take,
        refusal: None,
    };
    learner.replace(&mut exchange);
    if exchange.at != length {
        exchange.refuse(CodecError::Count);
    }
    exchange.refusal.map_or(Ok(()), Err)
}

/// Swaps a learner with the learner of an image in memory.
pub(super) fn exchange<L: Learned>(learner: &mut L, image: &mut [u8]) -> Result<(), CodecError> {
    let header = Header::read(image)?;
    header.is_of::<L>()?;
    let length = header.content(image)?.len();
    let (content, _) = image
        .get_mut(Header::LENGTH..)
        .and_then(|content| content.split_at_mut_checked(length))
        .ok_or(CodecError::Count)?;
    if let Err(error) = take(learner, &mut { &mut *content }, length) {
        learner.replace(&mut Exchange {
            medium: &mut { content },
            at: 0,
            direction: Direction::GiveBack,
            refusal: None,
        });
        return Err(error);
    }
    // Writes the checksum of the old learner, which is now in the image.
    let mut checksum = Checksum::new();
    checksum.add(image.get(..Header::LENGTH + length).unwrap_or_default());
    let end = image
        .get_mut(Header::LENGTH + length..)
        .and_then(|rest| rest.first_chunk_mut::<CHECKSUM>());
    if let Some(end) = end {
        *end = checksum.value().to_le_bytes();
    }
    Ok(())
}
