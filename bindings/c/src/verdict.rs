//! The answers of a monitor as plain structs: `eig_verdict` and `eig_health` in C.

use eigenstream::monitor;

/// The phase of a monitor: `eig_phase` in C.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Learns scale and shape.
    Warmup = 0,
    /// No channel has moved yet.
    Standstill = 1,
    /// Learns the scores of normal samples.
    Calibrating = 2,
    /// The last calibration was of no use: calibrates again.
    Unsettled = 3,
    /// Watches, and learns slowly.
    Watching = 4,
    /// Watches, and learns nothing.
    Frozen = 5,
}

impl From<monitor::Phase> for Phase {
    fn from(phase: monitor::Phase) -> Self {
        match phase {
            monitor::Phase::Warmup { .. } => Self::Warmup,
            monitor::Phase::Standstill => Self::Standstill,
            monitor::Phase::Calibrating => Self::Calibrating,
            monitor::Phase::Unsettled => Self::Unsettled,
            monitor::Phase::Watching => Self::Watching,
            monitor::Phase::Frozen => Self::Frozen,
        }
    }
}

/// How the machine stands: `eig_state` in C.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineState {
    /// Not judged yet.
    Learning = 0,
    /// As it was learned.
    Normal = 1,
    /// As in a new level that was accepted.
    SecondNormal = 2,
    /// Unusual, and not long enough to say more.
    Unusual = 3,
    /// Unusual for long, and a channel still moves.
    Moving = 4,
    /// Unusual for long, at a level that stands still.
    Steady = 5,
    /// A sensor has stopped.
    Stuck = 6,
}

impl From<monitor::State> for MachineState {
    fn from(state: monitor::State) -> Self {
        match state {
            monitor::State::Learning => Self::Learning,
            monitor::State::Normal => Self::Normal,
            monitor::State::SecondNormal => Self::SecondNormal,
            monitor::State::Unusual => Self::Unusual,
            monitor::State::Moving => Self::Moving,
            monitor::State::Steady => Self::Steady,
            monitor::State::Stuck => Self::Stuck,
        }
    }
}

/// The condition of a channel: `eig_channel` in C.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelState {
    /// It moved while it was learned, and it moves now.
    Good = 0,
    /// It stood still while the scale was found.
    Unknown = 1,
    /// Its value has stopped changing.
    Stuck = 2,
    /// It has no value now.
    Missing = 3,
    /// Its spread is less than two steps of its converter.
    Quantised = 4,
}

impl From<monitor::ChannelHealth> for ChannelState {
    fn from(health: monitor::ChannelHealth) -> Self {
        match health {
            monitor::ChannelHealth::Good => Self::Good,
            monitor::ChannelHealth::Unknown => Self::Unknown,
            monitor::ChannelHealth::Stuck => Self::Stuck,
            monitor::ChannelHealth::Missing => Self::Missing,
            monitor::ChannelHealth::Quantised => Self::Quantised,
        }
    }
}

/// The verdict on one sample: `eig_verdict` in C.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// How unusual the stream is, smoothed.
    pub score: f32,
    /// Where unusual begins; FLT_MAX as long as that is not known.
    pub threshold: f32,
    /// By how many spreads the level of the channel that moved most has moved.
    pub moved: f32,
    /// The channel to look at. For a sample that was refused: the channel at fault.
    pub channel: u16,
    /// 1 if there is an alarm, else 0.
    pub alarm: u8,
    /// The phase of this sample.
    pub phase: Phase,
    /// How the machine stands.
    pub state: MachineState,
    /// The first channel whose value has stopped, or 255 if none has; channel 254 stands for all from there on.
    pub stuck: u8,
}

/// The value of [`Verdict::stuck`] where no channel has stopped.
pub(crate) const NO_CHANNEL: u8 = u8::MAX;

impl<const DIM: usize> From<&monitor::Verdict<f32, DIM>> for Verdict {
    fn from(verdict: &monitor::Verdict<f32, DIM>) -> Self {
        Self {
            score: verdict.score,
            threshold: verdict.threshold,
            moved: verdict.moved,
            channel: verdict.guilty().min(usize::from(u16::MAX)) as u16,
            alarm: u8::from(verdict.alarm),
            phase: verdict.phase.into(),
            state: verdict.state.into(),
            stuck: verdict.stuck.map_or(NO_CHANNEL, |channel| channel.min(254) as u8),
        }
    }
}

/// The health of a monitor: `eig_health` in C.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Health {
    /// The median score of calibration.
    pub usual_score: f32,
    /// Samples judged since the threshold was found.
    pub watched: u32,
    /// How many of them were in alarm.
    pub alarm_samples: u32,
    /// Alarms raised.
    pub alarms: u32,
    /// Samples since the last one that was normal.
    pub locked_out: u32,
}
