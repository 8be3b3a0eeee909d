//! Monitors and learners whose sizes are chosen at run time.
//! In: the numbers of channels and directions, and the settings of the crate. Out: [`AnyMonitor`], or [`AnyLearner`], of this
//! size; `None` if the table does not have the size.
//! Method: the code of the crate, compiled for every size of the table. Results and images are bit-identical to those of a
//! chip.
//!
//! | | channels | directions kept |
//! |---|---|---|
//! | [`standard`], the default monitor | 1 to 64 | |
//! | [`tracking`] | 2 to 16 | 1, 2, 3, 4, 6, 8, 12 |
//! | [`tracking`] | 17 to 64 | 1, 2, 4 |
//! | [`centered`], [`hebbian`] | 2 to 32 | 1, 2, 4 |
//! | [`batch`], [`kernel`] of 32 points | 2 to 16 | 1, 2, 4 |
//! | [`density`] | 2 to 16 | 2 (1 of 2 channels) |
//! | learners that get four consecutive samples as one | 1 to 6 | 1, 2, 4 |
//!
//! A learner keeps fewer directions than its sample has numbers (four times the channels for four consecutive samples).
//! [`AnyLearner::monitored`] puts a monitor around any learner. With the feature `few` the table has twelve sizes of
//! [`tracking`], and few of the others.

mod any_learner;
mod any_monitor;
mod images;
mod learner_of;
mod learners;
mod losses;
mod refusal;
mod splice;
mod table;
#[cfg(test)]
mod tests;

pub use any_learner::AnyLearner;
pub use any_monitor::{AnyMonitor, PlainHealth, PlainVerdict};
pub use images::{learner_of_image, monitor_of_image};
pub use learners::{LAGS, POINTS, Shape, batch, centered, density, hebbian, kernel, mahalanobis, rank, tracking};
pub use losses::Certificate;
pub use refusal::Refusal;

use eigenstream::monitor::MonitorSettings;
use eigenstream::pca::MahalanobisSettings;

/// The largest number of channels of the default monitor.
pub const MOST_CHANNELS: usize = 64;

/// The default monitor of 1 to 64 channels; `None` for other numbers of channels.
///
/// With the feature `few` only twelve of these numbers have a monitor.
#[must_use]
pub fn standard(channels: usize, settings: MonitorSettings<f32>) -> Option<Box<dyn AnyMonitor>> {
    Some(mahalanobis(channels, MahalanobisSettings::DEFAULT)?.monitored(settings))
}
