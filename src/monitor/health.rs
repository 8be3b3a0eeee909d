//! Reports how far a verdict can be trusted.
//! Out: the condition of each channel, how far the levels have moved, the fraction of the variance of each channel that the other
//! channels explain, the usual score, and counts of samples and alarms since the monitor began to watch.

use crate::Scalar;

/// The condition of a channel. If several conditions hold, the first in this order is reported: `Missing`, `Stuck`, `Unknown`,
/// `Quantised`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ChannelHealth {
    /// The channel moved during training (warm-up and calibration), and none of the conditions below holds.
    Good,
    /// No spread of the channel is found yet; or the first part of the warm-up found none, because the channel was constant
    /// (except for a few values) or had too few values. If the channel moves later, it is `Unknown` until the monitor next
    /// begins to watch.
    Unknown,
    /// The value of the channel has stopped changing.
    Stuck,
    /// The last sample has no value for this channel, or there was no sample yet. Samples that were refused, and training samples
    /// that were held back as outliers, do not count.
    Missing,
    /// The spread (usual standard deviation) of the channel is less than two steps of its converter. The smallest change of the
    /// channel in training is taken as its step. A fault smaller than a step can be invisible.
    Quantised,
}

/// The health of a monitor, for a log or a service screen. The level of a channel is its centre, which follows slow change; a
/// spread is its usual standard deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Health<T, const DIM: usize> {
    /// The condition of each channel.
    pub channels: [ChannelHealth; DIM],
    /// The absolute change of each channel's level since the monitor last began to watch, in spreads. Before it first watches:
    /// since the level was found.
    pub moved: [T; DIM],
    /// The fraction of the variance of each channel that the other channels explain, from 0 to 1; `None` if the learner does not
    /// compute this fraction. If the fraction is near 0, the other channels hardly predict this channel: then a fault shows only
    /// if the value of the channel itself is unusual.
    pub explained: Option<[T; DIM]>,
    /// The median score of the last calibration. If a fixed threshold replaced the calibration, the mean of the last training
    /// scores, or 1 if this mean is zero or subnormal. Zero until the monitor first watches. With the default learner and the
    /// default score it is usually about 1 or less if the samples of calibration were like the samples of the warm-up.
    pub usual_score: T,
    /// The number of samples since the monitor last began to watch, up to about 2³². In warm-up and calibration this count and
    /// the counts below are 0.
    pub watched: u32,
    /// The number of the `watched` samples with an alarm.
    pub alarm_samples: u32,
    /// The number of alarms since the monitor last began to watch.
    pub alarms: u32,
    /// The number of samples with an alarm since the last sample without an alarm.
    pub locked_out: u32,
}

impl<T: Scalar, const DIM: usize> Health<T, DIM> {
    /// `alarm_samples` divided by `watched`, to compare with the false-alarm rate of the settings; zero if `watched` is 0.
    #[must_use]
    pub fn alarm_rate(&self) -> T {
        T::from_usize(self.alarm_samples as usize) / T::from_usize((self.watched as usize).max(1))
    }
}
