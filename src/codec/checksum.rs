//! CRC-32, the checksum of an image (the encoded bytes of a learner).
//! In: bytes. Out: the CRC that Ethernet, zip and PNG use (polynomial 04C11DB7, reflected, inverted at both ends). It detects
//! every single flipped bit, every pair of flipped bits in an image of less than 500 MB, and every burst of up to 32 bits.
//! Method: four bits at a time, with a table. The bytes may be passed in several calls.
//! Cost: a table of 64 bytes; two look-ups per byte.

/// The CRC of bytes that are passed in several calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checksum {
    remainder: u32,
}

impl Checksum {
    /// The CRC of no bytes.
    pub(crate) const fn new() -> Self {
        Self { remainder: u32::MAX }
    }

    /// Adds more bytes.
    #[cfg_attr(optimize_for_size, inline(never))]
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.remainder ^= u32::from(byte);
            // Four bits at a time: a table for whole bytes would need one kilobyte of flash.
            for _ in 0..2 {
                self.remainder = (self.remainder >> 4) ^ REMAINDERS[(self.remainder & 15) as usize];
            }
        }
    }

    /// The CRC of all bytes so far.
    pub(crate) const fn value(self) -> u32 {
        !self.remainder
    }
}

/// The CRC of a slice.
pub(super) fn checksum(bytes: &[u8]) -> u32 {
    let mut checksum = Checksum::new();
    checksum.add(bytes);
    checksum.value()
}

/// The number that is XORed into the shifted remainder, for each value of the lowest four bits.
const REMAINDERS: [u32; 16] = {
    let mut remainders = [0; 16];
    let mut bits = 0;
    while bits < 16 {
        let mut remainder = bits as u32;
        let mut step = 0;
        while step < 4 {
            let reduced = remainder >> 1;
            remainder = if remainder & 1 == 1 {
                reduced ^ 0xedb8_8320
            } else {
                reduced
            };
            step += 1;
        }
        remainders[bits] = remainder;
        bits += 1;
    }
    remainders
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remainder_is_the_one_that_everybody_uses() {
        // Catalogues of CRCs list this check value for CRC-32.
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
        assert_eq!(checksum(b""), 0);
    }
}
