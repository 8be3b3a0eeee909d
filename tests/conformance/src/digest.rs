//! A number that stands for everything that was noted.
//! In: values that can be shown. Out: 64 bits, different as soon as one bit of one value is.
//! Method: FNV-1a over the `Debug` text. That text gives a float its shortest digits that read back as the same bits, so it
//! tells any two numbers apart, −0 from 0 too; and it shows the private state of a learner, which no getter does.

use core::fmt::{self, Debug, Write};

/// FNV-1a, 64 bits: where it starts.
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
/// FNV-1a, 64 bits: what each byte is multiplied in with.
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// Everything that was noted, in 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digest(u64);

impl Digest {
    /// Nothing noted yet.
    pub(crate) const fn new() -> Self {
        Self(OFFSET)
    }

    /// Notes a value, and that it ends.
    pub(crate) fn note(&mut self, value: &impl Debug) {
        // Writing cannot fail: `write_str` below always says yes.
        let _ = writeln!(self, "{value:?}");
    }

    /// That of bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut digest = Self::new();
        digest.take_in(bytes);
        digest
    }

    fn take_in(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(PRIME);
        }
    }

    /// What it comes to.
    pub(crate) const fn value(self) -> u64 {
        self.0
    }
}

impl Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.take_in(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(value: &impl Debug) -> Digest {
        let mut digest = Digest::new();
        digest.note(value);
        digest
    }

    #[test]
    fn one_bit_makes_a_difference() {
        let next = f32::from_bits(0.1_f32.to_bits() + 1);
        assert_eq!(digest(&[0.1_f32, 0.2]), digest(&[0.1_f32, 0.2]));
        assert_ne!(digest(&[0.1_f32, 0.2]), digest(&[next, 0.2]));
        assert_ne!(digest(&0.0_f32), digest(&-0.0_f32));
        assert_ne!(digest(&Some(1)), digest(&None::<i32>));
    }

    #[test]
    fn the_digest_of_a_known_text_is_the_published_one() {
        // FNV-1a of "a".
        let mut digest = Digest::new();
        assert_eq!(digest.write_str("a"), Ok(()));
        assert_eq!(digest.value(), 0xaf63_dc4c_8601_ec8c);
    }
}
