//! Kernel methods: learners that see more than straight lines, through a function that compares two samples.
//!
//! A [`Kernel`] is the inner product of two samples after a map φ into a space of features that is never computed. Learners
//! that need inner products alone, and those of this crate do, then work on φ(x) as if it were the sample.
//!
//! A [`GramWindow`] holds the newest samples and how each compares with each; [`OnlineKernelPca`] is \[KW07\] Algorithm 6 on it,
//! kernel PCA that learns a stream sample by sample in memory that does not grow.
//!
//! For a window that stands still: [`KernelPca`] fits its directions and travels as constants ([`FittedKernelPca`]), [`KernelRidge`]
//! fits a function, [`KernelMean`] tells outliers with nothing to fit. Whatever they find is a sum over points, an
//! [`Expansion`], and with the Gaussian kernel there is a way back to a sample: the [`Preimage`].
//!
//! In: samples of `DIM` channels and a kernel. Out: how unusual a sample is, its code, its value, or the sample without its noise.
//! Cost, in calls of the kernel, multiply-adds and numbers:
//!
//! | type | equation | a sample | a fit | kept |
//! |---|---|---|---|---|
//! | [`GramWindow`] | Kᵢⱼ = k(xᵢ, xⱼ) | WINDOW calls | | WINDOW² + WINDOW·(DIM + 1) |
//! | [`OnlineKernelPca`] | \[KW07\] Algorithm 6 | WINDOW calls; 1.5·WINDOW² + 4·WINDOW·RANK² by [`Refresh::Fast`] | | WINDOW·(WINDOW + 2·RANK + DIM + 2) + 3·RANK + 8 |
//! | [`KernelPca`] | \[KW07\] Algorithm 2, corrected | WINDOW calls, KEEP·WINDOW | (2/3)·WINDOW³ | WINDOW·(DIM + KEEP + 2) + KEEP + 2 |
//! | [`KernelRidge`] | α = (K + ρI)⁻¹y | WINDOW calls | WINDOW³/6, about 60·WINDOW² | WINDOW·(DIM + 2) + 1 |
//! | [`KernelMean`] | μ = (1/m)·Σ φ(xᵢ) | m calls | m²/2 | WINDOW + 2 |

mod batch;
mod cholesky_coordinates;
mod expansion;
mod fitted;
pub(crate) mod functions;
mod gram;
mod gram_eigen;
mod mean;
mod online;
mod points;
mod preimage;
mod ridge;

pub use batch::KernelPca;
pub use cholesky_coordinates::cholesky_coordinates;
pub use expansion::Expansion;
pub use fitted::FittedKernelPca;
pub use functions::{Cosine, Gaussian, Kernel, Laplacian, Linear, Polynomial};
pub use gram::GramWindow;
pub use gram_eigen::GramEigen;
pub use mean::KernelMean;
pub use online::{Ambient, Intake, OnlineKernelPca, OnlineKernelSettings, Refresh};
pub use preimage::{Ending, Preimage, PreimageKernel, PreimageSettings};
pub use ridge::{KernelRidge, RidgeSettings};
