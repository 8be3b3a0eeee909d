//! A NOR flash in RAM whose power can be cut: what the flash example saves to.
//! Writing clears bits and erasing a page sets them; a write that would have to set one is refused. Whatever is under way when the
//! power goes is left half done: some of its bits have changed and some have not.

use embedded_storage::nor_flash::{
    ErrorType, NorFlash, NorFlashError, NorFlashErrorKind, ReadNorFlash, check_erase, check_read, check_write,
};
use embedded_storage_async::nor_flash as asynchronous;
use rand_xoshiro::Xoshiro128PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Bytes of a word, which is written at once.
pub(crate) const WORD: usize = 4;
/// Bytes of a page, which is erased at once.
pub(crate) const PAGE: usize = 1024;

/// Why the flash did not do what it was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The power is gone.
    NoPower,
    /// A bit that is clear was to be set, which takes an erase.
    NotErased,
    /// The address makes no sense.
    Address(NorFlashErrorKind),
}

impl NorFlashError for Refusal {
    fn kind(&self) -> NorFlashErrorKind {
        match self {
            Self::Address(kind) => *kind,
            Self::NoPower | Self::NotErased => NorFlashErrorKind::Other,
        }
    }
}

/// Two pages.
pub(crate) struct EmulatedFlash {
    bytes: [u8; 2 * PAGE],
    /// How many more words can be written or pages erased before the power goes, if it does.
    until_cut: Option<u32>,
    power: Power,
    /// Words written and pages erased.
    changes: u32,
    /// Which bits of what is under way change in time.
    rng: Xoshiro128PlusPlus,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Power {
    On,
    Off,
}

impl EmulatedFlash {
    /// As it comes from the factory.
    pub(crate) fn new() -> Self {
        Self {
            bytes: [0xff; 2 * PAGE],
            until_cut: None,
            power: Power::On,
            changes: 0,
            rng: Xoshiro128PlusPlus::seed_from_u64(1),
        }
    }

    /// Lets the power go in the middle of the change after this many.
    pub(crate) fn cut_after(&mut self, changes: u32) {
        self.until_cut = Some(changes);
        self.rng = Xoshiro128PlusPlus::seed_from_u64(u64::from(changes));
    }

    /// The power is back, and stays.
    pub(crate) fn power_up(&mut self) {
        self.until_cut = None;
        self.power = Power::On;
    }

    /// Words written and pages erased so far.
    pub(crate) fn changes(&self) -> u32 {
        self.changes
    }

    /// Whether the change that is about to happen does so to its end.
    fn change(&mut self) -> Result<Power, Refusal> {
        if self.power == Power::Off {
            return Err(Refusal::NoPower);
        }
        self.changes += 1;
        match &mut self.until_cut {
            Some(0) => self.power = Power::Off,
            Some(left) => *left -= 1,
            None => (),
        }
        Ok(self.power)
    }

    fn change_bytes(&mut self, start: usize, length: usize, change: impl Fn(usize, u8) -> u8) -> Result<(), Refusal> {
        let power = self.change()?;
        for (index, byte) in self.bytes.iter_mut().skip(start).take(length).enumerate() {
            let changed = change(index, *byte);
            // Without power each bit changes or does not.
            let in_time = if power == Power::On {
                0xff
            } else {
                self.rng.next_u32() as u8
            };
            *byte = (*byte & !in_time) | (changed & in_time);
        }
        if power == Power::On {
            Ok(())
        } else {
            Err(Refusal::NoPower)
        }
    }
}

impl ErrorType for EmulatedFlash {
    type Error = Refusal;
}

impl ReadNorFlash for EmulatedFlash {
    const READ_SIZE: usize = 1;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Refusal> {
        check_read(self, offset, bytes.len()).map_err(Refusal::Address)?;
        if self.power == Power::Off {
            return Err(Refusal::NoPower);
        }
        for (byte, &stored) in bytes.iter_mut().zip(self.bytes.iter().skip(offset as usize)) {
            *byte = stored;
        }
        Ok(())
    }

    fn capacity(&self) -> usize {
        self.bytes.len()
    }
}

impl NorFlash for EmulatedFlash {
    const WRITE_SIZE: usize = WORD;
    const ERASE_SIZE: usize = PAGE;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), Refusal> {
        check_erase(self, from, to).map_err(Refusal::Address)?;
        for page in (from as usize..to as usize).step_by(PAGE) {
            self.change_bytes(page, PAGE, |_, _| 0xff)?;
        }
        Ok(())
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Refusal> {
        check_write(self, offset, bytes.len()).map_err(Refusal::Address)?;
        for (word, start) in bytes.chunks(WORD).zip((offset as usize..).step_by(WORD)) {
            let stored = self.bytes.iter().skip(start);
            if stored.zip(word).any(|(stored, wanted)| stored & wanted != *wanted) {
                return Err(Refusal::NotErased);
            }
            self.change_bytes(start, WORD, |index, byte| {
                byte & word.get(index).copied().unwrap_or(0xff)
            })?;
        }
        Ok(())
    }
}

// The flash for asynchronous programs: it is always ready.
impl asynchronous::ReadNorFlash for EmulatedFlash {
    const READ_SIZE: usize = <Self as ReadNorFlash>::READ_SIZE;

    async fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Refusal> {
        ReadNorFlash::read(self, offset, bytes)
    }

    fn capacity(&self) -> usize {
        ReadNorFlash::capacity(self)
    }
}

impl asynchronous::NorFlash for EmulatedFlash {
    const WRITE_SIZE: usize = WORD;
    const ERASE_SIZE: usize = PAGE;

    async fn erase(&mut self, from: u32, to: u32) -> Result<(), Refusal> {
        NorFlash::erase(self, from, to)
    }

    async fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Refusal> {
        NorFlash::write(self, offset, bytes)
    }
}
