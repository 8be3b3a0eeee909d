//! Kernel methods: learners that find curved structure. They use a function that compares two samples.
//!
//! A [`Kernel`] k(x, y) is the inner product φ(x)·φ(y) of the features of two samples x and y. The map φ leads into a space of
//! features and is never computed. All kernel learners of this crate need only inner products, so they can work on φ(x) as a
//! linear learner works on x.
//!
//! A [`GramWindow`] stores the newest samples and the kernel value of each pair. [`OnlineKernelPca`] is \[KW07\] Algorithm 6 on
//! such a window: kernel PCA that learns a stream sample by sample, in constant memory.
//!
//! For a window that no longer changes: [`KernelPca`] fits directions and can be stored as constants ([`FittedKernelPca`]).
//! [`KernelRidge`] fits a function. [`KernelMean`] detects outliers without a fit. Each result is a weighted sum over the points,
//! an [`Expansion`]. A [`Preimage`] is the sample whose features are nearest to such a sum; the Gaussian, the polynomial and the
//! linear kernel can compute a pre-image.
//!
//! In: samples of `DIM` channels and a kernel. Out: how unusual a sample is, its code, its predicted value, or the denoised
//! sample.
//! Cost, in calls of the kernel, multiply-adds and numbers:
//!
//! | type | equation | a sample | a fit | kept |
//! |---|---|---|---|---|
//! | [`GramWindow`] | Kᵢⱼ = k(xᵢ, xⱼ) | WINDOW calls | | WINDOW² + WINDOW·(DIM + 1) |
//! | [`OnlineKernelPca`] | \[KW07\] Algorithm 6 | WINDOW calls; 1.5·WINDOW² + 4·WINDOW·RANK² by [`Refresh::Fast`] | | WINDOW·(WINDOW + 2·RANK + DIM + 2) + 3·RANK + 7 |
//! | [`KernelPca`] | \[KW07\] Algorithm 2, corrected | WINDOW calls, KEEP·WINDOW | (2/3)·WINDOW³ | WINDOW·(DIM + KEEP + 2) + KEEP + 2 |
//! | [`KernelRidge`] | α = (K + ρI)⁻¹y | WINDOW calls | WINDOW³/6, about 60·WINDOW² | WINDOW·(DIM + 2) + 1 |
//! | [`KernelMean`] | μ = (1/m)·Σ φ(xᵢ) | m calls | m²/2 | WINDOW + 2 |
//!
//! xᵢ: the m points of the window. K: their Gram matrix. y: the values to predict. ρ: the weight of smoothness.

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
