//! Two slots in flash, of which one always holds what was saved last or before.
//! A slot is a page: the image, then the number of the save and its complement, written last. A save erases the slot that is
//! older or broken and never touches the other, so that wherever the power goes there is one whole image.

use eigenstream::Codec;
use embedded_storage::nor_flash::NorFlash;

use super::nor::{PAGE, WORD};

/// Bytes of the number of a save and its complement.
const RECORD: usize = 2 * WORD;

/// A learner, from which page, with which number of its save.
struct Found<L> {
    learner: L,
    page: u32,
    number: u32,
}

/// The learner that was saved last; none if there is none.
pub(crate) fn restore<L: Codec, F: NorFlash>(flash: &mut F) -> Result<Option<L>, F::Error> {
    Ok(newest(flash)?.map(|found| found.learner))
}

/// Saves a learner.
pub(crate) fn save<L: Codec, F: NorFlash>(flash: &mut F, learner: &L) -> Result<(), F::Error> {
    const { assert!(L::ENCODED_LEN + WORD + RECORD <= PAGE, "the image needs larger slots") };
    let newest = newest::<L, F>(flash)?;
    let (page, number) = match newest {
        Some(found) => (PAGE as u32 - found.page, found.number.wrapping_add(1)),
        None => (0, 0),
    };
    flash.erase(page, page + PAGE as u32)?;
    let mut buffer = [0xff; PAGE];
    // The slot is large enough, so that nothing is refused.
    let length = learner.encode(&mut buffer).unwrap_or(0).next_multiple_of(WORD);
    flash.write(page, buffer.get(..length).unwrap_or_default())?;
    // Only now the slot becomes the newest.
    let place = page + (PAGE - RECORD) as u32;
    flash.write(place, &number.to_le_bytes())?;
    flash.write(place + WORD as u32, &(!number).to_le_bytes())
}

/// The newest of the slots that are whole.
fn newest<L: Codec, F: NorFlash>(flash: &mut F) -> Result<Option<Found<L>>, F::Error> {
    let mut newest: Option<Found<L>> = None;
    for page in [0, PAGE as u32] {
        let mut bytes = [0; PAGE];
        flash.read(page, &mut bytes)?;
        let Some((image, &[a, b, c, d, e, f, g, h])) = bytes.split_last_chunk::<RECORD>() else {
            continue;
        };
        let number = u32::from_le_bytes([a, b, c, d]);
        if number != !u32::from_le_bytes([e, f, g, h]) {
            continue;
        }
        let Ok(learner) = L::decode(image) else { continue };
        // By their difference, which is right where the numbers wrap around too.
        let is_newer = |other: &Found<L>| (number.wrapping_sub(other.number) as i32) > 0;
        if newest.as_ref().is_none_or(is_newer) {
            newest = Some(Found { learner, page, number });
        }
    }
    Ok(newest)
}
