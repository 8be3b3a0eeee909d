//! The evidence matrix of a tracking learner, G = Σ gᵢ vᵢvᵢᵀ + b·(the rest), kept as what it has: a few directions and one
//! value for all others.
//! In: one sample after the other. Out: how much of each sample is expected to be lost, and the new evidence.
//! Method: [WK08] Algorithm 5 is G ← G + η x xᵀ, then the threshold of all eigenvalues (`weights::threshold`), which sends most
//! of them to zero. The directions that stay are few, so the update happens in their span and the sample's own direction.
//! Where RANK directions stay and RANK < DIM, the cap of Frequent Directions makes room: c = g_RANK − b, gᵢ ← gᵢ − c for all stored i,
//! the last one joins the bulk, then the threshold once more. Cap, merging and ceiling take evidence away; the excess holds the price.
//! Cost: O(DIM·r + r²) to look at a sample, O(DIM·r² + r²) to learn one, with r ≈ KEEP + 1 directions in steady state.
//! Kept: DIM·RANK + 2·RANK + 4 numbers.

mod closed;
mod start;

pub(super) use closed::Followed;

use super::rotation::rotate;
use super::split::Split;
use crate::bounds::{Excess, ln_of_one_and};
use crate::codec::{stored, validate};
use crate::scalar::constant::number;
use crate::spectrum::{check_orthonormal, rank_one::update_in_place, tidy, tidy_column};
use crate::weights::{Bulk, Level};
use crate::{CodecError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

/// How evidence changes with a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Update<T> {
    /// η, in units of one over the sample's energy.
    pub(super) rate: T,
    /// Upper limit of g. It bounds how long a direction survives after the data stop supporting it.
    pub(super) ceiling: T,
    /// e to minus the ceiling: no direction is dropped with less probability. The first sample computes it: a `const fn` takes no
    /// exponential.
    pub(super) ceiling_drop: T,
    /// α: the part of all weight that is dealt out evenly after each sample.
    pub(super) share: T,
}

impl<T: Scalar> Update<T> {
    /// Whether both are one choice. A learner fills in its `ceiling_drop` with the first sample.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.rate == other.rate && self.ceiling == other.ceiling && self.share == other.share
    }

    /// The largest evidence, and the most that one sample adds: the sum of both is far from overflow.
    pub(super) const fn largest() -> T {
        let most = T::MAX;
        number!(most => 0.125 * most)
    }

    /// How far above the bulk's evidence a direction may be and still be merged into the bulk. With k directions at the ceiling
    /// the next one always ends a trial near k·e^(−ceiling): an artefact, not worth storing. At most 4ε of the `largest` evidence,
    /// zero without a ceiling, and at most `gain`/1024, so that a slowly growing direction is not reset in every trial.
    pub(super) fn negligible(&self, largest: T, gain: T) -> T {
        let four = T::from_f64(4.0);
        let rounding = (four * T::EPSILON * largest).min(four * self.ceiling_drop);
        rounding.min(T::from_f64(1.0 / 1024.0) * gain)
    }

    /// The ceiling of one value g and its e⁻ᵍ. Returns how much it has raised e⁻ᵍ, never below zero.
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

    /// The share of one value g and its e⁻ᵍ.
    #[inline(never)]
    fn mix(&self, value: &mut T, drop: &mut T, keep: usize, dimension: usize) {
        let even = T::from_usize(dimension.saturating_sub(keep)) / T::from_usize(dimension);
        *drop = (T::ONE - self.share) * *drop + self.share * even;
        *value = -drop.ln();
    }
}

/// G, for `DIM` channels and room for `RANK` directions.
#[derive(Clone, Debug)]
pub(super) struct Evidence<T, const DIM: usize, const RANK: usize> {
    /// V, one direction a column; the first `rank` are in use.
    directions: SMatrix<T, DIM, RANK>,
    /// g, descending.
    values: [T; RANK],
    /// e⁻ᵍ = 1 − p: the probability that a direction is dropped.
    drops: [T; RANK],
    /// b: the evidence of every direction that is not stored,
    bulk: T,
    /// and e⁻ᵇ.
    bulk_drop: T,
    /// E: the price of rank cap, merging and ceiling.
    excess: Excess<T>,
    /// Four bytes on every machine, like the rest.
    rank: u32,
}

impl<T: Scalar, const DIM: usize, const RANK: usize> Evidence<T, DIM, RANK> {
    /// Nothing stored. The bulk waits for [`begin`](Self::begin): its first value needs a logarithm.
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

    /// W⁰ = I/n: every direction is dropped with probability d/n.
    pub(super) fn begin(&mut self, keep: usize) {
        self.bulk_drop = Self::first_drop(keep);
        self.bulk = -self.bulk_drop.ln();
    }

