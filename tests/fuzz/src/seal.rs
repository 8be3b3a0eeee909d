//! Replaces the checksum of a damaged image, so that a reader gets past the checksum.

/// Writes the CRC-32 of all other bytes into the last four bytes.
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
