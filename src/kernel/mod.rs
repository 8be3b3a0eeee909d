//! Kernel methods: learners that find curved structure with a function that compares two samples.
//!
//! - *Features* φ(x): a [`Kernel`] is their inner product, k(x, y) = φ(x)·φ(y). The features themselves are never
//!   computed.
//! - *Point* xᵢ: a stored sample. A [`GramWindow`] stores at most `WINDOW` points, each in a *slot*; a slot can be
//!   unused.
//! - *Gram matrix* K: Kᵢⱼ = k(xᵢ, xⱼ), with the eigenvalues λᵢ, descending.
//! - *Centered*: μ, the mean of the features of the points, is subtracted from all features. Then φ(x), k and K stand
//!   for the centred ones. Uncentered: μ = 0.
//! - *Direction* vᵢ: λᵢ^(−1/2)·Σⱼ uᵢⱼφ(xⱼ), with the eigenvector uᵢ of K.
//! - *Numerical range*: the eigenvalues above 10⁻⁶·λ₁ in `f32` and 10⁻¹¹·λ₁ in `f64`, and above the smallest normal
//!   number. A smaller eigenvalue can be rounding error alone. ε is the machine epsilon.
//!
//! [`OnlineKernelPca`] learns a stream sample by sample. In each trial it draws the directions of the code, each with
//! its *keep probability*; a direction *can be kept* if this is above zero. [`KernelPca`], [`KernelRidge`] and
//! [`KernelMean`] use the points that are in a window at one moment. Directions, fitted functions and means are
//! weighted sums of features, an [`Expansion`]; the search for a [`Preimage`] tries to find a sample whose
//! features are near such a sum.
//!
//! The leading terms of the cost with m = `WINDOW` points, `KEEP` directions in a code and `RANK` stored ones, in
//! kernel calls, multiply-adds and numbers; each sample also needs one k(x, x):
//!
//! | type | equation | a sample | a fit | kept |
//! |---|---|---|---|---|
//! | [`GramWindow`] | K | m calls | | m² + m·(DIM + 1) |
//! | [`OnlineKernelPca`] | \[KW07\] Algorithm 6 | m calls; up to 14·m² from the last directions, else (2/3)·m³ and m² for each direction | | m·(m + 2·RANK + DIM + 2) + 3·RANK + 6 |
//! | [`KernelPca`] | \[KW07\] Algorithm 2, corrected | m calls, KEEP·m | about 28·(m − KEEP)·m² + 12.5·KEEP·(KEEP + 1)·m² operations | m·(DIM + KEEP + 2) + KEEP + 2 |
//! | [`KernelRidge`] | α = (K + ρI)⁻¹y | m calls | m³/2 | m·(DIM + 2) + 1 |
//! | [`KernelMean`] | μ = (1/m)·Σ φ(xᵢ) | m calls | m²/2 | m + 2 |

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
