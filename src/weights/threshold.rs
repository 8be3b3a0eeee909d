//! The one number that turns evidence into probabilities.
//! In: the evidence g of every direction, and how many directions to keep, k. Out: the threshold τ for which the
//! probabilities p_i = 1 − exp(−max(0, g_i − τ)) sum to k.
//! Method: [WK08] Algorithm 4 and [KW07] Algorithm 5 in the log domain. On the active set A, the a largest g, the answer
//! is exp(τ) = (a − k) / Σ_{i∈A} exp(−g_i); A grows from the k + 1 largest until the next g lies at or below τ.
//! Cost: no memory; one `exp` per active value but the reference, one for the whole bulk, at most one for the first
//! value left out, and one `ln`.

use crate::Scalar;

/// Many directions that share one evidence, b: the orthogonal complement of what a learner stores.
///
/// ```
/// use eigenstream::weights::Bulk;
/// let bulk = Bulk { value: 0.25_f32, multiplicity: 18 };
/// assert_ne!(bulk, Bulk::NONE);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Bulk<T> {
    /// The evidence of each of them.
    pub value: T,
    /// How many they are.
    pub multiplicity: usize,
}

impl<T: Scalar> Bulk<T> {
    /// No bulk: every direction is listed.
    ///
    /// ```
    /// use eigenstream::weights::Bulk;
    /// assert_eq!(Bulk::<f32>::NONE.multiplicity, 0);
    /// ```
    pub const NONE: Self = Self {
        value: T::ZERO,
        multiplicity: 0,
    };
}

/// The threshold τ at which the keep probabilities sum to `keep`, k.
///
/// `evidence` is finite and in descending order; the bulk takes its place in that order, normally the last. τ may be
/// negative: whoever wants τ ≥ 0 takes the larger of the two. With `keep` = 0 the answer is the largest evidence, so every
/// probability is zero; with `keep` at or above the number of directions it is −[`Scalar::MAX`], so every one is one.
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
    // Where the bulk stands in the order: normally behind all others.
    let behind = evidence.iter().rev().take_while(|&&value| value < bulk.value).count();
    let (before, after) = evidence
        .split_at_checked(evidence.len() - behind)
        .unwrap_or((evidence, &[]));
    Level::of(before, bulk, after, keep, &mut []).threshold()
}

/// The threshold with the exponentials that it took to find it, which are the learners' probabilities but for a factor.
pub(crate) struct Level<T> {
    /// The (k+1)-th largest evidence, which all others are measured from.
    reference: T,
    /// τ, measured from the reference.
    offset: T,
    /// What turns an exponential into 1 − p, e^offset.
    factor: T,
    /// The bulk's exponential.
    bulk: T,
}

impl<T: Scalar> Level<T> {
    /// Finds the level of [`threshold`] for values before and after the bulk, and leaves the exponential of each of them in
    /// `exponentials`: infinity for those that are not active, so that nobody has to compare them with a τ that is rounded.
    #[inline(always)]
    pub(crate) fn of(before: &[T], bulk: Bulk<T>, after: &[T], keep: usize, exponentials: &mut [T]) -> Self {
        let mut level = Self {
            reference: T::ZERO,
            offset: -T::MAX,
            factor: T::ZERO,
            bulk: T::ZERO,
        };
        let listed = before.len() + after.len();
        if keep >= listed.saturating_add(bulk.multiplicity) {
            return level;
        }
        // Measured from the (k+1)-th largest. τ lies between it and ln(k+1) below it, so no exponential of an active
        // value exceeds k + 1; the largest g as the reference would overflow `f32`.
        level.reference = match before.get(keep) {
            Some(&value) => value,
            None => keep
                .checked_sub(before.len() + bulk.multiplicity)
                .and_then(|position| after.get(position).copied())
                .unwrap_or(bulk.value),
        };
        level.bulk = T::INFINITY;
        for slot in exponentials.iter_mut().take(listed) {
            *slot = T::INFINITY;
        }
        if keep == 0 {
            level.offset = T::ZERO;
            level.factor = T::ONE;
            return level;
        }

        let mut active = Active {
            reference: level.reference,
            keep,
            count: 0,
            sum: T::ZERO,
        };
        'in_order: {
            for (place, &value) in before.iter().enumerate() {
                let Some(exponential) = active.update(value, 1) else {
                    break 'in_order;
                };
                if let Some(slot) = exponentials.get_mut(place) {
                    *slot = exponential;
                }
            }
            if bulk.multiplicity > 0 {
                let Some(exponential) = active.update(bulk.value, bulk.multiplicity) else {
                    break 'in_order;
                };
                level.bulk = exponential;
            }
            for (place, &value) in (before.len()..).zip(after) {
                let Some(exponential) = active.update(value, 1) else {
                    break 'in_order;
                };
                if let Some(slot) = exponentials.get_mut(place) {
                    *slot = exponential;
                }
            }
        }
        level.factor = active.surplus() / active.sum;
        level.offset = level.factor.ln();
        level
    }

    /// τ.
    fn threshold(&self) -> T {
        self.reference + self.offset
    }

    /// g ← max(0, g − τ), and its exponential ← e⁻ᵍ = 1 − p.
    #[inline(always)]
    pub(crate) fn lower(&self, value: &mut T, exponential: &mut T) {
        *exponential *= self.factor;
        if *exponential < T::ONE {
            // Differences first: evidence may be so large that τ drowns in its rounding.
            *value = T::ZERO.max((*value - self.reference) - self.offset);
        } else {
            *value = T::ZERO;
            *exponential = T::ONE;
        }
    }

    /// The same for the bulk.
    pub(crate) fn lower_bulk(&self, value: &mut T, exponential: &mut T) {
        *exponential = self.bulk;
        self.lower(value, exponential);
    }
}

