//! Online PCA: learners of the main directions of a stream of samples.
//!
//! - sample x: `DIM` numbers, one per channel; its energy is ‖x‖². A trial handles one sample.
//! - direction vᵢ: a unit vector, orthogonal to the other directions of the learner. In each trial a learner keeps
//!   `KEEP` directions, direction vᵢ with the keep probability pᵢ, and drops the others.
//! - code: the coordinates of a sample in the kept directions. Loss: the energy of the rest. Expected loss: ‖x‖² − Σ
//!   pᵢ(vᵢ·x)²; a high value means an unusual sample.
//! - evidence gᵢ = −ln(1 − pᵢ), and drop probability 1 − pᵢ = e^(−gᵢ). The threshold τ is subtracted from all evidence,
//!   so that Σ pᵢ = `KEEP`.
//! - stored directions: at most `RANK`, each with its own vector and evidence. The bulk is all other directions; they
//!   share one evidence.
//! - learning rate η. The scale is the energy by which η is divided: 1, a known bound, or the mean energy so far (a
//!   running scale).
//! - density matrix W = Σ (1 − pᵢ)/(`DIM` − `KEEP`)·vᵢvᵢᵀ, of trace one.
//! - centre m, which is zero, given or learned, and scatter C = Σ (x − m)(x − m)ᵀ.
//! - ε: `EPSILON`, the difference between one and the next larger number. `MAX`: the largest number of the type.
//!
//! Which learner: start with [`TrackingPca`]. [`CenteredPca`] also learns the centre, and can give older samples less
//! weight (forgetting); with [`ReadOut::Leader`] it draws nothing and keeps the directions of largest variance (Follow
//! the Leader). [`DensityPca`] also takes symmetric matrices in place of samples, and can mix in earlier density
//! matrices ([`Share`]). [`Mahalanobis`] measures a distance. [`PairedPca`] learns how two groups of channels vary
//! together. [`Clipped`] protects a learner from huge samples. [`BatchPca`] and [`AdditivePca`] serve for comparison;
//! [`TrackingPca`] and [`CenteredPca`] can start from a [`BatchPca`]. [`AverageDensity`], [`AverageSubspace`] and
//! [`RandomStop`] turn one pass of a learner into one fixed result. [`VarianceMinimizer`] searches for the direction of
//! least variance.
//!
//! `step` is a complete trial. `score` returns the expected loss ([`BatchPca`]: the loss; [`Mahalanobis`],
//! [`PairedPca`]: a distance) and learns nothing. `learn` returns no loss. `transform` returns the code in the most
//! likely directions and draws nothing. `start_from` and `start_from_batch` start from a given model. `merge` combines
//! learners that saw different samples. Equations hold up to rounding. An error leaves the learner unchanged; the
//! channel in an error of `inverse_transform` is the position in the code. In `f32`, from 2²¹ samples on, each new
//! sample slightly reduces the weight of all earlier ones in [`BatchPca`], [`CenteredPca`], [`PairedPca`],
//! [`AverageDensity`] and a running scale.
//!
//! The table gives the usual cost in multiply-adds, and the memory in numbers, without counters. r is the number of
//! stored directions, in [`TrackingPca`] usually `KEEP` or `KEEP` + 1; for [`CenteredPca`] the number of directions
//! with p > 0, at least `KEEP`. Settings are counted for [`AdditivePca`], [`Mahalanobis`], [`PairedPca`] and
//! [`Clipped`] only.
//!
//! | learner | source or equation | cost to learn a sample | memory |
//! |---|---|---|---|
//! | [`TrackingPca`] | \[WK08\] Algorithm 5 | O(DIM·r²) | DIM·RANK + 2·RANK + 4, and the scale |
//! | [`AdditivePca`] | \[WK08\] section 9 | O(DIM·r²) | DIM·RANK + RANK + 8 |
//! | [`CenteredPca`] | \[WK08\] Algorithm 6 | DIM²/2, then about (r + s)·DIM² in s steps, at most eight | 3·DIM² + 9·DIM + 4 |
//! | [`DensityPca`] | \[WK08\] Algorithm 5, equation 20 | (5/3)·DIM³ | 4·DIM² + 6·DIM + 3 |
//! | [`VarianceMinimizer`] | W ∝ exp(−ηΣC), C the matrix of a trial | (5/3)·DIM³ | 3·DIM² + 5·DIM + 1 |
//! | [`BatchPca`] | \[KW07\] Algorithm 1 | DIM²/2; a fit (5/3)·DIM³, and 25·(DIM − KEEP)·DIM² operations | 2·DIM² + DIM·KEEP + 7·DIM + 3 |
//! | [`Mahalanobis`] | xᵀS⁻¹x / DIM, S the shrunk covariance | DIM²/2; DIM³/3 at least every 32 samples | DIM² + 2·DIM + 1 |
//! | [`PairedPca`] | \[WK08\] section 9 | n·m, (KEEP + 1)·(n² + m²)/2 and an SVD, for groups of n and m channels | n·m + 2·n² + 2·m² + n + 2·KEEP + 9 |
//! | [`AverageDensity`] | \[WK08\] section 6.3 | DIM²/2 for each direction and once more | DIM² + 1 |
//! | [`AverageSubspace`] | \[WK08\] section 6.3 | a fit (5/3)·DIM³ | 2·DIM² + 4·DIM + 1 |
//! | [`RandomStop`] | \[WK08\] section 6.3 | about ln N copies of the learner in N samples | the learner + 2 |
//! | [`Clipped`] | y = x·min(1, √(c·m/‖x‖²)), m the mean energy of y, c a constant | the learner and DIM | the learner + 4 |

mod additive;
mod batch;
mod centered;
mod checks;
mod clipped;
mod density;
mod exponentiated_gradient;
mod mahalanobis;
mod moments;
mod online_to_batch;
mod paired;
mod projection;
mod tracking;
mod variance;

pub use crate::weights::share::Share;
pub use additive::{AdditivePca, AdditiveSettings};
pub use batch::BatchPca;
pub use centered::{CenteredPca, CenteredSettings, ReadOut};
pub use clipped::{ClipSettings, Clipped};
pub use density::{DensityPca, DensitySettings};
pub use exponentiated_gradient::exponentiated_gradient;
pub use mahalanobis::{Mahalanobis, MahalanobisSettings};
pub use moments::Center;
pub use online_to_batch::{AverageDensity, AverageSubspace, RandomStop};
pub use paired::{Pair, PairedPca, PairedSettings, PairedTrial};
pub use tracking::{TrackingPca, TrackingSettings};
pub use variance::{VarianceMinimizer, VarianceSettings, VarianceTrial};
