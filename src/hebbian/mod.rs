//! Hebbian learners: a cheap way to track the principal components of a stream, O(`DIM`·`KEEP`) per sample without a kernel.
//!
//! A component is a weight vector w. Its output for a sample x is y = w·x. Learning turns w towards the direction of the
//! largest outputs. The rules are those of \[K01\] in corrected form. η is the learning rate, β the deflation factor of GHA (1 by
//! default), and a are the feedback weights of APEX:
//!
//! | learner | components | a step |
//! |---|---|---|
//! | [`Oja`] | one | w ← w + ηy(x − yw) |
//! | [`Gha`] | `KEEP` at the same time | wₚ ← wₚ + ηyₚ(x − β·Σ_{j<p} yⱼwⱼ − yₚwₚ) |
//! | [`Apex`] | one after another | ỹ = w·x + a·y; w ← w + ηỹ(x − ỹw); a ← a − ηỹ(y + ỹa), y the outputs ỹ of finished components |
//! | [`KernelOja`], [`KernelGha`], [`KernelApex`] | as above | on features φ(x): w = Σᵢ Aᵢφ(zᵢ), over a bounded list of points zᵢ |
//!
//! In: samples of `DIM` channels. Out: for each sample its code and the loss of the code, and a learner that has learned the
//! sample.
//!
//! Cost of a trial in multiply-adds, check and loss included, plus a few multiplications for each component (a number that does
//! not depend on DIM):
//! - Oja and GHA: at most 7·DIM·KEEP. Until all components have started: at most 8·DIM·KEEP.
//! - APEX: at most 7·DIM for the loss and the component that learns, 3·DIM for each finished component, DIM for each later
//!   component, and about KEEP² for the feedback.
//! - Each component that must be shortened to the length 4: DIM more.
//!
//! Cost of a trial in kernel values:
//! - Kernel Oja and kernel GHA: k(x, x), and one value for each point. About as many again when an older point is removed.
//! - Kernel APEX: these values for the component that learns. For each finished component: k(x, x), and one value for each of its
//!   points.
//! - With [`Norm::Preserved`], after at most 64 removals: one more value for each pair of points, a point with itself included.
//!
//! Kept: DIM·KEEP numbers, four numbers and two choices for the rate; in GHA also β and two counters, in APEX also KEEP² numbers
//! of feedback and four counters. With kernels POINTS·(DIM + KEEP + 1) + KEEP² + 1 numbers, two counters, two choices and the
//! kernel replace the DIM·KEEP numbers. Kernel APEX stores these for each component, with 1 in place of KEEP.
//!
//! The steps of a trial: check the sample → outputs → code and loss → rate → step. Two learners, [`Parallel`] (Oja and GHA)
//! and [`Chain`] (APEX), work on two representations of a component, [`Vectors`] and [`FeatureVectors`]. So each rule is
//! written once.
//!
//! **The meaning of a score.** score(x) = ‖x − Σ codeₚuₚ‖² is the energy of the difference between the sample and the sample that
//! is rebuilt from the code. uₚ are the components: the weights wₚ, and in APEX wₚ + Σ aⱼuⱼ with the earlier components uⱼ.
//! With kernels φ(x) is in place of x. Kernel APEX computes the score approximately. The score is never negative. Before the
//! first component has started, the score is ‖x‖². If the components are orthonormal, the score is ‖x‖² − Σ codeₚ². Learning
//! brings the components near to orthonormal, usually not exactly. With one component of length ℓ, the part (1 − ℓ²)² of the
//! energy along this component remains in the score.
//!
//! **Stability.** dₚ = x − β·Σ_{j<p} yⱼwⱼ is the input of component p of GHA. In APEX the vector (w, a) learns from the input
//! dₚ = (x, −y), with the outputs y of the finished components. Every step uses a rate η ≤ 2 / max(‖x‖², ‖dₚ‖², yₚ²), even if a
//! larger rate is set. With w′ the weights after the step, Oja's rule then gives ‖w′‖² ≤ 2 − (2 − ‖w‖²)(1 − ηy²)². A component
//! starts with length one. So on vectors the first component has ‖w‖² ≤ 2 (up to rounding) after each step, for any stream and
//! any rate.
//! The later components have no such bound, because their input is not the sample, or their output is corrected by feedback.
//! With kernels, a removed point can make any component longer. So each step limits the length of the weights of a component to
//! 4, and the length of the feedback of APEX too. No rate makes a weight NaN.

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
