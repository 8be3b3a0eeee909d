//! Regression: predicts a number from other numbers, sample by sample.
//!
//! [`RecursiveLeastSquares`] is linear; [`KernelRidge`](crate::kernel::KernelRidge) is for relations that are not. The
//! features can be channels, or the code that [`transform`](crate::pca::BatchPca::transform) computes from channels:
//! with KEEP features the regression stores KEEP² + 3·KEEP + 7 numbers.
//!
//! Symbols: x = features; y = value; w = regression weights; f = forgetting factor; ρ = ridge; W = the sum of the
//! weights of the samples; W₂ = the sum of the squares of these weights; U, q, e = the triangle: a matrix, a vector and
//! a number that store the sums of squares. Without forgetting, w minimises Σ (error)² + ρ‖w‖².

mod least_squares;
mod settings;
mod triangle;

pub use least_squares::{Prediction, RecursiveLeastSquares};
pub use settings::LeastSquaresSettings;
