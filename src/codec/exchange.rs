//! Restoring in place: an image and a learner change places, number by number.
//! In: a learner, and the image of another one of its type. Out: the learner that the image held; where the image can be written, it
//! holds the learner from before.
//! Method: every field has its own fixed place in an image, so that old and new bytes swap there. All fields are exchanged before the
//! checks, which look at the learner itself; a refused image is exchanged back by a second pass. A field whose bytes mean nothing stays
//! where it was in both passes; a value that may be absent goes as a whole or not at all.
//! Cost: two passes and the checks of `decode`. Stack: [`PART`] bytes and the frames of the calls; the learner is never on the stack.

use super::checksum::Checksum;
use super::stored::{Reader, Slice, Stored, Writer};
use super::{CHECKSUM, Header, Learned};
use crate::CodecError;

/// The most bytes of a part that is exchanged as a whole: settings with a layout of their own.
const PART: usize = 32;

/// Bytes that an image is exchanged with.
pub(crate) trait Medium {
    /// Puts the image's bytes from `at` on in the place of `bytes`. Keeps `bytes` there if the image can be written.
    ///
    /// # Errors
    /// An error where the bytes cannot be had; nothing is exchanged then.
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
        // Byte by byte: `swap_with_slice` would keep its panic about lengths in code that is optimised for size.
        for (stored, byte) in place.ok_or(torn)?.iter_mut().zip(bytes) {
            core::mem::swap(stored, byte);
        }
        Ok(())
    }
}

/// Which way an exchange goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    /// The image becomes the learner.
    Take,
    /// A refused image becomes the image again: the learner was right before.
    GiveBack,
}

/// An exchange that is under way.
pub struct Exchange<'image> {
    medium: &'image mut dyn Medium,
    at: usize,
    direction: Direction,
    /// The first error.
    refusal: Option<CodecError>,
}

impl Exchange<'_> {
    /// Exchanges the next bytes. False where there are none; nothing is exchanged then.
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

    /// Exchanges the last bytes back: they mean nothing.
    #[inline(never)]
    pub(crate) fn take_back(&mut self, bytes: &mut [u8], error: CodecError) {
        self.at = self.at.saturating_sub(bytes.len());
        self.next(bytes);
        self.refuse(error);
    }

    /// Exchanges bytes back that lie before the last `count`, which stay where they are.
    pub(crate) fn take_back_before(&mut self, bytes: &mut [u8], count: usize, error: CodecError) {
        let end = self.at;
        self.at = end.saturating_sub(count);
        self.take_back(bytes, error);
        self.at = end;
    }

    /// Exchanges a value, and exchanges all of it back if any of it is refused.
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

    /// Where the next bytes are.
    pub(crate) const fn place(&self) -> usize {
        self.at
    }

    /// Exchanges the bytes at an earlier place back, and goes on behind them: they mean nothing.
    #[inline(never)]
    pub(crate) fn take_back_from(&mut self, place: usize, bytes: &mut [u8], error: CodecError) {
        self.at = place;
        self.next(bytes);
        self.refuse(error);
    }

    /// Whether the next bytes are all zero. They are next still.
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

    /// Leaves the next bytes where they are.
    pub(crate) fn skip(&mut self, count: usize) {
        self.at = self.at.saturating_add(count);
    }

    /// Something is wrong.
    #[inline(never)]
    pub(crate) fn refuse(&mut self, error: CodecError) {
        self.refusal.get_or_insert(error);
    }

    /// The outcome of a check.
    #[cfg_attr(optimize_for_size, inline(never))]
    pub(crate) fn judge(&mut self, outcome: Result<(), CodecError>) {
        if let Err(error) = outcome {
            self.refuse(error);
        }
    }

    /// Whether the numbers so far may be looked at.
    pub(crate) fn is_sound(&self) -> bool {
        self.direction == Direction::GiveBack || self.refusal.is_none()
    }

    /// Exchanges a part as a whole, if it is one.
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

/// Puts the learner of an image in the place of `learner`; the medium begins where the content begins, and has `length` bytes of it.
/// A refusal leaves the learner to be given back.
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

/// Exchanges a learner with the one of an image in memory.
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
    // The image of the learner from before is whole.
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
