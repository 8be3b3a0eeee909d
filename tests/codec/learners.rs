//! Runs a test on every learner of the registry and returns the answers of a learner as bits, so that equality is exact.

use eigenstream::Scalar;
use eigenstream_registry::types::*;
use eigenstream_registry::{Listener, Refused, Spoken, Subject, learners};
use rand_xoshiro::Xoshiro128PlusPlus;

pub(crate) const DIM: usize = 4;

/// The answers of a learner, as bits of numbers converted to `f64`, or the refusal.
pub(crate) type Said = Result<Vec<u64>, Refused>;

struct Bits(Vec<u64>);

impl<T: Scalar> Listener<T> for Bits {
    fn hear(&mut self, said: impl Spoken<T>) {
        said.tell(&mut |number| self.0.push(number.to_f64().to_bits()));
    }
}

/// Learns one sample and returns the answers of the learner.
pub(crate) fn live<L: Subject<DIM>>(learner: &mut L, sample: &[f64; DIM], rng: &mut Xoshiro128PlusPlus) -> Said {
    let mut bits = Bits(Vec::new());
    learner.live(&sample.map(Scalar::from_f64), rng, &mut bits)?;
    Ok(bits.0)
}

/// Returns the answers of the learner about itself and about a sample, which is not learned.
pub(crate) fn look<L: Subject<DIM>>(learner: &L, sample: &[f64; DIM]) -> Said {
    let mut bits = Bits(Vec::new());
    learner.look(&sample.map(Scalar::from_f64), &mut bits)?;
    Ok(bits.0)
}

pub(crate) trait Question {
    fn ask<L: Subject<DIM>>(&mut self, name: &str);
}

pub(crate) fn ask_all(question: &mut impl Question) {
    ask_in::<f32>("f32", question);
    ask_in::<f64>("f64", question);
}

fn ask_in<T: Scalar>(precision: &str, question: &mut impl Question) {
    macro_rules! ask {
        ($name:literal, $learner:ty) => {
            question.ask::<$learner>(&format!("{}_{precision}", $name));
        };
    }
    learners!(ask for T, DIM = DIM, KEEP = 2, RANK = DIM, WINDOW = 5, POINTS = 6, ROOM = 5, WIDE = 12);
}
