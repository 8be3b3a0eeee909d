//! Merges pairs of learners and starts them over, with hostile numbers and damaged images, in any order.
//! Checked: no panic, finite outputs, a refused call does not change the learner, and the learner can be saved and
//! restored at any time.

use crate::calls::restored;
use crate::dice::Dice;
use crate::finite;
use crate::images::nearly_an_image;
use crate::learners::{DIM, live, look};
use crate::saved::image;
use eigenstream::Scalar;
use eigenstream_registry::{Refused, Subject};

/// A new learner first learns fewer samples than this.
const SAMPLES: usize = 8;
/// Largest number of calls in one execution.
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
                // The target `calls` checks refused samples.
                let _ = live(&mut learner, &dice.sample(), &mut dice.rng);
                Ok(())
            }
            _ => learner.join(&other::<L>(choice, dice)),
        };
        if outcome == Err(Refused) && image(&learner) != before {
            return Err("refused a start or a merge, but the learner changed".into());
        }
        finite("a look", &look(&learner, &dice.sample()).unwrap_or_default())?;
        learner = restored(&learner)?;
    }
    Ok(())
}

/// A learner after a few samples or none, or one decoded from a damaged image.
fn other<L: Subject<DIM>>(choice: usize, dice: &mut Dice) -> L {
    if dice.chance(4)
        && let Ok(learner) = L::decode(&nearly_an_image::<L>(dice))
    {
        return learner;
    }
    let choice = if dice.chance(8) { dice.below(8) } else { choice };
    lived(choice, dice)
}

fn lived<L: Subject<DIM>>(choice: usize, dice: &mut Dice) -> L {
    let mut learner = L::fresh(choice);
    for _ in 0..dice.below(SAMPLES) {
        let _ = live(&mut learner, &dice.sample(), &mut dice.rng);
    }
    learner
}
