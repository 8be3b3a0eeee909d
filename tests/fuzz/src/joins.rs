//! Two learners of one kind, hostile numbers and hostile images, joined and started over in any order.
//! Checked: nothing panics, every number is finite, a refused call leaves the learner bit for bit as it was, and at any
//! time it can be saved and restored.

use crate::calls::restored;
use crate::dice::Dice;
use crate::finite;
use crate::images::nearly_an_image;
use crate::learners::{DIM, image, live, look};
use eigenstream::Scalar;
use eigenstream_registry::{Refused, Subject};

/// Samples of a learner before it is joined, at most.
const SAMPLES: usize = 8;
/// Calls of one execution, at most.
const CALLS: usize = 8;

pub(crate) fn execute<L: Subject<DIM>>(dice: &mut Dice) -> Result<(), String> {
    let choice = dice.below(8);
    let mut learner = lived::<L>(choice, dice);
    for _ in 0..=dice.below(CALLS) {
        let before = image(&learner);
        let outcome = match dice.below(4) {
            0 => {
                let sample: [f64; DIM] = dice.sample();
                let sample = if dice.chance(2) { sample.map(f64::abs) } else { sample };
                learner.start(&sample.map(Scalar::from_f64))
            }
            1 => {
                // A sample that is refused is for `calls`.
                let _ = live(&mut learner, &dice.sample(), &mut dice.rng);
                Ok(())
            }
            _ => learner.join(&other::<L>(choice, dice)),
        };
        if outcome == Err(Refused) && image(&learner) != before {
            return Err("refused a start or another learner, and changed".into());
        }
        finite("a look", &look(&learner, &dice.sample()).unwrap_or_default())?;
        learner = restored(&learner)?;
    }
    Ok(())
}

/// A learner with a past, or whatever comes of a damaged image.
fn other<L: Subject<DIM>>(choice: usize, dice: &mut Dice) -> L {
    if dice.chance(4)
        && let Ok(learner) = L::decode(&nearly_an_image::<L>(dice))
    {
        return learner;
    }
    let choice = if dice.chance(8) { dice.below(8) } else { choice };
    lived(choice, dice)
}

/// A learner with a past.
fn lived<L: Subject<DIM>>(choice: usize, dice: &mut Dice) -> L {
    let mut learner = L::fresh(choice);
    for _ in 0..dice.below(SAMPLES) {
        let _ = live(&mut learner, &dice.sample(), &mut dice.rng);
    }
    learner
}
