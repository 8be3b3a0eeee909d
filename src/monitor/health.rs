//! How much a verdict can be trusted: what the monitor knows about its channels and about itself.
//! Out: the condition of each channel, how far the levels have moved, and what has happened since the monitor watches.

use crate::Scalar;

/// The condition of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum ChannelHealth {
    /// It moved while it was learned, and it moves now.
    Good,
    /// It stood still while the scale was found: any movement is new.
    Unknown,
    /// Its value has stopped changing.
    Stuck,
    /// It has no value now.
    Missing,
    /// Its spread is less than two steps of its converter: small faults are below its resolution.
    Quantised,
}

/// The health of a monitor, for a log or a service screen.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Health<T, const DIM: usize> {
    /// The condition of each channel.
    pub channels: [ChannelHealth; DIM],
    /// By how many spreads the level of each channel has moved since the threshold was found.
    pub moved: [T; DIM],
    /// How much of each channel the others explain, from 0 to 1, if the learner knows: a channel near 0 stands alone, and only
    /// its own size speaks for it.
    pub explained: Option<[T; DIM]>,
    /// The median score of calibration; with the default learner it is near one where the samples of calibration were like
    /// those before it.
    pub usual_score: T,
    /// Samples judged since the threshold was found.
    pub watched: u32,
    /// How many of them were in alarm.
    pub alarm_samples: u32,
    /// Alarms raised.
    pub alarms: u32,
    /// Samples since the last one that was normal: how long the gate has been closed.
    pub locked_out: u32,
}

impl<T: Scalar, const DIM: usize> Health<T, DIM> {
    /// The part of the judged samples that was in alarm, to compare with the rate that was asked for.
    #[must_use]
    pub fn alarm_rate(&self) -> T {
        T::from_usize(self.alarm_samples as usize) / T::from_usize((self.watched as usize).max(1))
    }
}
