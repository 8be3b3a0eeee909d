//! The words of the table for a verdict.

use eigenstream::monitor::{Phase, State};
use eigenstream_sizes::PlainVerdict;

/// The threshold; `None` until it is computed.
pub(super) fn known(verdict: &PlainVerdict) -> Option<f32> {
    verdict.phase.is_watching().then_some(verdict.threshold)
}

/// The phase as one word.
pub(super) const fn phase_word(phase: Phase) -> &'static str {
    match phase {
        Phase::Warmup { .. } => "warmup",
        Phase::Standstill => "standstill",
        Phase::Calibrating => "calibrating",
        Phase::Unsettled => "unsettled",
        Phase::Watching => "watching",
        Phase::Frozen => "frozen",
        _ => "other",
    }
}

pub(super) const fn state_word(state: State) -> &'static str {
    match state {
        State::Learning => "learning",
        State::Normal => "normal",
        State::SecondNormal => "second-normal",
        State::Unusual => "unusual",
        State::Moving => "moving",
        State::Steady => "steady",
        State::Stuck => "stuck",
        _ => "other",
    }
}
