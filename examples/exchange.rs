//! A model travels. The graph is fitted on the host → image in the program → learner on the chip → learns on → image back.
//!
//! The host has seen a machine with its six sensors for a while, and what it learned is part of this program: a standardizer and a
//! batch PCA, as the bytes that `Codec::encode` made of them. The chip scores with them from the first sample on, learns its own
//! machine on top, and prints its model for the host, which reads it with `cargo harness inspect`.
#![cfg_attr(target_os = "none", no_std, no_main)]

mod support;

use eigenstream::monitor::Standardizer;
use eigenstream::pca::BatchPca;
use eigenstream::rand_core::SeedableRng;
use eigenstream::{Codec, Scalar};
use rand_xoshiro::Xoshiro128PlusPlus;
use support::{Exact, Outcome, say};

support::entry!(exchange);

type Scale = Standardizer<f32, 6>;
type Pca = BatchPca<f32, 6, 2>;

/// The knowledge of the host: the image of the scale, then that of the directions.
static MODEL: &[u8] = include_bytes!("support/model.eigs");

fn exchange() -> Outcome {
    let scale = Scale::decode(MODEL)?;
    let mut pca = Pca::decode(MODEL.get(Scale::ENCODED_LEN..).unwrap_or_default())?;
    say!("the host has learned from {} samples", pca.samples_seen());

    let mut rng = Xoshiro128PlusPlus::seed_from_u64(8);
    let normal = scale.standardize(&sample(&mut rng, 0.0))?;
    let worn = scale.standardize(&sample(&mut rng, 0.5))?;
    say!("score of a normal sample   {}", Exact(pca.score(&normal)?));
    say!("score of this machine      {}", Exact(pca.score(&worn)?));

    // This machine is worn in another way than the host's, and that is normal here.
    for _ in 0..400 {
        pca.learn(&scale.standardize(&sample(&mut rng, 0.5))?)?;
    }
    let _ = pca.fit();
    say!("the same after 400 samples {}", Exact(pca.score(&worn)?));

    let mut image = [0; Pca::ENCODED_LEN];
    pca.encode(&mut image)?;
    say!("the chip's model, {} bytes:", image.len());
    for line in image.chunks(32) {
        say!("{}", Hex(line));
    }
    Ok(())
}

/// Two movements seen by six sensors; wear lets the last sensor follow the first.
fn sample(rng: &mut Xoshiro128PlusPlus, wear: f32) -> [f32; 6] {
    let mut swing = || f32::uniform(rng) - 0.5;
    let (a, b) = (swing(), swing());
    [
        20.0 + a,
        5.0 - 2.0 * b,
        a + b,
        100.0 + 8.0 * (a - b),
        0.1 * swing(),
        1.0 + 0.1 * swing() + wear * a,
    ]
}

/// Bytes, two digits each.
struct Hex<'bytes>(&'bytes [u8]);

impl core::fmt::Display for Hex<'_> {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}