    /// d/n.
    pub(super) fn first_drop(keep: usize) -> T {
        T::from_usize(DIM.saturating_sub(keep)) / T::from_usize(DIM)
    }

    /// The stored directions, as many as [`rank`](Self::rank).
    pub(super) fn directions(&self) -> &[[T; DIM]] {
        self.directions.data.0.get(..self.rank()).unwrap_or_default()
    }

    /// 1 − p of the stored directions, ascending.
    pub(super) fn drops(&self) -> &[T] {
        self.drops.get(..self.rank()).unwrap_or_default()
    }

    /// g of the stored directions, descending.
    pub(super) fn values(&self) -> &[T] {
        self.values.get(..self.rank()).unwrap_or_default()
    }

    /// b.
    pub(super) const fn bulk(&self) -> T {
        self.bulk
    }

    /// 1 − p of every other direction.
    pub(super) const fn bulk_drop(&self) -> T {
        self.bulk_drop
    }

    /// E.
    pub(super) fn excess(&self) -> T {
        self.excess.value()
    }

    /// How many directions are stored.
    pub(super) const fn rank(&self) -> usize {
        self.rank as usize
    }

    /// Splits a sample into the part inside the stored directions and the part outside.
    pub(super) fn split(&self, sample: &[T; DIM], energy: T) -> Split<T, DIM, RANK> {
        Split::of(sample, energy, self.directions())
    }

    /// ‖x‖² − Σ pᵢ(vᵢ·x)², summed from parts that cannot be negative.
    #[inline(always)]
    pub(super) fn expected_loss(&self, inside: &[T], outside_energy: T, bulk_drop: T) -> T {
        let mut loss = bulk_drop * outside_energy;
        for (&drop, &inside) in self.drops().iter().zip(inside) {
            loss += drop * inside * inside;
        }
        // At the very end of the number range rounding may carry the parts beyond their sum.
        loss.min(T::MAX)
    }

