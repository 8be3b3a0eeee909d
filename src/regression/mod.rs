//! Regression: predicts a number from other numbers, sample by sample.
//!
//! [`RecursiveLeastSquares`] is linear. The features can be channels, or the code that
//! [`transform`](crate::pca::BatchPca::transform) computes from DIM channels. With a code of KEEP numbers the regression stores
//! about KEEP² numbers, with the channels about DIM². [`KernelRidge`](crate::kernel::KernelRidge) is for relations that are not
//! linear.

mod least_squares;
mod prediction;
mod settings;
mod triangle;

pub use least_squares::RecursiveLeastSquares;
pub use prediction::Prediction;
pub use settings::LeastSquaresSettings;
