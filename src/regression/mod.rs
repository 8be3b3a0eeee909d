//! Regression: a number that is predicted from other numbers, sample by sample.
//!
//! [`RecursiveLeastSquares`] is the linear one. Its features may be channels, or the code that [`transform`](crate::pca::BatchPca::transform) makes
//! of many channels: KEEP² numbers are kept then, not DIM². [`KernelRidge`](crate::kernel::KernelRidge) is for relations that are not linear.

mod least_squares;
mod prediction;
mod settings;
mod triangle;

pub use least_squares::RecursiveLeastSquares;
pub use prediction::Prediction;
pub use settings::LeastSquaresSettings;
