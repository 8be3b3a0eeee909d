//! The evidence matrix of a tracking learner, G = Σ gᵢ vᵢvᵢᵀ + b·(I − Σ vᵢvᵢᵀ), b the evidence of the bulk.
//! Method: [WK08] Algorithm 5: G ← G + η x xᵀ, then g ← max(0, g − τ), computed in the span of the stored directions
//! and the sample. The rank cap of Frequent Directions subtracts c = g_RANK − b from all stored evidence.
//! Cost: O(DIM·r) to score a sample, O(DIM·r²) to learn it, with r stored directions.

mod closed;
mod start;

pub(super) use closed::Followed;

use super::rotation::rotate;
use super::split::Split;
use crate::bounds::{Excess, exp_minus_one, ln_of_one_and};
use crate::codec::{stored, validate};
use crate::scalar::constant::number;
use crate::spectrum::vector::{any_length, any_length_mut, stay_rolled};
use crate::spectrum::{check_orthonormal, rank_one::update_in_place, tidy};
use crate::weights::{Bulk, EvidenceThreshold};
use crate::{CodecError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Update<T> {
    /// The learning rate η before its division by the scale.
    pub(super) rate: T,
    /// The ceiling; MAX/8 if there is none.
    pub(super) ceiling: T,
    /// e^(−ceiling). A `const fn` cannot compute it: before the first sample or merge it can belong to another
    /// ceiling.
    pub(super) ceiling_drop: T,
    /// The part α of Σe⁻ᵍ that is distributed evenly over all directions after each sample.
    pub(super) share: T,
}

impl<T: Scalar> Update<T> {
    /// Whether rate, ceiling and share are equal. Ignores `ceiling_drop`, which before the first sample need not belong
    /// to the ceiling.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.rate == other.rate && self.ceiling == other.ceiling && self.share == other.share
    }

    /// The limit of an evidence and of the evidence that one sample adds: their sum does not overflow.
    pub(super) const fn largest() -> T {
        let most = T::MAX;
        number!(most => 0.125 * most)
    }

    /// A direction joins the bulk if its evidence minus that of the bulk is at most this limit. With m = max(2·`keep`,
    /// 4) it is the smallest of:
    /// - m·ε·`largest`, the size of rounding errors;
    /// - m·e^(−ceiling): with all kept directions at the ceiling, the next one usually has about `keep`·e^(−ceiling),
    ///   an effect of the ceiling only;
    /// - `gain`/8, so that a steadily growing direction loses at most an eighth of its growth.
    pub(super) fn negligible(&self, keep: usize, largest: T, gain: T) -> T {
        let rounding = T::from_usize(keep.saturating_mul(2).max(4)) * (T::EPSILON * largest).min(self.ceiling_drop);
        rounding.min(T::from_f64(0.125) * gain)
    }

    /// Limits g to the ceiling and adapts `drop` = e⁻ᵍ; returns the increase of e⁻ᵍ.
    #[inline(always)]
    pub(super) fn limit(&self, value: &mut T, drop: &mut T) -> T {
        if *value > self.ceiling {
            let rise = (self.ceiling_drop - *drop).abs();
            (*value, *drop) = (self.ceiling, self.ceiling_drop);
            rise
        } else {
            T::ZERO
        }
    }

    /// Applies the share α: `drop` becomes (1 − α)·e⁻ᵍ + α·(DIM − KEEP)/DIM, and `value` the new g.
    #[inline(never)]
    fn mix(&self, value: &mut T, drop: &mut T, keep: usize, dimension: usize) {
        let even = T::from_usize(dimension.saturating_sub(keep)) / T::from_usize(dimension);
        *drop = (T::ONE - self.share) * *drop + self.share * even;
        *value = -drop.ln();
    }
}

/// Returns `outside` + Σ dropᵢ·insideᵢ², over the length of the shorter slice.
#[inline(always)]
fn sum_of_losses<T: Scalar>(drops: &[T], inside: &[T], outside: T) -> T {
    let mut loss = outside;
    for (&drop, &inside) in drops.iter().zip(inside) {
        loss += drop * inside * inside;
    }
    loss
}

