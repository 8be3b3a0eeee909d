//! Decodes damaged images, most of them with a checksum that fits.
//! Checked: no panic; a learner from an accepted image accepts its own image and gives finite outputs. In one of eight
//! cases it runs for 1,000 samples and must then again accept its own image.

use crate::calls::restored;
use crate::dice::Dice;
use crate::finite;
use crate::learners::{DIM, live, look};
use crate::saved::image;
use crate::seal;
use eigenstream_registry::Subject;

/// Number of samples after decoding; before the damage there are fewer.
const SAMPLES: usize = 8;
/// Number of samples of a long run after decoding.
const LONG: usize = 1_000;

pub(crate) fn execute<L: Subject<DIM>>(dice: &mut Dice) -> Result<(), String> {
    let bytes = hostile::<L>(dice);
    survive::<L>(&bytes, dice)
}

pub(crate) fn hostile<L: Subject<DIM>>(dice: &mut Dice) -> Vec<u8> {
    if dice.chance(16) {
        let length = dice.below(2 * L::ENCODED_LEN);
        (0..length).map(|_| dice.below(256) as u8).collect()
    } else {
        nearly_an_image::<L>(dice)
    }
}

/// Checks that the learner refuses the bytes or works as promised.
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
        // An accepted image must give a learner that runs for long and whose own image is accepted.
        for _ in 0..LONG {
            let sample = [(); DIM].map(|()| dice.common());
            finite(
                "a trial of a long run",
                &live(&mut learner, &sample, &mut dice.rng).unwrap_or_default(),
            )?;
        }
        restored(&learner)?;
    }
    Ok(())
}

/// Checks that `decode_into` agrees with `decode`, and that a refused image changes neither the learner nor the bytes.
fn in_place<L: Subject<DIM>>(bytes: &[u8], decoded: Option<&L>, dice: &mut Dice) -> Result<(), String> {
    let mut learner = L::fresh(dice.below(8));
    let (before, mut room) = (image(&learner), bytes.to_vec());
    let accepted = learner.decode_into(&mut room).is_ok();
    match decoded {
        Some(decoded) if !accepted || image(&learner) != image(decoded) => {
            Err("decode_into and decode disagree".into())
        }
        None if accepted || image(&learner) != before || room != bytes => {
            Err("decode refuses the image, but decode_into accepts it or changes something".into())
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
