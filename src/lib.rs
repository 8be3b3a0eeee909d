// The links of the README, defined again for rustdoc: if a link has two definitions, rustdoc uses the first. The path of the
// picture `demo` is relative to target/doc/eigenstream, so that locally built documentation shows the picture. The package does
// not contain pictures.
//! [demo]: ../../../examples/figures/demo.png
//! [guides]: crate::guide
//! [sensor]: crate::guide::sensor
//! [tuning]: crate::guide::tuning
//! [learners]: crate::guide::learners
//! [algorithms]: crate::guide::algorithms
//! [memory]: crate::guide::memory
//! [saving]: crate::guide::saving
//! [board]: crate::guide::board
//! [c]: crate::guide::c
//! [python]: crate::guide::python
//! [researcher]: crate::guide::researcher
//! [ours]: crate::guide::ours
//! [trust]: crate::guide::trust
//! [mathematics]: crate::guide::mathematics
//! [extending]: crate::guide::extending
//! [gallery]: crate::guide::gallery
//!
#![doc = include_str!("../README.md")]
//!
//! # Contents
//! The crate has three layers. Firmware needs only the first one, and finds its main names at the root of the crate.
//!
//! **1. The product**
//!
//! | | |
//! |---|---|
//! | [`SensorMonitor`], [`MonitorSettings`], [`Verdict`] | from a raw sample to an alarm, without a setting |
//! | [`monitor`] | [`Monitor`] around any learner, its settings, its health; [`monitor::stages`] to build another monitor |
//! | `storage` | a learner in flash, safe from power cuts; feature `storage` |
//! | [`codec`] | a learner as bytes, and back: [`Codec`] |
//!
//! ```
//! use eigenstream::{Codec, Health, Learner, Monitor, MonitorSettings, Phase, SensorMonitor, State, Verdict};
//! ```
//!
//! **2. The learners**: types that implement [`Learner`], or that predict a value
//!
//! | | |
//! |---|---|
//! | [`pca`] | directions of a stream: tracking, centered, density, batch, paired; Mahalanobis distance; a clip for outliers |
//! | [`kernel`] | curves and surfaces: online and batch kernel PCA, ridge regression, pre-images |
//! | [`hebbian`] | Oja, GHA and APEX, linear or with a kernel: little memory and time |
//! | [`regression`] | a value from features, with error bars: recursive least squares |
//!
//! **3. The papers**: for researchers, and for building your own learner
//!
//! | | |
//! |---|---|
//! | [`weights`] | probabilities with a fixed sum, capping, sampling, Hedge |
//! | [`spectrum`] | small matrices: eigenvectors, rank-one updates, SVD, Cholesky |
//! | [`bounds`] | learning rates, regret bounds, a regret meter |
//! | in [`pca`] | `AdditivePca`, `VarianceMinimizer`, `AverageDensity`, `AverageSubspace`, `RandomStop` |
//!
//! [`guide`] shows how the pieces are used together; [the mathematics](crate::guide::mathematics) names the file of each algorithm
//! of the papers.
#![no_std]
#![forbid(unsafe_code)]

mod error;
mod learner;
mod logging;
mod scalar;

// The product.
pub mod monitor;

#[cfg(feature = "storage")]
pub mod storage;

pub mod codec;

// The learners.
pub mod pca;

pub mod kernel;

pub mod hebbian;

pub mod regression;

// The papers.
pub mod weights;

pub mod spectrum;

pub mod bounds;

// Only rustdoc compiles the guide, never a firmware build.
#[cfg(doc)]
pub mod guide;

pub use codec::codec::Codec;
pub use error::{
    CodecError, Error, FitError, MatrixError, MergeError, RidgeError, SampleError, SettingsError, WeightsError,
};
pub use learner::energy_scale::{EnergyScale, ScaleSettings};
pub use learner::forgetting::Forgetting;
pub use learner::random::RandomWords;
pub use learner::{Centering, Learner, Trial};
pub use monitor::{Health, Monitor, MonitorSettings, Phase, SensorMonitor, State, Verdict};
pub use scalar::Scalar;

/// The vectors and matrices in the signatures of this crate.
///
/// The signatures use only the types `SVector` and `SMatrix`. Indexing, slices, sums and `zeros()` of `f32` and `f64` work as they
/// are. For `.norm()`, and for a bound `T: RealField` in your generic functions, add `nalgebra` with the feature `libm` to your own
/// `Cargo.toml`.
/// ```
/// use eigenstream::nalgebra::SVector;
/// let vector = SVector::from([3.0_f32, 4.0]) + SVector::zeros();
/// assert_eq!(vector.dot(&vector), 25.0);
/// assert_eq!(vector.as_slice(), &[3.0, 4.0]);
/// ```
pub use nalgebra;
/// The crate of the trait `Rng`, which is in the signatures of this crate.
pub use rand_core;

/// Whether `build.rs` found opt-level `s` or `z`. Then general code, which gives equal bits, replaces special cases that only
/// save time.
pub(crate) const SMALL: bool = cfg!(optimize_for_size);
