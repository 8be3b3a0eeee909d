//! The image of a learner, and the checksum at its end.

use eigenstream::Codec;

/// The image of a learner; learners with equal images give equal answers.
pub(crate) fn image<L: Codec>(learner: &L) -> Vec<u8> {
    let mut image = vec![0; L::ENCODED_LEN];
    assert_eq!(learner.encode(&mut image), Ok(L::ENCODED_LEN));
    image
}

/// Repairs the CRC-32 checksum of a changed image.
pub(crate) fn seal(image: &mut [u8]) {
    let end = image.len() - 4;
    let mut remainder = u32::MAX;
    for &byte in &image[..end] {
        remainder ^= u32::from(byte);
        for _ in 0..8 {
            remainder = (remainder >> 1) ^ (0xedb8_8320 * (remainder & 1));
        }
    }
    image[end..].copy_from_slice(&(!remainder).to_le_bytes());
}
