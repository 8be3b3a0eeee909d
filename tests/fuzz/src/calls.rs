//! Feeds hostile numbers to a learner, with its calls in any order.
//! Checked: no panic, finite outputs, a refused sample does not change the learner, and the learner can be saved and
//! restored at any time.

use crate::dice::Dice;
use crate::finite;
use crate::learners::{DIM, live, look};
use crate::saved::image;
use eigenstream_registry::{Refused, Subject};

/// Largest number of calls in one execution.
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
                        return Err(format!("refused {sample:?}, but the learner changed"));
                    }
                    Err(Refused) if dice.rng != generator => {
                        return Err(format!("refused {sample:?}, but drew random numbers"));
                    }
                    Err(Refused) => (),
                }
            }
        }
    }
    restored(&learner).map(drop)
}

pub(crate) fn restored<L: Subject<DIM>>(learner: &L) -> Result<L, String> {
    let saved = image(learner);
    let restored = L::decode(&saved).map_err(|error| format!("the learner refuses its own image: {error}"))?;
    if image(&restored) == saved {
        Ok(restored)
    } else {
        Err("the restored learner differs from the saved one".into())
    }
}
