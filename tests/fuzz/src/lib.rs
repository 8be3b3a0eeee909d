//! Fuzz targets for everything that takes input; `cargo harness fuzz` runs them.
//! An execution is one seed: it gives the same numbers, bytes and calls on every machine. It returns the broken
//! promise, if any.

mod calls;
pub mod dice;
mod flash;
mod images;
mod joins;
#[path = "../../codec/learners.rs"]
mod learners;
#[expect(dead_code, reason = "`seal` here accepts any length")]
#[path = "../../support/images.rs"]
mod saved;
mod seal;
mod variance;

use dice::Dice;
use eigenstream::kernel::{Cosine, Gaussian, Linear, OnlineKernelPca, Polynomial};
use eigenstream::monitor::SensorMonitor;
use eigenstream::pca::TrackingPca;
use eigenstream_registry::Subject;
use learners::{DIM, Question, ask_all};
pub use seal::seal;

/// A kernel learner that keeps two directions, with a window of 18 points.
type Wide<T, K> = OnlineKernelPca<T, K, DIM, 2, 18, 8>;

/// A test that makes hostile input and feeds it to a part of the crate.
pub struct Target {
    /// Name in reports.
    pub name: String,
    /// Runs one execution; returns the broken promise, if any.
    pub execute: fn(&mut Dice) -> Result<(), String>,
}

/// A learner, tested as a decoder of saved images.
pub struct ImageReader {
    /// The name of the learner.
    pub name: String,
    /// Makes a damaged image of the learner, or random bytes.
    pub hostile: fn(&mut Dice) -> Vec<u8>,
    /// Decodes bytes and checks the promises.
    pub survive: fn(&[u8], &mut Dice) -> Result<(), String>,
}

/// Every learner, as a decoder of saved images.
#[must_use]
pub fn image_readers() -> Vec<ImageReader> {
    let mut readers = Readers(Vec::new());
    ask_all(&mut readers);
    readers.0
}

struct Readers(Vec<ImageReader>);

impl Question for Readers {
    fn ask<L: Subject<DIM>>(&mut self, name: &str) {
        self.0.push(ImageReader {
            name: name.into(),
            hostile: images::hostile::<L>,
            survive: images::survive::<L>,
        });
    }
}

/// Every target: calls, images and merges of each learner, images in flash, and the posterior variance.
#[must_use]
pub fn targets() -> Vec<Target> {
    let mut collector = Collector::default();
    ask_all(&mut collector);
    // This window is wide enough for Lanczos steps from the last directions.
    collector.ask::<Wide<f32, Gaussian<f32>>>("online_kernel_wide_f32");
    collector.ask::<Wide<f64, Gaussian<f64>>>("online_kernel_wide_f64");
    // With the first two of these kernels the score grows with the length of the sample. With `Cosine` the score does
    // not depend on the length.
    collector.ask::<Wide<f32, Linear>>("online_kernel_linear_f32");
    collector.ask::<Wide<f32, Polynomial<f32>>>("online_kernel_polynomial_f32");
    collector.ask::<Wide<f32, Cosine>>("online_kernel_cosine_f32");
    // The slots treat all learners alike, so two types are enough.
    collector.targets.extend([
        Target {
            name: "flash_tracking_f32".into(),
            execute: flash::execute::<TrackingPca<f32, DIM, 2, DIM>>,
        },
        Target {
            name: "flash_sensor_monitor_f32".into(),
            execute: flash::execute::<SensorMonitor<f32, DIM>>,
        },
        Target {
            name: "posterior_variance_f32".into(),
            execute: variance::execute::<f32>,
        },
        Target {
            name: "posterior_variance_f64".into(),
            execute: variance::execute::<f64>,
        },
    ]);
    collector.targets
}

#[derive(Default)]
struct Collector {
    targets: Vec<Target>,
}

impl Question for Collector {
    fn ask<L: Subject<DIM>>(&mut self, name: &str) {
        self.targets.extend([
            Target {
                name: format!("calls_{name}"),
                execute: calls::execute::<L>,
            },
            Target {
                name: format!("images_{name}"),
                execute: images::execute::<L>,
            },
            Target {
                name: format!("joins_{name}"),
                execute: joins::execute::<L>,
            },
        ]);
    }
}

/// Fails unless every number is finite.
fn finite(what: &str, said: &[u64]) -> Result<(), String> {
    match said.iter().position(|&bits| !f64::from_bits(bits).is_finite()) {
        Some(place) => Err(format!(
            "{what} returns {} at place {place}",
            f64::from_bits(said[place])
        )),
        None => Ok(()),
    }
}
