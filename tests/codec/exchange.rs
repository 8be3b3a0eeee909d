//! Tests of the files of `examples/exchange.rs`: the model that the host gives to the chip, and the model that the chip prints.

use std::fs;
use std::path::{Path, PathBuf};

use eigenstream::monitor::{Standardizer, StandardizerSettings};
use eigenstream::pca::BatchPca;
use eigenstream::rand_core::SeedableRng;
use eigenstream::{Centering, Codec, Scalar};
use rand_xoshiro::Xoshiro128PlusPlus;

use crate::saved::image;

type Scale = Standardizer<f32, 6>;
type Pca = BatchPca<f32, 6, 2>;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)
}

/// A sample of a simulated machine without wear.
fn sample(rng: &mut Xoshiro128PlusPlus) -> [f32; 6] {
    let mut swing = || f32::uniform(rng) - 0.5;
    let (a, b) = (swing(), swing());
    [
        20.0 + a,
        5.0 - 2.0 * b,
        a + b,
        100.0 + 8.0 * (a - b),
        0.1 * swing(),
        1.0 + 0.1 * swing(),
    ]
}

/// The image of a `Scale`, then that of a `Pca` that learned the samples standardized with this `Scale`.
fn model() -> Vec<u8> {
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(1);
    let samples: Vec<[f32; 6]> = (0..1_000).map(|_| sample(&mut rng)).collect();
    let mut scale = Scale::new(StandardizerSettings::DEFAULT);
    let mut pca = Pca::new(Centering::Centered);
    for sample in &samples {
        assert!(scale.learn(sample).is_ok());
    }
    for sample in &samples {
        let learned = scale.standardize(sample).and_then(|standard| pca.learn(&standard));
        assert!(learned.is_ok());
    }
    let _ = pca.fit();
    [image(&scale), image(&pca)].concat()
}

#[test]
fn the_model_file_holds_what_the_host_learns() {
    let path = file("support/model.eigs");
    let given = fs::read(&path).unwrap_or_else(|_| {
        assert!(fs::write(&path, model()).is_ok());
        unreachable!("{} was missing. The test has written it: commit it", path.display())
    });
    // The file may come from a version that rounds differently.
    assert_eq!(given.len(), model().len());
    let (ours, theirs) = (directions(&model()), directions(&given));
    let largest = ours.iter().zip(&theirs).map(|(ours, theirs)| (ours - theirs).abs());
    assert!(largest.fold(0.0, f32::max) < 1e-5);
}

fn directions(model: &[u8]) -> Vec<f32> {
    let pca = Pca::decode(&model[Scale::ENCODED_LEN..]);
    pca.map(|pca| pca.components().iter().copied().collect())
        .unwrap_or_default()
}

#[test]
fn the_host_reads_the_model_that_the_chip_printed() {
    let printed = fs::read_to_string(file("exchange.out")).unwrap_or_default();
    let digits: String = printed
        .lines()
        .skip_while(|line| !line.starts_with("the chip's"))
        .skip(1)
        .collect();
    let bytes: Vec<u8> = digits
        .as_bytes()
        .chunks(2)
        .filter_map(|pair| u8::from_str_radix(&String::from_utf8_lossy(pair), 16).ok())
        .collect();
    let pca = Pca::decode(&bytes);
    assert_eq!(pca.as_ref().map(Pca::samples_seen), Ok(1_400));
    // Wear moves channel 5 together with channel 0, so the directions connect these channels.
    let shared = pca.map(|pca| {
        pca.components()
            .column_iter()
            .map(|column| column[0] * column[5])
            .sum::<f32>()
    });
    assert!(shared.is_ok_and(|shared| shared > 0.1));
}
