//! The storage of a monitor, which belongs to the caller.
//! In: a pointer from C. Out: a reference to the monitor in it, or why there is none.
//! Method: a magic word before the monitor and one behind it. `init` writes them last. Zeroed storage, storage full of
//! chance and storage that a neighbour has written over have other words.
//! Cost: 8 bytes beside the monitor; two comparisons a call.

use crate::Status;
use core::mem::MaybeUninit;
use core::ptr;

/// The words of storage that holds a monitor. Neither is a pattern of erased memory or of a fill, and they differ.
const BEFORE: u32 = 0x4547_5731;
const BEHIND: u32 = 0x3157_4745 ^ 0xA5A5_A5A5;

/// A monitor between two magic words.
#[repr(C, align(8))]
pub struct Storage<M> {
    before: u32,
    monitor: MaybeUninit<M>,
    behind: u32,
}

impl<M> Storage<M> {
    /// Puts a monitor into storage.
    ///
    /// # Safety
    /// `storage` is null, or misaligned, or points to `size_of::<Self>()` bytes that may be written and that no one else uses.
    pub(crate) unsafe fn put(storage: *mut Self, monitor: M) -> Status {
        if let Err(refused) = usable(storage) {
            return refused;
        }
        // SAFETY: the pointer is neither null nor misaligned, and by the caller's promise the bytes may be written.
        unsafe {
            (&raw mut (*storage).monitor).write(MaybeUninit::new(monitor));
            (&raw mut (*storage).behind).write(BEHIND);
            (&raw mut (*storage).before).write(BEFORE);
        }
        Status::Ok
    }

    /// The monitor in the storage.
    ///
    /// # Safety
    /// `storage` is null, or misaligned, or points to `size_of::<Self>()` bytes that may be read and that no one writes during
    /// the call. If both magic words are there, the bytes between are those that `put` or a method of the monitor left.
    pub(crate) unsafe fn monitor<'a>(storage: *const Self) -> Result<&'a M, Status> {
        usable(storage)?;
        // SAFETY: the pointer is neither null nor misaligned; the bytes of an integer may hold anything.
        unsafe { check_words(storage)? };
        // SAFETY: with both words there, `put` has written a monitor.
        Ok(unsafe { (*storage).monitor.assume_init_ref() })
    }

    /// The monitor in the storage, to be changed.
    ///
    /// # Safety
    /// As [`monitor`](Self::monitor), and the bytes may be written, and no one else uses them during the call.
    pub(crate) unsafe fn monitor_mut<'a>(storage: *mut Self) -> Result<&'a mut M, Status> {
        usable(storage)?;
        // SAFETY: as in `monitor`.
        unsafe { check_words(storage)? };
        // SAFETY: as in `monitor`, and the caller promises that no other reference is alive.
        Ok(unsafe { (*storage).monitor.assume_init_mut() })
    }
}

/// Whether both magic words are there.
///
/// # Safety
/// The pointer is aligned and points to bytes that may be read.
unsafe fn check_words<M>(storage: *const Storage<M>) -> Result<(), Status> {
    // SAFETY: the caller's promise. Any bits are a valid integer.
    let words = unsafe {
        (
            ptr::read(&raw const (*storage).before),
            ptr::read(&raw const (*storage).behind),
        )
    };
    if words == (BEFORE, BEHIND) {
        Ok(())
    } else {
        Err(Status::NotInitialised)
    }
}

/// A pointer that is neither null nor misaligned.
pub(crate) fn usable<P>(pointer: *const P) -> Result<(), Status> {
    if pointer.is_null() {
        Err(Status::NullPointer)
    } else if pointer.is_aligned() {
        Ok(())
    } else {
        Err(Status::Misaligned)
    }
}
