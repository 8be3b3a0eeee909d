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
mod tests {
    use super::*;

    /// Σ p, in `f64`.
    fn sum<T: Scalar>(keeping: &Keeping<T>, scores: &[T]) -> f64 {
        scores.iter().map(|&score| keeping.probability(score).to_f64()).sum()
    }

    #[test]
    fn probabilities_sum_to_keep_for_every_keep_and_rate() {
        let scores = [9.0_f64, 4.0, 4.0, 2.5, 1.0, 0.25, 0.0];
        for keep in 0..=scores.len() {
            for rate in [1e-6, 0.1, 1.0, 30.0, 1e6] {
                let keeping = Keeping::of(&scores, Bulk::NONE, rate, keep);
                let off = sum(&keeping, &scores) - keep as f64;
                // The sum has seven probabilities. Each has a rounding error of a few ε, with ε = 2.2·10⁻¹⁶.
                assert!(off.abs() < 1e-14, "keep {keep}, rate {rate}: {off:e}");
            }
        }
    }

    #[test]
    fn evidence_and_probability_belong_together() {
        // Two scores and k = 1: e^(−g₁) + e^(−g₂) = 1 and g₁ − g₂ = η(λ₁ − λ₂) = ln 3, so p = 3/4 and 1/4.
        let (scores, rate) = ([3.0_f64, 1.0], 3.0_f64.ln() / 2.0);
        let keeping = Keeping::of(&scores, Bulk::NONE, rate, 1);
        assert!((keeping.probability(3.0) - 0.75).abs() < 1e-15);
        assert!((keeping.probability(1.0) - 0.25).abs() < 1e-15);
        assert!((keeping.evidence(3.0) - 4.0_f64.ln()).abs() < 1e-15);
        assert_eq!((keeping.evidence(-1.0), keeping.probability(-1.0)), (0.0, 0.0));
        assert!(keeping.excess(-1.0) < 0.0 && keeping.excess(keeping.least_score()).abs() < 1e-15);
    }

    #[test]
    fn scores_far_beyond_their_own_rounding_sum_to_keep() {
        // ηλ = 7·10⁶ has a spacing of one half in `f32`. Four equal scores and k = 2: p = 1/2.
        let scores = [7.0_f32, 7.0, 7.0, 7.0];
        let keeping = Keeping::of(&scores, Bulk::NONE, 1e6, 2);
        assert!(
            scores
                .iter()
                .all(|&score| (keeping.probability(score) - 0.5).abs() < 1e-6)
        );
        // The two scores differ by one rounding step, 2⁻²¹. g differs by 10⁶·2⁻²¹ = 0.477, so the ratio of 1 − p is e^(−0.477) =
        // 0.6207.
        let above = 7.0 + 4.0 * f32::EPSILON;
        let keeping = Keeping::of(&[above, 7.0], Bulk::NONE, 1e6, 1);
        let ratio = (1.0 - keeping.probability(above)) / (1.0 - keeping.probability(7.0));
        assert!((ratio - 0.620_7).abs() < 1e-4, "{ratio}");
    }

    #[test]
    fn products_beyond_the_largest_number_stay_finite() {
        let scores = [f32::MAX, 1.0, 1.0, 0.0, -f32::MAX];
        for rate in [1.0, f32::MAX] {
            let keeping = Keeping::of(&scores, Bulk::NONE, rate, 2);
            assert_eq!(
                scores.map(|score| keeping.probability(score)),
                [1.0, 0.5, 0.5, 0.0, 0.0]
            );
            assert!(scores.iter().all(|&score| keeping.excess(score).is_finite()));
        }
    }

    #[test]
    fn tied_scores_share_places_evenly() {
        // p = k/n for n equal scores. Scores below τ/η = λ − ln(n/(n−k))/η have p = 0.
        for keep in 1..5 {
            let scores = [2.0_f64, 2.0, 2.0, 2.0, 2.0, 0.3];
            let keeping = Keeping::of(&scores, Bulk::NONE, 1.0, keep);
            assert!((keeping.probability(2.0) - keep as f64 / 5.0).abs() < 1e-15);
            assert_eq!(keeping.probability(0.3), 0.0);
        }
    }

