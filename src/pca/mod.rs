//! Online PCA: learners that keep a few directions of a stream of samples and change their mind when the stream does.
//!
//! A trial goes one way: check the sample → split it into parts inside and outside the stored directions → draw the directions to keep → code and
//! losses → learn. [`TrackingPca`] is \[WK08\] Algorithm 5, the one that follows changes; it holds evidence for the directions
//! that matter and one number for all others, so that a trial costs O(DIM·KEEP) and not O(DIM³). [`DensityPca`] is the same
//! algorithm on the full matrix, for what needs it: general symmetric instances, any density matrix as a start,
//! the past shares.
//!
//! [`CenteredPca`] is \[WK08\] Algorithm 6, which learns the centre along and can forget; with [`ReadOut::Leader`] it is Follow
//! the Leader and the usual exponentially weighted tracker. [`BatchPca`] is the baseline over the same streams,
//! [`VarianceMinimizer`] seeks the direction that varies least, and [`AverageDensity`] makes one fixed answer of a pass.
//! [`AverageSubspace`] has the directions of that answer; [`RandomStop`] is the answer without a matrix.
//!
//! [`AdditivePca`] is the additive family, the yardstick beside [`TrackingPca`]. [`PairedPca`] learns how two groups of channels go
//! together.
//!
//! In: samples of `DIM` channels, one by one. Out: for each, its code in `KEEP` directions, its loss and the loss to expect, and a
//! learner that has seen it. Cost, in multiply-adds and numbers; r is `KEEP` + 1 or little more:
//!
//! | learner | equation | to learn a sample | kept |
//! |---|---|---|---|
//! | [`TrackingPca`] | \[WK08\] Algorithm 5 | O(DIM·r² + r³) | DIM·RANK + 2·RANK + 4 |
//! | [`AdditivePca`] | \[WK08\] section 9 | O(DIM·r² + r³) | DIM·RANK + RANK + 8 |
//! | [`CenteredPca`] | \[WK08\] Algorithm 6 | DIM²/2, and some DIM² for each direction that counts | 3·DIM² + 9·DIM + 4 |
//! | [`DensityPca`] | \[WK08\] Algorithm 5, equation 20 | (5/3)·DIM³ | 4·DIM² + 6·DIM + 3 |
//! | [`VarianceMinimizer`] | W ∝ exp(−ηΣC) | (10/3)·DIM³ | 3·DIM² + 5·DIM + 1 |
//! | [`BatchPca`] | \[KW07\] Algorithm 1 | DIM²/2; a fit about 14·(DIM − KEEP)·DIM² | 2·DIM² + DIM·KEEP + 7·DIM + 3 |
//! | [`Mahalanobis`] | xᵀS⁻¹x / DIM | DIM²/2; every 32nd sample DIM³/3 | DIM² + 2·DIM + 1 |
//! | [`PairedPca`] | \[WK08\] section 9 | n·m, (n² + m²)/2 and an SVD, n and m the channels of the groups | n·m + 2·n² + 2·m² + n + 2·KEEP + 8 |
//! | [`AverageDensity`] | \[WK08\] section 6.3 | DIM²/2 for each direction | DIM² + 1 |
//! | [`AverageSubspace`] | \[WK08\] section 6.3 | a fit (5/3)·DIM³ | 2·DIM² + 4·DIM + 1 |
//! | [`RandomStop`] | \[WK08\] section 6.3 | a copy of the learner ln T times in T | the learner and 2 |
//!
//! A learner need not begin with nothing: `start_from` takes directions with probabilities, `start_from_batch` a [`BatchPca`]. Learners
//! that have seen parts of the data become one by `merge`.
//!
//! All learners speak the same words: `step` is a whole trial, `score` looks without learning, `learn` learns without
//! looking, `transform` is the read-out without chance. High scores are unusual samples.

mod additive;
mod batch;
mod centered;
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
pub use density::{DensityPca, DensitySettings};
pub use exponentiated_gradient::exponentiated_gradient;
pub use mahalanobis::{Mahalanobis, MahalanobisSettings};
pub use moments::Center;
pub use online_to_batch::{AverageDensity, AverageSubspace, RandomStop};
pub use paired::{Pair, PairedPca, PairedSettings, PairedTrial};
pub use tracking::{TrackingPca, TrackingSettings};
pub use variance::{VarianceMinimizer, VarianceSettings, VarianceTrial};