/// The probability p = 1 − exp(−max(0, g − τ)) that a direction of evidence g is kept.
///
/// Accurate also where it is tiny, so that a ratio p / g is safe to form.
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

/// The active set, as it grows from the largest evidence down.
struct Active<T> {
    reference: T,
    keep: usize,
    /// a.
    count: usize,
    /// Σ exp(reference − g).
    sum: T,
}

impl<T: Scalar> Active<T> {
    /// a − k, zero as long as it is negative.
    fn surplus(&self) -> T {
        T::from_usize(self.count.saturating_sub(self.keep))
    }

    /// Takes in `multiplicity` directions of evidence g and gives their exponential; none if g ≤ τ, which ends the search.
    #[inline(always)]
    fn update(&mut self, value: T, multiplicity: usize) -> Option<T> {
        let exponential = if value == self.reference {
            T::ONE
        } else {
            (self.reference - value).exp()
        };
        // g ≤ τ_a, written without the logarithm. A run is in or out as a whole: adding one copy leaves the condition for
        // the next copy as it was.
        if self.count > self.keep && exponential * self.surplus() >= self.sum {
            return None;
        }
        self.sum += exponential * T::from_usize(multiplicity);
        self.count = self.count.saturating_add(multiplicity);
        Some(exponential)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_equal_values_share_one_place() {
        // exp(τ) = (2 − 1) / (2 exp(−1)), so τ = 1 − ln 2 and p = 1 − exp(−ln 2) = 1/2.
        let tau = threshold(&[1.0_f64, 1.0], Bulk::NONE, 1);
        assert!((tau - (1.0 - core::f64::consts::LN_2)).abs() < 1e-15);
        assert!((keep_probability(1.0, tau) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn a_value_below_the_threshold_stays_out() {
        // With a = 2: exp(τ) = 1 / (exp(−1) + exp(−1)) gives τ = 0.307, above 0.3: the third is not active.
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
        // Three directions have gathered so much that they are kept for certain; the last two share the fourth place.
        let tau = threshold(&[9e4_f32, 9e4, 5e4, 0.0, 0.0], Bulk::NONE, 4);
        assert!((keep_probability(0.0, tau) - 0.5).abs() < 1e-6);
    }

    #[test]
    fn a_bulk_that_reached_zero_stays_there_however_the_threshold_rounds() {
        // e⁻ᵃ + e⁻ᵇ = 1: the two share one place, τ = 0 but for rounding, and the bulk has no part in it.
        for step in 1..=250_u8 {
            let first = f32::from(step) * 0.01;
            let second = -(1.0 - (-first).exp()).ln();
            let mut evidence = [first.max(second), first.min(second)];
            let mut drops = [0.0; 2];
            let (mut bulk, mut bulk_drop) = (0.0, 1.0);
            let members = Bulk {
                value: bulk,
                multiplicity: 6,
            };
            let level = Level::of(&evidence, members, &[], 1, &mut drops);
            level.lower_bulk(&mut bulk, &mut bulk_drop);
            let mut kept = 6.0 * (1.0 - bulk_drop);
            for (value, drop) in evidence.iter_mut().zip(&mut drops) {
                level.lower(value, drop);
                kept += 1.0 - *drop;
            }
            assert!((kept - 1.0).abs() < 1e-5, "evidence {first}: {kept} kept");
        }
    }
}
