//! The evidence matrix of a tracking learner, G = Σ gᵢ vᵢvᵢᵀ + b·(the rest), kept as what it has: a few directions and one
//! value for all others.
//! In: one sample after the other. Out: how much of each sample is expected to be lost, and the new evidence.
//! Method: [WK08] Algorithm 5 is G ← G + η x xᵀ, then the threshold of all eigenvalues (`weights::threshold`), which sends most
//! of them to zero. The directions that stay are few, so the update happens in their span and the sample's own direction.
//! Cost: O(DIM·r + r²) to look at a sample, O(DIM·r² + r²) to learn one, with r ≈ KEEP + 1 directions in steady state.
//! Kept: DIM·RANK + 2·RANK + 2 numbers.

use crate::codec::{sound, stored};
use crate::spectrum::{
    check_orthonormal,
    rank_one::update_in_place,
    take_out, tidy,
    vector::{add_scaled, dot},
};
use crate::weights::{Bulk, Level};
use crate::{CodecError, SMALL, Scalar};
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
    /// e to minus the ceiling: no direction is dropped with less probability.
    pub(super) ceiling_drop: T,
    /// α: the part of all weight that is dealt out evenly after each sample.
    pub(super) share: T,
}

impl<T: Scalar> Update<T> {
    /// The largest evidence, and the most that one sample adds: the sum of both is far from overflow.
    pub(super) fn largest() -> T {
        T::MAX * T::from_f64(0.125)
    }

    /// What a direction may have more than the bulk and still be given to it. Beside k directions at the ceiling the next one
    /// is left with k·e^(−ceiling), in every trial of a steady state; what the ceiling withholds from the former the latter
    /// need not keep. Never more than the rounding of the largest evidence, nothing where there is no ceiling, and hardly any
    /// of the `gain` from outside the stored directions: what gains little at a time must not begin anew each time.
    fn negligible(&self, largest: T, gain: T) -> T {
        let four = T::from_f64(4.0);
        let rounding = (four * T::EPSILON * largest).min(four * self.ceiling_drop);
        rounding.min(T::from_f64(1.0 / 1024.0) * gain)
    }

