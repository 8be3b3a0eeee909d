//! Images of every learner: they hold all of it, they are refused when anything is wrong with them, and old ones are still read.

mod exchange;
mod images;
mod in_place;
mod learners;
mod refusals;
mod reset;
mod round_trip;
mod wrong_images;

/// CRC-32 bit by bit: the slow, obvious version.
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

/// Gives an image that was tampered with a checksum that fits.
fn seal(image: &mut [u8]) {
    let end = image.len() - 4;
    let fitting = checksum(&image[..end]).to_le_bytes();
    image[end..].copy_from_slice(&fitting);
}
