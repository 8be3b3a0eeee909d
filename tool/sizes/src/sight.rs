//! The findings of a monitor in one sample.

use eigenstream::monitor::{Phase, State, Verdict};

/// A verdict without the parts of its channels, so that it has no size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sight {
    /// How unusual it is.
    pub score: f32,
    /// Where unusual begins; the largest number before that is known.
    pub threshold: f32,
    /// Whether there is an alarm.
    pub alarm: bool,
    /// The phase of the monitor.
    pub phase: Phase,
    /// How the machine stands.
    pub state: State,
    /// The first channel whose value has stopped changing.
    pub stuck: Option<usize>,
    /// By how many spreads the level of a channel has moved at most.
    pub moved: f32,
    /// The channel to look at.
    pub guilty: usize,
}

impl Sight {
    /// Of a verdict.
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
