//! Reads and writes a slot in pieces.
//! Cost: memory for one piece, two in `exchange`.

use embedded_storage::nor_flash::{NorFlash, ReadNorFlash};

use crate::CodecError;
use crate::codec::Sink;
use crate::codec::checksum::Checksum;
use crate::codec::exchange::Medium;

/// The length of a piece in bytes; no supported word of a flash is longer.
pub(super) const PIECE: usize = 32;

/// Reads a slot.
pub(super) struct Source<'flash, F> {
    flash: &'flash mut F,
    slot: u32,
    /// The position of the next byte in the slot.
    at: usize,
    piece: [u8; PIECE],
    /// The index of the piece that `piece` holds; `None` before the first read and after a failed read.
    loaded: Option<usize>,
}

impl<'flash, F: ReadNorFlash> Source<'flash, F> {
    pub(super) fn new(flash: &'flash mut F, slot: u32) -> Self {
        Self {
            flash,
            slot,
            at: 0,
            piece: [0; PIECE],
            loaded: None,
        }
    }

    pub(super) fn skip(&mut self, count: usize) {
        self.at = self.at.wrapping_add(count);
    }

    pub(super) fn rewind(&mut self) {
        self.at = 0;
    }

    /// Reads the next bytes.
    pub(super) fn read(&mut self, bytes: &mut [u8]) -> Result<(), CodecError> {
        let at = self.at;
        self.at = self.at.wrapping_add(bytes.len());
        self.copy(at, bytes)
    }

    /// The checksum of the next `count` bytes.
    pub(super) fn checksum(&mut self, count: usize) -> Result<u32, CodecError> {
        let mut checksum = Checksum::new();
        for _ in 0..count {
            let mut byte = [0];
            self.read(&mut byte)?;
            checksum.add(&byte);
        }
        Ok(checksum.value())
    }

    /// Reads bytes from the position `at` on; `self.at` does not change.
    pub(super) fn copy(&mut self, at: usize, bytes: &mut [u8]) -> Result<(), CodecError> {
        for (at, byte) in (at..usize::MAX).zip(bytes) {
            let piece = at / PIECE;
            if self.loaded != Some(piece) {
                self.loaded = None;
                let offset = self.slot.wrapping_add(piece.wrapping_mul(PIECE) as u32);
                let read = self.flash.read(offset, &mut self.piece);
                read.map_err(|_| CodecError::Unreadable)?;
                self.loaded = Some(piece);
            }
            *byte = self.piece[at % PIECE];
        }
        Ok(())
    }
}

/// An image in flash is only read. Position 0 of `exchange` means the byte at `self.at`.
impl<F: ReadNorFlash> Medium for Source<'_, F> {
    fn exchange(&mut self, at: usize, bytes: &mut [u8]) -> Result<(), CodecError> {
        let mut read = [0; PIECE];
        for (index, part) in bytes.chunks_mut(PIECE).enumerate() {
            let read = read.get_mut(..part.len()).unwrap_or_default();
            self.copy(self.at.wrapping_add(at).wrapping_add(index.wrapping_mul(PIECE)), read)?;
            // The bytes are copied one by one, because `copy_from_slice` contains a panic for unequal lengths.
            for (place, byte) in part.iter_mut().zip(read.iter().copied()) {
                *place = byte;
            }
        }
        Ok(())
    }
}

/// Writes a slot that was erased before.
pub(super) struct Target<'flash, F: NorFlash> {
    flash: &'flash mut F,
    /// The address at which `piece` will be written.
    offset: u32,
    piece: [u8; PIECE],
    filled: usize,
    checksum: Checksum,
    /// Holds the first error of the flash; after an error nothing more is written.
    refused: Result<(), F::Error>,
}

impl<'flash, F: NorFlash> Target<'flash, F> {
    pub(super) fn new(flash: &'flash mut F, slot: u32) -> Self {
        Self {
            flash,
            offset: slot,
            piece: [0xff; PIECE],
            filled: 0,
            checksum: Checksum::new(),
            refused: Ok(()),
        }
    }

    /// Writes the checksum and the last piece. Returns the first error of the flash.
    pub(super) fn finish(mut self) -> Result<(), F::Error> {
        let checksum = self.checksum.value().to_le_bytes();
        self.put(&checksum);
        self.write();
        self.refused
    }

    /// Writes the words of the piece that contain data, and empties the piece.
    fn write(&mut self) {
        let words = self
            .filled
            .checked_next_multiple_of(F::WRITE_SIZE.max(1))
            .unwrap_or(PIECE);
        let bytes = self.piece.get(..words).unwrap_or_default();
        if self.refused.is_ok() && !bytes.is_empty() {
            self.refused = self.flash.write(self.offset, bytes);
        }
        self.offset = self.offset.wrapping_add(PIECE as u32);
        self.piece = [0xff; PIECE];
        self.filled = 0;
    }
}

impl<F: NorFlash> Sink for Target<'_, F> {
    fn put(&mut self, bytes: &[u8]) {
        self.checksum.add(bytes);
        for &byte in bytes {
            if let Some(place) = self.piece.get_mut(self.filled) {
                *place = byte;
            }
            self.filled += 1;
            if self.filled == PIECE {
                self.write();
            }
        }
    }
}
