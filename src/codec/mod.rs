//! A learner as bytes that outlive a reset.
//! In: a learner, or the bytes that one was saved as. Out: bytes for flash or a wire, or the learner as it was: going on from
//! there gives the same bits as never having stopped, on any machine.
//! Method: an image is little-endian and has no padding:
//!
//! | bytes | what |
//! |---|---|
//! | 4 | the word `eigs` |
//! | 1 | version of the format, 1 |
//! | 1 | which learner, [`Kind`] |
//! | 1 | bytes of a number, 4 or 8 |
//! | 1 | which kernel; 0 where there is none |
//! | 8 | four sizes of two bytes each, by the order of the type's parameters; 0 where there are fewer |
//! | 4 | bytes of settings and state, n |
//! | n | settings and state, field by field; a learner inside another has the bytes of learner to sizes before its own |
//! | 4 | CRC-32 of everything before |
//!
//! The settings and state of a learner are listed field by field in [`Codec::LAYOUT`](crate::Codec::LAYOUT), as data: a program that does not have the
//! learner's type reads an image by it.
//!
//! An image is plain bytes: whatever carries bytes carries it, a page of flash, a frame on a wire, a field of a message that
//! `serde` writes (`Image`, feature `serde`). A learner with a kernel of the user's own, a function or a closure, has none: code cannot
//! be saved.
//!
//! Cost: one pass over the bytes to save; two to restore, and the learner once more on the stack. [`Codec::decode_into`](crate::Codec::decode_into)
//! restores in place: two passes, and no learner on the stack.
//!
//! # The contract of an accepted image
//! An image with the right checksum may still be wrong: another program may have written it. A learner accepts it if all of this holds.
//! Every number is finite and so small that no later sum or square overflows. Directions are orthonormal to rounding. Numbers that
//! follow from each other agree: counts, orders, probabilities, settings. From then on the learner behaves as any other: every call takes its
//! bounded time, every answer is finite, and it accepts its own image after any number of samples. Each type checks its own numbers, in its
//! `validate`, with the rules of the module `validate`. A refused image leaves the learner and the bytes as they were. There is no
//! authenticity: whoever can write an image can choose what the learner knows. The example `sealed` adds a key and a counter.
//!
//! # An older image in a later version
//! It restores what this version saved, bit for bit, or refuses it as [`CodecError::Version`](crate::CodecError::Version); it never reads it as something
//! else. A change to the settings or the state of any learner raises the version of the format, and until version 1.0 of the
//! crate an image of an earlier format may be refused. Patch releases leave the format alone. Images of this version are part of the tests.

pub(crate) mod checksum;
#[allow(clippy::module_inception, reason = "the file is named after its trait")]
pub(crate) mod codec;
pub(crate) mod exchange;
mod header;
#[cfg(feature = "serde")]
mod image;
mod layout;
mod stored;
pub(crate) mod validate;

pub use header::{Header, Kind};
#[cfg(feature = "serde")]
pub use image::Image;
pub use layout::{Field, ImageLayout, Layout};

pub(crate) use exchange::Exchange;
pub(crate) use header::{Inner, Learned};
pub(crate) use layout::last_word;
pub(crate) use stored::{
    Reader, Renewed, Stored, StoredKernel, Writer, must_be_same, must_begin_with, stored, stored_choice,
};
#[cfg(feature = "storage")]
pub(crate) use {header::check_inside, stored::Sink};

/// Bytes of the checksum.
pub(crate) const CHECKSUM: usize = size_of::<u32>();
