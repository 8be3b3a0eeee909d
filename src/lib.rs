// The idea of the crate, in six points:
// 1. A sample of n channels is projected to k of n orthogonal directions. The loss is the squared distance to the projection.
// 2. Each direction v has a score λ, the sum of (v·x)² over all samples x so far. η is the learning rate.
// 3. A threshold τ gives the evidence g = max(0, ηλ − τ). A direction is kept with the probability p = 1 − e^(−g).
// 4. τ is the number for which the n probabilities sum to k (`weights/keeping.rs`).
// 5. In each trial k directions are drawn with these probabilities, at random: the maker of the stream cannot know the draw.
// 6. If no sample is longer than a known length, then on any stream the expected total loss exceeds the total loss of the best k
//    fixed directions by at most a known bound (`bounds`).

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
//! | module | holds |
//! |---|---|
//! | [`weights`] | weights and probabilities with a fixed sum: the rule of the crate (`keeping`), capping, sampling, Hedge |
//! | [`spectrum`] | small matrices: eigenvalues, eigenvectors (also updated from earlier ones), rank-one updates, SVD, Cholesky |
//! | [`pca`] | linear learners: tracking, centered, density, additive, batch, variance, online to batch, paired; Mahalanobis; a clip for outliers |
//! | [`kernel`] | kernels, the Gram window, online and batch kernel PCA, ridge, mean, weighted sums of points, pre-images |
//! | [`hebbian`] | Oja, GHA and APEX, linear and kernel |
//! | [`regression`] | a value from features, with error bars: recursive least squares |
//! | [`monitor`] | from a raw sample to an alarm: `SensorMonitor`, the default, and `Monitor` around any learner |
//! | [`bounds`] | learning rates, regret bounds, a regret meter |
//! | [`codec`] | a learner as bytes, and back |
//! | `storage` | a learner in flash, safe from power cuts; feature `storage` |
//! | [`guide`] | how the pieces are used together |
//!
//! Private modules: `learner` (the [`Learner`] trait and the common parts of the learners), `scalar`, `error` and `logging`.
//! The learners use `weights` and `spectrum`. These two use no learner; `weights` uses some common parts of `learner`. [The
//! mathematics](crate::guide::mathematics) names the file of each algorithm of the papers.
#![no_std]
#![forbid(unsafe_code)]

mod error;
mod learner;
mod logging;
mod scalar;

pub mod codec;

pub mod weights;

pub mod spectrum;

pub mod pca;

pub mod kernel;

pub mod hebbian;

pub mod monitor;

pub mod regression;

pub mod bounds;

#[cfg(feature = "storage")]
pub mod storage;

// Only rustdoc compiles the guide, never a firmware build.
#[cfg(doc)]
pub mod guide;

pub use codec::codec::Codec;
pub use error::{
    CodecError, Error, FitError, MatrixError, MergeError, RidgeError, SampleError, SettingsError, WeightsError,
};
pub use learner::Learner;
pub use learner::centering::Centering;
pub use learner::energy_scale::{EnergyScale, ScaleSettings};
pub use learner::forgetting::Forgetting;
pub use learner::random::RandomWords;
pub use learner::trial::Trial;
pub use scalar::Scalar;

/// Re-exported because the signatures of this crate use the vectors and matrices of `nalgebra`.
pub use nalgebra;
/// Re-exported because the signatures of this crate use the `Rng` of `rand_core`.
pub use rand_core;

/// Whether the crate is compiled for size, at opt-level `s` or `z`. If it is, general code runs instead of the special cases that
/// exist only for speed. The results are equal, bit for bit. `build.rs` sets `optimize_for_size`.
pub(crate) const SMALL: bool = cfg!(optimize_for_size);
