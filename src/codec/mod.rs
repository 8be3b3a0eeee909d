//! Saves a learner as bytes and restores it, for example after a reset.
//!
//! Words: image = the encoded bytes of a learner: header, content, checksum; content = settings and state, field by
//! field; inner learner = a field that is a learner; tag = the bytes of a header from learner to sizes; code = the byte
//! that says which variant an enum has; payload = the fields of all variants of an enum; scratch = fields that are not
//! in the image, because they are computed again.
//!
//! In: a learner, or an image. Out: bytes for flash or a wire, or a learner. From equal samples the restored learner
//! computes the numbers that the saved learner would, bit for bit, on any machine. A `usize` count above `u32::MAX` is
//! saved as `u32::MAX`.
//! Method: an image is little-endian and has no padding:
//!
//! bytes | what |
//! |---|---|
//! 4 | the word `eigs` |
//! 1 | version of the format, 1 |
//! 1 | which learner, [`Kind`] |
//! 1 | bytes of a number, 4 or 8 |
//! 1 | which kernel; 0 for none |
//! 8 | four sizes of two bytes each, in the order that [`Kind`] lists; 0 for sizes that the learner does not have |
//! 4 | n, the number of bytes of the content |
//! n | content; an inner learner begins with its tag |
//! 4 | CRC-32 of everything before |
//!
//! [`Codec::LAYOUT`](crate::Codec::LAYOUT) lists the fields as data, so that a program can read an image without the
//! type of the learner. An image is plain bytes: a page of flash, a frame, or a field of a `serde` message (`Image`). A
//! learner with a kernel that the user wrote has no image.
//! Cost: saving takes two passes, writing and checksum. [`Codec::decode`](crate::Codec::decode) takes two passes and
//! needs stack for a second learner; [`Codec::decode_into`](crate::Codec::decode_into) takes three passes and no such
//! stack.
//!
//! # The contract of an accepted image
//! A correct checksum does not prove that the numbers are right. Each type checks its own numbers, with `validate`:
//! every number is finite, directions are orthonormal up to rounding, and counts, orders, probabilities, settings and
//! magnitudes are in the ranges that the learner relies on. The restored learner then behaves as any other: every call
//! takes a bounded time, every number of its state stays finite, and its image is accepted after any number of samples.
//!
//! If `decode_into` refuses an image, learner and image are as before, except for scratch and `usize` counts above
//! `u32::MAX`. (`Slots::restore` of the feature `storage` may leave the learner overwritten.) An image is not
//! authenticated: anyone who can write it can set the state of the learner. The example `sealed` adds a key and a
//! counter.
//!
//! # An older image in a later version
//! A later version restores an image of this version bit for bit, or refuses it with
//! [`CodecError::Version`](crate::CodecError::Version). A change to the settings or the state of any learner raises the
//! version of the format. Patch releases do not change it; until version 1.0 of the crate an earlier format can be
//! refused. Images of this version are part of the tests.

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

pub use header::Header;
#[cfg(feature = "serde")]
pub use image::Image;
pub use layout::{Field, ImageLayout, Kind, Layout};

pub(crate) use choice::stored_choice;
pub(crate) use exchange::Exchange;
pub(crate) use header::Inner;
pub(crate) use layout::last_word;
pub(crate) use stored::{
    Learned, Reader, Renewed, Stored, StoredKernel, Writer, field, learner_field, must_be_same, must_begin_with, stored,
};
#[cfg(feature = "storage")]
pub(crate) use {header::check_inside, stored::Sink};

/// The length of the checksum in bytes.
pub(crate) const CHECKSUM: usize = size_of::<u32>();
