//! Images that were saved with this version of the format: every later version reads them or says that it does not.
//! `cargo test --test codec -- --ignored` saves those of learners that have none yet.

use std::fs;
use std::path::{Path, PathBuf};

use eigenstream::rand_core::SeedableRng;
use rand_xoshiro::Xoshiro128PlusPlus;

use crate::learners::{Life, Question, ask_all, image};
use crate::round_trip::sample;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/images/{name}.eigs"))
}

struct Read;

impl Question for Read {
    fn ask<L: Life>(&mut self, name: &str) {
        let saved = fs::read(file(name)).unwrap_or_else(|error| unreachable!("{name}: {error}"));
        let mut learner = L::decode(&saved).unwrap_or_else(|error| unreachable!("{name}: {error}"));
        assert_eq!(image(&learner), saved, "{name}");
        // It goes on.
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(23);
        let said = learner.live(&sample(&mut rng), &mut rng).unwrap_or_default();
        let finite = said.iter().all(|&bits| f64::from_bits(bits).is_finite());
        assert!(finite && !said.is_empty(), "{name}");
        assert_ne!(image(&learner), saved, "{name}");
    }
}

#[test]
fn an_image_of_format_1_is_read_as_it_was_saved() {
    ask_all(&mut Read);
}

struct Save;

impl Question for Save {
    fn ask<L: Life>(&mut self, name: &str) {
        let path = file(name);
        if path.exists() {
            return;
        }
        let mut learner = L::fresh(2);
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(17);
        for _ in 0..40 {
            let sample = sample(&mut rng);
            assert!(learner.live(&sample, &mut rng).is_ok());
        }
        assert!(fs::write(&path, image(&learner)).is_ok(), "{name}");
    }
}

#[test]
#[ignore = "writes the files that the other test reads"]
fn images_that_are_missing_are_saved() {
    ask_all(&mut Save);
}
