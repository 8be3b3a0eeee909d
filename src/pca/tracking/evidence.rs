//! The evidence matrix of a tracking learner, G = Σ gᵢ vᵢvᵢᵀ + b·(I − Σ vᵢvᵢᵀ). A few directions vᵢ are stored with their
//! evidence gᵢ. All other directions are the bulk; b is the evidence of each of them.
//! Words: a direction with evidence g is kept with probability p = 1 − e⁻ᵍ and dropped with probability e⁻ᵍ. n = DIM, k = KEEP
//! and d = n − k. The energy of a vector is its squared length.
//! In: one sample after the other. Out: the expected loss of each sample, and the new evidence.
//! Method: [WK08] Algorithm 5 is G ← G + η x xᵀ (x: sample, η: learning rate), then g ← max(0, g − τ) for all eigenvalues g. The
//! threshold τ (`weights::threshold`) makes Σp = k, and usually most g become zero. Few directions remain, so the update is
//! computed in the span of the stored directions and the sample. If RANK directions remain and RANK < DIM, the rank cap of
//! Frequent Directions removes one direction: c = g_RANK − b, gᵢ ← gᵢ − c for all stored i, the last direction joins the bulk,
//! then the threshold is applied again. A stored direction is merged if g − b is negligible: it joins the bulk too. The
//! ceiling is the upper limit of g. Rank cap, merging and ceiling remove evidence. The price of a removal is the amount that it
//! adds to D, a term of the bound of the total loss. The excess E is the sum of all prices. A share α distributes the part α of
//! Σe⁻ᵍ, the sum over all directions, evenly over all directions.
//! Cost: O(DIM·r) to score a sample, O(DIM·r²) to learn a sample, for r stored directions, usually KEEP or KEEP + 1.
//! Kept: DIM·RANK + 2·RANK + 4 numbers and one counter.

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
use crate::weights::{Bulk, Level};
use crate::{CodecError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

/// The settings of an update of the evidence.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Update<T> {
    /// The learning rate η of the settings. The scale multiplies it by a factor for each sample (`EnergyScale::factor`).
    pub(super) rate: T,
    /// The upper limit of the evidence g; MAX/8 without a ceiling. If an old direction gets no more energy, a new direction
    /// replaces it after the samples have added evidence of at most about `ceiling` to the new direction.
    pub(super) ceiling: T,
    /// e^(−ceiling): the probability that a direction at the ceiling is dropped. The first sample or a merge computes this
    /// number, because a `const fn` cannot. Until then the stored number can belong to another ceiling.
    pub(super) ceiling_drop: T,
    /// α: the part of Σe⁻ᵍ, the sum over all directions, that is distributed evenly over all directions after each sample.
    pub(super) share: T,
}

impl<T: Scalar> Update<T> {
    /// Returns true if rate, ceiling and share are equal. `ceiling_drop` is not compared: before the first sample it need not
    /// belong to the ceiling.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.rate == other.rate && self.ceiling == other.ceiling && self.share == other.share
    }

    /// Returns MAX/8: the largest evidence, and also the largest evidence that one sample adds. The sum of both does not
    /// overflow.
    pub(super) const fn largest() -> T {
        let most = T::MAX;
        number!(most => 0.125 * most)
    }

    /// Returns the limit for merging: a direction joins the bulk (all directions that are not stored) if its evidence exceeds the
    /// evidence of the bulk by at most this limit. With k = `keep` and m = max(2k, 4), the limit is the smallest of three numbers:
    /// - m·ε·`largest`, the size of rounding errors. `largest` is the largest evidence.
    /// - m·e^(−ceiling), zero without a ceiling. If k directions are at the ceiling, the next direction usually ends a trial with
    ///   evidence near k·e^(−ceiling), which is only an effect of the ceiling.
    /// - `gain`/8: a direction that grows equally in every trial loses at most an eighth of its growth if every trial merges it.
    ///   `gain` is the evidence that the sample adds outside the stored directions; MAX/8 for a start or a merge of learners.
    pub(super) fn negligible(&self, keep: usize, largest: T, gain: T) -> T {
        let rounding = T::from_usize(keep.saturating_mul(2).max(4)) * (T::EPSILON * largest).min(self.ceiling_drop);
        rounding.min(T::from_f64(0.125) * gain)
    }

    /// Limits `value` = g to the ceiling and adapts `drop` = e⁻ᵍ. Returns the increase of e⁻ᵍ, never negative.
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

    /// Applies the share α to one direction. With n = `dimension` and k = `keep`, `drop` = e⁻ᵍ becomes
    /// (1 − α)·e⁻ᵍ + α·(n − k)/n, and `value` becomes the new g.
    #[inline(never)]
    fn mix(&self, value: &mut T, drop: &mut T, keep: usize, dimension: usize) {
        let even = T::from_usize(dimension.saturating_sub(keep)) / T::from_usize(dimension);
        *drop = (T::ONE - self.share) * *drop + self.share * even;
        *value = -drop.ln();
    }
}

