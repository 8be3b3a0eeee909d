//! How far the verdicts of a monitor can be trusted.

use eigenstream::monitor::{ChannelHealth, Health};

/// The health of a monitor. Vectors instead of arrays: this type has no `DIM`.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The condition of each channel.
    pub channels: Vec<ChannelHealth>,
    /// How far the level of each channel has moved since the threshold was computed, in spreads of the channel.
    pub moved: Vec<f32>,
    /// The part of each channel that the other channels explain; `None` if the learner does not compute it.
    pub explained: Option<Vec<f32>>,
    /// Samples judged since the threshold was found.
    pub watched: u32,
    /// The part of these samples that was in alarm.
    pub alarm_rate: f32,
}

impl Condition {
    /// Copies the health of a monitor.
    #[must_use]
    pub fn of<const DIM: usize>(health: &Health<f32, DIM>) -> Self {
        Self {
            channels: health.channels.to_vec(),
            moved: health.moved.to_vec(),
            explained: health.explained.map(|parts| parts.to_vec()),
            watched: health.watched,
            alarm_rate: health.alarm_rate(),
        }
    }
}
