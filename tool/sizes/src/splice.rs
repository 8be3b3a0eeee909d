//! Exchanges the learner inside the image of a monitor or of lags. The learner comes last, its tag before its content: only
//! tag, content, length and checksum change.

use eigenstream::CodecError;
use eigenstream::codec::Header;

use crate::refusal::Refusal;

/// Bytes of an image before the content.
const HEADER: usize = 20;
/// Position of the tag: kind, precision, kernel and sizes.
const TAG: usize = 5;
/// Bytes of the tag.
const TAG_LENGTH: usize = 11;

/// CRC-32, as in all images.
fn checksum(bytes: &[u8]) -> u32 {
    let mut remainder = u32::MAX;
    for &byte in bytes {
        remainder ^= u32::from(byte);
        for _ in 0..8 {
            let carry = remainder & 1;
            remainder = (remainder >> 1) ^ (0xEDB8_8320 * carry);
        }
    }
    !remainder
}

fn sealed(tag: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    let content: usize = parts.iter().map(|part| part.len()).sum();
    let mut image = tag.to_vec();
    image.extend((content as u32).to_le_bytes());
    for part in parts {
        image.extend(*part);
    }
    let checksum = checksum(&image);
    image.extend(checksum.to_le_bytes());
    image
}

/// Replaces the learner inside `outer`, whose content has `inside` bytes, by the learner of the image `learner`.
pub(crate) fn around(outer: &[u8], inside: usize, learner: &[u8]) -> Result<Vec<u8>, Refusal> {
    let torn = || Refusal::Image(CodecError::Count);
    let content = Header::read(outer)?.content(outer)?;
    let inner = Header::read(learner)?.content(learner)?;
    let fields = content.len().checked_sub(TAG_LENGTH + inside).ok_or_else(torn)?;
    let tag = learner.get(TAG..TAG + TAG_LENGTH).ok_or_else(torn)?;
    let head = outer.get(..TAG + TAG_LENGTH).ok_or_else(torn)?;
    Ok(sealed(head, &[content.get(..fields).ok_or_else(torn)?, tag, inner]))
}

/// The image of the learner inside `outer`, whose own fields have `fields` bytes.
pub(crate) fn inside(outer: &[u8], fields: usize) -> Result<Vec<u8>, Refusal> {
    let torn = || Refusal::Image(CodecError::Count);
    let content = Header::read(outer)?.content(outer)?;
    let magic = outer.get(..TAG).ok_or_else(torn)?;
    let tag = content.get(fields..fields + TAG_LENGTH).ok_or_else(torn)?;
    let inner = content.get(fields + TAG_LENGTH..).ok_or_else(torn)?;
    Ok(sealed(&[magic, tag].concat(), &[inner]))
}

/// Bytes of header and checksum.
pub(crate) const FRAME: usize = HEADER + 4;

/// Bytes of the own fields of an outer type, from the lengths of its image and of its learner's image.
pub(crate) const fn fields(outer: usize, learner: usize) -> usize {
    outer - FRAME - TAG_LENGTH - (learner - FRAME)
}
