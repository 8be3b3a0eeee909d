//! Learns what is normal, says when it is not, and why.
//!
//! ```text
//! counts → (mean) → standardizer → (lags → learner) → score → smoothing → threshold → decision → verdict
//! ```
//! [`Monitor`] is the whole pipeline around any [`Learner`](crate::Learner): one call a sample, [`Monitor::observe`]. It first
//! learns the scale of each channel and the subspace (warm-up), then what scores normal samples have (calibration), then it
//! watches. Every stage is a small type that can be used alone.
//!
//! In: a sample as the sensors give it. Out: a [`Verdict`]: score, threshold, alarm, phase and the part of each channel. The score
//! is by default what the learner expects to lose of the sample, smoothed; the equation of each choice is with [`Score`]. Cost: the
//! learner's residual and its learning, and about 100 instructions a channel. Kept: the learner, the settings,
//! 5·DIM + 2·MEDIAN + 12 numbers and some counts.
//!
//! **Slow processes** (levels, temperatures, flows) are best watched through a mean of the samples, with the scale settled
//! first and the learner frozen: [`MonitorSettings::with_input_smoothing`], [`Scaling::Settled`], [`Learning::Frozen`].
//!
//! **Time is counted in samples.** Smoothing, confirmation and hold-off take one sample for one tick, so the rate should be
//! steady. Where samples are dropped nothing is invented in their place: the next one simply follows, and
//! [`Monitor::interrupt`] tells a learner with lags that it does not. At an irregular rate, hold the last value of each channel
//! and observe at a steady one.
//!
//! **Missing channels** are NaN. By default such a sample is refused; with [`Missing::Impute`] the channel is filled in as the
//! learner expects it, the sample is judged by the others, and nothing is learned from it; warm-up and calibration count whole
//! samples only. A sensor that is known to be broken is best marked this way: it can then neither raise an alarm nor hide one.
//!
//! Nothing here is random, and the same samples give the same bits on every machine.

mod counts;
mod decision;
mod lagged;
mod lags;
mod missing;
#[allow(clippy::module_inception, reason = "the file is named after its type")]
mod monitor;
mod observe;
mod quantile;
mod score;
mod settings;
mod smoothing;
mod standardizer;
mod threshold;
mod verdict;

pub use counts::Counts;
pub use decision::{Decision, DecisionSettings};
pub use lagged::Lagged;
pub use lags::LagEmbedding;
pub use missing::{Missing, impute};
pub use monitor::Monitor;
pub use quantile::Quantile;
pub use score::{Score, Scorer};
pub use settings::{Learning, MonitorSettings, Scaling, Schedule};
pub use smoothing::{ExponentialMean, RunningMedian};
pub use standardizer::{Standardizer, StandardizerSettings};
pub use threshold::Threshold;
pub use verdict::{Phase, Verdict};
