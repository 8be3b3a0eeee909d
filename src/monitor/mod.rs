//! Learns what is normal, says when it is not, and why.
//!
//! ```text
//! counts → (settling) → level → mean → (lags → learner) → score → smoothing → threshold → decision → verdict
//!                        wild samples, stillness, gate and new level beside them
//! ```
//! [`Monitor`] is the whole pipeline around any [`Learner`](crate::Learner): one call a sample, [`Monitor::observe`]. It first
//! takes the scale of each channel from the stream and learns the shape (warm-up), then which scores normal samples have
//! (calibration), then it watches. Every stage is a small type that can be used alone.
//! [`SensorMonitor`] is the monitor with the default learner, [`Mahalanobis`](crate::pca::Mahalanobis).
//!
//! In: a sample as the sensors give it. Out: a [`Verdict`]: score, threshold, alarm, phase, state and the part of each channel.
//! [`Monitor::health`] says how far a verdict can be trusted. The score is the learner's own, smoothed; the equation of each
//! choice is with [`Score`]. Cost: the learner's score and its learning, and about 150 instructions a channel. Kept: the learner,
//! the settings, 36·DIM + 2·MEDIAN + 20 numbers and some counts; 20·DIM of the numbers serve the warm-up alone.
//!
//! **Time is counted in samples.** Smoothing, confirmation and hold-off take one sample for one tick, so the rate should be
//! steady. Where samples are dropped nothing is invented in their place: the next one simply follows, and
//! [`Monitor::interrupt`] tells a learner with lags that it does not. At an irregular rate, hold the last value of each channel
//! and observe at a steady one.
//!
//! **Missing channels** are NaN. By default such a sample is refused; with [`Missing::Impute`] the channel is filled in as the
//! learner expects it, the sample is judged by the others, and nothing is learned from it. Warm-up and calibration learn from
//! whole samples only; a channel that never had a value is left out. A sensor that is known to be broken is best marked this
//! way: it can then neither raise an alarm nor hide one.
//!
//! Nothing here is random, and the same samples give the same bits on every machine.

mod adapt;
mod counts;
mod decision;
mod gate;
mod health;
mod histogram;
mod lagged;
mod lags;
mod level;
mod missing;
#[allow(clippy::module_inception, reason = "the file is named after its type")]
mod monitor;
mod new_level;
mod observe;
mod score;
mod settings;
mod settling;
mod smoothing;
mod standardizer;
mod still;
mod threshold;
mod verdict;
mod wild;

pub use adapt::Adaptation;
pub use counts::{Counts, sign_extended};
pub use decision::{Decision, DecisionSettings};
pub use health::{ChannelHealth, Health};
pub use histogram::Histogram;
pub use lagged::Lagged;
pub use lags::LagEmbedding;
pub use level::{LearnedScale, Level};
pub use missing::{Missing, impute};
pub use monitor::{Monitor, SensorMonitor};
pub use new_level::NewLevel;
pub use score::{Score, Scorer};
pub use settings::{Learning, MonitorSettings, Schedule};
pub use settling::Settling;
pub use smoothing::{ExponentialMean, RunningMedian};
pub use standardizer::{Standardizer, StandardizerSettings};
pub use still::Stillness;
pub use threshold::Threshold;
pub use verdict::{Phase, State, Verdict};
