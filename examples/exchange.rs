//! Moves a model from the host to the chip and back. The graph is fitted on the host → image in the program → learner on the
//! chip → learns on → image back.
//!
//! The host has fitted a standardizer and a batch PCA to a machine with six sensors. Their images are part of this program. The
//! chip scores with this model from the first sample on, continues to learn on its own machine, and prints its model. The host
//! reads it with `cargo harness inspect`.
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

/// The model of the host: the image of the standardizer, then the image of the PCA.
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

    // This machine has wear that the host did not see. Here it is normal.
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

/// Two movements, seen by six sensors. With wear, the last sensor also follows the first movement.
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

struct Hex<'bytes>(&'bytes [u8]);

impl core::fmt::Display for Hex<'_> {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}
