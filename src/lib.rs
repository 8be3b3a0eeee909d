// The idea of the crate, in six lines:
// 1. A sample of n channels is compressed to k of n orthogonal directions. The rest of it is the loss.
// 2. Each direction has a score λ: the energy of the samples along it. η is the learning rate.
// 3. One threshold τ turns the score into evidence g = max(0, ηλ − τ), and g into a probability p = 1 − e^(−g) to keep the direction.
// 4. τ is the number for which the n probabilities sum to k (`weights/keeping.rs`).
// 5. In each trial k directions are drawn with these probabilities, so no stream can be prepared against them.
// 6. The expected loss on any stream exceeds that of the best k directions in hindsight by at most a known bound (`bounds`).

// The links of the README, redefined for rustdoc: the first definition of a link counts. The pictures are relative to
// target/doc/eigenstream, so that locally built documentation shows them. They are not in the package.
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
//! | [`weights`] | numbers that sum to something: the rule of the crate (`keeping`), capping, sampling, Hedge, leaders |
//! | [`spectrum`] | small matrices: whole decompositions, singular values, rank-one updates, eigenvectors from last time's |
//! | [`pca`] | linear learners: tracking, centered, density, batch, variance, from online to batch; pairs of two groups; the distance of Mahalanobis |
//! | [`kernel`] | kernels, the Gram window, online and batch kernel PCA, ridge, mean, pre-images |
//! | [`hebbian`] | Oja, GHA and APEX, linear and kernel |
//! | [`regression`] | a value from features, with error bars: recursive least squares |
//! | [`monitor`] | from a raw sample to an alarm: `SensorMonitor`, the default, and `Monitor` around any learner |
//! | [`bounds`] | learning rates, regret bounds, a regret meter |
//! | [`codec`] | a learner as bytes, and back |
//! | `storage` | a learner in flash, safe from power cuts; feature `storage` |
//! | [`guide`] | how the pieces are used together |
//!
//! Below them: `learner` (the [`Learner`] trait and the parts that learners share), `scalar`, `error`, `logging`. Dependencies point one
//! way, from the learners down to the numbers. [The mathematics](crate::guide::mathematics) maps each algorithm of the papers to its file.
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

// Whoever builds firmware does not build this.
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

/// Re-exported, since its vectors and matrices are in our signatures.
pub use nalgebra;
/// Re-exported, since its `Rng` is in our signatures.
pub use rand_core;

/// Whether this is compiled for size, at opt-level `s` or `z`: cases that are written out for speed alone are then left to the
/// general code, which gives the same bits. Asked for by `build.rs`.
pub(crate) const SMALL: bool = cfg!(optimize_for_size);
