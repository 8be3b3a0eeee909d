//! Reports how far a verdict can be trusted.
//! Out: the condition of each channel, how far the levels have moved, and counts of samples and alarms since the monitor began
//! to watch.

use crate::Scalar;

/// The condition of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum ChannelHealth {
    /// The channel moved during training, and moves now.
    Good,
    /// The channel had one constant value while the scale was found. Any movement is new.
    Unknown,
    /// The value of the channel has stopped changing.
    Stuck,
    /// The last sample has no value for this channel.
    Missing,
    /// The spread of the channel is less than two steps of its converter. Smaller faults are below the resolution.
    Quantised,
}

/// The health of a monitor, for a log or a service screen.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Health<T, const DIM: usize> {
    /// The condition of each channel.
    pub channels: [ChannelHealth; DIM],
    /// The change of each channel's level since the threshold was found, in spreads.
    pub moved: [T; DIM],
    /// The part of each channel that the other channels explain, from 0 to 1; `None` if the learner does not compute this part.
    /// A channel near 0 is unrelated to the other channels: only its own size can show a fault.
    pub explained: Option<[T; DIM]>,
    /// The median score of calibration. With the default learner this median is near one if the samples of calibration were
    /// like the samples of the warm-up.
    pub usual_score: T,
    /// Samples judged since the threshold was found.
    pub watched: u32,
    /// Samples in alarm, of the `watched` samples.
    pub alarm_samples: u32,
    /// Alarms raised.
    pub alarms: u32,
    /// Samples in alarm since the last sample without alarm.
    pub locked_out: u32,
}

impl<T: Scalar, const DIM: usize> Health<T, DIM> {
    /// `alarm_samples` divided by `watched`, to compare with the rate that was asked for.
    #[must_use]
    pub fn alarm_rate(&self) -> T {
        T::from_usize(self.alarm_samples as usize) / T::from_usize((self.watched as usize).max(1))
    }
}
