//! Saves a learner as bytes and restores it, for example after a reset.
//! In: a learner, or the bytes of a saved learner. Out: bytes for flash or a wire, or the learner. From equal samples the
//! restored learner computes the results that the saved learner would compute, bit for bit, on any machine. Exception: a `usize`
//! count above `u32::MAX` is saved as `u32::MAX`.
//! Method: the bytes of a saved learner are its image. An image is little-endian and has no padding:
//!
//! | bytes | what |
//! |---|---|
//! | 4 | the word `eigs` |
//! | 1 | version of the format, 1 |
//! | 1 | which learner, [`Kind`] |
//! | 1 | bytes of a number, 4 or 8 |
//! | 1 | which kernel; 0 for none |
//! | 8 | four sizes of two bytes each, in the order that [`Kind`] lists; 0 for sizes that the learner does not have |
//! | 4 | n, the number of bytes of settings and state |
//! | n | settings and state, field by field; an inner learner begins with its own bytes of learner, number, kernel and sizes |
//! | 4 | CRC-32 of everything before |
//!
//! An inner learner is a field that is a learner. [`Codec::LAYOUT`](crate::Codec::LAYOUT) lists the fields of settings and state
//! as data. With this list a program can read an image without having the type of the learner.
//!
//! An image consists of plain bytes: it can be stored in a page of flash, sent as a frame, or be a field of a message that
//! `serde` writes (`Image`, feature `serde`). A learner with a kernel that is a function or closure of the user has no image,
//! because code cannot be saved.
//!
//! Cost: two passes over the bytes to save: writing and checksum. [`Codec::decode`](crate::Codec::decode) takes two passes,
//! checksum and reading, and needs stack for a second learner. [`Codec::decode_into`](crate::Codec::decode_into) restores in
//! place: three passes (checksum, swap, new checksum), and no second learner on the stack.
//!
//! # The contract of an accepted image
//! An image with a correct checksum can still be wrong, for example if another program wrote it. Each type checks its own numbers
//! after reading them, with the rules of the module `validate`. A learner accepts an image under these conditions:
//!
//! - Every number is finite.
//! - Directions are orthonormal up to rounding.
//! - Counts, orders, probabilities, settings and magnitudes are in the ranges that the learner relies on.
//!
//! The restored learner then behaves as any other learner: every call takes a bounded time, every number of its state stays
//! finite, and the image of the learner is accepted after any number of samples.
//!
//! If `decode_into` refuses an image, the image is as before. The learner is as before, except for scratch memory and `usize`
//! counts above `u32::MAX`. (`Slots::restore` of the feature `storage` is different: if it refuses an image, the learner may be
//! overwritten.) An image is not authenticated: anyone who can write an image can choose the state of the learner. The example
//! `sealed` adds a key and a counter.
//!
//! # An older image in a later version
//! A later version restores an image of this version bit for bit, or refuses it with
//! [`CodecError::Version`](crate::CodecError::Version). The later version never misreads an image. A change to the settings or
//! the state of any learner raises the version of the format. Until version 1.0 of the crate an image of an earlier format can
//! be refused. Patch releases do not change the format. Images of this version are part of the tests.

pub(crate) mod checksum;
mod choice;
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

pub(crate) use choice::stored_choice;
pub(crate) use exchange::Exchange;
pub(crate) use header::{Inner, Learned};
pub(crate) use layout::last_word;
pub(crate) use stored::{Reader, Renewed, Stored, StoredKernel, Writer, must_be_same, must_begin_with, stored};
#[cfg(feature = "storage")]
pub(crate) use {header::check_inside, stored::Sink};

/// Length of the checksum in bytes.
pub(crate) const CHECKSUM: usize = size_of::<u32>();
