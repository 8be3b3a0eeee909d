//! What is refused changes nothing: not one byte of the learner's image, and no generator.

use eigenstream_registry::{CHOICES, Subject};
use rand_xoshiro::Xoshiro128PlusPlus;

use eigenstream::rand_core::SeedableRng;

use crate::learners::{DIM, Question, ask_all, image, live};
use crate::round_trip::sample;

/// Samples before the first bad one: more than any window holds.
const LENGTH: usize = 30;

/// Bad samples, one channel at a time.
#[derive(Default)]
struct Refusals {
    /// Who took them all.
    lenient: Vec<String>,
}

impl Question for Refusals {
    fn ask<L: Subject<DIM>>(&mut self, name: &str) {
        let mut refused = 0;
        for choice in 0..CHOICES {
            let mut learner = L::fresh(choice);
            let mut rng = Xoshiro128PlusPlus::seed_from_u64(5);
            let mut stream = Xoshiro128PlusPlus::seed_from_u64(13);
            for step in 0..LENGTH {
                for channel in 0..DIM {
                    // Too large for `f32`, and for the energy of `f64`.
                    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
                        let (before, rng_before) = (learner.clone(), rng.clone());
                        let mut sample = [0.1, 0.2, 0.3, 0.4];
                        sample[channel] = bad;
                        if live(&mut learner, &sample, &mut rng).is_ok() {
                            // A number to this learner, or a channel that it may miss: that it was seen is of no interest here.
                            (learner, rng) = (before, rng_before);
                            continue;
                        }
                        refused += 1;
                        let what = format!("{name}, settings {choice}, step {step}, {bad} in channel {channel}");
                        assert_eq!(image(&learner), image(&before), "{what}");
                        assert_eq!(rng, rng_before, "{what}");
                    }
                }
                assert!(live(&mut learner, &sample(&mut stream), &mut rng).is_ok(), "{name}");
            }
        }
        if refused == 0 {
            self.lenient.push(name.to_owned());
        }
    }
}

#[test]
fn a_refused_sample_changes_no_byte_of_any_learner() {
    let mut refusals = Refusals::default();
    ask_all(&mut refusals);
    // Both are told of energies and losses, not of samples.
    assert_eq!(refusals.lenient, ["scale_f32", "regret_f32", "scale_f64", "regret_f64"]);
}