    /// Ceiling and share of one value g and its e⁻ᵍ.
    #[cfg_attr(not(optimize_for_size), inline(always))]
    fn finish(&self, value: &mut T, drop: &mut T, keep: usize, dimension: usize) {
        if *value > self.ceiling {
            *value = self.ceiling;
            *drop = self.ceiling_drop;
        }
        if self.share > T::ZERO {
            let even = T::from_usize(dimension.saturating_sub(keep)) / T::from_usize(dimension);
            *drop = (T::ONE - self.share) * *drop + self.share * even;
            *value = -drop.ln();
        }
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

    /// How many directions are stored.
    pub(super) const fn rank(&self) -> usize {
        self.rank as usize
    }

    /// Splits a sample into the part inside the stored directions and the part outside.
    pub(super) fn view(&self, sample: &[T; DIM], energy: T) -> View<T, DIM, RANK> {
        let mut view = View {
            inside: [T::ZERO; RANK],
            outside: *sample,
            outside_energy: energy,
        };
        // What is left carries the rounding of what was taken away, and as much of the latter as the directions are not
        // orthonormal. Where little is left both count, so take again; the third time there is nothing left to take.
        for _ in 0..3 {
            let before = view.outside_energy;
            view.take(self.directions());
            if view.outside_energy >= before * T::from_f64(1.0 / 256.0) {
                break;
            }
        }
        view
    }

    /// ‖x‖² − Σ pᵢ(vᵢ·x)², summed from parts that cannot be negative.
    pub(super) fn expected_loss(&self, view: &View<T, DIM, RANK>, bulk_drop: T) -> T {
        let mut loss = bulk_drop * view.outside_energy;
        for (&drop, &inside) in self.drops().iter().zip(&view.inside) {
            loss += drop * inside * inside;
        }
        // At the very end of the number range rounding may carry the parts beyond their sum.
        loss.min(T::MAX)
    }

    /// G ← G + η·factor·x xᵀ, threshold, ceiling, share. The view is used up: its inside takes in the length of the outside.
    // A frame of its own, which the draw before it does not have to share the stack with.
    #[inline(never)]
    pub(super) fn learn(
        &mut self,
        view: &mut View<T, DIM, RANK>,
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
        if view.outside_energy > smallest
            && let (Some(value), Some(entry)) = (self.values.get_mut(count), view.inside.get_mut(count))
        {
            outside_scale = view.outside_energy.inverse_sqrt();
            *entry = view.outside_energy * outside_scale;
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
        let _ = update_in_place(values, &view.inside, energy, rate, &mut small);
        for value in values {
            // A sample takes no evidence away; the rounding of a large value beside a small one would.
            *value = value.max(self.bulk);
        }
        let rank = self.settle(count, keep, update, rate * view.outside_energy);
        // The outside is not of length one; its row of U makes up for that.
        let mut turn = T::ZERO;
        for column in small.iter_mut().take(rank) {
            if let Some(entry) = column.get_mut(self.rank()) {
                *entry *= outside_scale;
                turn += *entry * *entry;
            }
        }
        // What the directions are off from orthonormal is in the outside too, larger by the root of ‖x‖²/‖q‖². Where much of q
        // enters them that would double it in every trial.
        if turn * energy > T::ONE {
            view.take_again(self.directions());
        }
        self.rotate(&view.outside, &small, rank);
    }

    /// Thresholds `count` values and the bulk, and returns how many directions stay.
    fn settle(&mut self, count: usize, keep: usize, update: &Update<T>, gain: T) -> usize {
        let mut rank = self.subtract_threshold(count, keep, update, gain);
        if rank == RANK && RANK < DIM {
            // No room for the next sample: the smallest direction takes the bulk's value.
            rank = self.subtract_threshold(RANK - 1, keep, update, gain);
        }
        for (value, drop) in self.values.iter_mut().zip(&mut self.drops).take(rank) {
            update.finish(value, drop, keep, DIM);
        }
        update.finish(&mut self.bulk, &mut self.bulk_drop, keep, DIM);
        rank
    }

    /// Subtracts the threshold from the first `count` values and from the bulk, which are all others.
    #[inline(never)]
    fn subtract_threshold(&mut self, count: usize, keep: usize, update: &Update<T>, gain: T) -> usize {
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
        values.iter().take_while(|&&value| value > stays).count()
    }

    /// Takes out what rounding has done to the directions.
    #[inline(never)]
    pub(super) fn tidy(&mut self) {
        let rank = self.rank();
        tidy(self.directions.data.0.get_mut(..rank).unwrap_or_default());
    }
}

impl<T: Scalar, const DIM: usize, const RANK: usize> View<T, DIM, RANK> {
    /// Takes out of the outside what rounding left there of `directions`.
    #[cfg_attr(not(optimize_for_size), inline(never))]
    fn take_again(&mut self, directions: &[[T; DIM]]) {
        take_out(&mut self.outside, directions.iter());
    }

    /// Moves what lies in `directions` from the outside to the inside. Two directions at a time: each entry of the sample
    /// that is loaded serves both.
    #[cfg_attr(not(optimize_for_size), inline(always))]
    fn take(&mut self, directions: &[[T; DIM]]) {
        let (pairs, rest) = if SMALL {
            (&[][..], directions)
        } else {
            directions.as_chunks::<2>()
        };
        // All overlaps first: that is what makes the third pass at the latest find nothing.
        let mut overlaps = [T::ZERO; RANK];
        let mut slots = overlaps.iter_mut();
        for [left, right] in pairs {
            let (mut first, mut second) = (T::ZERO, T::ZERO);
            for ((&left, &right), &outside) in left.iter().zip(right).zip(&self.outside) {
                first += left * outside;
                second += right * outside;
            }
            if let (Some(left), Some(right)) = (slots.next(), slots.next()) {
                (*left, *right) = (first, second);
            }
        }
        for (direction, slot) in rest.iter().zip(slots) {
            *slot = dot(direction, &self.outside);
        }
        add_scaled(&mut self.inside, T::ONE, &overlaps);
        let mut overlaps = overlaps.iter();
        for [left, right] in pairs {
            let (Some(&first), Some(&second)) = (overlaps.next(), overlaps.next()) else {
                break;
            };
            self.outside_energy = T::ZERO;
            for ((&left, &right), outside) in left.iter().zip(right).zip(&mut self.outside) {
                *outside -= left * first;
                *outside -= right * second;
                self.outside_energy += *outside * *outside;
            }
        }
        for (direction, &overlap) in rest.iter().zip(overlaps) {
            if SMALL {
                add_scaled(&mut self.outside, -overlap, direction);
                self.outside_energy = dot(&self.outside, &self.outside);
            } else {
                // The same in one pass.
                self.outside_energy = T::ZERO;
                for (&entry, outside) in direction.iter().zip(&mut self.outside) {
                    *outside -= entry * overlap;
                    self.outside_energy += *outside * *outside;
                }
            }
        }
        self.outside_energy = self.outside_energy.min(T::MAX);
    }
}

stored!([T: Scalar] Update<T> { rate, ceiling, ceiling_drop, share });
stored!(
    [T: Scalar, const DIM: usize, const RANK: usize] Evidence<T, DIM, RANK> {
        directions, values, drops, bulk, bulk_drop, rank
    }
    if sound
);

impl<T: Scalar, const DIM: usize, const RANK: usize> Evidence<T, DIM, RANK> {
    fn sound(&self) -> Result<(), CodecError> {
        check_orthonormal(&self.directions, self.rank())?;
        sound::probabilities(self.drops())?;
        sound::probabilities(&[self.bulk_drop])?;
        // What updates the evidence counts on its order, but for rounding.
        let mut descending = self.values().iter().chain([&self.bulk]);
        let rounding = T::ONE + T::from_f64(8.0) * T::EPSILON;
        let mut above = Update::largest();
        let falls = descending.all(|&value| core::mem::replace(&mut above, value) * rounding >= value);
        sound::accept(falls, CodecError::Range)?;
        sound::within(Update::largest(), self.values().iter().chain([&self.bulk]))
    }
}

impl<T: Scalar, const DIM: usize, const RANK: usize> Evidence<T, DIM, RANK> {
    /// V ← (V, q)·U: the first `rank` columns of U, as directions.
    fn rotate(&mut self, outside: &[T; DIM], small: &[[T; RANK]], rank: usize) {
        let before = self.rank();
        self.rank = rank as u32;
        let columns = &mut self.directions.data.0;
        // The steady states that keep two directions, or three: all coefficients fit the registers.
        match (before, rank) {
            _ if SMALL => (),
            (2, 2) => return rotate_few::<T, DIM, RANK, 2, 2>(columns, outside, small),
            (3, 2) => return rotate_few::<T, DIM, RANK, 3, 2>(columns, outside, small),
            (3, 3) => return rotate_few::<T, DIM, RANK, 3, 3>(columns, outside, small),
            _ => (),
        }
        rotate_any(columns, outside, small, before, rank);
    }
}

/// V ← (V, q)·U for `before` directions before and `rank` after.
#[inline(always)]
fn rotate_any<T: Scalar, const DIM: usize, const RANK: usize>(
    columns: &mut [[T; DIM]; RANK],
    outside: &[T; DIM],
    small: &[[T; RANK]],
    before: usize,
    rank: usize,
) {
    for (row, &outside) in outside.iter().enumerate() {
        // A row of (V, q); q, if there is room for it, is behind the directions.
        let mut old = [outside; RANK];
        for (old, column) in old.iter_mut().zip(columns.iter()).take(before) {
            *old = column[row];
        }
        for (column, weights) in columns.iter_mut().zip(small).take(rank) {
            // What changes no sum is the negative zero: this is `rotate_few` to the sign of a zero.
            let mut sum = -T::ZERO;
            for (&old, &weight) in old.iter().zip(weights).take(before + 1) {
                sum += old * weight;
            }
            column[row] = sum;
        }
    }
}

/// The same for `IN` directions before and `OUT` after.
#[inline(never)]
fn rotate_few<T: Scalar, const DIM: usize, const RANK: usize, const IN: usize, const OUT: usize>(
    columns: &mut [[T; DIM]; RANK],
    outside: &[T; DIM],
    small: &[[T; RANK]],
) {
    let mut weights = [[T::ZERO; IN]; OUT];
    let mut outside_weights = [T::ZERO; OUT];
    for ((weights, last), column) in weights.iter_mut().zip(&mut outside_weights).zip(small) {
        for (weight, &entry) in weights.iter_mut().zip(column) {
            *weight = entry;
        }
        *last = column.get(IN).copied().unwrap_or(T::ZERO);
    }
    for row in 0..DIM {
        let mut old = [T::ZERO; IN];
        for (old, column) in old.iter_mut().zip(columns.iter()) {
            *old = column[row];
        }
        for ((column, weights), &last) in columns.iter_mut().zip(&weights).zip(&outside_weights) {
            let mut sum = old[0] * weights[0];
            for (&old, &weight) in old.iter().zip(weights).skip(1) {
                sum += old * weight;
            }
            column[row] = if IN < RANK { sum + outside[row] * last } else { sum };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_written_out_has_the_bits_of_any_other() {
        // Zeros of both signs too: the first channel says nothing, and all that adds up to its second entry is −0.
        let mut columns: [[f32; 4]; 5] =
            core::array::from_fn(|i| core::array::from_fn(|j| [0.0, 0.3, -0.0, -0.7][(3 * i + j) % 4]));
        for (column, zero) in columns.iter_mut().zip([-0.0, 0.0, 0.0, 0.0, 0.0]) {
            column[0] = zero;
        }
        let small: [[f32; 5]; 4] =
            core::array::from_fn(|i| core::array::from_fn(|j| 0.1 * (i as f32) - 0.15 * j as f32));
        let outside = [0.0, 0.2, -0.0, -0.4];
        let bits = |columns: [[f32; 4]; 5]| columns.map(|column| column.map(f32::to_bits));
        let any = |before, rank| {
            let mut rotated = columns;
            rotate_any(&mut rotated, &outside, &small, before, rank);
            bits(rotated)
        };
        type Rotate = fn(&mut [[f32; 4]; 5], &[f32; 4], &[[f32; 5]]);
        let few = |rotate: Rotate| {
            let mut rotated = columns;
            rotate(&mut rotated, &outside, &small);
            bits(rotated)
        };
        assert_eq!(few(rotate_few::<f32, 4, 5, 2, 2>), any(2, 2));
        assert_eq!(few(rotate_few::<f32, 4, 5, 3, 2>), any(3, 2));
        assert_eq!(few(rotate_few::<f32, 4, 5, 3, 3>), any(3, 3));
    }
}