#[derive(Clone, Debug)]
pub(super) struct Evidence<T, const DIM: usize, const RANK: usize> {
    /// One direction per column; the first `rank` columns are in use.
    directions: SMatrix<T, DIM, RANK>,
    /// The evidence g of each stored direction, descending.
    values: [T; RANK],
    /// The drop probability e⁻ᵍ of each stored direction.
    drops: [T; RANK],
    /// The evidence b of the bulk; zero until `begin`, a start or a merge of learners.
    bulk: T,
    /// The drop probability e⁻ᵇ of the bulk; zero until `begin`, a start or a merge of learners.
    bulk_drop: T,
    excess: Excess<T>,
    /// The number of stored directions; a `u32` has four bytes on every machine.
    rank: u32,
}

impl<T: Scalar, const DIM: usize, const RANK: usize> Evidence<T, DIM, RANK> {
    /// [`begin`](Self::begin) sets the bulk at the first sample, because a `const fn` cannot compute a logarithm.
    pub(super) const fn new() -> Self {
        Self {
            directions: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; DIM]; RANK])),
            values: [T::ZERO; RANK],
            drops: [T::ZERO; RANK],
            bulk: T::ZERO,
            bulk_drop: T::ZERO,
            excess: Excess::new(),
            rank: 0,
        }
    }

    /// Sets the bulk for the density matrix W = I/DIM, before the first sample.
    pub(super) fn begin(&mut self, keep: usize) {
        self.bulk_drop = Self::first_drop(keep);
        self.bulk = -self.bulk_drop.ln();
    }

    pub(super) fn first_drop(keep: usize) -> T {
        T::from_usize(DIM.saturating_sub(keep)) / T::from_usize(DIM)
    }

    pub(super) fn directions(&self) -> &[[T; DIM]] {
        self.directions.data.0.get(..self.rank()).unwrap_or_default()
    }

    /// The drop probability 1 − p of each stored direction, ascending.
    pub(super) fn drops(&self) -> &[T] {
        self.drops.get(..self.rank()).unwrap_or_default()
    }

    /// The evidence g of each stored direction, descending.
    pub(super) fn values(&self) -> &[T] {
        self.values.get(..self.rank()).unwrap_or_default()
    }

    /// The evidence b of the bulk, zero before [`begin`](Self::begin).
    pub(super) const fn bulk(&self) -> T {
        self.bulk
    }

    /// The drop probability of the bulk, zero before [`begin`](Self::begin).
    pub(super) const fn bulk_drop(&self) -> T {
        self.bulk_drop
    }

    pub(super) fn excess(&self) -> T {
        self.excess.value()
    }

    pub(super) const fn rank(&self) -> usize {
        self.rank as usize
    }

    pub(super) fn split(&self, sample: &[T; DIM], energy: T) -> Split<T, DIM, RANK> {
        Split::of(sample, energy, self.directions())
    }

    /// The expected loss as a sum over all directions; no term is negative.
    #[inline(always)]
    pub(super) fn expected_loss(&self, inside: &[T], outside_energy: T, bulk_drop: T) -> T {
        // Rounding near `MAX` could make the sum infinite.
        sum_of_losses(self.drops(), inside, bulk_drop * outside_energy).min(T::MAX)
    }

    /// Adds η·`factor`·x xᵀ to G and calls `settle`. If q = `split.outside` becomes a direction, writes ‖q‖ to
    /// `split.inside` after the coordinates.
    // Not inlined, so that the stack frames of the draw and of this function are not needed at the same time.
    #[inline(never)]
    pub(super) fn learn(
        &mut self,
        split: &mut Split<T, DIM, RANK>,
        energy: T,
        keep: usize,
        update: &Update<T>,
        factor: T,
    ) {
        let mut count = self.rank();
        let mut outside_scale = T::ONE;
        // q becomes a direction if its energy is above rounding and a column is free. Only with RANK = DIM, or in a
        // decoded learner, it can happen that no column is free.
        let smallest = (T::from_f64(64.0) * T::EPSILON * T::EPSILON * energy).max(T::MIN_POSITIVE);
        if split.outside_energy > smallest
            && let (Some(value), Some(entry)) = (self.values.get_mut(count), split.inside.get_mut(count))
        {
            outside_scale = split.outside_energy.inverse_sqrt();
            *entry = split.outside_energy * outside_scale;
            *value = self.bulk;
            count += 1;
        }
        // U = `small`: the eigenvectors of the new G in the span of the stored directions and q, one per column.
        let mut small = [[T::ZERO; RANK]; RANK];
        let columns = small.get_mut(..count).unwrap_or_default();
        let values = self.values.get_mut(..count).unwrap_or_default();
        // The old evidence and the evidence that a sample adds are each at most `Update::largest()`, so the sum is
        // finite.
        let rate = (update.rate * factor).min(T::MAX).min(Update::<T>::largest() / energy);
        let _ = update_in_place(values, &split.inside, energy, rate, columns);
        for value in any_length_mut(values) {
            stay_rolled();
            // Only rounding can make an evidence smaller than that of the bulk.
            *value = value.max(self.bulk);
        }
        let rank = self.settle(count, keep, update, rate * split.outside_energy);
        // q is not scaled to length one; its row of U is divided by ‖q‖ instead. `turn`, the sum of the squares of
        // that row, measures how much of q enters the new directions.
        let mut turn = T::ZERO;
        for column in any_length_mut(&mut small).iter_mut().take(rank) {
            stay_rolled();
            if let Some(entry) = column.get_mut(self.rank()) {
                *entry *= outside_scale;
                turn += *entry * *entry;
            }
        }
        // q contains the orthogonality error of the directions, amplified by ‖x‖/‖q‖. With `turn`·‖x‖² > 1 the error
        // could more than double in this trial.
        if turn * energy > T::ONE {
            split.subtract_again(self.directions());
        }
        let before = self.rank();
        rotate(&mut self.directions.data.0, &split.outside, &mut small, before, rank);
        self.rank = rank as u32;
    }

    /// Applies threshold, merging, rank cap, ceiling and share to the first `count` values and the bulk; returns how
    /// many remain stored.
    /// `gain` is the evidence that the sample adds outside; MAX/8 for a start or a merge of learners.
    fn settle(&mut self, count: usize, keep: usize, update: &Update<T>, gain: T) -> usize {
        let (mut rank, mut rise) = self.subtract_threshold(count, keep, update, gain);
        if rank == RANK && RANK < DIM {
            (rank, rise) = self.cap_rank(keep, update, gain);
        }
        for (value, drop) in any_length_mut(&mut self.values)
            .iter_mut()
            .zip(any_length_mut(&mut self.drops))
            .take(rank)
        {
            stay_rolled();
            rise += update.limit(value, drop);
        }
        let bulk_rise = update.limit(&mut self.bulk, &mut self.bulk_drop);
        if bulk_rise > T::ZERO {
            rise += bulk_rise * T::from_usize(DIM.wrapping_sub(rank));
        }
        self.charge(rise, keep);
        if update.share > T::ZERO {
            self.mix(rank, keep, update);
        }
        rank
    }

    /// Adds rise + rise/(DIM − KEEP) to the excess for a `rise` of Σe⁻ᵍ. Proof: `guide::mathematics`, "The excess of a
    /// ceiling".
    #[inline(always)]
    fn charge(&mut self, rise: T, keep: usize) {
        let factor = T::ONE + T::ONE / T::from_usize(DIM.saturating_sub(keep));
        self.excess.add(rise, factor);
    }

    #[inline(never)]
    fn mix(&mut self, rank: usize, keep: usize, update: &Update<T>) {
        for (value, drop) in any_length_mut(&mut self.values)
            .iter_mut()
            .zip(any_length_mut(&mut self.drops))
            .take(rank)
        {
            stay_rolled();
            update.mix(value, drop, keep, DIM);
        }
        update.mix(&mut self.bulk, &mut self.bulk_drop, keep, DIM);
    }

    /// The rank cap: every stored direction loses `shift` = g_RANK − b, and the last joins the bulk; returns the
    /// result of `subtract_threshold`.
    #[inline(never)]
    fn cap_rank(&mut self, keep: usize, update: &Update<T>, gain: T) -> (usize, T) {
        let [values @ .., last] = self.values.as_mut_slice() else {
            return (0, T::ZERO);
        };
        let shift = *last - self.bulk;
        for value in any_length_mut(values) {
            stay_rolled();
            *value = self.bulk.max(*value - shift);
        }
        let mut drops = T::ZERO;
        for &drop in any_length(&self.drops) {
            stay_rolled();
            drops += drop;
        }
        // Σe⁻ᵍ grows by the factor 1 + `growth`. The last of RANK ≥ KEEP + 2 probabilities is at most KEEP/RANK, so
        // e^shift ≤ RANK/(RANK − KEEP): `growth` cannot overflow.
        let dropped = T::from_usize(DIM.saturating_sub(keep));
        let growth = exp_minus_one(shift) * drops / dropped;
        self.excess.add(ln_of_one_and(growth), dropped);
        self.subtract_threshold(RANK - 1, keep, update, gain)
    }

    /// Applies the threshold, then merges directions with negligible evidence into the bulk; returns how many stay
    /// stored, and the increase of Σe⁻ᵍ by the merging.
    #[inline(never)]
    fn subtract_threshold(&mut self, count: usize, keep: usize, update: &Update<T>, gain: T) -> (usize, T) {
        let bulk = Bulk {
            value: self.bulk,
            multiplicity: DIM.saturating_sub(count),
        };
        let values = self.values.get_mut(..count).unwrap_or_default();
        let level = EvidenceThreshold::of(values, bulk, &[], keep, &mut self.drops);
        level.lower_bulk(&mut self.bulk, &mut self.bulk_drop);
        if count == DIM {
            // The bulk is empty; with b = 0 only directions of negligible evidence join it.
            (self.bulk, self.bulk_drop) = (T::ZERO, T::ONE);
        }
        for (value, drop) in any_length_mut(values).iter_mut().zip(any_length_mut(&mut self.drops)) {
            stay_rolled();
            level.lower(value, drop);
        }
        let largest = values.first().copied().unwrap_or(T::ZERO);
        let stays = self.bulk + update.negligible(keep, largest, gain);
        let rank = any_length(values).iter().take_while(|&&value| value > stays).count();
        let mut rise = T::ZERO;
        for &drop in any_length(self.drops.get(rank..count).unwrap_or_default()) {
            stay_rolled();
            // Up to rounding, `bulk_drop` is at least `drop`.
            rise += (self.bulk_drop - drop).abs();
        }
        (rank, rise)
    }

    /// Makes the stored directions orthonormal again.
    #[inline(never)]
    pub(super) fn tidy(&mut self) {
        let rank = self.rank();
        tidy(self.directions.data.0.get_mut(..rank).unwrap_or_default());
    }
}

stored!([T: Scalar] Update<T> { rate, ceiling, ceiling_drop, share });
stored!(
    [T: Scalar, const DIM: usize, const RANK: usize] Evidence<T, DIM, RANK> {
        directions, values, drops, bulk, bulk_drop, excess, rank
    }
    if validate
);

impl<T: Scalar, const DIM: usize, const RANK: usize> Evidence<T, DIM, RANK> {
    fn validate(&self) -> Result<(), CodecError> {
        check_orthonormal(&self.directions, self.rank())?;
        validate::probabilities(self.drops())?;
        validate::probabilities(&[self.bulk_drop])?;
        // Every update needs descending evidence, the bulk last; 8ε allows rounding.
        let mut descending = self.values().iter().chain([&self.bulk]);
        let rounding = T::ONE + T::from_f64(8.0) * T::EPSILON;
        let mut above = Update::largest();
        let falls = descending.all(|&value| core::mem::replace(&mut above, value) * rounding >= value);
        validate::accept(falls, CodecError::Range)?;
        validate::within(Update::largest(), self.values().iter().chain([&self.bulk]))
    }
}
