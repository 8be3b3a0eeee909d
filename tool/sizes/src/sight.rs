//! The findings of a monitor in one sample.

use eigenstream::monitor::{Phase, State, Verdict};

/// A verdict without the contributions of the channels, so that the type has no `DIM`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sight {
    /// How unusual the sample is.
    pub score: f32,
    /// A score above this value is unusual; the largest finite number until the threshold is computed.
    pub threshold: f32,
    /// Whether there is an alarm.
    pub alarm: bool,
    /// The phase of the monitor.
    pub phase: Phase,
    /// The state of the machine.
    pub state: State,
    /// The first channel whose value has stopped changing.
    pub stuck: Option<usize>,
    /// How far the level of a channel has moved, in spreads: the maximum over the channels.
    pub moved: f32,
    /// The channel to look at.
    pub guilty: usize,
}

impl Sight {
    /// Copies the fields of a verdict.
    #[must_use]
    pub fn of<const DIM: usize>(verdict: &Verdict<f32, DIM>) -> Self {
        Self {
            score: verdict.score,
            threshold: verdict.threshold,
            alarm: verdict.alarm,
            phase: verdict.phase,
            state: verdict.state,
            stuck: verdict.stuck,
            moved: verdict.moved,
            guilty: verdict.guilty(),
        }
    }
}
