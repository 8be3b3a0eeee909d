//! The evidence matrix of a tracking learner, G = Σ gᵢ vᵢvᵢᵀ + b·(the rest), kept as what it has: a few directions and one
//! value for all others.
//! In: one sample after the other. Out: how much of each sample is expected to be lost, and the new evidence.
//! Method: [WK08] Algorithm 5 is G ← G + η x xᵀ, then the threshold of all eigenvalues (`weights::threshold`), which sends most
//! of them to zero. The directions that stay are few, so the update happens in their span and the sample's own direction.
//! Cost: O(DIM·r + r²) to look at a sample, O(DIM·r² + r²) to learn one, with r ≈ KEEP + 1 directions in steady state.
//! Kept: DIM·RANK + 2·RANK + 2 numbers.

use crate::Scalar;
use crate::spectrum::{
    RankOne, orthonormalize,
    vector::{add_scaled, dot},
};
use crate::weights::{Bulk, threshold};
use nalgebra::{ArrayStorage, SMatrix};

/// A sample seen from the stored directions.
pub(super) struct View<T, const DIM: usize, const RANK: usize> {
    /// cᵢ = vᵢ·x.
    pub(super) inside: [T; RANK],
    /// q = x − Σ cᵢvᵢ.
    pub(super) outside: [T; DIM],
    /// ‖q‖².
    pub(super) outside_energy: T,
}

/// How evidence changes with a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Update<T> {
    /// η, in units of one over the sample's energy.
    pub(super) rate: T,
    /// No evidence above this: what is forgotten at the latest after so much to the contrary.
    pub(super) ceiling: T,
    /// α: the part of all weight that is dealt out evenly after each sample.
    pub(super) share: T,
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
    rank: usize,
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
        self.directions.data.0.get(..self.rank).unwrap_or_default()
    }

    /// 1 − p of the stored directions, ascending.
    pub(super) fn drops(&self) -> &[T] {
        self.drops.get(..self.rank).unwrap_or_default()
    }

    /// 1 − p of every other direction.
    pub(super) const fn bulk_drop(&self) -> T {
        self.bulk_drop
    }

    /// How many directions are stored.
    pub(super) const fn rank(&self) -> usize {
        self.rank
    }

    /// Splits a sample into the part inside the stored directions and the part outside.
    pub(super) fn view(&self, sample: &[T; DIM], energy: T) -> View<T, DIM, RANK> {
        let mut view = View {
            inside: [T::ZERO; RANK],
            outside: *sample,
            outside_energy: T::ZERO,
        };
        view.take(self.directions());
        // Cancellation: what is left carries the rounding of what was taken away, so take once more.
        if view.outside_energy < energy * T::from_f64(1.0 / 256.0) {
            view.take(self.directions());
        }
        view
    }

    /// ‖x‖² − Σ pᵢ(vᵢ·x)², summed from parts that cannot be negative.
    pub(super) fn expected_loss(&self, view: &View<T, DIM, RANK>, bulk_drop: T) -> T {
        let mut loss = bulk_drop * view.outside_energy;
        for (&drop, &inside) in self.drops().iter().zip(&view.inside) {
            loss += drop * inside * inside;
        }
        loss
    }

    /// G ← G + η x xᵀ, threshold, ceiling, share.
    pub(super) fn learn(&mut self, view: &View<T, DIM, RANK>, energy: T, keep: usize, update: Update<T>) {
        let mut count = self.rank;
        let mut direction = view.inside;
        let mut outside_scale = T::ONE;
        // Below rounding the outside is no direction; without room for it there is none (RANK = DIM).
        let smallest = T::from_f64(64.0) * T::EPSILON * T::EPSILON * energy;
        if count < RANK && view.outside_energy > smallest {
            let length = view.outside_energy.sqrt();
            outside_scale = T::ONE / length;
            if let (Some(column), Some(value), Some(entry)) = (
                self.directions.data.0.get_mut(count),
                self.values.get_mut(count),
                direction.get_mut(count),
            ) {
                *column = view.outside;
                *value = self.bulk;
                *entry = length;
                count += 1;
            }
        }
        let mut small = RankOne::<T, RANK>::new();
        let values = self.values.get(..count).unwrap_or_default();
        if small.update(values, &direction, update.rate).is_err() {
            return; // evidence and sample are finite, so is their sum: nothing to refuse
        }
        for (value, &updated) in self.values.iter_mut().zip(small.values().iter()).take(count) {
            *value = updated;
        }
        let rank = self.settle(count, keep, update);
        rotate(
            &mut self.directions.data.0,
            self.rank,
            count,
            outside_scale,
            &small,
            rank,
        );
        self.rank = rank;
    }

    /// Thresholds `count` values and the bulk, and returns how many directions stay.
    fn settle(&mut self, count: usize, keep: usize, update: Update<T>) -> usize {
        let mut count = count;
        self.subtract_threshold(count, keep);
        // A direction that fell to the bulk is bulk; but a bulk without members has no value to fall to.
        let solid = DIM > count || self.bulk == T::ZERO;
        let mut rank = self
            .values
            .iter()
            .take(count)
            .take_while(|&&value| !solid || value > self.bulk)
            .count();
        if rank == RANK && RANK < DIM {
            // No room for the next sample: the smallest direction takes the bulk's value.
            rank -= 1;
            count = rank;
            self.subtract_threshold(count, keep);
            rank = self
                .values
                .iter()
                .take(count)
                .take_while(|&&value| value > self.bulk)
                .count();
        }
        let even = update.share * T::from_usize(DIM.saturating_sub(keep)) / T::from_usize(DIM);
        let finish = |value: T| {
            let value = value.min(update.ceiling);
            let drop = (-value).exp();
            if update.share == T::ZERO {
                return (value, drop);
            }
            let drop = (T::ONE - update.share) * drop + even;
            (-drop.ln(), drop)
        };
        for (value, drop) in self.values.iter_mut().zip(&mut self.drops).take(rank) {
            (*value, *drop) = finish(*value);
        }
        (self.bulk, self.bulk_drop) = finish(self.bulk);
        rank
    }

    fn subtract_threshold(&mut self, count: usize, keep: usize) {
        let bulk = Bulk {
            value: self.bulk,
            multiplicity: DIM.saturating_sub(count),
        };
        let values = self.values.get_mut(..count).unwrap_or_default();
        let tau = threshold(values, bulk, keep);
        for value in values {
            *value = T::ZERO.max(*value - tau);
        }
        self.bulk = T::ZERO.max(self.bulk - tau);
    }

    /// Takes out what rounding has done to the directions.
    pub(super) fn tidy(&mut self) {
        orthonormalize(&mut self.directions, self.rank);
    }
}