/// Returns `outside` + Σ(1 − pᵢ)cᵢ², with 1 − pᵢ in `drops` and the coordinates cᵢ in `inside`, over the length of the shorter
/// slice.
#[inline(always)]
fn sum_of_losses<T: Scalar>(drops: &[T], inside: &[T], outside: T) -> T {
    let mut loss = outside;
    for (&drop, &inside) in drops.iter().zip(inside) {
        loss += drop * inside * inside;
    }
    loss
}

/// The evidence matrix G for `DIM` channels, with room for `RANK` stored directions.
#[derive(Clone, Debug)]
pub(super) struct Evidence<T, const DIM: usize, const RANK: usize> {
    /// V, one direction per column; the first `rank` columns are in use.
    directions: SMatrix<T, DIM, RANK>,
    /// The evidence g of each stored direction, descending.
    values: [T; RANK],
    /// e⁻ᵍ = 1 − p: the probability that a stored direction is dropped. p is the probability that the direction is kept.
    drops: [T; RANK],
    /// b: the evidence of every direction that is not stored. Zero until `begin`, a start or a merge of learners.
    bulk: T,
    /// e⁻ᵇ: the probability that a direction that is not stored is dropped. Zero until `begin`, a start or a merge of learners.
    bulk_drop: T,
    /// E: the amount that rank cap, merging and ceiling have added to D, a term of the bound.
    excess: Excess<T>,
    /// The number of stored directions, as a `u32`: four bytes on every machine.
    rank: u32,
}

impl<T: Scalar, const DIM: usize, const RANK: usize> Evidence<T, DIM, RANK> {
    /// Creates an evidence matrix without stored directions. [`begin`](Self::begin) sets the bulk at the first sample, because a
    /// `const fn` cannot compute the logarithm.
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

    /// Starts from the density matrix W⁰ = I/n: every direction is dropped with probability d/n, where n = `DIM` and
    /// d = n − `keep`.
    pub(super) fn begin(&mut self, keep: usize) {
        self.bulk_drop = Self::first_drop(keep);
        self.bulk = -self.bulk_drop.ln();
    }

    /// Returns (`DIM` − `keep`)/`DIM`: the probability that a direction is dropped at the start.
    pub(super) fn first_drop(keep: usize) -> T {
        T::from_usize(DIM.saturating_sub(keep)) / T::from_usize(DIM)
    }

    /// Returns the stored directions; their number is [`rank`](Self::rank).
    pub(super) fn directions(&self) -> &[[T; DIM]] {
        self.directions.data.0.get(..self.rank()).unwrap_or_default()
    }

    /// Returns 1 − p of each stored direction, ascending, where p is the probability that the direction is kept.
    pub(super) fn drops(&self) -> &[T] {
        self.drops.get(..self.rank()).unwrap_or_default()
    }

    /// Returns the evidence g of each stored direction, descending.
    pub(super) fn values(&self) -> &[T] {
        self.values.get(..self.rank()).unwrap_or_default()
    }

