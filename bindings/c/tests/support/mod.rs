//! A verdict for a test to pass to `observe`, which writes over it.

use eigenstream_c::{MachineState, Phase, Verdict};

/// Every field is zero.
pub(crate) const NOTHING: Verdict = Verdict {
    score: 0.0,
    threshold: 0.0,
    moved: 0.0,
    channel: 0,
    alarm: 0,
    phase: Phase::Warmup,
    state: MachineState::Learning,
    stuck: 0,
};