impl<T: Scalar, const DIM: usize, const RANK: usize> View<T, DIM, RANK> {
    fn take(&mut self, directions: &[[T; DIM]]) {
        let mut overlaps = [T::ZERO; RANK];
        for ((overlap, inside), direction) in overlaps.iter_mut().zip(&mut self.inside).zip(directions) {
            *overlap = dot(direction, &self.outside);
            *inside += *overlap;
        }
        for (&overlap, direction) in overlaps.iter().zip(directions) {
            add_scaled(&mut self.outside, -overlap, direction);
        }
        self.outside_energy = dot(&self.outside, &self.outside);
    }
}

/// V ← [V, q/‖q‖]·U: the first `rank` of the small problem's eigenvectors, as directions.
fn rotate<T: Scalar, const DIM: usize, const RANK: usize>(
    columns: &mut [[T; DIM]; RANK],
    stored: usize,
    count: usize,
    outside_scale: T,
    small: &RankOne<T, RANK>,
    rank: usize,
) {
    for row in 0..DIM {
        let mut old = [T::ZERO; RANK];
        for (i, (old, column)) in old.iter_mut().zip(columns.iter()).enumerate().take(count) {
            *old = if i < stored {
                column[row]
            } else {
                column[row] * outside_scale
            };
        }
        for (column, weights) in columns.iter_mut().zip(&small.vectors().data.0).take(rank) {
            column[row] = dot(&old, weights);
        }
    }
}