    /// G ← G + η·factor·x xᵀ, threshold, ceiling, share. The split is used up: its inside takes in the length of the outside.
    // A frame of its own, which the draw before it does not have to share the stack with.
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
        // Below rounding the outside is no direction, nor is it where its energy has no digits; without room for it there is
        // none (RANK = DIM).
        let smallest = (T::from_f64(64.0) * T::EPSILON * T::EPSILON * energy).max(T::MIN_POSITIVE);
        if split.outside_energy > smallest
            && let (Some(value), Some(entry)) = (self.values.get_mut(count), split.inside.get_mut(count))
        {
            outside_scale = split.outside_energy.inverse_sqrt();
            *entry = split.outside_energy * outside_scale;
            *value = self.bulk;
            count += 1;
        }
        // U, with no more columns than it has.
        let mut small = heapless::Vec::<[T; RANK], RANK>::new();
        for _ in 0..count {
            let _ = small.push([T::ZERO; RANK]);
        }
        let values = self.values.get_mut(..count).unwrap_or_default();
        // Evidence and what a sample adds to it are both at most the largest, so their sum is finite.
        let rate = (update.rate * factor).min(T::MAX).min(Update::<T>::largest() / energy);
        let _ = update_in_place(values, &split.inside, energy, rate, &mut small);
        for value in values {
            // A sample takes no evidence away; the rounding of a large value beside a small one would.
            *value = value.max(self.bulk);
        }
        let rank = self.settle(count, keep, update, rate * split.outside_energy);
        // The outside is not of length one; its row of U makes up for that.
        let mut turn = T::ZERO;
        for column in small.iter_mut().take(rank) {
            if let Some(entry) = column.get_mut(self.rank()) {
                *entry *= outside_scale;
                turn += *entry * *entry;
            }
        }
        // q also contains the basis's orthogonality error, amplified by ‖x‖/‖q‖. If much of q enters the new basis, the error
        // would double per trial: project it out first.
        if turn * energy > T::ONE {
            split.subtract_again(self.directions());
        }
        let before = self.rank();
        rotate(&mut self.directions.data.0, &split.outside, &small, before, rank);
        self.rank = rank as u32;
    }

    /// Thresholds `count` values and the bulk, and returns how many directions stay.
    fn settle(&mut self, count: usize, keep: usize, update: &Update<T>, gain: T) -> usize {
        let (mut rank, mut rise) = self.subtract_threshold(count, keep, update, gain);
        if rank == RANK && RANK < DIM {
            (rank, rise) = self.cap_rank(keep, update, gain);
        }
        for (value, drop) in self.values.iter_mut().zip(&mut self.drops).take(rank) {
            rise += update.limit(value, drop);
        }
        let bulk_rise = update.limit(&mut self.bulk, &mut self.bulk_drop);
        if bulk_rise > T::ZERO {
            rise += bulk_rise * T::from_usize(DIM - rank);
        }
        self.charge(rise, keep);
        if update.share > T::ZERO {
            self.mix(rank, keep, update);
        }
        rank
    }

    /// Charges the excess with a rise of Σe⁻ᵍ. Twice: d·ln Z ≤ rise in the relative entropy, and Z − 1 = rise/d because the next loss, of
    /// energy at most one, is taken without dividing by Z.
    #[inline(always)]
    fn charge(&mut self, rise: T, keep: usize) {
        let factor = T::ONE + T::ONE / T::from_usize(DIM.saturating_sub(keep));
        self.excess.add(rise, factor);
    }

    /// The share of all values.
    #[inline(never)]
    fn mix(&mut self, rank: usize, keep: usize, update: &Update<T>) {
        for (value, drop) in self.values.iter_mut().zip(&mut self.drops).take(rank) {
            update.mix(value, drop, keep, DIM);
        }
        update.mix(&mut self.bulk, &mut self.bulk_drop, keep, DIM);
    }

    /// Makes room for the next sample where all RANK places are taken, by Frequent Directions: every stored direction loses the
    /// evidence that the last one has above the bulk, and the last one joins the bulk. Returns what `subtract_threshold` does.
    #[inline(never)]
    fn cap_rank(&mut self, keep: usize, update: &Update<T>, gain: T) -> (usize, T) {
        let [values @ .., last] = self.values.as_mut_slice() else {
            return (0, T::ZERO);
        };
        let shift = *last - self.bulk;
        for value in values {
            *value = self.bulk.max(*value - shift);
        }
        let mut drops = T::ZERO;
        for &drop in &self.drops {
            drops += drop;
        }
        // Each e^(−g) of a stored direction is multiplied by e^shift. At most KEEP of RANK ≥ KEEP + 2 places are filled for certain, so
        // that the last probability to be kept is at most KEEP/RANK and the shift small.
        let dropped = T::from_usize(DIM.saturating_sub(keep));
        let growth = shift.exp_m1() * drops / dropped;
        self.excess.add(ln_of_one_and(growth), dropped);
        self.subtract_threshold(RANK - 1, keep, update, gain)
    }

    /// Subtracts the threshold from the first `count` values and from the bulk, which are all others. Returns how many directions stay, and
    /// by how much Σe⁻ᵍ grows where the rest is merged into the bulk.
    #[inline(never)]
    fn subtract_threshold(&mut self, count: usize, keep: usize, update: &Update<T>, gain: T) -> (usize, T) {
        let bulk = Bulk {
            value: self.bulk,
            multiplicity: DIM.saturating_sub(count),
        };
        let values = self.values.get_mut(..count).unwrap_or_default();
        let level = Level::of(values, bulk, &[], keep, &mut self.drops);
        level.lower_bulk(&mut self.bulk, &mut self.bulk_drop);
        if count == DIM {
            // A bulk without members; its first ones will be directions of which nothing is left.
            (self.bulk, self.bulk_drop) = (T::ZERO, T::ONE);
        }
        for (value, drop) in values.iter_mut().zip(&mut self.drops) {
            level.lower(value, drop);
        }
        let largest = values.first().copied().unwrap_or(T::ZERO);
        let stays = self.bulk + update.negligible(largest, gain);
        let rank = values.iter().take_while(|&&value| value > stays).count();
        let mut rise = T::ZERO;
        for &drop in self.drops.get(rank..count).unwrap_or_default() {
            // Not negative but for rounding.
            rise += (self.bulk_drop - drop).abs();
        }
        (rank, rise)
    }

    /// Takes out what rounding has done to one direction, beside those before it.
    #[inline(never)]
    pub(super) fn tidy_one(&mut self, index: usize) {
        if let Some((before, [column, ..])) = self.directions.data.0.split_at_mut_checked(index) {
            tidy_column(before, column);
        }
    }

    /// Takes out what rounding has done to the directions.
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
        // Every update of the evidence relies on its order, up to rounding.
        let mut descending = self.values().iter().chain([&self.bulk]);
        let rounding = T::ONE + T::from_f64(8.0) * T::EPSILON;
        let mut above = Update::largest();
        let falls = descending.all(|&value| core::mem::replace(&mut above, value) * rounding >= value);
        validate::accept(falls, CodecError::Range)?;
        validate::within(Update::largest(), self.values().iter().chain([&self.bulk]))
    }
}
