//! Learns the normal state of a machine, raises an alarm if samples are not normal, and names the channels that cause the
//! alarm.
//!
//! ```text
//! counts → (settling) → level → mean → (lags → learner) → score → smoothing → threshold → decision → verdict
//!                        wild samples, stillness, gate and new level beside them
//! ```
//! Beside the stages:
//! - wild samples: outliers and one short disturbance are kept out of the training. If the scale does not fit the machine, for
//!   example because the machine was switched off at first, the warm-up begins again;
//! - stillness: a sensor that stopped is found;
//! - gate: decides, with the default settings, which samples are learned while the monitor watches;
//! - new level: a lasting alarm is tested for a new level of the machine (other averages of the channels).
//!
//! [`Monitor`] is the whole pipeline around any [`Learner`](crate::Learner): one call per sample, [`Monitor::observe`]. The
//! monitor has three phases. In the warm-up it finds the scale of each channel (its centre and its spread, the usual standard
//! deviation) and trains the learner. In the calibration it collects the scores of normal samples and sets the threshold; with a
//! fixed threshold there is no calibration. Then it watches. The [`stages`] are small types that can be used alone.
//! [`SensorMonitor`] is the monitor with the default learner, [`Mahalanobis`](crate::pca::Mahalanobis).
//!
//! In: a sample as the sensors give it. Out: a [`Verdict`]: score, threshold, alarm, phase, state, stuck channel, drift, and the
//! part of each channel in the score. The score is smoothed; [`Score`] lists its equations. [`Monitor::health`] reports how far a
//! verdict can be trusted. Cost: the learner's score and its learning, and about 150 instructions per channel; missing channels
//! cost more ([`impute`](stages::impute)). Kept: the learner, the settings, 29·DIM + 2·MEDIAN + 10 numbers, 3·DIM + 64 counts of 16 bits, DIM
//! flags and some counters. 20·DIM of the numbers store samples until the scale is found. Later they store the record of an alarm
//! and the second normal state (`new_level`).
//!
//! **Time is counted in samples.** Smoothing, confirmation and hold-off count samples, so the sampling rate should be steady.
//! If samples are dropped, the monitor does not replace them: the next sample counts as the successor of the last one. With a
//! learner of several samples in a row ([`Lagged`]), call [`Monitor::interrupt`] after dropped samples. If the channels come at
//! irregular times, hold the last value of each channel and call `observe` at a steady rate.
//!
//! **Missing channels** are NaN. By default a sample with NaN is refused. With [`Missing::Impute`], while the monitor watches,
//! the learner fills in the missing channels. The sample is judged by its other channels and is not learned. In warm-up and
//! calibration, after the scale is found, a sample with a missing channel is counted but not learned; the calibration goes on
//! until a quarter of its number of samples were complete. A channel without spread (for example, it never had a value or never
//! moved) is ignored and does not count as missing. If you know that a sensor is broken, use `Missing::Impute` and mark its
//! channel with NaN: while the monitor watches, the values of this sensor then have no effect on the score, and the sensor is not
//! reported as stuck.
//!
//! The monitor uses no random numbers: equal settings and equal samples give equal bits on every machine.

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
pub use decision::DecisionSettings;
pub use health::{ChannelHealth, Health};
pub use lagged::Lagged;
pub use missing::Missing;
pub use monitor::{Monitor, SensorMonitor};
pub use new_level::NewLevel;
pub use score::Score;
pub use settings::{Learning, MonitorSettings, Schedule};
pub use standardizer::{Standardizer, StandardizerSettings};
pub use threshold::Threshold;
pub use verdict::{Phase, State, Verdict};

/// The stages of the monitor, for builders of another monitor. **Outside of semver:** any version can change or remove them.
pub mod stages {
    pub use super::decision::Decision;
    pub use super::histogram::Histogram;
    pub use super::lags::LagEmbedding;
    pub use super::level::{LearnedScale, Level};
    pub use super::missing::impute;
    pub use super::score::Scorer;
    pub use super::settling::Settling;
    pub use super::smoothing::{ExponentialMean, RunningMedian};
    pub use super::still::Stillness;
}
