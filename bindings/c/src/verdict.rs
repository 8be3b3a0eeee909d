//! The answers of a monitor as plain structs: `eig_verdict` and `eig_health` in C.

use eigenstream::monitor;

/// A plain enum for C, and its values for those of the crate; a value that C does not know is `$other`.
macro_rules! plain {
    ($(#[$doc:meta])* $name:ident of $of:ident, else $other:ident { $($(#[$meaning:meta])* $variant:ident = $number:literal,)+ }) => {
        $(#[$doc])*
        #[repr(u8)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$meaning])* $variant = $number,)+
        }

        impl From<monitor::$of> for $name {
            fn from(value: monitor::$of) -> Self {
                match value {
                    $(monitor::$of::$variant { .. } => Self::$variant,)+
                    _ => Self::$other,
                }
            }
        }
    };
}

plain! {
    /// The phase of a monitor: `eig_phase` in C.
    Phase of Phase, else Calibrating {
        /// The monitor learns the scale of the channels, then trains its learner.
        Warmup = 0,
        /// No channel has moved yet.
        Standstill = 1,
        /// The monitor learns the scores of normal samples.
        Calibrating = 2,
        /// The last calibration could not be used: the monitor calibrates again.
        Unsettled = 3,
        /// The monitor watches and learns slowly.
        Watching = 4,
        /// The monitor watches and does not learn.
        Frozen = 5,
    }
}

plain! {
    /// The state of the machine: `eig_state` in C.
    MachineState of State, else Unusual {
        /// Not judged yet.
        Learning = 0,
        /// As in the training.
        Normal = 1,
        /// At a new level that was accepted as normal.
        SecondNormal = 2,
        /// Not yet long enough for `Moving` or `Steady`.
        Unusual = 3,
        /// Unusual for a long time; a channel still moves.
        Moving = 4,
        /// Unusual for a long time, at a constant level.
        Steady = 5,
        /// The value of a sensor has stopped changing.
        Stuck = 6,
    }
}

plain! {
    /// The condition of a channel: `eig_channel` in C.
    ChannelState of ChannelHealth, else Unknown {
        /// Moved during the training, and moves now.
        Good = 0,
        /// Did not move while its scale was learned.
        Unknown = 1,
        /// Has stopped changing.
        Stuck = 2,
        /// The channel has no value now.
        Missing = 3,
        /// The spread is less than two steps of its converter.
        Quantised = 4,
    }
}

/// The verdict on one sample: `eig_verdict` in C.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// How unusual the stream is; smoothed.
    pub score: f32,
    /// FLT_MAX until it is computed.
    pub threshold: f32,
    /// The largest move of the level of a channel, in spreads.
    pub moved: f32,
    /// The channel to look at, or that caused the refusal of the sample.
    pub channel: u16,
    /// 1 if there is an alarm, else 0.
    pub alarm: u8,
    /// The phase of the monitor at this sample.
    pub phase: Phase,
    /// The state of the machine.
    pub state: MachineState,
    /// The first channel that has stopped changing; 255 if none, 254 for channel 254 or later.
    pub stuck: u8,
}

/// For [`Verdict::stuck`].
pub(crate) const NO_CHANNEL: u8 = u8::MAX;

impl<const DIM: usize> From<monitor::Verdict<f32, DIM>> for Verdict {
    fn from(verdict: monitor::Verdict<f32, DIM>) -> Self {
        const { assert!(DIM <= u16::MAX as usize, "a channel is a number of 16 bits") };
        Self {
            score: verdict.score,
            threshold: verdict.threshold,
            moved: verdict.moved,
            channel: verdict.stuck.unwrap_or(largest(verdict.contribution)) as u16,
            alarm: u8::from(verdict.alarm),
            phase: verdict.phase.into(),
            state: verdict.state.into(),
            stuck: verdict.stuck.map_or(NO_CHANNEL, |channel| channel.min(254) as u8),
        }
    }
}

/// As [`monitor::Verdict::guilty`], which would keep the whole verdict on the stack: 56 bytes of flash more.
fn largest<const DIM: usize>(contribution: [f32; DIM]) -> usize {
    let mut largest = (0.0, 0);
    for (channel, part) in contribution.into_iter().enumerate() {
        if part > largest.0 {
            largest = (part, channel);
        }
    }
    largest.1
}

/// The health of a monitor: `eig_health` in C.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Health {
    /// The median score of the calibration.
    pub usual_score: f32,
    /// Samples judged since the threshold was computed.
    pub watched: u32,
    /// Those in alarm.
    pub alarm_samples: u32,
    /// The number of alarms raised.
    pub alarms: u32,
    /// Samples in alarm since the last one without.
    pub locked_out: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_channel_is_the_guilty_one() {
        let contributions = [
            [0.0; 3],
            [0.0, 0.0, 1.0],
            [2.0, 1.0, 2.0],
            [1.0, 3.0, 2.0],
            [-1.0, f32::NAN, -0.0],
            [f32::NAN, 1.0, f32::INFINITY],
        ];
        for contribution in contributions {
            for stuck in [None, Some(0), Some(2)] {
                let mut verdict = monitor::Verdict::normal(contribution);
                verdict.stuck = stuck;
                let guilty = verdict.guilty();
                assert_eq!(
                    usize::from(Verdict::from(verdict).channel),
                    guilty,
                    "{contribution:?} {stuck:?}"
                );
            }
        }
    }
}
