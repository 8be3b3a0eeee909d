//! The checksum of a damaged image.
//! In: the bytes of an image, with wrong content. Out: the last four bytes fit the content, so that a reader sees more than a wrong
//! checksum.

/// Makes the checksum of an image fit. CRC-32, bit by bit.
pub fn seal(image: &mut [u8]) {
    let Some((content, end)) = image.split_last_chunk_mut::<4>() else {
        return;
    };
    let mut remainder = u32::MAX;
    for &mut byte in content {
        remainder ^= u32::from(byte);
        for _ in 0..8 {
            remainder = (remainder >> 1) ^ (0xedb8_8320 * (remainder & 1));
        }
    }
    *end = (!remainder).to_le_bytes();
}
