//! After a reset a learner gives the same answers as a new one, bit for bit.

use eigenstream::rand_core::SeedableRng;
use eigenstream_registry::{CHOICES, Subject, WITHOUT_RESET};
use rand_xoshiro::Xoshiro128PlusPlus;

use crate::learners::{DIM, Question, ask_all, live, look};
use crate::round_trip::sample;
use crate::saved::image;

/// The number of samples, above the size of every window.
const LENGTH: usize = 30;

#[derive(Default)]
struct Resets {
    without: Vec<String>,
}

impl Question for Resets {
    fn ask<L: Subject<DIM>>(&mut self, name: &str) {
        for choice in 0..CHOICES {
            let (mut used, mut new) = (L::fresh(choice), L::fresh(choice));
            let mut stream = Xoshiro128PlusPlus::seed_from_u64(12);
            for _ in 0..LENGTH {
                let said = live(
                    &mut used,
                    &sample(&mut stream),
                    &mut Xoshiro128PlusPlus::seed_from_u64(3),
                );
                assert!(said.is_ok(), "{name}");
            }
            if !used.forget() {
                self.without.push(name.to_owned());
                return;
            }
            let probe = [0.1, 0.2, 0.3, 0.4];
            assert_eq!(look(&used, &probe), look(&new, &probe), "{name}, settings {choice}");
            let mut rngs = [7, 7].map(Xoshiro128PlusPlus::seed_from_u64);
            for step in 0..LENGTH {
                let sample = sample(&mut stream);
                let said = live(&mut used, &sample, &mut rngs[0]);
                let expected = live(&mut new, &sample, &mut rngs[1]);
                assert_eq!(said, expected, "{name}, settings {choice}, step {step}");
            }
            assert_eq!(image(&used), image(&new), "{name}, settings {choice}");
        }
    }
}

#[test]
fn a_learner_that_was_reset_answers_like_a_new_one() {
    let mut resets = Resets::default();
    ask_all(&mut resets);
    let without = ["f32", "f64"].map(|precision| WITHOUT_RESET.map(|name| format!("{name}_{precision}")));
    assert_eq!(
        resets.without,
        without.as_flattened(),
        "the learners whose `forget` does nothing are not those of WITHOUT_RESET in tests/registry/src/lists.rs"
    );
}
