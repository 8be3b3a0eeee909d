//! Images that were saved with this version of the format: every later version reads them or says that it does not.
//! A learner that has none yet is saved when it is missed, and the test fails once: commit the files that it names.

use std::fs;
use std::path::{Path, PathBuf};

use eigenstream::codec::{Header, Kind};
use eigenstream::rand_core::SeedableRng;
use eigenstream_registry::Subject;
use rand_xoshiro::Xoshiro128PlusPlus;

use crate::learners::{DIM, Question, ask_all, image, live};
use crate::round_trip::sample;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/images/{name}.eigs"))
}

/// Reads every image; collects the files that were missing.
#[derive(Default)]
struct Read {
    missing: Vec<String>,
}

impl Question for Read {
    fn ask<L: Subject<DIM>>(&mut self, name: &str) {
        let path = file(name);
        let Ok(saved) = fs::read(&path) else {
            save::<L>(&path);
            self.missing.push(path.display().to_string());
            return;
        };
        let mut learner = L::decode(&saved).unwrap_or_else(|error| unreachable!("{name}: {error}"));
        assert_eq!(image(&learner), saved, "{name}");
        // It goes on.
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(23);
        let said = live(&mut learner, &sample(&mut rng), &mut rng).unwrap_or_default();
        let finite = said.iter().all(|&bits| f64::from_bits(bits).is_finite());
        assert!(finite && !said.is_empty(), "{name}");
        assert_ne!(image(&learner), saved, "{name}");
    }
}

#[test]
fn an_image_of_format_1_is_read_as_it_was_saved() {
    let mut read = Read::default();
    ask_all(&mut read);
    assert!(
        read.missing.is_empty(),
        "missing, and saved now: commit {}",
        read.missing.join(", ")
    );
}

/// Collects the kinds of all learners of the registry.
struct Kinds(Vec<Kind>);

impl Question for Kinds {
    fn ask<L: Subject<DIM>>(&mut self, _: &str) {
        let header = Header::read(&image(&L::fresh(0)));
        self.0.extend(header.ok().and_then(|header| header.kind()));
    }
}

#[test]
fn every_kind_of_image_has_a_learner_in_the_registry() {
    let mut kinds = Kinds(Vec::new());
    ask_all(&mut kinds);
    for kind in (0..=u8::MAX).filter_map(Kind::of) {
        assert!(
            kinds.0.contains(&kind),
            "{kind:?} has no line in learners! of tests/registry/src/lists.rs"
        );
    }
}

/// Saves a learner of some age.
fn save<L: Subject<DIM>>(path: &Path) {
    let mut learner = L::fresh(2);
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(17);
    for _ in 0..40 {
        let sample = sample(&mut rng);
        assert!(live(&mut learner, &sample, &mut rng).is_ok());
    }
    assert!(fs::write(path, image(&learner)).is_ok());
}
