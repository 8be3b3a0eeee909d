//! A refused sample changes neither the image of the learner nor the random generator.

use eigenstream_registry::{CHOICES, Subject};
use rand_xoshiro::Xoshiro128PlusPlus;

use eigenstream::rand_core::SeedableRng;

use crate::learners::{DIM, Question, ask_all, live};
use crate::round_trip::sample;
use crate::saved::image;

/// The number of samples, above the size of every window.
const LENGTH: usize = 30;

#[derive(Default)]
struct Refusals {
    /// Names of the learners that refused no sample.
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
                    // 1e300 overflows in `f32`, and its square overflows in `f64`.
                    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
                        let (before, rng_before) = (learner.clone(), rng.clone());
                        let mut sample = [0.1, 0.2, 0.3, 0.4];
                        sample[channel] = bad;
                        if live(&mut learner, &sample, &mut rng).is_ok() {
                            // The learner accepts this value, so the step is undone.
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
fn a_refused_sample_changes_no_byte_of_the_learner() {
    let mut refusals = Refusals::default();
    ask_all(&mut refusals);
    // The energy scale and the regret meter refuse no sample.
    assert_eq!(refusals.lenient, ["scale_f32", "regret_f32", "scale_f64", "regret_f64"]);
}
