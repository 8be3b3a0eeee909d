//! Smooths a score and the part of each channel in the score.
//! In: the part of each channel in a score. Out: the smoothed parts; the sum of the smoothed parts is the smoothed score.
//! Method: the running median of the last `MEDIAN` scores removes spikes of up to (`MEDIAN` − 1)/2 scores. The parts are scaled
//! so that their sum is this median. Then each part is smoothed by an exponential mean. `MEDIAN` = 1 switches the median off, and
//! a memory of 0 or 1 switches the mean off.
//! Cost: an exponential mean; with `MEDIAN` > 1 also a running median, DIM additions, DIM products and one division. Kept: DIM +
//! 2·MEDIAN numbers and four counts.

mod mean;
mod median;

pub use mean::ExponentialMean;
pub(super) use mean::counted;
pub use median::RunningMedian;

use super::score::sum;
use crate::codec::{stored, validate};
use crate::{CodecError, Scalar};

/// The running median, followed by the exponential mean.
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

    /// Adds the parts of one score.
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

/// Scales `parts` from the sum `sum` to the sum `wanted`. If `sum` is zero, or so small that the factor overflows, every part
/// becomes `wanted` / DIM.
fn rescale<T: Scalar, const DIM: usize>(parts: &mut [T; DIM], sum: T, wanted: T) {
    let factor = wanted / sum;
    if factor.is_finite() {
        parts.iter_mut().for_each(|part| *part *= factor);
    } else {
        *parts = [wanted / T::from_usize(DIM); DIM];
    }
}

stored!([T: Scalar, const DIM: usize, const MEDIAN: usize] Smoothing<T, DIM, MEDIAN> { median, mean } if validate);

impl<T: Scalar, const DIM: usize, const MEDIAN: usize> Smoothing<T, DIM, MEDIAN> {
    fn validate(&self) -> Result<(), CodecError> {
        // By construction a score is between zero and `T::MAX`/4. Twice this limit allows for rounding.
        let largest = T::HALF * T::MAX;
        validate::not_negative(self.parts())?;
        validate::not_negative(self.median.past())?;
        validate::slice_within(largest, self.median.past())?;
        validate::slice_within(largest, &[sum(self.parts())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Found by fuzzing the encoded bytes, with a correct checksum: the score of the decoded monitor was infinite.
    #[test]
    fn parts_whose_sum_is_beyond_the_largest_number_are_refused() {
        let mut smoothing = Smoothing::<f32, 2, 1>::new(1);
        smoothing.push(&[f32::MAX / 8.0; 2]);
        assert_eq!(smoothing.validate(), Ok(()));
        smoothing.push(&[f32::MAX; 2]);
        assert_eq!(smoothing.validate(), Err(CodecError::Range));
    }

    /// Found by fuzzing the encoded bytes, with a correct checksum: the score became negative, and the next encoded bytes of
    /// this monitor were refused.
    #[test]
    fn a_score_below_zero_is_refused() {
        let mut smoothing = Smoothing::<f32, 2, 3>::new(1);
        smoothing.push(&[1.0, 2.0]);
        assert_eq!(smoothing.validate(), Ok(()));
        smoothing.median.push(-1.0);
        assert_eq!(smoothing.validate(), Err(CodecError::Range));
    }

    #[test]
    fn a_sum_too_small_for_a_factor_gives_equal_parts() {
        let mut parts = [f32::from_bits(1), 0.0];
        let sum = sum(&parts);
        rescale(&mut parts, sum, 1.0);
        assert_eq!(parts, [0.5; 2]);
    }
}
