//! Online PCA: most of these learners keep a few directions of a stream of samples and adapt them when the stream changes.
//!
//! [`TrackingPca`] is \[WK08\] Algorithm 5. The steps of its trial: check the sample → split the sample into the parts inside and
//! outside the stored directions → draw the directions to keep → compute code and losses → learn. A direction with the evidence g
//! is kept with probability p = 1 − e⁻ᵍ. [`TrackingPca`] stores a few directions with their evidence, and one common evidence of
//! all other directions. So a trial usually costs O(DIM·KEEP²) and not O(DIM³). [`DensityPca`] is Algorithm 5 on the full density
//! matrix. Use [`DensityPca`] for symmetric matrices in place of samples, for a start from a density matrix, and for mixing with
//! earlier density matrices ([`Share`]).
//!
//! [`CenteredPca`] is \[WK08\] Algorithm 6: it also learns the centre. In addition it can forget. With [`ReadOut::Leader`] and
//! without forgetting, [`CenteredPca`] is Follow the Leader; with [`ReadOut::Leader`] and forgetting, it is the usual
//! exponentially weighted tracker. [`BatchPca`] computes the directions of all samples at once, as the baseline.
//! [`VarianceMinimizer`] searches for the direction of least variance. [`Mahalanobis`] measures the distance of a sample from
//! zero in units of the usual spread. [`AverageDensity`] averages the predictions of a learner over one pass to one density
//! matrix, and [`AverageSubspace`] computes the directions of this matrix. [`RandomStop`] draws one trial of a pass at random and
//! stores a copy of the learner from this trial. [`Clipped`] is a wrapper around a learner: it shortens samples of far more than
//! the usual energy before the learner learns them.
//!
//! [`AdditivePca`] is for comparison with [`TrackingPca`]. It adds η·x·xᵀ (learning rate η, sample x) to a matrix of
//! probabilities, then subtracts a threshold from each eigenvalue and limits the result to 0 … 1 (capped MSG, matrix stochastic
//! gradient). [`PairedPca`] learns pairs of combinations that vary together: a combination of the channels of one group and a
//! combination of the channels of another group.
//!
//! In: samples of `DIM` channels, one by one. Out, for most learners: the code of each sample in `KEEP` directions, its loss and
//! its expected loss, and the updated learner.
//!
//! The table has the usual cost in multiply-adds and the memory in numbers. r is the number of stored directions, for
//! [`CenteredPca`] the number of directions with p > 0, but at least `KEEP`; for [`TrackingPca`] r is usually `KEEP` or
//! `KEEP` + 1. W is a density matrix, η the learning rate, C the symmetric matrix of one trial, S the shrunk covariance of the
//! samples x. The column "kept" contains no counts. It contains the settings only for [`AdditivePca`], [`Mahalanobis`],
//! [`PairedPca`] and [`Clipped`]; the choice of a scale counts as one number. For [`TrackingPca`] the column does not contain the
//! scale of the learning rate:
//!
//! | learner | equation | to learn a sample | kept |
//! |---|---|---|---|
//! | [`TrackingPca`] | \[WK08\] Algorithm 5 | O(DIM·r²) | DIM·RANK + 2·RANK + 4 |
//! | [`AdditivePca`] | \[WK08\] section 9 | O(DIM·r²) | DIM·RANK + RANK + 8 |
//! | [`CenteredPca`] | \[WK08\] Algorithm 6 | DIM²/2, then about (r + s)·DIM² in s steps, at most eight | 3·DIM² + 9·DIM + 4 |
//! | [`DensityPca`] | \[WK08\] Algorithm 5, equation 20 | (5/3)·DIM³ | 4·DIM² + 6·DIM + 3 |
//! | [`VarianceMinimizer`] | W ∝ exp(−ηΣC) | (5/3)·DIM³ | 3·DIM² + 5·DIM + 1 |
//! | [`BatchPca`] | \[KW07\] Algorithm 1 | DIM²/2; a fit (5/3)·DIM³ and 25·(DIM − KEEP)·DIM² operations | 2·DIM² + DIM·KEEP + 7·DIM + 3 |
//! | [`Mahalanobis`] | xᵀS⁻¹x / DIM | DIM²/2; a refresh, at the latest after 32 samples, DIM³/3 | DIM² + 2·DIM + 1 |
//! | [`PairedPca`] | \[WK08\] section 9 | n·m, (KEEP + 1)·(n² + m²)/2 and an SVD, n and m the numbers of channels of the groups | n·m + 2·n² + 2·m² + n + 2·KEEP + 9 |
//! | [`AverageDensity`] | \[WK08\] section 6.3 | DIM²/2 for each direction and DIM²/2 for the average | DIM² + 1 |
//! | [`AverageSubspace`] | \[WK08\] section 6.3 | a fit (5/3)·DIM³ | 2·DIM² + 4·DIM + 1 |
//! | [`RandomStop`] | \[WK08\] section 6.3 | about ln T copies of the learner in T samples | the learner + 2 |
//! | [`Clipped`] | y = x·min(1, √(c·m/‖x‖²)), m the mean energy of y, c a constant | the learner and DIM | the learner + 4 |
//!
//! Some learners can start from a given model: `start_from` takes directions with keep probabilities, or a density matrix;
//! `start_from_batch` takes a [`BatchPca`]. `merge` combines learners that have seen different parts of the data.
//!
//! Most learners have some of these methods: `step` is a complete trial. `score` learns nothing and returns the expected loss;
//! [`BatchPca`] returns the loss, [`Mahalanobis`] and [`PairedPca`] return a distance. `learn` learns and returns no loss.
//! `transform` returns the code in the most likely directions and draws nothing at random. A high score means an unusual sample.

mod additive;
mod batch;
mod centered;
mod clipped;
mod density;
mod exponentiated_gradient;
mod mahalanobis;
mod moments;
mod online_to_batch;
mod paired;
mod projection;
mod start;
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
