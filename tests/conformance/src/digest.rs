//! A digest of 64 bits: FNV-1a over the bits of every noted value.
//! In: outputs of the crate and encoded learners. Out: a number that, but for collisions, changes with any bit of any
//! value.
//! A float is noted by its bits, so −0 differs from 0. The private state of a learner is noted as the bytes that
//! `encode` writes. No `Debug` text is noted, so a renamed field changes no digest.

use eigenstream::Codec;

use crate::note::Note;

/// Start value of FNV-1a with 64 bits.
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
/// Factor for each byte of FNV-1a with 64 bits.
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// The digest of the values noted so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digest(u64);

impl Digest {
    pub(crate) const fn new() -> Self {
        Self(OFFSET)
    }

    pub(crate) fn note(&mut self, value: &(impl Note + ?Sized)) {
        value.note(self);
    }

    /// Notes the encoded learner; `ROOM` is at least its `ENCODED_LEN`.
    pub(crate) fn note_image<const ROOM: usize>(&mut self, learner: &impl Codec) {
        self.note_at_least::<ROOM>(ROOM, learner);
    }

    /// Notes the length of the image, and the image with zeros up to `least` bytes.
    #[inline(never)]
    pub(crate) fn note_at_least<const ROOM: usize>(&mut self, least: usize, learner: &impl Codec) {
        let mut image = [0; ROOM];
        let saved = learner.encode(&mut image);
        debug_assert!(saved.is_ok(), "{saved:?}");
        self.note(&saved);
        self.note(noted(&image, least, &saved));
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(PRIME);
        }
    }

    pub(crate) const fn value(self) -> u64 {
        self.0
    }
}

/// The part of the image that is noted.
fn noted<'image, E>(image: &'image [u8], least: usize, saved: &Result<usize, E>) -> &'image [u8] {
    let length = saved.as_ref().map_or(0, |&length| length).max(least);
    image.get(..length).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(value: &impl Note) -> Digest {
        let mut digest = Digest::new();
        digest.note(value);
        digest
    }

    #[test]
    fn one_different_bit_changes_the_digest() {
        let next = f32::from_bits(0.1_f32.to_bits() + 1);
        assert_eq!(digest(&[0.1_f32, 0.2]), digest(&[0.1_f32, 0.2]));
        assert_ne!(digest(&[0.1_f32, 0.2]), digest(&[next, 0.2]));
        assert_ne!(digest(&0.0_f32), digest(&-0.0_f32));
        assert_ne!(digest(&Some(1_u8)), digest(&None::<u8>));
        assert_ne!(digest(&Ok::<u8, u8>(1)), digest(&Err::<u8, u8>(1)));
    }

    #[test]
    fn the_digest_of_a_known_text_is_the_published_one() {
        // The digest of the text "a" is published with FNV-1a.
        let mut digest = Digest::new();
        digest.update(b"a");
        assert_eq!(digest.value(), 0xaf63_dc4c_8601_ec8c);
    }
}
