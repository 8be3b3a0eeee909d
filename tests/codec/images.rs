//! Every later version must still read the images in `tests/data/images`, which were saved with format 1.
//! If a learner has no image there, the test writes one and fails once: commit the file that it names.

use std::fs;
use std::path::{Path, PathBuf};

use eigenstream::codec::{Header, Kind};
use eigenstream::rand_core::SeedableRng;
use eigenstream_registry::Subject;
use rand_xoshiro::Xoshiro128PlusPlus;

use crate::learners::{DIM, Question, ask_all, live};
use crate::round_trip::sample;
use crate::saved::image;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/images/{name}.eigs"))
}

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
        let mut rng = Xoshiro128PlusPlus::seed_from_u64(23);
        let said = live(&mut learner, &sample(&mut rng), &mut rng).unwrap_or_default();
        let finite = said.iter().all(|&bits| f64::from_bits(bits).is_finite());
        assert!(finite && !said.is_empty(), "{name}");
        assert_ne!(image(&learner), saved, "{name}");
    }
}

#[test]
fn a_saved_image_of_format_1_is_still_read() {
    let mut read = Read::default();
    ask_all(&mut read);
    assert!(
        read.missing.is_empty(),
        "these images were missing and have been written: commit {}",
        read.missing.join(", ")
    );
}

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

fn save<L: Subject<DIM>>(path: &Path) {
    let mut learner = L::fresh(2);
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(17);
    for _ in 0..40 {
        let sample = sample(&mut rng);
        assert!(live(&mut learner, &sample, &mut rng).is_ok());
    }
    assert!(fs::write(path, image(&learner)).is_ok());
}
