//! Joins the last samples into one wide sample, so that a learner sees how the channels move.
//! In: samples of `DIM` channels. Out: samples of `WIDE` = `DIM`·`LAGS` channels, which begin with the newest sample.
//! Method: Takens' delay coordinates: the wide sample is (xₜ, xₜ₋₁, …, xₜ₋ₗ₊₁), with the newest sample xₜ and l = `LAGS`.
//! Cost: a copy. Kept: `WIDE` numbers and a count. Stable Rust cannot multiply const parameters, hence the parameter `WIDE`.

use crate::codec::{stored, validate};
use crate::{CodecError, Scalar};

/// The last `LAGS` samples of `DIM` channels as one sample of `WIDE` channels.
///
/// ```
/// use eigenstream::monitor::stages::LagEmbedding;
///
/// let mut lags = LagEmbedding::<f32, 2, 3, 6>::new();
/// for i in 1..=3 {
///     lags.push(&[i as f32, 10.0 * i as f32]);
/// }
/// assert_eq!(lags.embed(&[4.0, 40.0]), [4.0, 40.0, 3.0, 30.0, 2.0, 20.0]);
/// ```
///
/// `WIDE` other than `DIM`·`LAGS` does not compile:
/// ```compile_fail,E0080
/// use eigenstream::monitor::stages::LagEmbedding;
/// let lags = LagEmbedding::<f32, 2, 3, 5>::new();
/// ```
#[derive(Clone, Debug)]
pub struct LagEmbedding<T, const DIM: usize, const LAGS: usize, const WIDE: usize> {
    /// The last `LAGS` samples, newest first; zeros for samples that were not pushed. The next sample replaces the oldest sample.
    past: [[T; DIM]; LAGS],
    filled: usize,
}

impl<T: Scalar, const DIM: usize, const LAGS: usize, const WIDE: usize> LagEmbedding<T, DIM, LAGS, WIDE> {
    /// Starts without samples: all past samples are zero.
    #[must_use]
    pub const fn new() -> Self {
        const {
            assert!(LAGS > 0, "one lag is the sample itself: LAGS >= 1");
            assert!(
                WIDE == DIM * LAGS,
                "the embedding has DIM * LAGS channels: WIDE = DIM * LAGS"
            );
        }
        Self {
            past: [[T::ZERO; DIM]; LAGS],
            filled: 0,
        }
    }

    /// Joins a sample with the `LAGS` − 1 samples that were pushed last, newest first. If fewer samples were pushed, the missing
    /// samples are zero. Stores nothing.
    #[must_use]
    pub fn embed(&self, sample: &[T; DIM]) -> [T; WIDE] {
        let mut wide = [T::ZERO; WIDE];
        let values = sample.iter().chain(self.past.iter().flatten());
        for (entry, &value) in wide.iter_mut().zip(values) {
            *entry = value;
        }
        wide
    }

    /// Stores a sample, and removes the oldest sample.
    pub fn push(&mut self, sample: &[T; DIM]) {
        self.past.rotate_right(1);
        if let Some(newest) = self.past.first_mut() {
            *newest = *sample;
        }
        self.filled = self.filled.wrapping_add(1).min(LAGS);
    }

    /// Whether at least `LAGS` − 1 samples are stored. Then `embed` fills in no zeros.
    #[must_use]
    pub const fn is_ready(&self) -> bool {
        self.filled.wrapping_add(1) >= LAGS
    }

    /// Removes all stored samples. Call this after samples were dropped, because the next sample does not follow the last one.
    pub fn reset(&mut self) {
        *self = Self::new();
    }
}

impl<T: Scalar, const DIM: usize, const LAGS: usize, const WIDE: usize> Default for LagEmbedding<T, DIM, LAGS, WIDE> {
    fn default() -> Self {
        Self::new()
    }
}

stored!(
    [T: Scalar, const DIM: usize, const LAGS: usize, const WIDE: usize] LagEmbedding<T, DIM, LAGS, WIDE> { past, filled }
    if validate
);

impl<T: Scalar, const DIM: usize, const LAGS: usize, const WIDE: usize> LagEmbedding<T, DIM, LAGS, WIDE> {
    fn validate(&self) -> Result<(), CodecError> {
        validate::accept(self.filled <= LAGS, CodecError::Count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_samples_than_lags_are_refused() {
        let mut lags = LagEmbedding::<f32, 1, 2, 2>::new();
        (0..5).for_each(|_| lags.push(&[1.0]));
        assert_eq!(lags.validate(), Ok(()));
        lags.filled = 3;
        assert_eq!(lags.validate(), Err(CodecError::Count));
    }
}
