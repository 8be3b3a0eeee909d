//! Merges the mean and the scatter of two parts of the data.
//! In: two `Moments` with the same kind of centre and the same start; for `begin_with`, a start without samples, and `Moments`
//! that do not contain this start. Out: the moments of all samples of both.
//! Method: with the weights a and b, the means m_a and m_b, the scatters C_a and C_b, and δ = m_b − m_a,
//!
//! ```text
//! m = m_a + b/(a + b)·δ,    C = C_a + C_b + ab/(a + b)·δδᵀ
//! ```
//!
//! A start m⁰ that counts as w samples is contained in both a and b, and must count once. With W = a + b − w, u_a = m_a − m⁰
//! and u_b = m_b − m⁰:
//!
//! ```text
//! m = m_a + ((b − w)·δ + w·u_b)/W,    C = C_a + C_b + ab/W·δδᵀ − w/W·(a·u_a u_aᵀ + b·u_b u_bᵀ)
//! ```
//!
//! Reason: the sums Σ(x − m⁰) and Σ(x − m⁰)(x − m⁰)ᵀ do not contain the start, because x − m⁰ is zero for x = m⁰. So these sums
//! of the two parts can be added; the formulas follow by algebra.
//! Cost: DIM² multiply-adds, 2·DIM² if w > 0. Scratch: 4·DIM numbers.

use super::{Center, Moments};
use crate::scalar::sum::CompensatedVector;
use crate::spectrum::symmetric::{add_outer, add_upper, trace};
use crate::spectrum::vector::dot;
use crate::{MergeError, Scalar};

/// The weights of two parts that are merged.
struct Weights<T> {
    /// a, the weight of `self` with its start.
    own: T,
    /// b, the weight of `other` with its start.
    their: T,
    /// w, the weight of a start that is contained in both `own` and `their`; zero if `own` and `their` have no start in common.
    start: T,
}

impl<T: Scalar, const DIM: usize> Moments<T, DIM> {
    /// Adds the moments of another part that has the same `center` and the same `start` m⁰. Returns an error and changes nothing
    /// if the sum of the weights overflows, or if the merged scatter could overflow.
    pub(in crate::pca) fn merge(
        &mut self,
        other: &Self,
        center: Center<T>,
        start: &[T; DIM],
    ) -> Result<(), MergeError> {
        let start_weight = match center {
            Center::Mean => T::ZERO,
            Center::Weighted(inverse_rate) => inverse_rate,
            // A fixed centre does not move. With a = b = w = 0 the mean does not change, and C = C_a + C_b.
            Center::Fixed => {
                let nothing = Weights {
                    own: T::ZERO,
                    their: T::ZERO,
                    start: T::ZERO,
                };
                return self.combine(other, &nothing, start);
            }
        };
        let weights = Weights {
            own: start_weight + self.weight,
            their: start_weight + other.weight,
            start: start_weight,
        };
        self.combine(other, &weights, start)
    }

    /// Adds the moments of `other`, which do not contain the start of `self`. `self` has no samples; its start counts as
    /// `start_weight` samples.
    pub(in crate::pca) fn begin_with(&mut self, other: &Self, start_weight: T) -> Result<(), MergeError> {
        let weights = Weights {
            own: start_weight,
            their: other.weight,
            start: T::ZERO,
        };
        self.combine(other, &weights, &[T::ZERO; DIM])
    }

    fn combine(&mut self, other: &Self, weights: &Weights<T>, start: &[T; DIM]) -> Result<(), MergeError> {
        let Weights {
            own,
            their,
            start: shared,
        } = *weights;
        let weight = self.weight + other.weight;
        let whole = own + (their - shared);
        let per_whole = if whole > T::ZERO { T::ONE / whole } else { T::ZERO };
        let difference = other.mean.minus(&self.mean);
        let between = own * (their * per_whole);
        let mut largest = trace(&self.scatter) + trace(&other.scatter) + between * dot(&difference, &difference);
        let (own_pull, their_pull) = (shared * (own * per_whole), shared * (their * per_whole));
        let start = CompensatedVector::of(*start);
        let (from_start, their_from_start) = (self.mean.minus(&start), other.mean.minus(&start));
        if shared > T::ZERO {
            largest += own_pull * dot(&from_start, &from_start);
            largest += their_pull * dot(&their_from_start, &their_from_start);
        }
        // `largest` is at least the trace of the merged scatter. Twice the trace must be finite, as in `Moments::check`; this is
        // certain if twice `largest` is finite.
        if !(weight.is_finite() && whole.is_finite() && (T::TWO * largest).is_finite()) {
            return Err(MergeError::Overflow);
        }
        add_upper(&mut self.scatter, &other.scatter);
        add_outer(&mut self.scatter, between, &difference);
        if shared > T::ZERO {
            add_outer(&mut self.scatter, -own_pull, &from_start);
            add_outer(&mut self.scatter, -their_pull, &their_from_start);
            for channel in 0..DIM {
                // Rounding can make a diagonal entry negative if a channel does not vary.
                let square = &mut self.scatter.data.0[channel][channel];
                *square = T::ZERO.max(*square);
            }
        }
        if own > T::ZERO {
            let steps = difference.iter().zip(&their_from_start);
            self.mean
                .add(steps.map(|(&difference, &away)| ((their - shared) * difference + shared * away) * per_whole));
        } else if their > T::ZERO {
            // `self` is empty and has no mean: copy the mean of `other` bit for bit.
            self.mean = other.mean;
        }
        self.weight = weight;
        self.samples_seen = self.samples_seen.saturating_add(other.samples_seen);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Forgetting;

    fn learned<const DIM: usize>(center: Center<f64>, start: [f64; DIM], samples: &[[f64; DIM]]) -> Moments<f64, DIM> {
        let mut moments = Moments::new();
        moments.reset(&start);
        for sample in samples {
            if let Ok(deviation) = moments.deviation(sample) {
                moments.learn(&deviation, center, Forgetting::NONE);
            }
        }
        moments
    }

    #[test]
    fn a_start_that_is_in_both_parts_counts_once() {
        let samples = [[1.0, 4.0], [3.0, -2.0], [7.0, 0.5], [2.0, 2.0], [9.0, -1.0]];
        let start = [10.0, -5.0];
        for center in [
            Center::Mean,
            Center::Weighted(0.0),
            Center::Weighted(3.0),
            Center::Fixed,
        ] {
            let whole = learned(center, start, &samples);
            for cut in 0..=samples.len() {
                let (first, second) = samples.split_at(cut);
                let mut merged = learned(center, start, first);
                assert_eq!(merged.merge(&learned(center, start, second), center, &start), Ok(()));
                assert_eq!((merged.weight, merged.samples_seen), (whole.weight, whole.samples_seen));
                assert!(
                    (merged.mean() - whole.mean()).abs().max() < 1e-14,
                    "{center:?}, cut {cut}"
                );
                let off = (merged.scatter - whole.scatter).abs().max();
                assert!(off < 1e-13, "{center:?}, cut {cut}: {off:e}");
            }
        }
    }

    #[test]
    fn sums_beyond_the_largest_number_are_refused_and_change_nothing() {
        let far = |value: f64| learned(Center::Mean, [0.0], &[[value], [value]]);
        let mut moments = far(1e154);
        let before = (moments.mean, moments.weight, moments.scatter);
        assert_eq!(
            moments.merge(&far(-1e154), Center::Mean, &[0.0]),
            Err(MergeError::Overflow)
        );
        assert_eq!((moments.mean, moments.weight, moments.scatter), before);
    }
}
