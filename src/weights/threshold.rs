//! The search for the threshold τ of the rule in `keeping`: [WK08] Algorithm 4, [KW07] Algorithm 5, in the log domain.
//! In: the scores λ before and after the bulk (many directions with one common score), in descending order, and the number k of
//! directions to keep. g = ηλ is the evidence, with the learning rate η. Out: τ, and the exponential of each score
//! with g > τ: e^(−g) divided by e^(−g) of the (k+1)-th largest score (the reference). A direction is kept with probability
//! p = 1 − e^(τ−g), or 0 if g ≤ τ.
//! Method: the active set A contains the a directions of largest evidence g. Then exp(τ) = (a − k) / Σ_{i∈A} exp(−g_i). A starts
//! with the k + 1 largest and grows until the next g is at most τ.
//! Cost: no memory; at most one `exp` for each active value except the reference, one for the whole bulk, one for the first
//! inactive value, and one `ln`.

use crate::Scalar;

/// Many directions with one common evidence or score: the orthogonal complement of the stored directions.
///
/// ```
/// use eigenstream::weights::Bulk;
/// let bulk = Bulk { value: 0.25_f32, multiplicity: 18 };
/// assert_ne!(bulk, Bulk::NONE);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Bulk<T> {
    /// The evidence or score of each direction.
    pub value: T,
    /// The number of directions.
    pub multiplicity: usize,
}

impl<T: Scalar> Bulk<T> {
    /// No bulk: every direction has its own score.
    pub const NONE: Self = Self {
        value: T::ZERO,
        multiplicity: 0,
    };
}

/// The threshold τ and the exponential of the bulk. The exponential of a direction with evidence g is e^(r − g), with the
/// evidence r of the reference. [`Level::of`] writes the exponentials of the other directions to a slice. The exponentials were
/// computed to find τ. If g is above τ, the exponential times `factor` is 1 − p, with the keep probability p. So a learner that
/// stores 1 − p computes no exponential twice.
pub(crate) struct Level<T> {
    /// The (k+1)-th largest score, with k directions to keep. All exponentials are computed from the difference to this score.
    /// Zero if all directions are kept.
    pub(super) reference: T,
    /// The threshold τ minus the evidence of the reference; −`T::MAX` if all directions are kept.
    pub(super) offset: T,
    /// e^`offset`, the factor from an exponential to 1 − p.
    factor: T,
    /// The exponential of the bulk. It is zero if all directions are kept. Otherwise it is infinite if there is no bulk or the
    /// evidence of the bulk is at most τ.
    bulk: T,
}

impl<T: Scalar> Level<T> {
    /// Computes the threshold τ for values that are evidence (η = 1). `before` and `after` are the values before and after the
    /// bulk, in descending order. If all directions are kept, writes nothing to `exponentials`. Otherwise writes one number for
    /// each value, first for `before`, then for `after`. With r = [`Level::reference`], the number is e^(r − value) for a value
    /// above τ, and infinity for the others. So the caller need not compare values with the rounded τ.
    #[inline(never)]
    pub(crate) fn of(before: &[T], bulk: Bulk<T>, after: &[T], keep: usize, exponentials: &mut [T]) -> Self {
        Self::find(before, bulk, after, keep, exponentials, |reference, value| {
            reference - value
        })
    }

    /// [`of`](Self::of) for any scores. `below(x, y)` is the evidence of the score x minus the evidence of the score y.
    #[inline(always)]
    pub(super) fn find(
        before: &[T],
        bulk: Bulk<T>,
        after: &[T],
        keep: usize,
        exponentials: &mut [T],
        below: impl Fn(T, T) -> T,
    ) -> Self {
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
        // The reference is the (k+1)-th largest value. τ lies at most ln(k+1) below the evidence of the reference, so no
        // exponential of an active value exceeds k + 1. With the largest value as the reference, exponentials could overflow.
        level.reference = match before.get(keep) {
            Some(&value) => value,
            None => keep
                .checked_sub(before.len().wrapping_add(bulk.multiplicity))
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
            below,
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

    /// Replaces the evidence `value` by g = max(0, `value` − τ). Replaces `exponential`, which [`of`](Self::of) wrote for this
    /// value, by 1 − p = e⁻ᵍ. If all directions are kept, `exponential` may be any finite number and becomes zero.
    #[inline(always)]
    pub(crate) fn lower(&self, value: &mut T, exponential: &mut T) {
        *exponential *= self.factor;
        if *exponential < T::ONE {
            // Subtracts `reference` first: next to a large evidence, `offset` would be lost to rounding.
            *value = T::ZERO.max((*value - self.reference) - self.offset);
        } else {
            *value = T::ZERO;
            *exponential = T::ONE;
        }
    }

    /// [`lower`](Self::lower) for the evidence of the bulk. Does not read the old number in `exponential`.
    pub(crate) fn lower_bulk(&self, value: &mut T, exponential: &mut T) {
        *exponential = self.bulk;
        self.lower(value, exponential);
    }
}

/// The active set: directions with evidence above τ. Directions are added in descending order of their evidence.
struct Active<T, F> {
    reference: T,
    below: F,
    keep: usize,
    /// The number a of active directions (evidence above τ).
    count: usize,
    /// Σ exp(below(reference, value)) over the active directions.
    sum: T,
}

impl<T: Scalar, F: Fn(T, T) -> T> Active<T, F> {
    /// `count` − `keep`, or zero if `count` is smaller.
    fn surplus(&self) -> T {
        T::from_usize(self.count.saturating_sub(self.keep))
    }

    /// Adds `multiplicity` directions of the score `value` and returns their exponential. If more than `keep` directions are
    /// active and the evidence g of this score is at most their threshold τ, adds nothing and returns `None`: the search ends.
    #[inline(always)]
    fn update(&mut self, value: T, multiplicity: usize) -> Option<T> {
        let exponential = if value == self.reference {
            T::ONE
        } else {
            (self.below)(self.reference, value).exp()
        };
        // The condition g ≤ τ for the present set, without the logarithm. If one of several equal values is added, the condition
        // for the next one does not change. So without rounding, equal values are all active or all inactive.
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
    fn a_bulk_that_reached_zero_stays_there_however_the_threshold_rounds() {
        // e⁻ᵃ + e⁻ᵇ = 1 with a = `first`, b = `second`: their keep probabilities sum to k = 1, τ is zero up to rounding, and the
        // bulk's keep probability is zero.
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
