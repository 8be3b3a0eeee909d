//! A NOR flash whose power can be cut in the middle of a write or an erasure.

use core::ops::Range;

use eigenstream::rand_core::{Rng, SeedableRng};
use embedded_storage::nor_flash::{ErrorType, NorFlash, NorFlashError, NorFlashErrorKind, ReadNorFlash};
use rand_xoshiro::Xoshiro128PlusPlus;

/// The state of the bytes that were being changed when the power was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Some bits have changed and some have not.
    Torn,
    /// Reading these bytes returns an error.
    ReadError,
    /// Some bits of these bytes read differently each time.
    Unstable,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    NoPower,
    NotErased,
    Damaged,
}

impl NorFlashError for Refusal {
    fn kind(&self) -> NorFlashErrorKind {
        NorFlashErrorKind::Other
    }
}

/// Reads `READ` bytes, writes `WORD` bytes and erases `PAGE` bytes at a time.
pub(crate) struct Flash<const WORD: usize, const PAGE: usize, const READ: usize = WORD> {
    pub(crate) bytes: Vec<u8>,
    /// Ranges of bytes that were being changed at a power cut.
    damaged: Vec<Range<usize>>,
    pub(crate) fault: Fault,
    /// The number of writes and erasures that still succeed before the power is cut.
    pub(crate) until_cut: Option<u32>,
    pub(crate) off: bool,
    /// The number of reads that still succeed before one fails.
    pub(crate) until_misread: Option<u32>,
    /// The place of a byte that ignores writes without an error.
    pub(crate) worn: Option<usize>,
    pub(crate) writes: u32,
    rng: Xoshiro128PlusPlus,
}

impl<const WORD: usize, const PAGE: usize, const READ: usize> Flash<WORD, PAGE, READ> {
    pub(crate) fn new(fault: Fault, seed: u64) -> Self {
        Self::of_pages(4, fault, seed)
    }

    pub(crate) fn of_pages(pages: usize, fault: Fault, seed: u64) -> Self {
        Self {
            bytes: vec![0xff; pages * PAGE],
            damaged: Vec::new(),
            fault,
            until_cut: None,
            off: false,
            until_misread: None,
            worn: None,
            writes: 0,
            rng: Xoshiro128PlusPlus::seed_from_u64(seed),
        }
    }

    fn change(&mut self, range: Range<usize>, changed: impl Fn(usize, u8) -> u8) -> Result<(), Refusal> {
        if self.off {
            return Err(Refusal::NoPower);
        }
        if self.until_cut == Some(0) {
            self.off = true;
            // Before the cut, on average a quarter, a half, three quarters or none of the bits change.
            let share = self.rng.next_u32() % 4;
            for (index, byte) in self.bytes[range.clone()].iter_mut().enumerate() {
                let [a, b, ..] = self.rng.next_u32().to_le_bytes();
                let in_time = [a & b, a, a | b, 0][share as usize];
                *byte = (*byte & !in_time) | (changed(index, *byte) & in_time);
            }
            self.damaged.push(range);
            return Err(Refusal::NoPower);
        }
        self.until_cut = self.until_cut.map(|left| left - 1);
        self.damaged
            .retain(|damaged| damaged.start < range.start || damaged.end > range.end);
        for (index, byte) in self.bytes[range].iter_mut().enumerate() {
            *byte = changed(index, *byte);
        }
        Ok(())
    }
}

impl<const WORD: usize, const PAGE: usize, const READ: usize> ErrorType for Flash<WORD, PAGE, READ> {
    type Error = Refusal;
}

impl<const WORD: usize, const PAGE: usize, const READ: usize> ReadNorFlash for Flash<WORD, PAGE, READ> {
    const READ_SIZE: usize = READ;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Refusal> {
        let offset = offset as usize;
        assert!(offset.is_multiple_of(READ) && bytes.len().is_multiple_of(READ));
        let misread = self.until_misread == Some(0);
        self.until_misread = self.until_misread.and_then(|left| left.checked_sub(1));
        if misread {
            bytes.fill(0x55);
            return Err(Refusal::Damaged);
        }
        let range = offset..offset + bytes.len();
        bytes.copy_from_slice(&self.bytes[range.clone()]);
        for damaged in &self.damaged {
            let (start, end) = (damaged.start.max(range.start), damaged.end.min(range.end));
            if start >= end {
                continue;
            }
            match self.fault {
                Fault::Torn => (),
                Fault::ReadError => return Err(Refusal::Damaged),
                Fault::Unstable => {
                    for byte in &mut bytes[start - offset..end - offset] {
                        let [a, b, c, d] = self.rng.next_u32().to_le_bytes();
                        *byte = (*byte & !(a & b & c)) | (d & a & b & c);
                    }
                }
            }
        }
        Ok(())
    }

    fn capacity(&self) -> usize {
        self.bytes.len()
    }
}

impl<const WORD: usize, const PAGE: usize, const READ: usize> NorFlash for Flash<WORD, PAGE, READ> {
    const WRITE_SIZE: usize = WORD;
    const ERASE_SIZE: usize = PAGE;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), Refusal> {
        for page in (from as usize..to as usize).step_by(PAGE) {
            self.change(page..page + PAGE, |_, _| 0xff)?;
        }
        Ok(())
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Refusal> {
        assert!((offset as usize).is_multiple_of(WORD) && bytes.len().is_multiple_of(WORD));
        self.writes += 1;
        let worn = self.worn;
        for (word, start) in bytes.chunks(WORD).zip((offset as usize..).step_by(WORD)) {
            if self.bytes[start..]
                .iter()
                .zip(word)
                .any(|(stored, wanted)| stored & wanted != *wanted)
            {
                return Err(Refusal::NotErased);
            }
            self.change(start..start + WORD, |index, byte| match worn {
                Some(place) if place == start + index => byte,
                _ => byte & word[index],
            })?;
        }
        Ok(())
    }
}
