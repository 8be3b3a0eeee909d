//! Learns the normal state of a machine, raises an alarm if samples are not normal, and names the channels that cause it.
//!
//! ```text
//! counts → (settling) → level → mean → (lags → learner) → score → smoothing → threshold → decision → verdict
//!                        wild samples, stillness, gate and new level beside them
//! ```
//! [`SensorMonitor`] is this pipeline around the default learner, [`Mahalanobis`](crate::pca::Mahalanobis); [`Monitor`] takes any
//! [`Learner`](crate::Learner). One call of [`Monitor::observe`] per sample gives a [`Verdict`]. The [`stages`] can be used alone.
//!
//! The words of this room:
//! - **level** of a channel: its centre, which follows slow change. **spread**: its usual standard deviation. **scale**: both
//!   together. A **deviation** is the distance of a value from the level, in spreads. An **unknown** channel had no spread
//!   when the scale was found or the monitor last began to watch.
//! - **training**: the warm-up, which finds the scale and trains the learner, and the **calibration**, which sets the threshold.
//! - **score**: how unusual a sample is; each channel has a **part** in it, and the parts sum to the score.
//! - **wild** sample: an outlier, or a sample of a short disturbance, that is kept out of the training.
//! - **lesson**: how fast the level follows a sample, and whether the learner learns it. The **gate** decides this while the
//!   monitor watches, except with `Learning::Frozen`.
//! - **record** of an alarm: mean and variance of its samples. **Second state**: a record that was accepted as normal.
//!
//! Equations: [the mathematics](crate::guide::mathematics), "The monitor". Cost with the default learner and six channels: about
//! 2,000 instructions per sample (Cortex-M4, opt-level 3); missing channels cost more. Kept: the learner, the settings,
//! 29·DIM + 2·MEDIAN + 10 numbers, 3·DIM + 64 counts of 16 bits, DIM flags and some counters.
//!
//! **Time is counted in samples**, so the sampling rate should be steady, and a dropped sample is not replaced: after it, call
//! [`Monitor::interrupt`] if the learner takes several samples in a row ([`Lagged`]). If the channels come at irregular times,
//! hold the last value of each and call `observe` at a steady rate.
//!
//! **Missing channels** are NaN, which is refused by default ([`Missing`]). If you know that a sensor is broken, use
//! `Missing::Impute` and mark its channel with NaN: the channel then has hardly any effect on the score and is not reported as
//! stuck.
//!
//! The monitor uses no random numbers: equal settings and equal samples give equal bits on every machine.

mod alarm;
mod counts;
mod gate;
mod lagged;
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
mod verdict;

pub use alarm::{DecisionSettings, Threshold};
pub use counts::{Counts, sign_extended};
pub use lagged::Lagged;
pub use missing::Missing;
pub use monitor::{Adaptation, Monitor, SensorMonitor};
pub use new_level::NewLevel;
pub use score::Score;
pub use settings::{Learning, MonitorSettings, Schedule};
pub use standardizer::{Standardizer, StandardizerSettings};
pub use verdict::{ChannelHealth, Health, Phase, State, Verdict};

/// The stages of the monitor, for builders of another monitor.
///
/// **Outside of semver:** any version can change or remove them.
pub mod stages {
    pub use super::alarm::{Decision, Histogram};
    pub use super::lagged::LagEmbedding;
    pub use super::level::{LearnedScale, Level};
    pub use super::missing::impute;
    pub use super::score::Scorer;
    pub use super::settling::Settling;
    pub use super::smoothing::{ExponentialMean, RunningMedian};
    pub use super::still::Stillness;
}
