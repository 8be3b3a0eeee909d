//! Hebbian learners: the cheapest way to track the principal components of a stream, O(`DIM`·`KEEP`) per sample without a kernel.
//!
//! A component is a weight vector w. Its output for a sample x is y = w·x. Learning turns w towards the direction of the
//! largest outputs. The rules are those of \[K01\] in corrected form, with the learning rate η and, in APEX, the feedback
//! weights a:
//!
//! | learner | components | a step |
//! |---|---|---|
//! | [`Oja`] | one | w ← w + ηy(x − yw) |
//! | [`Gha`] | `KEEP` at the same time | wₚ ← wₚ + ηyₚ(x − β·Σ_{j<p} yⱼwⱼ − yₚwₚ); β = 1, or 2 for gradient ascent |
//! | [`Apex`] | one after another | ỹ = w·x + a·y; w ← w + ηỹ(x − ỹw); a ← a − ηỹ(y + ỹa), y the outputs ỹ of finished components |
//! | [`KernelOja`], [`KernelGha`], [`KernelApex`] | as above | on features φ(x): w = Σᵢ Aᵢφ(zᵢ), over a bounded list of points zᵢ |
//!
//! In: samples of `DIM` channels. Out: for each sample its code and the loss of the code, and a learner that has learned the
//! sample. Cost of a trial in multiply-adds, check and loss included: at most 7·DIM·KEEP for Oja and GHA, at most 8·DIM·KEEP
//! until all components have started; for APEX at most 7·DIM for the loss and the component that learns, 3·DIM for each finished
//! component, DIM for each later component, and about KEEP² for the feedback. A component that must be shortened to the length 4
//! takes DIM more. Six or fewer for each component are not counted. With kernels: k(x, x) and one kernel value per point (in
//! kernel APEX for each finished component and for the component that learns), about as many again when an older point is
//! removed, and, with [`Norm::Preserved`], one for each pair of points after at most 64 removals. Kept: DIM·KEEP numbers, four
//! numbers and two choices for the rate; in GHA also β and two counters, in APEX KEEP² numbers of feedback and four counters.
//! With kernels the DIM·KEEP numbers become POINTS·(DIM + KEEP + 1) + KEEP² + 1 numbers, two counters, two choices and the
//! kernel. Kernel APEX stores these for each component, with 1 in place of KEEP.
//!
//! The steps of a trial: check the sample → outputs → code and loss → rate → step. Two learners, [`Parallel`] (Oja and GHA)
//! and [`Chain`] (APEX), work on two representations of a component, [`Vectors`] and [`FeatureVectors`]. So each rule is
//! written once.
//!
//! **The meaning of a score.** score(x) = ‖x − Σ codeₚwₚ‖² is the energy of the difference between the sample and the sample that
//! is rebuilt from the code. APEX has w + Σ aⱼuⱼ in place of w, with the earlier components uⱼ. With kernels φ(x) is in place of
//! x. Kernel APEX computes the score approximately. The score is never negative. The score is ‖x‖² − Σ yₚ² if the weights are
//! orthonormal, and ‖x‖² before the first component has started. The weights are orthonormal only in the limit: with one
//! component of length ℓ, (1 − ℓ²)² of the energy along this component remains in the score.
//!
//! **Stability.** Every step uses a rate η ≤ 2 / max(‖x‖², ‖dₚ‖², yₚ²), even if a larger rate is set.
//! dₚ = x − β·Σ_{j<p} yⱼwⱼ is the input of component p. In `Apex` the input is (x, −y): w learns from x, a from −y. With w′
//! the weights after the step, Oja's rule then gives ‖w′‖² ≤ 2 − (2 − ‖w‖²)(1 − ηy²)². So the first component has ‖w‖² ≤ 2 after
//! each step, for any stream and any rate, because a component starts with length one. The later components have no such bound,
//! because their input is not the sample, or their output is corrected by feedback. So the length of the weights of each
//! component is limited to 4, and the length of the feedback of `Apex` too. No rate makes a weight NaN.

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
