#![doc = include_str!("../README.md")]
//!
//! # The layout of the source
//! ```text
//! scalar   error   learner   logging      the number type, every way to say no, what a learner is, the one file that logs
//! trial   centering   scale   forgetting  what a learner reports, where its directions start, how it measures and lets go
//! codec/     checksum, header, stored, sound, image          how a learner becomes bytes, and what bytes have to be to become one
//! weights/   softmin → threshold, capping → corners, sampling → hedge, subset experts, leaders
//! spectrum/  tridiagonal → values, leading → inverse iteration = partial, reduced → eigen, krylov;   secular → rank one;
//!            functions, orthogonality, complement, symmetric, cholesky, doubled → sharpen
//! pca/       evidence → tracking;   dense evidence, share → density;   moments → batch, centered;   draw, variance, average,
//!            exponentiated gradient
//! kernel/    functions → gram window → ambient, directions, ritz → online;   gram eigen → batch, parts;   points → expansion, preimage → mean;   ridge
//! hebbian/   rate, stability → vectors, feature vectors (inner products, eviction, explain) → parallel (Oja, GHA), chain → apex
//! monitor/   counts, missing → standardizer → lags → (any learner) → score → median, mean → quantile, threshold → decision
//! bounds                                  how much a learner can lose at most
//! ```
//! Dependencies point one way, from the learners down to the numbers; a stage never calls its neighbour.
#![no_std]
#![forbid(unsafe_code)]

mod centering;
mod error;
mod forgetting;
mod learner;
mod logging;
mod scalar;
mod scale;
mod trial;

pub mod codec;

pub mod weights;

pub mod spectrum;

pub mod pca;

pub mod kernel;

pub mod hebbian;

pub mod monitor;

pub mod bounds;

pub use codec::Codec;
pub use error::{CodecError, MatrixError, PartsError, RidgeError, SampleError, SettingsError, WeightsError};
pub use learner::Learner;
pub use scalar::Scalar;

/// Re-exported, since its vectors and matrices are in our signatures.
pub use nalgebra;
/// Re-exported, since its `Rng` is in our signatures.
pub use rand_core;
