//! How far the verdicts of a monitor can be trusted.

use eigenstream::monitor::{ChannelHealth, Health};

/// The health of a monitor, so that it has no size.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The condition of each channel.
    pub channels: Vec<ChannelHealth>,
    /// By how many spreads the level of each channel has moved since the threshold was found.
    pub moved: Vec<f32>,
    /// How much of each channel the others explain, if the learner knows.
    pub explained: Option<Vec<f32>>,
    /// Samples judged since the threshold was found.
    pub watched: u32,
    /// The part of them that was in alarm.
    pub alarm_rate: f32,
}

impl Condition {
    /// Of a monitor's health.
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
