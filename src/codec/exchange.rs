//! Restores a learner in place: swaps the fields of the learner with the bytes of an image. `write` saves a learner with the
//! compiled code of the swap. An image is the encoded bytes of a learner: header, content (settings and state), checksum.
//! In: a learner, and an image of a learner of equal type. Out: the learner of the image. An image in memory then contains the
//! old learner.
//! Method: every field has a fixed place in an image, so the bytes of the field and the bytes at this place are swapped. All
//! fields of a struct are swapped before its check, because the check reads the struct. If the image is refused, a second pass
//! swaps all fields back. Invalid bytes of a field are swapped back at once, in both passes. An optional value (`Option`) is
//! swapped completely or not at all.
//! Cost: three passes over an image in memory and the checks of `decode`. The passes are: checksum, swap, and new checksum or
//! swap back. Stack: [`PART`] bytes and the frames of the calls; no second learner.

use super::checksum::checksum;
use super::stored::{Reader, Slice, Stored, Writer};
use super::{CHECKSUM, Header, Learned};
use crate::{Codec, CodecError};

/// The largest length, in bytes, of a value that [`Exchange::part`] swaps as a whole: a value without its own `replace`.
const PART: usize = 32;

/// The bytes of an image from its content on (without the header), in memory or in flash. Position 0 is the first byte of the
/// content.
pub(crate) trait Medium {
    /// An image in memory: swaps `bytes` with the bytes at the position `at` of the content. An image in flash: reads these bytes
    /// into `bytes`. [`Written`]: writes `bytes` to this position.
    ///
    /// # Errors
    /// An error if the image has no such bytes or the flash cannot be read.
    fn exchange(&mut self, at: usize, bytes: &mut [u8]) -> Result<(), CodecError>;
}

/// Returns `length` bytes of an image in memory, from the position `at`.
fn place(image: &mut [u8], at: usize, length: usize) -> Result<&mut [u8], CodecError> {
    let torn = CodecError::Torn {
        needed: at.saturating_add(length),
        found: image.len(),
    };
    let place = image.get_mut(at..).and_then(|rest| rest.get_mut(..length));
    place.ok_or(torn)
}

/// An image in memory.
impl Medium for &mut [u8] {
    fn exchange(&mut self, at: usize, bytes: &mut [u8]) -> Result<(), CodecError> {
        // Byte by byte, because `swap_with_slice` keeps a panic about lengths in code that is optimised for size.
        for (stored, byte) in place(self, at, bytes.len())?.iter_mut().zip(bytes) {
            core::mem::swap(stored, byte);
        }
        Ok(())
    }
}

/// An image in memory that is only written. The exchange reads the bytes of the learner and does not change them.
struct Written<'image>(&'image mut [u8]);

impl Medium for Written<'_> {
    fn exchange(&mut self, at: usize, bytes: &mut [u8]) -> Result<(), CodecError> {
        for (stored, &mut byte) in place(self.0, at, bytes.len())?.iter_mut().zip(bytes) {
            *stored = byte;
        }
        Ok(())
    }
}

/// The direction of an exchange. An exchange swaps all fields of a learner with an image, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    /// From the image into the learner.
    Take,
    /// After a refusal, swaps the old fields back into the learner; or saves the learner into the image. In both cases the
    /// learner ends with its own, valid numbers. So the checks run even after an error: some checks also compute scratch
    /// fields, which are not in the image.
    GiveBack,
}

/// The state of an exchange. In the methods, "swaps" means a call of [`Medium::exchange`]: an image in flash is only read, and
/// [`Written`] is only written.
pub struct Exchange<'image> {
    medium: &'image mut dyn Medium,
    /// The position of the next bytes in the medium.
    at: usize,
    direction: Direction,
    /// The first error.
    refusal: Option<CodecError>,
    /// Whether the check of a struct may run: it needs valid numbers. False after an error in the direction `Take`. The checks of
    /// an optional value depend only on the errors of this value ([`whole`](Self::whole)).
    sound: bool,
}

impl<'image> Exchange<'image> {
    fn new(medium: &'image mut dyn Medium, direction: Direction) -> Self {
        Self {
            medium,
            at: 0,
            direction,
            refusal: None,
            sound: true,
        }
    }

    /// Passes `bytes` and the position to [`Medium::exchange`], and moves the position to the end of these bytes. If the medium
    /// returns an error, stores this error (only the first error is kept) and returns false. Otherwise returns true.
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

    /// Swaps back the bytes that the last call of [`next`](Self::next) swapped, because these bytes are invalid. Stores `error`.
    #[inline(never)]
    pub(crate) fn take_back(&mut self, bytes: &mut [u8], error: CodecError) {
        self.at = self.at.saturating_sub(bytes.len());
        self.next(bytes);
        self.refuse(error);
    }