    /// Returns b, the evidence of every direction that is not stored. Zero until
    /// [`begin`](Self::begin), a start or a merge of learners sets it.
    pub(super) const fn bulk(&self) -> T {
        self.bulk
    }

    /// Returns 1 − p of every direction that is not stored, where p is the probability that the direction is kept. Zero until
    /// [`begin`](Self::begin), a start or a merge of learners sets it.
    pub(super) const fn bulk_drop(&self) -> T {
        self.bulk_drop
    }

    /// Returns the excess E: the amount that rank cap, merging and ceiling have added to D, a term of the bound.
    pub(super) fn excess(&self) -> T {
        self.excess.value()
    }

    /// Returns the number of stored directions.
    pub(super) const fn rank(&self) -> usize {
        self.rank as usize
    }

    /// Splits a sample into the part inside the stored directions and the part outside.
    pub(super) fn split(&self, sample: &[T; DIM], energy: T) -> Split<T, DIM, RANK> {
        Split::of(sample, energy, self.directions())
    }

    /// Returns the expected loss Σ(1 − pᵢ)(vᵢ·x)² over all directions vᵢ, with the keep probabilities pᵢ. No term is negative.
    /// `bulk_drop` is 1 − p of the directions that are not stored. The part of x along these directions has the energy
    /// `outside_energy`.
    #[inline(always)]
    pub(super) fn expected_loss(&self, inside: &[T], outside_energy: T, bulk_drop: T) -> T {
        // For an energy close to `T::MAX`, rounding of the terms could make the sum infinite.
        sum_of_losses(self.drops(), inside, bulk_drop * outside_energy).min(T::MAX)
    }

