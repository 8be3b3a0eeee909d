//! The storage of a monitor, which belongs to the caller, with a magic word before and after the monitor. `init` writes the
//! words last; zeroed storage does not contain them, uninitialised storage by chance or after a warm reset. An overflow
//! into the storage destroys a word; a write inside the monitor is not found. Cost: 8 bytes and the padding to 8 bytes;
//! four comparisons for each call.

use crate::Status;
use core::mem::{MaybeUninit, offset_of};

/// Different, and unlike erased or filled memory.
const BEFORE: u32 = 0x4547_5731;
const BEHIND: u32 = !BEFORE;

/// A monitor between two magic words.
#[repr(C, align(8))]
pub struct Storage<M> {
    before: u32,
    monitor: MaybeUninit<M>,
    behind: u32,
}

impl<M> Storage<M> {
    /// Writes a monitor to the storage.
    ///
    /// # Safety
    /// `storage` is aligned and points to `size_of::<Self>()` writable bytes that no other code uses.
    pub(crate) unsafe fn put(storage: *mut Self, monitor: M) {
        // SAFETY: the caller's promise.
        unsafe {
            (&raw mut (*storage).monitor).write(MaybeUninit::new(monitor));
            (&raw mut (*storage).behind).write(BEHIND);
            (&raw mut (*storage).before).write(BEFORE);
        }
    }

    /// The monitor in the storage.
    ///
    /// # Safety
    /// `storage` is null, or misaligned, or points to `size_of::<Self>()` readable bytes that no other code writes
    /// during the call. Between two magic words are bytes that `put` or a method of the monitor has written.
    #[inline(always)]
    pub(crate) unsafe fn monitor<'a>(storage: *const Self) -> Result<&'a M, Status> {
        // SAFETY: the caller's promise.
        unsafe { check_storage(storage.cast(), offset_of!(Self, behind)) }.done()?;
        // SAFETY: both magic words are present, so `put` has written a monitor.
        Ok(unsafe { (*storage).monitor.assume_init_ref() })
    }

    /// The monitor in the storage, mutable.
    ///
    /// # Safety
    /// As [`monitor`](Self::monitor); the bytes may also be written, and no other code uses them during the call.
    #[inline(always)]
    pub(crate) unsafe fn monitor_mut<'a>(storage: *mut Self) -> Result<&'a mut M, Status> {
        // SAFETY: as in `monitor`.
        unsafe { check_storage(storage.cast_const().cast(), offset_of!(Self, behind)) }.done()?;
        // SAFETY: as in `monitor`, and the caller promises that no other reference is alive.
        Ok(unsafe { (*storage).monitor.assume_init_mut() })
    }
}

/// Has the alignment of [`Storage`], whatever monitor is in it.
#[repr(align(8))]
struct Aligned;

/// Checks the pointer and both magic words, the second `behind` bytes after the first; one function for all callers, to
/// save flash.
///
/// # Safety
/// The pointer is null, or misaligned, or the two words may be read.
#[inline(never)]
unsafe fn check_storage(storage: *const Aligned, behind: usize) -> Status {
    if let Err(refused) = usable(storage) {
        return refused;
    }
    let first = storage.cast::<u32>();
    // SAFETY: the caller's promise. Any bits are a valid integer.
    let words = unsafe { (first.read(), first.byte_add(behind).read()) };
    if words == (BEFORE, BEHIND) {
        Status::Ok
    } else {
        Status::NotInitialised
    }
}

#[inline(always)]
pub(crate) fn usable<P>(pointer: *const P) -> Result<(), Status> {
    check_address(pointer.addr(), align_of::<P>()).done()
}

/// One function, to save flash.
#[inline(never)]
fn check_address(address: usize, alignment: usize) -> Status {
    if address == 0 {
        Status::NullPointer
    } else if address & (alignment - 1) != 0 {
        Status::Misaligned
    } else {
        Status::Ok
    }
}
