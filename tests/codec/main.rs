//! Tests of the saved images of all learners: an image holds the whole learner, a damaged image is refused, an old image is read.

mod exchange;
mod images;
mod in_place;
mod learners;
mod refusals;
mod reset;
mod round_trip;
mod wrong_images;

/// CRC-32, one bit at a time.
fn checksum(bytes: &[u8]) -> u32 {
    let mut remainder = u32::MAX;
    for &byte in bytes {
        remainder ^= u32::from(byte);
        for _ in 0..8 {
            remainder = (remainder >> 1) ^ (0xedb8_8320 * (remainder & 1));
        }
    }
    !remainder
}

/// Replaces the checksum of a changed image by the right one.
fn seal(image: &mut [u8]) {
    let end = image.len() - 4;
    let fitting = checksum(&image[..end]).to_le_bytes();
    image[end..].copy_from_slice(&fitting);
}
