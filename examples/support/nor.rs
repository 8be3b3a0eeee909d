//! Emulates a NOR flash whose power can be cut. A write clears bits, and erasing a page sets them; a write that needs to set a
//! bit is refused. If the power is cut during a change, some of its bits have changed and some have not.

use eigenstream::pca::{TrackingPca, TrackingSettings};
use eigenstream::{SampleError, Scalar};
use embedded_storage::nor_flash::{
    ErrorType, NorFlash, NorFlashError, NorFlashErrorKind, ReadNorFlash, check_erase, check_read, check_write,
};
use embedded_storage_async::nor_flash as asynchronous;
use rand_xoshiro::Xoshiro128PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Bytes of a word, the unit of writing.
pub(crate) const WORD: usize = 4;
/// Bytes of a page, the unit of erasing.
pub(crate) const PAGE: usize = 1024;

/// Why the flash refused a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The power is off.
    NoPower,
    /// The write would set a bit.
    NotErased,
    /// The address is out of range or not aligned.
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

pub(crate) struct EmulatedFlash {
    bytes: [u8; 2 * PAGE],
    /// Changes (words written or pages erased) before the one that a power cut interrupts.
    until_cut: Option<u32>,
    /// Changes before the one that the flash ignores.
    until_failure: Option<u32>,
    power: Power,
    changes: u32,
    rng: Xoshiro128PlusPlus,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Power {
    On,
    Off,
}

impl EmulatedFlash {
    pub(crate) fn new() -> Self {
        Self {
            bytes: [0xff; 2 * PAGE],
            until_cut: None,
            until_failure: None,
            power: Power::On,
            changes: 0,
            rng: Xoshiro128PlusPlus::seed_from_u64(1),
        }
    }

    /// Cuts the power in the middle of a change, after `changes` others.
    pub(crate) fn cut_after(&mut self, changes: u32) {
        self.until_cut = Some(changes);
        self.rng = Xoshiro128PlusPlus::seed_from_u64(u64::from(changes));
    }

    /// Ignores a change after `changes` others, as a worn flash does.
    #[allow(dead_code, reason = "only the example `sealed` uses it")]
    pub(crate) fn fail_after(&mut self, changes: u32) {
        self.until_failure = Some(changes);
    }

    pub(crate) fn power_up(&mut self) {
        self.until_cut = None;
        self.power = Power::On;
    }

    pub(crate) fn changes(&self) -> u32 {
        self.changes
    }

    /// Counts a change; returns `Off` if the power cut interrupts it.
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
        let fails = self.until_failure == Some(0);
        self.until_failure = self.until_failure.and_then(|left| left.checked_sub(1));
        if fails {
            return Ok(());
        }
        for (index, byte) in self.bytes.iter_mut().skip(start).take(length).enumerate() {
            let changed = change(index, *byte);
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

// The asynchronous interface; the flash is always ready.
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

/// The learner that the examples save.
pub(crate) type Pca = TrackingPca<f32, 6, 2, 6>;

/// How often the learner is saved.
pub(crate) const SAVES: usize = 4;

pub(crate) fn learners() -> Result<[Pca; SAVES], SampleError> {
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(3);
    let mut pca = Pca::new(TrackingSettings::DEFAULT);
    let mut learners = [const { Pca::new(TrackingSettings::DEFAULT) }; SAVES];
    for learner in &mut learners {
        for _ in 0..50 {
            let (a, b) = (f32::uniform(&mut rng) - 0.5, f32::uniform(&mut rng) - 0.5);
            pca.learn(&[a, b, a + b, a - b, 0.5 * a, 0.1 * f32::uniform(&mut rng)])?;
        }
        learner.clone_from(&pca);
    }
    Ok(learners)
}
