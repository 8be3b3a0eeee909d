//! Monitors and learners at sizes that are known only when the program runs: the one table of sizes of the tool and the bindings.
//! In: how many channels and directions there are, and the settings of the crate. Out: [`Watch`], a monitor, or [`Learn`], a learner,
//! of that size; none if the table does not have it.
//! It is the code of the chip and nothing else: bits and images are the same.
//!
//! | | channels | directions kept |
//! |---|---|---|
//! | [`standard`], the default monitor | 1 to 64 | |
//! | [`tracking`] | 2 to 64 | 1, 2, 3, 4, 6, 8, 12 |
//! | [`centered`], [`hebbian`] | 2 to 32 | 1, 2, 4 |
//! | [`density`], [`batch`] | 2 to 16 | 1, 2, 4 |
//! | [`kernel`] of 16, 32 or 64 points | 2 to 16 | 1, 2, 4 |
//! | four samples side by side | 1 to 6 | 1, 2, 4 |
//!
//! A monitor around any learner is [`Learn::monitored`]. With the feature `few` there are twelve sizes of [`tracking`] and as few of the rest.

mod certificate;
mod condition;
mod held;
mod images;
mod learn;
mod learners;
mod metered;
mod refusal;
mod sight;
mod splice;
mod table;
#[cfg(test)]
mod tests;
mod watch;

pub use certificate::Certificate;
pub use condition::Condition;
pub use images::{learner_of_image, monitor_of_image};
pub use learn::Learn;
pub use learners::{LAGS, Shape, batch, centered, density, hebbian, kernel, mahalanobis, rank, tracking};
pub use refusal::Refusal;
pub use sight::Sight;
pub use watch::Watch;

use eigenstream::monitor::MonitorSettings;
use eigenstream::pca::MahalanobisSettings;

/// The most channels that the default monitor was built for.
pub const MOST_CHANNELS: usize = 64;

/// The default monitor of 1 to 64 channels; nothing for other counts.
#[must_use]
pub fn standard(channels: usize, settings: MonitorSettings<f32>) -> Option<Box<dyn Watch>> {
    Some(mahalanobis(channels, MahalanobisSettings::DEFAULT)?.monitored(settings))
}
