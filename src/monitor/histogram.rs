//! Quantiles of a stream of scores, without keeping the stream.
//! In: one score at a time. Out: the score that a given part of all scores stays below.
//! Method: 64 bins, eight to a factor of two, around a middle; a score beyond them counts in the outermost. Inside a bin the
//! quantile is read as if the scores were even in it. A bin is 9 % wide, so no quantile between the outermost bins is off by
//! more than 9 %, and by about 1 % where a bin holds many scores. One wild score moves a quantile by one score, whatever its size.
//! Cost: one logarithm a score. Kept: one number and 64 counts.

use crate::codec::{stored, validate};
use crate::{CodecError, Scalar};

/// Bins.
const BINS: usize = 64;

/// Bins to a factor of two.
const PER_OCTAVE: f64 = 8.0;

/// Counts of scores by their size.
///
/// ```
/// use eigenstream::monitor::Histogram;
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
    /// No scores; they are expected within a factor of 16 of `middle`. One that is not positive counts as one.
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

    /// No scores yet.
    pub(super) const fn new() -> Self {
        Self {
            middle: T::ONE,
            counts: [0; BINS],
        }
    }

    /// The score in the middle of the bins.
    #[must_use]
    pub const fn middle(&self) -> T {
        self.middle
    }

    /// Takes in a score. NaN is passed over.
    pub fn push(&mut self, score: T) {
        let half = T::from_usize(BINS / 2);
        let place =
            (score.max(T::MIN_POSITIVE) / self.middle).ln() * T::from_f64(PER_OCTAVE * core::f64::consts::LOG2_E);
        // From below the first bin to the last: what `to_usize` is given is never negative.
        let place = (place + half).max(T::ZERO).min(T::from_usize(BINS - 1));
        let mut bin = 0;
        while T::from_usize(bin + 1) <= place {
            bin += 1;
        }
        if let Some(count) = self.counts.get_mut(bin) {
            *count += 1;
            if *count == u16::MAX {
                // Half of everything has the quantiles of the whole.
                self.counts.iter_mut().for_each(|count| *count /= 2);
            }
        }
    }

    /// The score that the part `probability` of all scores stays below; zero before the first score.
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

    /// How many scores it stands for.
    #[must_use]
    pub fn scores(&self) -> u32 {
        self.counts.iter().map(|&count| u32::from(count)).sum()
    }

    /// Whether all scores are in one bin, or beyond the bins: nothing to find a threshold by.
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