    /// Adds η·`factor`·x xᵀ to G, then applies threshold, merging, rank cap, ceiling and share. The rate is limited so that the
    /// sample adds at most the evidence MAX/8. If q = `split.outside` becomes a new direction, writes ‖q‖ to `split.inside` after
    /// the coordinates. If much of q enters the new directions, corrects q (`Split::subtract_again`).
    // A separate function, so that the stack frames of the draw and of this function are not needed at the same time.
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
        // `split.outside` becomes a new direction if its energy is above rounding and above the subnormal numbers, and if fewer
        // than RANK directions are stored. RANK directions are stored only if RANK = DIM, or in a learner from encoded bytes.
        let smallest = (T::from_f64(64.0) * T::EPSILON * T::EPSILON * energy).max(T::MIN_POSITIVE);
        if split.outside_energy > smallest
            && let (Some(value), Some(entry)) = (self.values.get_mut(count), split.inside.get_mut(count))
        {
            outside_scale = split.outside_energy.inverse_sqrt();
            *entry = split.outside_energy * outside_scale;
            *value = self.bulk;
            count += 1;
        }
        // U = `small`: the eigenvectors of the new G in the span of the stored directions and the sample, one per column.
        let mut small = [[T::ZERO; RANK]; RANK];
        let columns = small.get_mut(..count).unwrap_or_default();
        let values = self.values.get_mut(..count).unwrap_or_default();
        // The old evidence and the evidence that one sample adds are both at most `Update::largest()`: the sum is finite.
        let rate = (update.rate * factor).min(T::MAX).min(Update::<T>::largest() / energy);
        let _ = update_in_place(values, &split.inside, energy, rate, columns);
        for value in any_length_mut(values) {
            stay_rolled();
            // Without rounding no evidence is below that of the bulk. The rounding error of the largest evidence can make a small
            // evidence too small.
            *value = value.max(self.bulk);
        }
        let rank = self.settle(count, keep, update, rate * split.outside_energy);
        // q = `split.outside` is not scaled to length one. Instead, the row of U that belongs to q is divided by the length of q.
        // `turn` is the sum of the squares of the divided row. It measures how much of q enters the new directions.
        let mut turn = T::ZERO;
        for column in any_length_mut(&mut small).iter_mut().take(rank) {
            stay_rolled();
            if let Some(entry) = column.get_mut(self.rank()) {
                *entry *= outside_scale;
                turn += *entry * *entry;
            }
        }
        // q also contains the orthogonality error of the stored directions, amplified by ‖x‖/‖q‖. If `turn`·‖x‖² is above one,
        // much of q enters the new directions, and the error could more than double in this trial. So remove the parts along the
        // stored directions from q once more.
        if turn * energy > T::ONE {
            split.subtract_again(self.directions());
        }
        let before = self.rank();
        rotate(&mut self.directions.data.0, &split.outside, &mut small, before, rank);
        self.rank = rank as u32;
    }

    /// Applies threshold, merging, rank cap, ceiling and share to the first `count` values and to the bulk, and adds to the
    /// excess. Returns the number of directions that remain stored. `gain` is the evidence that the sample adds outside the
    /// stored directions; MAX/8 for a start or a merge of learners.
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

    /// Adds rise + rise/d, the price of a `rise` of Σe⁻ᵍ, to the excess; d = DIM − `keep`. Before the rise, Σe⁻ᵍ over all
    /// directions is d. The rise multiplies this sum by Z = 1 + rise/d. The price has two parts:
    /// - d times the relative entropy from the best subspace to the density matrix grows by at most d·ln Z ≤ rise.
    /// - The loss of the next sample is computed without dividing by Z. For a sample of energy at most one, this adds at most
    ///   Z − 1 = rise/d to the loss.
    #[inline(always)]
    fn charge(&mut self, rise: T, keep: usize) {
        let factor = T::ONE + T::ONE / T::from_usize(DIM.saturating_sub(keep));
        self.excess.add(rise, factor);
    }

    /// Applies the share (see [`Update::mix`]) to the first `rank` values and to the bulk.
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

    /// Removes one direction, as in Frequent Directions. Called if RANK directions remain after the threshold and RANK < DIM.
    /// `shift` is the evidence of the last direction minus the evidence of the bulk. Every stored direction loses `shift`, and
    /// the last direction joins the bulk. Adds the price to the excess. Returns the result of `subtract_threshold`.
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
        // Each e^(−g) of a stored direction is multiplied by e^shift, so Σe^(−g) over all directions grows by the factor
        // 1 + `growth`. The RANK ≥ KEEP + 2 stored directions have descending keep probabilities with a sum of at most KEEP. So
        // the last probability is at most KEEP/RANK, and e^shift is at most RANK/(RANK − KEEP): `growth` cannot overflow.
        let dropped = T::from_usize(DIM.saturating_sub(keep));
        let growth = exp_minus_one(shift) * drops / dropped;
        self.excess.add(ln_of_one_and(growth), dropped);
        self.subtract_threshold(RANK - 1, keep, update, gain)
    }

    /// Applies the threshold τ: the first `count` values g become max(0, g − τ), and the value b of all other directions becomes
    /// max(0, b − τ). If `count` = DIM, b becomes zero. Then merges directions into the bulk, beginning with the last, if their
    /// values exceed b by at most [`Update::negligible`]. Returns the number of directions that stay stored, and the increase of
    /// Σe⁻ᵍ by the merging.
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
            // The bulk is empty, so b has no meaning. With b = 0, only directions with negligible evidence join the bulk below.
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
            // The direction gets the drop probability of the bulk, `bulk_drop`. Up to rounding, `bulk_drop` is at least `drop`,
            // the old drop probability of the direction.
            rise += (self.bulk_drop - drop).abs();
        }
        (rank, rise)
    }

    /// Corrects the rounding errors of all stored directions: makes these directions orthonormal again.
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
        // Every update needs the evidence in descending order, the bulk last. A relative error of 8ε is allowed for rounding.
        let mut descending = self.values().iter().chain([&self.bulk]);
        let rounding = T::ONE + T::from_f64(8.0) * T::EPSILON;
        let mut above = Update::largest();
        let falls = descending.all(|&value| core::mem::replace(&mut above, value) * rounding >= value);
        validate::accept(falls, CodecError::Range)?;
        validate::within(Update::largest(), self.values().iter().chain([&self.bulk]))
    }
}
