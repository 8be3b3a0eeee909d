//! Hebbian learners: a cheap way to track the principal components of a stream, O(`DIM`·`KEEP`) per sample without a
//! kernel.
//!
//! Words: x = a sample; η = the learning rate of a step; component p = a weight vector wₚ, with a kernel Σᵢ Aₚᵢφ(zᵢ)
//! over a bounded list of points zᵢ with coefficients A; output yₚ = wₚ·x; code = the outputs, in APEX corrected by
//! feedback (ỹ); input dₚ = the vector from which component p learns; drive = the output that a step uses; share =
//! β·drive, with which a component is removed from the inputs of the later ones; gain = ηy and decay = 1 − ηy² = the
//! factors of a step w ← decay·w + gain·d; β = deflation factor; a = feedback weights; u = component of APEX, w + Σ
//! aⱼuⱼ; contribution of a point = maxₚ |Aₚ|·√k(z, z). With a kernel k, x stands for its features φ(x) (see `kernel`).
//!
//! Learning turns w towards the direction of the largest outputs, with the rules of \[K01\] in corrected form:
//!
//! learner | components | a step |
//! |---|---|---|
//! [`Oja`] | one | w ← w + ηy(x − yw) |
//! [`Gha`] | `KEEP` at the same time | wₚ ← wₚ + ηyₚ(x − β·Σ_{j<p} yⱼwⱼ − yₚwₚ) |
//! [`Apex`] | one after another | ỹ = w·x + a·y; w ← w + ηỹ(x − ỹw); a ← a − ηỹ(y + ỹa), y = code of the finished components |
//! [`KernelOja`], [`KernelGha`], [`KernelApex`] | as above | the same steps on weighted sums over points |
//!
//! In: samples of `DIM` channels. Out: for each sample its code and the loss ‖x − Σ codeₚuₚ‖², the score. The loss is
//! never negative; in `KernelApex` it is approximate. Cost of a trial in multiply-adds, about: Oja and GHA 7·DIM·KEEP,
//! 8·DIM·KEEP until all components have started; APEX 7·DIM for the component that learns, 3·DIM for each finished one,
//! DIM for each later one, KEEP² for feedback. Cost in kernel values: k(x, x) and one for each point, in APEX for each
//! component up to the one that learns; POINTS + 1 more when an older point is removed. With [`Norm::Preserved`],
//! after at most 64 removals also one for each pair of points. Kept: DIM·KEEP numbers and the rate; APEX also KEEP²
//! numbers of feedback. With kernels POINTS·(DIM + KEEP + 1) + KEEP² + 1 numbers instead of DIM·KEEP; in `KernelApex`
//! POINTS·(DIM + 2) + 2 numbers for each component.
//!
//! [`Parallel`] (Oja and GHA) and [`Chain`] (APEX) work on two representations, [`Vectors`] and [`FeatureVectors`], so
//! each rule is written once. A step limits η to 2 / max(‖x‖², ‖dₚ‖², yₚ²) and a component to the length 4: no rate
//! makes a weight NaN. Proofs: `guide::mathematics`, "Proofs: `hebbian`".

mod apex;
mod feature_vectors;
mod gha;
mod rate;
mod representation;
mod settings;
mod stability;
mod vectors;

pub use apex::{Apex, Chain, KernelApex};
pub use feature_vectors::FeatureVectors;
pub use gha::{Gha, KernelGha, KernelOja, Oja, Parallel};
pub use rate::RateSettings;
pub use representation::Response;
pub use settings::{ApexSettings, Deflation, Eviction, GhaSettings, Norm, PointBudget};
pub use vectors::Vectors;
