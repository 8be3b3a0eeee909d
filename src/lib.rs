// What the README points to in the repository is here part of the documentation: the first definition of a link counts.
#![cfg_attr(doc, doc = concat!("[demo]: data:image/png;base64,", include_str!("guide/pictures/demo.txt"), "\n"))]
#![cfg_attr(doc, doc = concat!("[figure4]: data:image/png;base64,", include_str!("guide/pictures/figure4.txt"), "\n"))]
#![cfg_attr(doc, doc = concat!("[figure6]: data:image/png;base64,", include_str!("guide/pictures/figure6.txt"), "\n"))]
//! [guides]: crate::guide
//! [sensor]: crate::guide::sensor
//! [tuning]: crate::guide::tuning
//! [memory]: crate::guide::memory
//! [saving]: crate::guide::saving
//! [mathematics]: crate::guide::mathematics
//! [extending]: crate::guide::extending
//! [gallery]: crate::guide::gallery
//!
#![doc = include_str!("../README.md")]
//!
//! # The layout of the source
//! ```text
//! scalar (root)   error   learner   logging  the number type, every way to say no, what a learner is, the one file that logs
//! trial   centering   scale   forgetting  what a learner reports, where its directions start, how it measures and lets go
//! codec/     checksum, header, stored, sound, image          how a learner becomes bytes, and what bytes have to be to become one
//! weights/   softmin → threshold, capping → corners, sampling → hedge, subset experts, leaders
//! spectrum/  tridiagonal → values, leading → inverse iteration = partial, reduced → eigen;   secular → eigenvectors → deflation → rank
//!            one;   arrow → pursuit (after a sample), krylov (after any change), combine;   doubled → sharpen;
//!            functions, orthogonality, complement, symmetric, cholesky
//! pca/       view → evidence → rotation = tracking;   dense evidence, share → density;   moments → batch, centered (reading);   draw,
//!            variance, average, exponentiated gradient
//! kernel/    functions → gram window, gram matrix → ambient, directions, exact, ritz → online;   gram eigen → batch, parts;   points → expansion, preimage → mean;   ridge
//! hebbian/   rate, stability → vectors, feature vectors (inner products, eviction, explain) → parallel (Oja, GHA), chain → apex
//! monitor/   counts, missing → standardizer → lags → (any learner) → score → median, mean → quantile, threshold → decision = observe
//! bounds                                  how much a learner can lose at most
//! guide/     how the pieces are used together, in words: documentation only
//! ```
//! Dependencies point one way, from the learners down to the numbers; a stage never calls its neighbour.
#![no_std]
#![forbid(unsafe_code)]

mod centering;
mod error;
mod forgetting;
mod learner;
mod logging;
mod root;
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

// Whoever builds firmware does not build this.
#[cfg(doc)]
pub mod guide;

pub use codec::Codec;
pub use error::{CodecError, Error, MatrixError, PartsError, RidgeError, SampleError, SettingsError, WeightsError};
pub use learner::Learner;
pub use scalar::Scalar;

/// Re-exported, since its vectors and matrices are in our signatures.
pub use nalgebra;
/// Re-exported, since its `Rng` is in our signatures.
pub use rand_core;

/// Whether this is compiled for size, at opt-level `s` or `z`: cases that are written out for speed alone are then left to the
/// general code, which gives the same bits. Asked for by `build.rs`.
pub(crate) const SMALL: bool = cfg!(optimize_for_size);
