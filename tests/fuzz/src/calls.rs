//! A learner, hostile numbers, and calls in any order.
//! Checked: nothing panics, every number is finite, a refused sample leaves the learner bit for bit as it was, and at
//! any time it can be saved and restored.

use crate::dice::Dice;
use crate::finite;
use crate::learners::{DIM, image, live, look};
use eigenstream_registry::{Refused, Subject};

/// Calls of one execution, at most.
const CALLS: usize = 24;

pub(crate) fn execute<L: Subject<DIM>>(dice: &mut Dice) -> Result<(), String> {
    let mut learner = L::fresh(dice.below(8));
    for _ in 0..=dice.below(CALLS) {
        let sample = dice.sample();
        match dice.below(8) {
            0 => finite("a look", &look(&learner, &sample).unwrap_or_default())?,
            1 => learner = restored(&learner)?,
            _ => {
                let before = image(&learner);
                let generator = dice.rng.clone();
                match live(&mut learner, &sample, &mut dice.rng) {
                    Ok(said) => finite("a trial", &said)?,
                    Err(Refused) if image(&learner) != before => {
                        return Err(format!("refused {sample:?} and changed"));
                    }
                    Err(Refused) if dice.rng != generator => return Err(format!("refused {sample:?} and drew")),
                    Err(Refused) => (),
                }
            }
        }
    }
    restored(&learner).map(drop)
}

/// The learner after a reset.
pub(crate) fn restored<L: Subject<DIM>>(learner: &L) -> Result<L, String> {
    let saved = image(learner);
    let restored = L::decode(&saved).map_err(|error| format!("its own image is refused: {error}"))?;
    if image(&restored) == saved {
        Ok(restored)
    } else {
        Err("restored as something else".into())
    }
}