    /// Like [`take_back`](Self::take_back), but for bytes that end `count` bytes before the position. The position is unchanged.
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
        let (start, earlier, sound) = (self.at, self.refusal.take(), self.sound);
        self.sound = true;
        value.replace(self);
        let refusal = self.refusal.take();
        if refusal.is_some() {
            self.at = start;
            self.sound = true;
            value.replace(self);
        }
        (self.refusal, self.sound) = (earlier, sound);
        refusal.map_or(Ok(()), Err)
    }

    /// Swaps the code (the number of the variant) of an enum without payload. Returns the code of the image if this code is below
    /// `count`. Otherwise swaps the codes back, stores [`CodecError::Choice`] and returns `code`.
    #[cfg_attr(optimize_for_size, inline(never))]
    pub(crate) fn code(&mut self, code: u8, count: u8) -> u8 {
        let mut bytes = [code];
        self.next(&mut bytes);
        let [found] = bytes;
        if found < count {
            return found;
        }
        self.take_back(&mut bytes, CodecError::Choice);
        code
    }

    /// Swaps a count, which is stored as a `u32`. If `count` cannot hold the count of the image, as a `usize` of 16 bits, swaps
    /// it back and stores [`CodecError::Count`].
    pub(crate) fn count<C: Copy + TryInto<u32> + TryFrom<u32>>(&mut self, count: &mut C) {
        let mut stored = (*count).try_into().unwrap_or(u32::MAX);
        stored.replace(self);
        match C::try_from(stored) {
            Ok(found) => *count = found,
            Err(_) => self.take_back(&mut stored.to_le_bytes(), CodecError::Count),
        }
    }

    /// Returns the position of the next bytes.
    pub(crate) const fn place(&self) -> usize {
        self.at
    }

    /// Swaps back the bytes at `place`, because the value is invalid. Stores `error`. Moves the position to the end of these
    /// bytes.
    #[inline(never)]
    pub(crate) fn take_back_from(&mut self, place: usize, bytes: &mut [u8], error: CodecError) {
        self.at = place;
        self.next(bytes);
        self.refuse(error);
    }

    /// Returns true if the next `count` bytes are all zero. For a byte that cannot be read, stores the error and counts the byte
    /// as zero. Does not move the position. With [`Written`], writes zeros and returns true.
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

    /// Skips the next `count` bytes without swapping.
    pub(crate) fn skip(&mut self, count: usize) {
        self.at = self.at.saturating_add(count);
    }

    /// Stores `error` if it is the first error. In the direction `Take`, [`is_sound`](Self::is_sound) returns false after this,
    /// until a surrounding [`whole`](Self::whole) swaps its value back.
    #[inline(never)]
    pub(crate) fn refuse(&mut self, error: CodecError) {
        self.refusal.get_or_insert(error);
        self.sound &= self.direction == Direction::GiveBack;
    }

    /// Stores the error of a check, if there is one.
    #[cfg_attr(optimize_for_size, inline(never))]
    pub(crate) fn judge(&mut self, outcome: Result<(), CodecError>) {
        if let Err(error) = outcome {
            self.refuse(error);
        }
    }

    /// Returns true if the check of a struct may run: it needs valid numbers.
    pub(crate) fn is_sound(&self) -> bool {
        self.sound
    }

    /// Swaps a value of at most [`PART`] bytes as a whole. If the bytes of the image are invalid, swaps them back and stores the
    /// error.
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

/// Reads the learner of an image into `learner`. `medium` begins with the content (settings and state), which has `length` bytes.
/// Returns the first error. After an error `learner` is not valid: the caller must swap the fields back or create a new learner.
pub(crate) fn take<L: Learned>(learner: &mut L, medium: &mut dyn Medium, length: usize) -> Result<(), CodecError> {
    let mut exchange = Exchange::new(medium, Direction::Take);
    learner.replace(&mut exchange);
    if exchange.at != length {
        exchange.refuse(CodecError::Count);
    }
    exchange.refusal.map_or(Ok(()), Err)
}

/// Swaps a learner with the learner of an image in memory. After an error both are as before, except for scratch fields, and for
/// a `usize` count of the learner above `u32::MAX`, which can become `u32::MAX`.
pub(super) fn exchange<L: Learned>(learner: &mut L, image: &mut [u8]) -> Result<(), CodecError> {
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
    // The image now contains the old learner and needs a new checksum.
    seal(image, Header::LENGTH.saturating_add(length));
    Ok(())
}

/// Writes the checksum of the first `length` bytes into the four bytes that follow.
fn seal(image: &mut [u8], length: usize) {
    if let Some((content, rest)) = image.split_at_mut_checked(length)
        && let Some(end) = rest.first_chunk_mut::<CHECKSUM>()
    {
        *end = checksum(content).to_le_bytes();
    }
}

/// Writes a learner into an image in memory, with the compiled code of the swap. This code computes the scratch fields of the
/// learner again, as after restoring. All other fields are unchanged, except that a `usize` count above `u32::MAX` becomes
/// `u32::MAX`. Returns the number of bytes of the image.
pub(super) fn write<L: Learned>(learner: &mut L, image: &mut [u8]) -> Result<usize, CodecError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_without_room_in_16_bits_is_refused_and_stays_in_the_image() {
        for (found, kept, refusal) in [(65_535_u32, 65_535, None), (65_536, 7, Some(CodecError::Count))] {
            let (mut count, mut image) = (7_u16, found.to_le_bytes());
            let mut medium = &mut image[..];
            let mut exchange = Exchange::new(&mut medium, Direction::Take);
            exchange.count(&mut count);
            assert_eq!((exchange.refusal, exchange.at, count), (refusal, 4, kept));
            let left = if refusal.is_none() { 7 } else { found };
            assert_eq!(image, left.to_le_bytes());
        }
    }
}
