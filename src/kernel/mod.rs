//! Kernel methods: learners that see more than straight lines, through a function that compares two samples.
//!
//! A [`Kernel`] is the inner product of two samples after a map φ into a space of features that nobody ever computes. Learners
//! that need inner products alone, and those of this crate do, then work on φ(x) as if it were the sample.

pub(crate) mod functions;
mod gram;

pub use crate::centering::Centering;
pub use crate::trial::Trial;
pub use functions::{Cosine, Gaussian, Kernel, Laplacian, Linear, Polynomial};
pub use gram::GramWindow;
