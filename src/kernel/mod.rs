//! Kernel methods: learners that find curved structure. They use a function that compares two samples.
//!
//! A [`Kernel`] k(x, y) is the inner product φ(x)·φ(y) of the features of two samples x and y. The features φ(x) themselves are
//! never computed. All kernel learners of this crate need only inner products, so they can work on φ(x) as a linear learner works
//! on x.
//!
//! A [`GramWindow`] stores the newest samples and the kernel value of each pair. [`OnlineKernelPca`] is \[KW07\] Algorithm 6 on
//! such a window: kernel PCA that learns a stream sample by sample, in constant memory.
//!
//! Three learners use the points that are in a window at one moment. [`KernelPca`] fits directions, which can be stored as
//! constants ([`FittedKernelPca`]). [`KernelRidge`] fits a function. [`KernelMean`] detects outliers by their distance from the
//! mean. Each direction, fitted function and mean is a weighted sum of the features of the points; an [`Expansion`] is such a
//! sum. The search for a [`Preimage`] looks for the sample whose features are nearest to such a sum. The crate has this search
//! for the Gaussian, the polynomial and the linear kernel.
//!
//! In: samples of `DIM` channels and a kernel. Out: how unusual a sample is, its code, its predicted value, or the denoised
//! sample.
//! Cost with a full window, in calls of the kernel, operations (a multiply-add counts as one) and numbers; each sample also needs
//! one k(x, x):
//!
//! | type | equation | a sample | a fit | kept |
//! |---|---|---|---|---|
//! | [`GramWindow`] | Kᵢⱼ = k(xᵢ, xⱼ) | WINDOW calls | | WINDOW² + WINDOW·(DIM + 1) |
//! | [`OnlineKernelPca`] | \[KW07\] Algorithm 6 | WINDOW calls; about 10·WINDOW² to (2/3)·WINDOW³ | | WINDOW·(WINDOW + 2·RANK + DIM + 2) + 3·RANK + 6 |
//! | [`KernelPca`] | \[KW07\] Algorithm 2, corrected | WINDOW calls, KEEP·WINDOW | about 26·(WINDOW − KEEP)·WINDOW² + 12.5·KEEP·(KEEP + 1)·WINDOW² | WINDOW·(DIM + KEEP + 2) + KEEP + 2 |
//! | [`KernelRidge`] | α = (K + ρI)⁻¹y | WINDOW calls | WINDOW³/2 + about 60·WINDOW² | WINDOW·(DIM + 2) + 1 |
//! | [`KernelMean`] | μ = (1/m)·Σ φ(xᵢ) | m calls | WINDOW²/2 | WINDOW + 2 |
//!
//! xᵢ: the m points of the window. K: their Gram matrix. α: the coefficients of the fitted function. In the row of the ridge,
//! y: the targets, one for each point. ρ: the weight of smoothness. μ: the mean of the features.

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
pub use online::{Ambient, Intake, OnlineKernelPca, OnlineKernelSettings};
pub use preimage::{Ending, Preimage, PreimageKernel, PreimageSettings};
pub use ridge::{KernelRidge, RidgeSettings};
