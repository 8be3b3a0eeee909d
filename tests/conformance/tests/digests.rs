//! The digests of this computer are those in `tests/data/digests.txt`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use eigenstream_conformance::{Report, images_f32, images_f64, learners_f32, learners_f64, registry_f32, registry_f64};

const PARTS: [fn(Report); 6] = [
    learners_f32,
    learners_f64,
    images_f32,
    images_f64,
    registry_f32,
    registry_f64,
];

fn digests() -> BTreeMap<String, u64> {
    let mut digests = BTreeMap::new();
    for part in PARTS {
        part(&mut |name, number, digest| {
            assert_eq!(digests.insert(format!("{name} {number}"), digest), None, "{name} twice");
        });
    }
    digests
}

#[test]
fn every_learner_has_the_committed_digest_and_no_two_are_equal() -> std::io::Result<()> {
    let digests = digests();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/digests.txt");
    let committed = fs::read_to_string(file)?;
    let committed: BTreeSet<&str> = committed.lines().collect();
    let found: BTreeSet<String> = digests
        .iter()
        .map(|(name, digest)| format!("{name} {digest:016x}"))
        .collect();
    let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
    let differ: Vec<_> = found.symmetric_difference(&committed).collect();
    assert!(
        differ.is_empty(),
        "committed or found, but not both; `cargo run --package eigenstream-conformance > tests/data/digests.txt` commits \
         those of a new learner: {differ:#?}"
    );
    let values: BTreeSet<u64> = digests.values().copied().collect();
    assert_eq!(values.len(), digests.len(), "two learners have the same digest");
    Ok(())
}

#[test]
fn a_second_run_has_equal_digests() {
    let collect = || {
        let mut digests = Vec::new();
        learners_f32(&mut |_, _, digest| digests.push(digest));
        digests
    };
    assert_eq!(collect(), collect());
}
