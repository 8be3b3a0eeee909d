//! CRC-32, the checksum of an image: that of Ethernet, zip and PNG (polynomial 04C11DB7, reflected, inverted at both
//! ends). It detects one flipped bit, two flipped bits in less than 500 MB, and any changes within 32 neighbouring
//! bits.
//! Method: the bytes are read four bits at a time. The table needs 64 bytes of flash; a table for whole bytes would
//! need a kilobyte.

/// The CRC of bytes that are passed in several calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checksum {
    remainder: u32,
}

impl Checksum {
    pub(crate) const fn new() -> Self {
        Self { remainder: u32::MAX }
    }

    #[cfg_attr(optimize_for_size, inline(never))]
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.remainder ^= u32::from(byte);
            for _ in 0..2 {
                self.remainder = (self.remainder >> 4) ^ REMAINDERS[(self.remainder & 15) as usize];
            }
        }
    }

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

/// For each value of the lowest four bits of the remainder, the number that is XORed into the shifted remainder.
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
        // Catalogues of CRCs list this checksum of "123456789".
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
        assert_eq!(checksum(b""), 0);
    }
}
