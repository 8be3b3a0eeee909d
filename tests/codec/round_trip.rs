//! A learner that is saved and restored answers like one that never stopped, bit for bit.

use eigenstream::Scalar;
use eigenstream::rand_core::SeedableRng;
use eigenstream_registry::{CHOICES, Subject};
use rand_xoshiro::Xoshiro128PlusPlus;

use crate::learners::{DIM, Question, ask_all, live, look};
use crate::saved::image;

const LENGTH: usize = 300;
const RESETS: usize = 100;

pub(crate) fn sample(rng: &mut Xoshiro128PlusPlus) -> [f64; DIM] {
    let (along, across) = (f64::uniform(rng) - 0.5, f64::uniform(rng) - 0.5);
    let mut sample = [along, 2.0 * along + across, across - along, 0.3];
    for value in &mut sample {
        *value += 0.1 * f64::uniform(rng);
    }
    sample
}

struct Resets;

impl Question for Resets {
    fn ask<L: Subject<DIM>>(&mut self, name: &str) {
        for choice in 0..CHOICES {
            let (mut steady, mut shaken) = (L::fresh(choice), L::fresh(choice));
            let mut stream = Xoshiro128PlusPlus::seed_from_u64(11);
            let mut rngs = [7, 7].map(Xoshiro128PlusPlus::seed_from_u64);
            let mut resets = 0;
            for step in 0..LENGTH {
                // The learner is saved and restored at RESETS random steps; step 0 is always one of them.
                let left = (LENGTH - step) as f64;
                if step == 0 || f64::uniform(&mut stream) * left < (RESETS - resets) as f64 {
                    let saved = image(&shaken);
                    shaken = L::decode(&saved).unwrap_or_else(|error| unreachable!("{name}, step {step}: {error}"));
                    assert_eq!(image(&shaken), saved, "{name}, step {step}");
                    let probe = [0.1, 0.2, 0.3, 0.4];
                    assert_eq!(look(&shaken, &probe), look(&steady, &probe), "{name}, step {step}");
                    resets += 1;
                }
                let sample = sample(&mut stream);
                let said = live(&mut shaken, &sample, &mut rngs[0]);
                assert!(said.is_ok(), "{name}, step {step}");
                assert_eq!(said, live(&mut steady, &sample, &mut rngs[1]), "{name}, step {step}");
            }
            assert_eq!(resets, RESETS, "{name}");
            assert_eq!(image(&shaken), image(&steady), "{name}");
        }
    }
}

#[test]
fn a_hundred_restores_change_no_answer_of_any_learner() {
    ask_all(&mut Resets);
}

struct Pages;

impl Question for Pages {
    fn ask<L: Subject<DIM>>(&mut self, name: &str) {
        let learner = L::fresh(0);
        let mut page = vec![0xff; L::ENCODED_LEN + 100];
        assert_eq!(learner.encode(&mut page), Ok(L::ENCODED_LEN), "{name}");
        assert!(page[L::ENCODED_LEN..].iter().all(|&byte| byte == 0xff), "{name}");
        assert_eq!(
            L::decode(&page).map(|restored| image(&restored)),
            Ok(image(&learner)),
            "{name}"
        );
    }
}

#[test]
fn an_image_is_read_from_the_front_of_a_page() {
    ask_all(&mut Pages);
}