    #[test]
    fn keeping_none_and_keeping_all() {
        let scores = [3.0_f32, 1.0, 0.0];
        let none = Keeping::of(&scores, Bulk::NONE, 2.0, 0);
        assert_eq!(scores.map(|score| none.probability(score)), [0.0; 3]);
        for keep in 3..5 {
            let all = Keeping::of(&scores, Bulk::NONE, 2.0, keep);
            assert_eq!(scores.map(|score| all.probability(score)), [1.0; 3]);
        }
        assert_eq!(Keeping::of(&[], Bulk::NONE, 2.0_f32, 0).probability(0.0), 1.0);
    }

    #[test]
    fn a_bulk_of_scores_counts_with_its_multiplicity() {
        let bulk = Bulk {
            value: 0.5_f64,
            multiplicity: 4,
        };
        let keeping = Keeping::of(&[3.0, 1.0, 0.25], bulk, 0.7, 2);
        let spelled_out = Keeping::of(&[3.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.25], Bulk::NONE, 0.7, 2);
        for score in [3.0, 1.0, 0.5, 0.25] {
            assert!((keeping.probability(score) - spelled_out.probability(score)).abs() < 1e-15);
        }
    }

    #[test]
    fn a_threshold_of_zero_leaves_the_scores_alone() {
        let keeping = Keeping::with_zero_threshold(2.0_f32);
        assert_eq!(keeping.evidence(1.5), 3.0);
        assert_eq!(keeping.probability(1e-20), 2e-20);
    }

    #[test]
    fn a_threshold_near_zero_has_the_digits_that_a_large_one_lacks() {
        let off = |evidence: &[f32], keep: usize| {
            let tau = threshold(evidence, Bulk::NONE, keep);
            let sum: f32 = evidence.iter().map(|&value| keep_probability(value, tau)).sum();
            (tau, (sum - keep as f32).abs())
        };
        let large = [70_000.5_f32, 70_000.25, 70_000.0, 70_000.0, 69_999.5, 3.0, 0.0];
        for keep in 1..5 {
            let near = large.map(|value| value - large[keep]);
            let (tau, sum_off) = off(&near, keep);
            assert!(tau <= 0.0 && tau >= -(keep as f32 + 1.0).ln(), "{keep}: {tau}");
            assert!(sum_off < 1e-6 && off(&large, keep).1 > 1e-4, "{keep}: {sum_off}");
        }
    }

    #[test]
    fn two_equal_values_share_one_place() {
        // exp(τ) = (2 − 1) / (2 exp(−1)), so τ = 1 − ln 2 and p = 1 − exp(−ln 2) = 1/2.
        let tau = threshold(&[1.0_f64, 1.0], Bulk::NONE, 1);
        assert!((tau - (1.0 - core::f64::consts::LN_2)).abs() < 1e-15);
        assert!((keep_probability(1.0, tau) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn a_value_below_the_threshold_stays_out() {
        // The two values above τ: exp(τ) = 1 / (exp(−1) + exp(−1)) gives τ = 0.307. The third value, 0.3, is below τ and does not
        // count.
        let with = threshold(&[1.0_f64, 1.0, 0.3], Bulk::NONE, 1);
        let without = threshold(&[1.0_f64, 1.0], Bulk::NONE, 1);
        assert_eq!(with, without);
    }

    #[test]
    fn the_ends_keep_none_and_all() {
        let bulk = Bulk {
            value: 5.0_f32,
            multiplicity: 2,
        };
        assert_eq!(threshold(&[3.0, 1.0], bulk, 0), 5.0);
        assert_eq!(keep_probability(5.0_f32, 5.0), 0.0);
        let all = threshold(&[3.0, 1.0], bulk, 4);
        assert_eq!(all, -f32::MAX);
        assert_eq!(keep_probability(-f32::MAX / 2.0, all), 1.0);
        assert_eq!(threshold::<f32>(&[], Bulk::NONE, 0), -f32::MAX);
    }

    #[test]
    fn the_bulk_may_sit_anywhere_in_the_order() {
        let bulk = Bulk {
            value: 1.0_f32,
            multiplicity: 3,
        };
        let spelled_out = threshold(&[2.0_f32, 1.0, 1.0, 1.0, 0.5], Bulk::NONE, 2);
        assert!((threshold(&[2.0, 0.5], bulk, 2) - spelled_out).abs() < 1e-6);
    }

    #[test]
    fn evidence_far_beyond_the_exponential_is_harmless() {
        // Three directions have so much evidence that p = 1. For the last two, p sums to one.
        let tau = threshold(&[9e4_f32, 9e4, 5e4, 0.0, 0.0], Bulk::NONE, 4);
        assert!((keep_probability(0.0, tau) - 0.5).abs() < 1e-6);
    }
}
