//! The rule of the crate, from scores to keep probabilities: [WK08] Algorithm 4, [KW07] Algorithm 5.
//! In: scores λ in descending order, the bulk, η and k. Out: τ, and for any score the evidence and the keep
//! probability:
//!
//! ```text
//! g = max(0, ηλ − τ),    p = 1 − e^(−g),    τ such that Σ p = k
//! ```
//!
//! Cost: three numbers kept, no scratch. Computing τ takes at most one `exp` for each score above τ/η, one more, and
//! one `ln`; each probability takes one `exp_m1`.

use super::threshold::{Bulk, EvidenceThreshold};
use crate::scalar::Scalar;

/// The rule, with the threshold τ of one list of scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Keeping<T> {
    /// The learning rate η.
    rate: T,
    /// The (k+1)-th largest score; zero if all directions are kept, and in `with_zero_threshold`.
    reference: T,
    /// τ minus η·`reference`; −`T::MAX` if all directions are kept.
    offset: T,
}

impl<T: Scalar> Keeping<T> {
    /// Computes τ for finite `scores` in descending order and the bulk.
    pub(crate) fn of(scores: &[T], bulk: Bulk<T>, rate: T, keep: usize) -> Self {
        let behind = scores.iter().rev().take_while(|&&score| score < bulk.value).count();
        let (before, after) = scores
            .split_at_checked(scores.len().wrapping_sub(behind))
            .unwrap_or((scores, &[]));
        Self::around(before, bulk, after, rate, keep)
    }

    /// Computes τ for the bulk and the scores before and after it, each in descending order.
    pub(crate) fn around(before: &[T], bulk: Bulk<T>, after: &[T], rate: T, keep: usize) -> Self {
        let level = EvidenceThreshold::find(before, bulk, after, keep, &mut [], |reference, score| {
            scaled(rate, reference - score)
        });
        Self {
            rate,
            reference: level.reference,
            offset: level.offset,
        }
    }

    /// The rule with τ = 0, whose probabilities need not sum to k.
    pub(crate) const fn with_zero_threshold(rate: T) -> Self {
        Self {
            rate,
            reference: T::ZERO,
            offset: T::ZERO,
        }
    }

    /// The difference ηλ − τ for the score λ.
    #[inline]
    pub(crate) fn excess(&self, score: T) -> T {
        // Subtracts `reference` first: for large ηλ and τ the direct difference ηλ − τ would be mostly rounding error.
        scaled(self.rate, score - self.reference) - self.offset
    }

    /// The evidence g = max(0, ηλ − τ).
    #[inline]
    pub(crate) fn evidence(&self, score: T) -> T {
        T::ZERO.max(self.excess(score))
    }

    /// The keep probability 1 − e^(−g).
    #[inline]
    pub(crate) fn probability(&self, score: T) -> T {
        keep_probability(self.excess(score), T::ZERO)
    }

    /// τ/η: a score above this has evidence above zero.
    pub(crate) fn least_score(&self) -> T {
        self.reference + self.offset / self.rate
    }
}

/// The product `rate`·`difference`, limited to ±`T::MAX`.
#[inline]
fn scaled<T: Scalar>(rate: T, difference: T) -> T {
    (rate * difference).min(T::MAX).max(-T::MAX)
}

/// The threshold τ at which the keep probabilities sum to `keep`.
///
/// `evidence` is finite and in descending order; the bulk can lie anywhere in that order. τ can be negative. If `keep`
/// is at least the number of directions, τ is −[`Scalar::MAX`]. If `keep` is 0 and there are directions, τ is the
/// largest evidence.
///
/// A large τ has a rounding error of about ε·|τ|, which enters each probability. So first subtract the (k + 1)-th
/// largest evidence from all, with k = `keep`: this changes no probability, and |τ| is then at most ln(k + 1).
///
/// ```
/// use eigenstream::weights::{Bulk, keep_probability, threshold};
///
/// let evidence = [3.0_f32, 1.0, 0.5];
/// let bulk = Bulk { value: 0.1, multiplicity: 7 };
/// let tau = threshold(&evidence, bulk, 2);
/// let listed: f32 = evidence.iter().map(|&g| keep_probability(g, tau)).sum();
/// let total = listed + 7.0 * keep_probability(0.1, tau);
/// assert!((total - 2.0).abs() < 1e-6);
/// ```
pub fn threshold<T: Scalar>(evidence: &[T], bulk: Bulk<T>, keep: usize) -> T {
    let keeping = Keeping::of(evidence, bulk, T::ONE, keep);
    keeping.reference + keeping.offset
}

/// The keep probability p = 1 − exp(−max(0, `evidence` − `threshold`)).
///
/// If the difference is exact, the relative error is small even for tiny p.
///
/// ```
/// use eigenstream::weights::keep_probability;
/// assert_eq!(keep_probability(1.0_f32, 2.0), 0.0);
/// assert!((keep_probability(2.0_f32, 1.0) - 0.632_120_56).abs() < 1e-6);
/// assert_eq!(keep_probability(1e-20_f32, 0.0), 1e-20);
/// ```
pub fn keep_probability<T: Scalar>(evidence: T, threshold: T) -> T {
    -(-T::ZERO.max(evidence - threshold)).exp_m1()
}

#[cfg(test)]
mod tests;
