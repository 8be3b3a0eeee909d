//! Streaming PCA and kernel PCA that learns on the microcontroller.
#![no_std]
#![forbid(unsafe_code)]

mod error;
mod learner;
mod scalar;

pub mod bounds;
pub mod pca;
pub mod spectrum;
pub mod weights;

pub use error::{MatrixError, SampleError, SettingsError, WeightsError};
pub use learner::Learner;
pub use scalar::Scalar;

/// Re-exported, since its vectors and matrices are in our signatures.
pub use nalgebra;
/// Re-exported, since its `Rng` is in our signatures.
pub use rand_core;
