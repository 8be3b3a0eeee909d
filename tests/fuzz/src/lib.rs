//! Hostile input for everything that takes input: what `cargo harness fuzz` runs.
//! An execution is a seed: the same seed makes the same numbers, the same bytes and the same calls on every machine, so that what
//! it finds can be found again. It answers with nothing, or with the promise that was broken; a panic is caught by who runs it.

mod calls;
pub mod dice;
mod flash;
mod images;
mod joins;
#[path = "../../codec/learners.rs"]
mod learners;
mod seal;
mod variance;

use dice::Dice;
use eigenstream::kernel::{Cosine, Gaussian, Linear, OnlineKernelPca, Polynomial};
use eigenstream::monitor::SensorMonitor;
use eigenstream::pca::TrackingPca;
use eigenstream_registry::Subject;
use learners::{DIM, Question, ask_all};
pub use seal::seal;

/// A window of 18 points, two directions kept.
type Wide<T, K> = OnlineKernelPca<T, K, DIM, 2, 18, 8>;

/// Something that is given hostile input.
pub struct Target {
    /// What it is called.
    pub name: String,
    /// One execution.
    pub execute: fn(&mut Dice) -> Result<(), String>,
}

/// Something that reads images: a learner.
pub struct ImageReader {
    /// The name of the learner.
    pub name: String,
    /// Bytes that are nearly an image of it.
    pub hostile: fn(&mut Dice) -> Vec<u8>,
    /// Reads bytes, and checks its promises if it accepts them.
    pub survive: fn(&[u8], &mut Dice) -> Result<(), String>,
}

/// Every learner as a reader of images.
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

/// Every target: each learner's calls, its images, how it is joined with another, and images in flash.
#[must_use]
pub fn targets() -> Vec<Target> {
    let mut collector = Collector::default();
    ask_all(&mut collector);
    // Wide enough that its directions are followed from trial to trial, and not found anew.
    collector.ask::<Wide<f32, Gaussian<f32>>>("online_kernel_wide_f32");
    collector.ask::<Wide<f64, Gaussian<f64>>>("online_kernel_wide_f64");
    // Kernels whose features are as loud as the samples, or know nothing of that.
    collector.ask::<Wide<f32, Linear>>("online_kernel_linear_f32");
    collector.ask::<Wide<f32, Polynomial<f32>>>("online_kernel_polynomial_f32");
    collector.ask::<Wide<f32, Cosine>>("online_kernel_cosine_f32");
    // The slots do not know what they hold: two learners stand for all.
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

/// Nothing, if every number is finite.
fn finite(what: &str, said: &[u64]) -> Result<(), String> {
    match said.iter().position(|&bits| !f64::from_bits(bits).is_finite()) {
        Some(place) => Err(format!("{what} says {} at place {place}", f64::from_bits(said[place]))),
        None => Ok(()),
    }
}
