//! Keeps wild samples out of the training, for example readings of −9999, spikes, or a pulled plug.
//! In: the largest absolute deviation of a sample over its channels of known spread, in spreads (usual standard deviations).
//! Out: whether the sample is held back from learning.
//! Method: a is this deviation; n is the number of samples so far, this sample included.
//! - If a > 1,000, the sample is held back.
//! - If 6 < a ≤ 1,000, the sample is held back if it is the first or the second such sample in a row, and if this rule has held
//!   back fewer than 2 + ⌊n/50⌋ samples before. So of a reading that stays, the third and all later samples are learned. Of a
//!   reading that comes often, at most 2 % of all samples plus two samples are held back.
//! - If a ≤ 6, the sample is not held back.
//!
//! Cost: up to four comparisons and a division. Kept: three counts.

use crate::Scalar;
use crate::codec::stored;

/// Counts wild samples, and decides which samples are held back.
#[derive(Clone, Debug)]
pub(super) struct WildSamples {
    seen: u32,
    held_back: u32,
    /// The number of samples in a row beyond 6 and up to 1,000 spreads (usual standard deviations). A sample beyond 1,000 spreads
    /// does not change this number.
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

    /// Counts a sample whose largest deviation is `farthest` spreads, and returns whether it is held back from learning.
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
        self.held_back = self.held_back.wrapping_add(u32::from(held));
        held
    }
}

stored!([] WildSamples { seen, held_back, run });
