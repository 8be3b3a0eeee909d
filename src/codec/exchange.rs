//! Swaps the fields of a learner with the bytes of an image, each at its fixed place.
//! In: a learner, and an image in memory or in flash. Out: the learner of the image; an image in memory then holds the
//! old fields.
//! Method: all fields of a struct are swapped before the check of the struct runs. Invalid bytes are swapped back at
//! once; an `Option` is swapped completely or not at all.
//! Cost: three passes over an image in memory (checksum, swap, new checksum or swap back).

use crate::error::CodecError;

/// The content of an image, in memory or in flash.
pub(crate) trait Medium {
    /// Swaps `bytes` with the bytes of the image at position `at`. An image in flash is only read; an image in
    /// [`Written`] is only written.
    ///
    /// # Errors
    /// The image has no such bytes, or the flash cannot be read.
    fn exchange(&mut self, at: usize, bytes: &mut [u8]) -> Result<(), CodecError>;
}

/// The `length` bytes at position `at` of an image in memory.
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
        // The bytes are swapped one by one, because `swap_with_slice` keeps a panic about lengths in code that is
        // optimised for size.
        for (stored, byte) in place(self, at, bytes.len())?.iter_mut().zip(bytes) {
            core::mem::swap(stored, byte);
        }
        Ok(())
    }
}

/// An image in memory that is only written.
pub(super) struct Written<'image>(pub(super) &'image mut [u8]);

impl Medium for Written<'_> {
    fn exchange(&mut self, at: usize, bytes: &mut [u8]) -> Result<(), CodecError> {
        for (stored, &mut byte) in place(self.0, at, bytes.len())?.iter_mut().zip(bytes) {
            *stored = byte;
        }
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// The numbers go from the image into the learner.
    Take,
    /// The learner gets its own numbers back after a refusal, or is only written into the image. Checks run even after
    /// an error, because some also compute scratch.
    GiveBack,
}

/// The state of an exchange.
pub struct Exchange<'image> {
    medium: &'image mut dyn Medium,
    /// The position of the next bytes.
    pub(super) at: usize,
    direction: Direction,
    /// The first error.
    pub(super) refusal: Option<CodecError>,
    /// Whether the check of a struct may run; a check needs valid numbers.
    pub(super) sound: bool,
}

impl<'image> Exchange<'image> {
    pub(super) fn new(medium: &'image mut dyn Medium, direction: Direction) -> Self {
        Self {
            medium,
            at: 0,
            direction,
            refusal: None,
            sound: true,
        }
    }

    /// Exchanges the next bytes. Returns false if this fails.
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

    /// Swaps back the invalid bytes of the last [`next`](Self::next).
    #[inline(never)]
    pub(crate) fn take_back(&mut self, bytes: &mut [u8], error: CodecError) {
        self.at = self.at.saturating_sub(bytes.len());
        self.next(bytes);
        self.refuse(error);
    }

    /// Like [`take_back`](Self::take_back), for bytes that end `count` bytes before `at`; `at` does not change.
    pub(crate) fn take_back_before(&mut self, bytes: &mut [u8], count: usize, error: CodecError) {
        let end = self.at;
        self.at = end.saturating_sub(count);
        self.take_back(bytes, error);
        self.at = end;
    }

    /// Swaps the code of an enum without payload. Returns the code of the image if this is below `count`; otherwise
    /// refuses it and returns `code`.
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

    pub(crate) const fn place(&self) -> usize {
        self.at
    }

    /// Swaps back the invalid bytes at `place`.
    #[inline(never)]
    pub(crate) fn take_back_from(&mut self, place: usize, bytes: &mut [u8], error: CodecError) {
        self.at = place;
        self.next(bytes);
        self.refuse(error);
    }

    /// Whether the next `count` bytes are zero; a byte that cannot be read counts as zero. `at` does not change.
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

    pub(crate) fn skip(&mut self, count: usize) {
        self.at = self.at.saturating_add(count);
    }

    /// Stores the first error. In the direction `Take` no check of a struct runs after an error, except inside an
    /// `Option`.
    #[inline(never)]
    pub(crate) fn refuse(&mut self, error: CodecError) {
        self.refusal.get_or_insert(error);
        self.sound &= self.direction == Direction::GiveBack;
    }

    /// Stores the error of a check.
    #[cfg_attr(optimize_for_size, inline(never))]
    pub(crate) fn judge(&mut self, outcome: Result<(), CodecError>) {
        if let Err(error) = outcome {
            self.refuse(error);
        }
    }

    pub(crate) fn is_sound(&self) -> bool {
        self.sound
    }
}
