//! Wild samples while the monitor learns: readings of −9999, spikes, a plug that was pulled.
//! In: how many spreads the farthest channel of each sample is off. Out: whether the sample is held back from learning.
//! Method: beyond 1,000 spreads always. Beyond 6 spreads the first two of a row, and no more than two samples and 2 % of all: a
//! reading that comes more often, or stays, is part of life and belongs to what is normal.
//! Cost: two comparisons. Kept: three counts.

use crate::Scalar;
use crate::codec::stored;

/// Counts wild samples.
#[derive(Clone, Debug)]
pub(super) struct WildSamples {
    seen: u32,
    held_back: u32,
    /// Samples beyond 6 spreads in a row.
    run: u32,
}

impl WildSamples {
    pub(super) const fn new() -> Self {
        Self {
            seen: 0,
            held_back: 0,
            run: 0,
        }
    }

    /// Whether a sample whose farthest channel is off by so many spreads is held back.
    pub(super) fn holds_back<T: Scalar>(&mut self, farthest: T) -> bool {
        self.seen = self.seen.saturating_add(1);
        if farthest > T::from_f64(1_000.0) {
            return true;
        }
        if farthest <= T::from_f64(6.0) {
            self.run = 0;
            return false;
        }
        self.run = self.run.saturating_add(1);
        let held = self.run <= 2 && self.held_back < 2 + self.seen / 50;
        self.held_back += u32::from(held);
        held
    }
}

stored!([] WildSamples { seen, held_back, run });
