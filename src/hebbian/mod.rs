//! Hebbian learners: the cheapest way to follow the principal components of a stream, O(`DIM`·`KEEP`) a sample.
//!
//! A component is a weight vector w; its output for a sample is y = w·x, and what it has learned is what makes its output
//! large. \[K01\] in corrected form:
//!
//! | learner | components | a step |
//! |---|---|---|
//! | [`Oja`] | one | w ← w + ηy(x − yw) |
//! | [`Gha`] | `KEEP` at once | wₚ ← wₚ + ηyₚ(x − β·Σ_{j<p} yⱼwⱼ − yₚwₚ); β = 1, or 2 for gradient ascent |
//! | [`Apex`] | one after another | ỹ = w·x + a·y; w ← w + ηỹ(x − ỹw); a ← a − ηỹ(y + ỹa), y the outputs of finished components |
//! | [`KernelOja`], [`KernelGha`], [`KernelApex`] | the same | on features φ(x): w = Σᵢ Aᵢφ(zᵢ), over a bounded list of points |
//!
//! In: samples of `DIM` channels. Out: for each, its code and what that loses, and a learner that has seen it. Cost of a trial, loss
//! included: 7·DIM·KEEP multiply-adds for Oja and GHA; for APEX 5·DIM for the component that learns and 2·DIM for each finished
//! one; with kernels a call of the kernel a point, as many again when one goes, and all pairs about every 64th trial. Kept:
//! DIM·KEEP numbers, five for the rate and a counter, KEEP² more for APEX; with kernels POINTS·(DIM + KEEP + 1) + KEEP² numbers, for
//! APEX a list of points for each component.
//!
//! A trial goes one way: check the sample → outputs → code and loss → rate → step. Two learners, [`Parallel`] (Oja and GHA)
//! and [`Chain`] (APEX), work on two representations of a component, [`Vectors`] and [`FeatureVectors`]; nothing is written twice.
//!
//! **The meaning of a score.** score(x) = ‖x − Σ codeₚwₚ‖², the energy that is left when the sample is rebuilt from its code: never
//! negative, ‖x‖² − Σ yₚ² where the weights are orthonormal, ‖x‖² as long as nothing is known. The weights are orthonormal
//! only in the limit: a component that has length ℓ leaves (1 − ℓ²)² of its own energy in the score.
//!
//! **Stability.** Whatever rate is asked for, a step is taken with η ≤ 2 / max(‖x‖², ‖dₚ‖², yₚ²), where dₚ = x − β·Σ_{j<p} yⱼwⱼ is
//! what the component learns from (in `Apex` (x, −y), what w and a learn from). Oja then obeys ‖w′‖² ≤ 2 − (2 − ‖w‖²)(1 − ηy²)²
//! ≤ 2 for any stream and any rate. Later components learn from what others leave, which has no such bound: none gets longer
//! than 4, nor the feedback of `Apex`. No rate gives NaN.

mod apex;
mod feature_vectors;
mod gha;
mod point_budget;
mod rate;
mod representation;
mod settings;
mod stability;
mod vectors;

pub use apex::{Apex, Chain, KernelApex};
pub use feature_vectors::FeatureVectors;
pub use gha::{Gha, KernelGha, KernelOja, Oja, Parallel};
pub use point_budget::{Eviction, Norm, PointBudget};
pub use rate::RateSettings;
pub use representation::Response;
pub use settings::{ApexSettings, Deflation, GhaSettings};
pub use vectors::Vectors;
