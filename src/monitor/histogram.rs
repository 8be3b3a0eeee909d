//! Estimates quantiles of a stream of scores without storing the stream.
//! In: a middle (a score of usual size), then one score at a time. Out: quantiles. A quantile is the score below which a given
//! fraction of all scores lies.
//! Method: 64 bins from middle/16 to 16·middle, eight bins for each factor of two. A score outside this range counts in the first
//! or the last bin. Inside a bin the logarithms of the scores are taken to be evenly distributed. The upper end of a bin is 9.1 %
//! above its lower end. So the error of a quantile is at most 9.1 %. The error is about 1 % if the bin of the quantile holds many
//! scores that are nearly evenly distributed. The limit of 9.1 % does not hold for a quantile in the first or the last bin, or
//! after the counts were halved (`push`). A very large score moves a quantile no more than any other score above the quantile.
//! Cost: one logarithm and up to 64 comparisons per score. Kept: one number and 64 counts.

use crate::codec::{stored, validate};
use crate::{CodecError, Scalar};

/// Number of bins.
const BINS: usize = 64;

/// Bins for each factor of two.
const PER_OCTAVE: f64 = 8.0;

/// Counts scores by their size.
///
/// ```
/// use eigenstream::monitor::stages::Histogram;
///
/// let mut histogram = Histogram::<f32>::around(1.0);
/// for i in 0..1_000 {
///     histogram.push(0.5 + ((i * 389) % 1_000) as f32 / 1_000.0);
/// }
/// histogram.push(1e30);
/// assert!((histogram.quantile(0.9) - 1.4).abs() < 0.02);
/// ```
#[derive(Clone, Debug)]
pub struct Histogram<T> {
    middle: T,
    counts: [u16; BINS],
}

impl<T: Scalar> Histogram<T> {
    /// An empty histogram for scores within a factor of 16 of `middle`. A `middle` that is NaN, infinite or below
    /// [`Scalar::MIN_POSITIVE`] counts as 1.
    #[must_use]
    pub fn around(middle: T) -> Self {
        Self {
            middle: if middle >= T::MIN_POSITIVE && middle.is_finite() {
                middle
            } else {
                T::ONE
            },
            counts: [0; BINS],
        }
    }

    /// An empty histogram around 1.
    pub(super) const fn new() -> Self {
        Self {
            middle: T::ONE,
            counts: [0; BINS],
        }
    }

    /// The score at the centre of the bins.
    #[must_use]
    pub const fn middle(&self) -> T {
        self.middle
    }

    /// Adds a score. NaN counts in the first bin.
    pub fn push(&mut self, score: T) {
        let half = T::from_usize(BINS / 2);
        let place =
            (score.max(T::MIN_POSITIVE) / self.middle).ln() * T::from_f64(PER_OCTAVE * core::f64::consts::LOG2_E);
        // Limits `place` to the range from 0 to the last bin.
        let place = (place + half).max(T::ZERO).min(T::from_usize(BINS - 1));
        let mut bin = 0_usize;
        while T::from_usize(bin.wrapping_add(1)) <= place {
            bin = bin.wrapping_add(1);
        }
        if let Some(count) = self.counts.get_mut(bin) {
            *count = count.wrapping_add(1);
            if *count == u16::MAX {
                // The counts are 16 bits wide. All counts are halved and rounded down. Later scores have twice the weight of the
                // scores before.
                self.counts.iter_mut().for_each(|count| *count /= 2);
            }
        }
    }

    /// Estimates the score below which the fraction `probability` of all scores lies. Zero before the first score, and if
    /// `probability` is above 1 or NaN.
    #[must_use]
    pub fn quantile(&self, probability: T) -> T {
        let wanted = probability * T::from_usize(self.scores() as usize);
        let mut below = T::ZERO;
        for (bin, &count) in self.counts.iter().enumerate() {
            let inside = T::from_usize(count as usize);
            if count > 0 && below + inside >= wanted {
                let part = ((wanted - below) / inside).max(T::ZERO);
                let place = T::from_usize(bin) + part - T::from_usize(BINS / 2);
                return self.middle * (place * T::from_f64(core::f64::consts::LN_2 / PER_OCTAVE)).exp();
            }
            below += inside;
        }
        T::ZERO
    }

    /// The number of scores counted; smaller after the counts were halved.
    #[must_use]
    pub fn scores(&self) -> u32 {
        self.counts.iter().map(|&count| u32::from(count)).sum()
    }

    /// Whether the scores give no useful threshold: there are no scores, or all scores are in one bin, or the first bin alone or
    /// the last bin alone has more than half of the scores.
    #[must_use]
    pub fn is_useless(&self) -> bool {
        let most = self.counts.iter().max().copied().unwrap_or(0);
        let [first, .., last] = self.counts;
        let scores = self.scores();
        u32::from(most) == scores || 2 * u32::from(first) > scores || 2 * u32::from(last) > scores
    }
}

stored!([T: Scalar] Histogram<T> { middle, counts } if validate);

impl<T: Scalar> Histogram<T> {
    fn validate(&self) -> Result<(), CodecError> {
        let counted = self.counts.iter().all(|&count| count < u16::MAX);
        validate::accept(counted, CodecError::Count)?;
        validate::accept(self.middle >= T::MIN_POSITIVE, CodecError::Range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_bin_halves_all_bins() {
        let mut histogram = Histogram::<f32>::around(1.0);
        (0..1_000).for_each(|_| histogram.push(0.5));
        (0..65_534).for_each(|_| histogram.push(1.0));
        assert_eq!((histogram.scores(), histogram.validate()), (66_534, Ok(())));
        histogram.push(1.0);
        assert_eq!(histogram.scores(), 500 + 32_767);
    }

    #[test]
    fn a_full_bin_is_refused_since_one_more_score_would_overflow_it() {
        let mut histogram = Histogram::<f32>::around(1.0);
        histogram.counts[3] = u16::MAX;
        assert_eq!(histogram.validate(), Err(CodecError::Count));
    }

    #[test]
    fn half_of_the_scores_outside_still_give_a_threshold() {
        for end in [1e-9, 1e9] {
            let mut histogram = Histogram::<f32>::around(1.0);
            [end, end, 0.5, 2.0].into_iter().for_each(|score| histogram.push(score));
            assert!(!histogram.is_useless(), "{end}");
            histogram.push(end);
            assert!(histogram.is_useless(), "{end}");
        }
    }

    #[test]
    fn a_quantile_between_two_bins_is_the_upper_end_of_the_lower_bin() {
        let mut histogram = Histogram::<f64>::around(1.0);
        // The bin of 1.01 ends at 2^(1/8); the bins up to that of 4 are empty.
        [1.01, 1.01, 4.0, 4.0]
            .into_iter()
            .for_each(|score| histogram.push(score));
        assert!((histogram.quantile(0.5) - Scalar::exp(core::f64::consts::LN_2 / 8.0)).abs() < 1e-12);
    }
}
