//! Every learner reads every image of `tests/data/corpus/images`, each of which once broke a promise.
//! A missing image is made from its seed.
#![expect(clippy::unwrap_used, reason = "a file that cannot be read is a failed test")]

use std::fs;
use std::path::Path;

use eigenstream_fuzz::dice::Dice;
use eigenstream_fuzz::image_readers;

/// The learner that each image was made from, and the seed.
const FOUND: [(&str, u64); 13] = [
    ("centered_f32", 2_000_002_874),
    ("centered_f32", 4_427),
    ("standardizer_f32", 9_890),
    ("monitor_f32", 10_162),
    ("batch_f32", 20_310_434),
    ("lagged_f32", 1_129),
    ("density_f32", 663),
    ("hedge_f64", 76),
    ("centered_f32", 30_499),
    ("monitor_f32", 14_661),
    ("sensor_monitor_f64", 15_995),
    ("additive_f32", 28_773),
    ("set_experts_f32", 4_237),
];

#[test]
fn every_learner_survives_every_image_of_the_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/corpus/images");
    let readers = image_readers();
    for (name, seed) in FOUND {
        let file = folder.join(format!("{name}_{seed}.eigs"));
        if !file.exists() {
            let reader = readers.iter().find(|reader| reader.name == name).unwrap();
            fs::write(&file, (reader.hostile)(&mut Dice::new(seed))).unwrap();
        }
    }
    let mut images = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        images += 1;
        for reader in &readers {
            for seed in 0..8 {
                let outcome = (reader.survive)(&bytes, &mut Dice::new(seed));
                assert_eq!(outcome, Ok(()), "{} reads {}", reader.name, path.display());
            }
        }
    }
    assert!(images >= FOUND.len());
}
