//! Smooths a score without losing sight of the channels it is made of.
//! In: the part of each channel in a score. Out: the same, smoothed; the parts sum to the smoothed score.
//! Method: the running median of `MEDIAN` scores takes out spikes, the parts are scaled to it, and an exponential mean of each
//! part does the rest. `MEDIAN` = 1 and a memory of 1 are no smoothing.
//! Cost: those of the two, and one division. Kept: DIM + 2·MEDIAN numbers and four counts.

use super::score::sum;
use super::{ExponentialMean, RunningMedian};
use crate::Scalar;
use crate::codec::stored;

/// Median and mean, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Smoothing<T, const DIM: usize, const MEDIAN: usize> {
    median: RunningMedian<T, MEDIAN>,
    mean: ExponentialMean<T, DIM>,
}

impl<T: Scalar, const DIM: usize, const MEDIAN: usize> Smoothing<T, DIM, MEDIAN> {
    pub(super) const fn new(memory: u32) -> Self {
        Self {
            median: RunningMedian::new(),
            mean: ExponentialMean::new(memory),
        }
    }

    /// Takes in the parts of one score.
    pub(super) fn push(&mut self, parts: &[T; DIM]) {
        let mut parts = *parts;
        if MEDIAN > 1 {
            let score = sum(&parts);
            let median = self.median.push(score);
            rescale(&mut parts, score, median);
        }
        self.mean.push(&parts);
    }

    /// The smoothed parts.
    pub(super) const fn parts(&self) -> &[T; DIM] {
        self.mean.mean()
    }
}

/// Makes parts that sum to `sum` sum to `wanted`; a sum of nothing has no parts, and takes even ones.
fn rescale<T: Scalar, const DIM: usize>(parts: &mut [T; DIM], sum: T, wanted: T) {
    let factor = wanted / sum;
    if factor.is_finite() {
        parts.iter_mut().for_each(|part| *part *= factor);
    } else {
        *parts = [wanted / T::from_usize(DIM); DIM];
    }
}

stored!([T: Scalar, const DIM: usize, const MEDIAN: usize] Smoothing<T, DIM, MEDIAN> { median, mean });
