//! Bytes that are nearly an image, most of them with a checksum that fits.
//! Checked: nothing panics, and an accepted image is a learner. It is saved as it was read, every number that it says from then on is
//! finite, and after 1,000 samples it accepts its own image, so that directions are orthonormal and probabilities are in range.

use crate::calls::restored;
use crate::dice::Dice;
use crate::finite;
use crate::learners::{DIM, image, live, look};
use crate::seal;
use eigenstream_registry::Subject;

/// Samples before and after.
const SAMPLES: usize = 8;
/// Samples of a long life after an image.
const LONG: usize = 1_000;

pub(crate) fn execute<L: Subject<DIM>>(dice: &mut Dice) -> Result<(), String> {
    let bytes = hostile::<L>(dice);
    survive::<L>(&bytes, dice)
}

/// Bytes of any kind, or nearly an image.
pub(crate) fn hostile<L: Subject<DIM>>(dice: &mut Dice) -> Vec<u8> {
    if dice.chance(16) {
        let length = dice.below(2 * L::ENCODED_LEN);
        (0..length).map(|_| dice.below(256) as u8).collect()
    } else {
        nearly_an_image::<L>(dice)
    }
}

/// A learner refuses the bytes, or is one that keeps every promise.
pub(crate) fn survive<L: Subject<DIM>>(bytes: &[u8], dice: &mut Dice) -> Result<(), String> {
    let decoded = L::decode(bytes);
    in_place(bytes, decoded.as_ref().ok(), dice)?;
    let Ok(mut learner) = decoded else {
        return Ok(());
    };
    restored(&learner)?;
    for _ in 0..SAMPLES {
        let sample = dice.sample();
        finite("a look", &look(&learner, &sample).unwrap_or_default())?;
        finite(
            "a trial",
            &live(&mut learner, &sample, &mut dice.rng).unwrap_or_default(),
        )?;
    }
    if dice.chance(8) {
        // The contract of an accepted image: the learner goes on for long, and its own image is one.
        for _ in 0..LONG {
            let sample = [(); DIM].map(|()| dice.common());
            finite(
                "a trial of a long life",
                &live(&mut learner, &sample, &mut dice.rng).unwrap_or_default(),
            )?;
        }
        restored(&learner)?;
    }
    Ok(())
}

/// Restoring in place answers as restoring does; a refused image leaves the learner and the bytes as they were.
fn in_place<L: Subject<DIM>>(bytes: &[u8], decoded: Option<&L>, dice: &mut Dice) -> Result<(), String> {
    let mut learner = L::fresh(dice.below(8));
    let (before, mut room) = (image(&learner), bytes.to_vec());
    let accepted = learner.decode_into(&mut room).is_ok();
    match decoded {
        Some(decoded) if !accepted || image(&learner) != image(decoded) => {
            Err("restored in place as something else".into())
        }
        None if accepted || image(&learner) != before || room != bytes => {
            Err("refused, and changed or taken in place".into())
        }
        _ => Ok(()),
    }
}

pub(crate) fn nearly_an_image<L: Subject<DIM>>(dice: &mut Dice) -> Vec<u8> {
    let mut learner = L::fresh(dice.below(8));
    for _ in 0..dice.below(SAMPLES) {
        let sample = [(); 4].map(|()| dice.common());
        let _ = live(&mut learner, &sample, &mut dice.rng);
    }
    let mut bytes = image(&learner);
    dice.damage(&mut bytes);
    if !dice.chance(4) {
        seal(&mut bytes);
    }
    bytes
}
