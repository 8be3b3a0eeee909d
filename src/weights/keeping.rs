//! The rule of the crate, from scores to the probability that a direction is kept: [WK08] Algorithm 4, [KW07] Algorithm 5.
//! In: scores λ in descending order, the bulk (many directions with one common score), a learning rate η, and the number k of
//! directions to keep. Scores are eigenvalues of a scatter or Gram matrix, or evidence itself with η = 1. Out: the threshold τ,
//! and for any score the evidence g and the keep probability p:
//!
//! ```text
//! g = max(0, ηλ − τ),    p = 1 − e^(−g),    τ such that Σ p = k
//! ```
//!
//! Method: q = 1 − p = e^(−g) is the probability that a direction is dropped. Of n directions d = n − k are dropped, and the
//! weight w = q/d of the papers is at its cap 1/d if g is zero. `Level` computes τ. `TrackingPca` calls `Level` directly, because
//! `Level` also returns the exponentials.
//! Cost: three numbers kept, no scratch. To find τ: at most one `exp` for each score λ with ηλ > τ (one for the whole bulk), one
//! more `exp`, and one `ln`. Then one `exp_m1` for each probability.

use super::threshold::{Bulk, Level};
use crate::Scalar;

/// The rule, with the threshold τ of one list of scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Keeping<T> {
    /// The learning rate η.
    rate: T,
    /// λ_{k+1}, the (k+1)-th largest score; zero if all directions are kept, and in `with_zero_threshold`.
    reference: T,
    /// The threshold τ minus η·`reference`; −`T::MAX` if all directions are kept.
    offset: T,
}

impl<T: Scalar> Keeping<T> {
    /// Computes the threshold τ for `scores`, which are finite and in descending order, and for the bulk: `bulk.multiplicity`
    /// directions with the score `bulk.value`.
    ///
    /// With `keep` = 0 the probability of every given score is zero. With `keep` at or above the number of directions the
    /// probability is one for every score whose product with the rate is above −`T::MAX`.
    pub(crate) fn of(scores: &[T], bulk: Bulk<T>, rate: T, keep: usize) -> Self {
        // The scores below the value of the bulk are the list `after`.
        let behind = scores.iter().rev().take_while(|&&score| score < bulk.value).count();
        let (before, after) = scores
            .split_at_checked(scores.len().wrapping_sub(behind))
            .unwrap_or((scores, &[]));
        Self::around(before, bulk, after, rate, keep)
    }

    /// Computes the threshold τ for the bulk and two lists of scores, each in descending order: `before` are the scores at or
    /// above the score of the bulk, `after` are the scores at or below it.
    pub(crate) fn around(before: &[T], bulk: Bulk<T>, after: &[T], rate: T, keep: usize) -> Self {
        let level = Level::find(before, bulk, after, keep, &mut [], |reference, score| {
            scaled(rate, reference - score)
        });
        Self {
            rate,
            reference: level.reference,
            offset: level.offset,
        }
    }

    /// The rule with τ = 0: p = 1 − e^(−ηλ), or 0 for a negative score λ, with the learning rate η. These
    /// probabilities need not sum to the number of directions to keep.
    pub(crate) const fn with_zero_threshold(rate: T) -> Self {
        Self {
            rate,
            reference: T::ZERO,
            offset: T::ZERO,
        }
    }

    /// ηλ − τ for a score λ, with the learning rate η and the threshold τ; negative for a score below τ/η.
    #[inline]
    pub(crate) fn excess(&self, score: T) -> T {
        // Subtracts λ_{k+1} (`reference`) before multiplying by η: τ lies near ηλ_{k+1}, so for large ηλ and τ a direct
        // subtraction ηλ − τ would be mostly rounding error.
        scaled(self.rate, score - self.reference) - self.offset
    }

    /// The evidence g = max(0, ηλ − τ) of a score λ.
    #[inline]
    pub(crate) fn evidence(&self, score: T) -> T {
        T::ZERO.max(self.excess(score))
    }

    /// The keep probability p = 1 − e^(−g) of a score with the evidence g.
    #[inline]
    pub(crate) fn probability(&self, score: T) -> T {
        keep_probability(self.excess(score), T::ZERO)
    }

    /// τ/η: a score above this has evidence above zero.
    pub(crate) fn least_score(&self) -> T {
        self.reference + self.offset / self.rate
    }
}

/// The learning rate times a difference of scores. If the difference or the product overflows, the result is ±`T::MAX`.
#[inline]
fn scaled<T: Scalar>(rate: T, difference: T) -> T {
    (rate * difference).min(T::MAX).max(-T::MAX)
}

/// The threshold τ at which the keep probabilities sum to `keep`, k.
///
/// `evidence` is finite and in descending order. The value of the bulk is finite and can lie anywhere in that order. τ can be
/// negative. The number of directions is the length of `evidence` plus the multiplicity of the bulk. With `keep` at or above
/// this number, τ is −[`Scalar::MAX`], and the probability is one for all evidence above τ. Otherwise, with `keep` = 0, τ is the
/// largest evidence of all directions, and every probability is zero.
///
/// The rounding error of τ is up to ε·|τ|, with the machine epsilon ε, and each probability can have an error of this size: in
/// `f32` about 10⁻⁴ for τ = 2,000. One number subtracted from all evidence does not change the probabilities. So subtract the
/// (k + 1)-th largest evidence of all directions first: then |τ| is at most ln(k + 1).
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

/// The probability p = 1 − exp(−max(0, g − τ)) that a direction is kept. Here g is the evidence before the threshold τ is
/// subtracted.
///
/// p is computed from the rounded difference g − τ. This computation adds only a small relative error, even for tiny p.
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
