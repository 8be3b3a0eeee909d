//! Two slots in a flash that the compiler does not know.

use core::hint::black_box;

use eigenstream::storage::{Slots, slot_length};
use eigenstream::weights::FollowTheLeader;
use embedded_storage::nor_flash::{ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash};

struct Flash;

impl ErrorType for Flash {
    type Error = NorFlashErrorKind;
}

impl ReadNorFlash for Flash {
    const READ_SIZE: usize = 4;

    fn read(&mut self, _: u32, bytes: &mut [u8]) -> Result<(), NorFlashErrorKind> {
        bytes.fill(black_box(7));
        black_box(Ok(()))
    }

    fn capacity(&self) -> usize {
        black_box(8192)
    }
}

impl NorFlash for Flash {
    const WRITE_SIZE: usize = 8;
    const ERASE_SIZE: usize = 2048;

    fn erase(&mut self, _: u32, _: u32) -> Result<(), NorFlashErrorKind> {
        black_box(Ok(()))
    }

    fn write(&mut self, _: u32, bytes: &[u8]) -> Result<(), NorFlashErrorKind> {
        black_box(bytes);
        black_box(Ok(()))
    }
}

#[inline(never)]
pub(super) fn slots() {
    let mut leader = black_box(FollowTheLeader::<f32, 3>::new());
    black_box(slot_length::<FollowTheLeader<f32, 3>>());
    if let Ok(mut slots) = Slots::new(Flash, black_box(2048)..black_box(6144)) {
        let _ = black_box(slots.save(&leader));
        let _ = black_box(slots.restore(&mut leader));
        let _ = black_box(slots.restore_or_keep(&mut leader, black_box(&mut [0; 40])));
        black_box(slots.release());
    }
}
