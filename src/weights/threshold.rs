//! The search for the threshold of the rule in `keeping`: [WK08] Algorithm 4, [KW07] Algorithm 5, in the log domain.
//! In: the scores before and after the bulk, in descending order, and k. Out: τ, and for each g > τ the exponential
//! e^(r−g), with the evidence r of the reference, the (k+1)-th largest.
//! Method: exp(τ) = (a − k) / Σ exp(−g) over the a active directions, which have evidence above τ:
//! `guide::mathematics`, "The threshold near its reference".
//! Cost: no memory; at most one `exp` for each active value, one more, and one `ln`.

use crate::scalar::Scalar;

/// Many directions with one common evidence or score, such as the directions that a learner does not store.
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

/// The threshold τ, and the exponential of the bulk.
///
/// An exponential times `factor` is q: so a learner that stores q computes no exponential twice.
pub(crate) struct EvidenceThreshold<T> {
    /// The (k+1)-th largest score; zero if all directions are kept.
    pub(super) reference: T,
    /// τ minus the evidence of the reference; −`T::MAX` if all directions are kept.
    pub(super) offset: T,
    /// The number e^`offset`; zero if all directions are kept.
    factor: T,
    /// The exponential of the bulk: zero if all directions are kept, infinite if there is no bulk or its evidence is at
    /// most τ.
    bulk: T,
}

impl<T: Scalar> EvidenceThreshold<T> {
    /// Computes τ for evidence (η = 1) before and after the bulk, in descending order.
    ///
    /// Writes one exponential for each value, infinity for a value at or below τ; nothing if all directions are kept.
    #[inline(never)]
    pub(crate) fn of(before: &[T], bulk: Bulk<T>, after: &[T], keep: usize, exponentials: &mut [T]) -> Self {
        Self::find(before, bulk, after, keep, exponentials, |reference, value| {
            reference - value
        })
    }

    /// [`of`](Self::of) for any scores; `below(x, y)` is the evidence of x minus that of y.
    pub(super) fn find(
        before: &[T],
        bulk: Bulk<T>,
        after: &[T],
        keep: usize,
        exponentials: &mut [T],
        below: impl Fn(T, T) -> T,
    ) -> Self {
        let mut found = Self {
            reference: T::ZERO,
            offset: -T::MAX,
            factor: T::ZERO,
            bulk: T::ZERO,
        };
        let listed = before.len() + after.len();
        if keep >= listed.saturating_add(bulk.multiplicity) {
            return found;
        }
        // τ is at most ln(k+1) below the reference, so no active exponential exceeds k + 1. With the largest value as
        // the reference, the exponentials could overflow.
        found.reference = match before.get(keep) {
            Some(&value) => value,
            None => keep
                .checked_sub(before.len().wrapping_add(bulk.multiplicity))
                .and_then(|position| after.get(position).copied())
                .unwrap_or(bulk.value),
        };
        found.bulk = T::INFINITY;
        for slot in exponentials.iter_mut().take(listed) {
            *slot = T::INFINITY;
        }
        if keep == 0 {
            found.offset = T::ZERO;
            found.factor = T::ONE;
            return found;
        }

        let mut active = Active {
            reference: found.reference,
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
                found.bulk = exponential;
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
        found.factor = active.surplus() / active.sum;
        found.offset = found.factor.ln();
        found
    }

    /// Replaces an evidence by max(0, `value` − τ), and its `exponential` by q.
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

    /// [`lower`](Self::lower) for the bulk, whose exponential is known.
    pub(crate) fn lower_bulk(&self, value: &mut T, exponential: &mut T) {
        *exponential = self.bulk;
        self.lower(value, exponential);
    }
}

/// The directions with evidence above τ, added in descending order.
struct Active<T, F> {
    reference: T,
    below: F,
    keep: usize,
    /// The number a of active directions.
    count: usize,
    sum: T,
}

impl<T: Scalar, F: Fn(T, T) -> T> Active<T, F> {
    fn surplus(&self) -> T {
        T::from_usize(self.count.saturating_sub(self.keep))
    }

    /// Adds `multiplicity` directions; returns their exponential, or `None` if their evidence is at most the present τ.
    fn update(&mut self, value: T, multiplicity: usize) -> Option<T> {
        let exponential = if value == self.reference {
            T::ONE
        } else {
            (self.below)(self.reference, value).exp()
        };
        // Tests g ≤ τ without a logarithm. Up to rounding, equal values are all active or all inactive.
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
        // The evidences a and b satisfy e⁻ᵃ + e⁻ᵇ = 1: their keep probabilities sum to k = 1, so τ is zero up to
        // rounding.
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
            let found = EvidenceThreshold::of(&evidence, members, &[], 1, &mut drops);
            found.lower_bulk(&mut bulk, &mut bulk_drop);
            let mut kept = 6.0 * (1.0 - bulk_drop);
            for (value, drop) in evidence.iter_mut().zip(&mut drops) {
                found.lower(value, drop);
                kept += 1.0 - *drop;
            }
            assert!((kept - 1.0).abs() < 1e-5, "evidence {first}: {kept} kept");
        }
    }
}
