//! Reports how far a verdict can be trusted.
//! Out: the condition of each channel, how far the levels have moved, the variance that the learner explains, the usual score,
//! and counts of samples and alarms since the monitor began to watch.

use crate::Scalar;

/// The condition of a channel. If several conditions hold, the first in this order is reported: `Missing`, `Stuck`, `Unknown`,
/// `Quantised`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum ChannelHealth {
    /// The channel moved during training (warm-up and calibration), and none of the conditions below holds.
    Good,
    /// The channel was constant during training, or its spread is not found yet: its usual movement is unknown. Until training
    /// ends, a channel that was constant while level and spread were found is also `Unknown`.
    Unknown,
    /// The value of the channel has stopped changing.
    Stuck,
    /// The last sample has no value for this channel, or there was no sample yet. A training sample that was held back as an
    /// outlier does not count.
    Missing,
    /// The spread (usual standard deviation) of the channel is less than two steps of its converter. A step is the smallest
    /// change in training. A fault smaller than a step is not visible.
    Quantised,
}

/// The health of a monitor, for a log or a service screen. The level of a channel is its centre, which follows slow change; a
/// spread is its usual standard deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Health<T, const DIM: usize> {
    /// The condition of each channel.
    pub channels: [ChannelHealth; DIM],
    /// The absolute change of each channel's level since the threshold was last found, in spreads. Before the first threshold:
    /// since the level was found.
    pub moved: [T; DIM],
    /// The fraction of the variance of each channel that the other channels explain, from 0 to 1; `None` if the learner does not
    /// compute this fraction. A channel with a fraction near 0 is unrelated to the other channels: only its own value can show
    /// its fault.
    pub explained: Option<[T; DIM]>,
    /// The median score of the last calibration. If a fixed threshold replaced the calibration, the mean of the last training
    /// scores, or 1 if this mean is zero or subnormal. Zero until the monitor first watches. With the default learner and the
    /// default score the median is near one if the samples of calibration were like the samples of the warm-up.
    pub usual_score: T,
    /// The number of samples since the threshold was found, up to about 2³². In warm-up and calibration this count and the
    /// counts below are 0.
    pub watched: u32,
    /// The number of the `watched` samples with an alarm.
    pub alarm_samples: u32,
    /// The number of alarms since the threshold was found.
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
