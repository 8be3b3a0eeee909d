//! Learns a sample in closed form (without the general solver `spectrum::rank_one`), for KEEP = 1, 2 or 3. The number of stored
//! directions selects the path. The bulk is all directions that are not stored. `evidence` defines share, ceiling and excess.
//! In: a sample. Out: the new evidence. If a condition of the closed form does not hold: `None` or false, and the evidence is
//! unchanged.
//! Method: `steady`, if KEEP directions are stored before and after the sample: `follow` learns a sample with a part outside these
//! directions, `learn_closed` a sample without. `contested` with KEEP + 1 directions, for KEEP = 1 or 2: the last direction is
//! stored already, or the part of the sample outside the stored directions is appended. A sample of energy zero leaves the
//! evidence unchanged under the conditions of `holds_in_silence`.
//! Cost in multiply-adds, for r directions: DIM·r each time that a sample is split; 2·DIM·r + DIM each time that the part outside
//! is computed; DIM·r + DIM to append this part as a direction; DIM·r·(r + 1) to rotate the directions.

use super::super::glance::{Glance, Outlook, Outside};
use super::super::learned::{Learned, Seen, in_range};
use super::super::rotation::{rotate_by, rotate_rarely};
use super::super::{contested, steady};
use super::{Evidence, Update, sum_of_losses};
use crate::spectrum::few::{FEW, each};
use crate::spectrum::vector::whole;
use crate::{SMALL, Scalar};

/// The result of [`follow`](Evidence::follow). All fields refer to the directions before the update.
pub(in super::super) struct Followed<T, const KEEP: usize> {
    /// c: the coordinates of the sample in the stored directions.
    pub(in super::super) inside: [T; KEEP],
    /// ρ: the energy of the part q of the sample outside the stored directions.
    pub(in super::super) outside_energy: T,
    pub(in super::super) expected_loss: T,
}

impl<T: Scalar, const DIM: usize, const RANK: usize> Evidence<T, DIM, RANK> {
    /// [`learn`](Self::learn) in the steady state (see `steady`), for a sample with a part outside the stored directions. Returns
    /// `None` if a condition does not hold; then the evidence is unchanged.
    #[inline(always)]
    pub(in super::super) fn follow<const KEEP: usize>(
        &mut self,
        sample: &[T; DIM],
        energy: T,
        update: &Update<T>,
        factor: T,
    ) -> Option<Followed<T, KEEP>> {
        if self.rank() != KEEP || KEEP >= RANK || self.bulk_drop < T::ONE {
            return None;
        }
        let directions = self.directions.data.0.first_chunk_mut::<KEEP>()?;
        let glance = Glance::of(sample, energy, directions);
        // This test is directly after `Glance::of`: then the optimiser omits the test on the path without the second pass.
        if glance.outlook == Outlook::Inside {
            return None;
        }
        let seen = Seen::new::<DIM, KEEP>(glance, energy, update.rate * factor);
        let mut values = [T::ZERO; FEW];
        for (value, &stored) in values.iter_mut().zip(&self.values) {
            *value = stored;
        }
        in_range(&values, &seen, update).then_some(())?;
        let learned = steady::learn(KEEP, &values, &seen, update)?;
        (learned.growth(KEEP, energy) <= Self::most_growth()).then_some(())?;
        let weights = each!(I => learned.weights(KEEP, &seen.inside, I));
        rotate_by(directions, sample, &weights, KEEP);
        let mut inside = [T::ZERO; KEEP];
        for (entry, &coordinate) in inside.iter_mut().zip(&seen.inside) {
            *entry = coordinate;
        }
        let followed = Followed {
            inside,
            outside_energy: seen.outside_energy,
            // With the drop probabilities before the update. The energy is in the range of the closed forms: the sum is finite.
            expected_loss: sum_of_losses(&self.drops, &inside, seen.outside_energy),
        };
        self.replace_by(&learned, KEEP);
        Some(followed)
    }

    /// Returns the coordinates c of a sample in the stored directions and the energy ρ of the part outside, for a closed form.
    /// Returns `None` in four cases: KEEP is above 3, RANK directions are stored, more than three directions are stored, or the
    /// number of stored directions is neither KEEP nor KEEP + 1. The caller checks that the evidence of the bulk is zero.
    #[inline(always)]
    pub(in super::super) fn glance<const KEEP: usize>(&self, sample: &[T; DIM], energy: T) -> Option<Glance<T>> {
        let rank = self.rank();
        if KEEP > FEW || rank >= RANK {
            return None;
        }
        let columns = self.directions.data.0.as_slice();
        // KEEP + 1 stored directions are frequent in noise. `Glance::of` is faster there, unless the code is compiled for size.
        // The results are bit-identical.
        match (KEEP, rank) {
            (1, 2) => Some(Glance::of::<DIM, 2>(sample, energy, columns.first_chunk()?)),
            (2, 3) => Some(Glance::of::<DIM, 3>(sample, energy, columns.first_chunk()?)),
            _ if rank == KEEP => Some(Glance::of_any(sample, energy, self.directions())),
            _ => None,
        }
    }

    /// [`learn`](Self::learn) in closed form. Returns false if a condition does not hold; then the evidence is unchanged, but the
    /// first unused column of the directions can have changed.
    #[inline(never)]
    pub(in super::super) fn learn_closed<const KEEP: usize>(
        &mut self,
        sample: &[T; DIM],
        glance: &Glance<T>,
        energy: T,
        update: &Update<T>,
        factor: T,
    ) -> bool {
        let mut seen = Seen::new::<DIM, KEEP>(*glance, energy, update.rate * factor);
        let mut values = self.first_values();
        if !in_range(&values, &seen, update) {
            return false;
        }
        let mut outlook = glance.outlook;
        // KEEP directions contain the whole sample: all of them stay stored.
        let steady = self.rank() == KEEP && outlook == Outlook::Inside;
        if steady {
            // For KEEP = 1 or 2 one more column enters the rotation, with the weight zero. It is not in use, so its entries can be
            // any numbers.
            if let Some(column) = self.directions.data.0.get_mut(KEEP) {
                *column = [T::ZERO; DIM];
            }
        } else if KEEP == FEW {
            return false;
        } else if self.rank() == KEEP {
            // The part of the sample outside the stored directions becomes the last direction. The evidence of this direction is
            // the evidence of the bulk, zero. Then the whole sample is inside the KEEP + 1 directions.
            if let Some(value) = values.get_mut(KEEP) {
                *value = T::ZERO;
            }
            if !self.append_outside::<KEEP>(sample, &mut seen) {
                return false;
            }
            outlook = Outlook::Inside;
        }
        let count = FEW.min(KEEP + 1);
        let learned = if steady {
            steady::learn_inside(KEEP, &values, &seen, update)
        } else {
            contested::learn(count, &values, &seen, outlook, update)
        };
        // Borrowed and not moved, because `Learned` is large.
        let Some(learned) = &learned else {
            return false;
        };
        let (mut beside, mut overlap, mut length) = (sample, seen.inside, T::ONE);
        let mut vector;
        // If the sample x enters the rotation, an error in ρ (the energy of x outside the stored directions) changes the lengths
        // of the new directions. If this change is too large, use q instead of x: the part of x outside the stored directions.
        if learned.growth(count, energy) > Self::most_growth() {
            vector = [T::ZERO; DIM];
            let outside = self.outside::<KEEP>(sample, &mut vector, &overlap);
            let Some(ratio) = outside.ratio(seen.outside_energy) else {
                return false;
            };
            // The rotation was computed for a q of energy ρ. The computed q contains an error: V·o with o = Vᵀq, its part along
            // the stored directions V. Without this error q has the energy ‖q‖² − ‖o‖². `ratio` is ρ divided by this energy. So
            // `length`·q with `length` = √ratio has the energy ρ: the weight of q is multiplied by `length`.
            length = ratio * ratio.inverse_sqrt();
            (beside, overlap) = (&vector, outside.overlap);
        }
        let mut weights = [([T::ZERO; FEW], T::ZERO); FEW];
        for (j, weights) in weights.iter_mut().enumerate() {
            *weights = learned.weights(count, &overlap, j);
            weights.1 *= length;
        }
        self.rotate_few::<KEEP>(beside, &weights, learned.rank);
        self.replace_by(learned, KEEP);
        self.rank = learned.rank as u32;
        true
    }

    /// Combines the first KEEP + 1 columns and `beside` into `rank` new directions; for KEEP = 3 the first three columns. `beside` is
    /// the sample, or the part of the sample outside these directions.
    #[inline(always)]
    fn rotate_few<const KEEP: usize>(&mut self, beside: &[T; DIM], weights: &[([T; FEW], T); FEW], rank: usize) {
        let columns = &mut self.directions.data.0;
        if KEEP == 1 {
            if let Some(columns) = columns.first_chunk_mut::<2>() {
                rotate_rarely(columns, beside, weights, rank);
            }
        } else if let Some(columns) = columns.first_chunk_mut::<3>() {
            rotate_rarely(columns, beside, weights, rank);
        }
    }

    /// Writes q to `vector`: the part of the sample outside the KEEP + 1 stored directions V. `inside` are the coordinates of the
    /// sample in V. Returns o = Vᵀq and the energy ‖q‖² − ‖o‖². In exact arithmetic o is zero. The computed o comes from rounding
    /// and from the orthogonality error of V.
    #[inline(always)]
    fn outside<const KEEP: usize>(&self, sample: &[T; DIM], vector: &mut [T; DIM], inside: &[T; FEW]) -> Outside<T> {
        let columns = self.directions.data.0.as_slice();
        if SMALL {
            return Outside::of_any(sample, vector, inside, self.directions());
        }
        match (KEEP, columns.first_chunk::<2>(), columns.first_chunk::<3>()) {
            (1, Some(columns), _) => Outside::of(sample, vector, inside, columns),
            (2, _, Some(columns)) => Outside::of(sample, vector, inside, columns),
            _ => Outside::of_any(sample, vector, inside, self.directions()),
        }
    }

    /// Writes q/‖q‖ to the first unused column; q is the part of a sample outside the stored directions. Corrects the KEEP
    /// coordinates in `seen.inside`, and writes ‖q‖ after them. Returns false if the energy ρ of q is not exact enough; then
    /// `seen` is unchanged, and the general solver must learn the sample.
    #[inline(never)]
    fn append_outside<const KEEP: usize>(&mut self, sample: &[T; DIM], seen: &mut Seen<T>) -> bool {
        let Some((stored, [fresh, ..])) = self.directions.data.0.split_first_chunk_mut::<KEEP>() else {
            return false;
        };
        let outside = Outside::of(sample, fresh, &seen.inside, stored);
        if outside.ratio(seen.outside_energy).is_none() {
            return false;
        }
        let inverse = outside.energy.inverse_sqrt();
        for (direction, overlap) in stored.iter().zip(outside.overlap) {
            whole::add_scaled(fresh, -overlap, direction);
        }
        whole::scale(fresh, inverse);
        for (entry, overlap) in seen.inside.iter_mut().zip(outside.overlap) {
            *entry += overlap;
        }
        if let Some(entry) = seen.inside.get_mut(KEEP) {
            *entry = outside.energy * inverse;
        }
        true
    }

    /// Returns the evidence of the first [`FEW`] directions. Entries after the stored directions have no meaning.
    #[inline(always)]
    fn first_values(&self) -> [T; FEW] {
        let mut values = [T::ZERO; FEW];
        for (value, &stored) in values.iter_mut().zip(&self.values) {
            *value = stored;
        }
        values
    }

    /// Returns the largest fraction by which the orthogonality error of the stored directions may grow in one trial
    /// (`Learned::growth`). Up to this limit the regular re-orthonormalisation is enough. With a larger growth
    /// [`follow`](Self::follow) returns `None`, and [`learn_closed`](Self::learn_closed) rotates with q, the part of the sample
    /// outside the directions, instead of the sample.
    fn most_growth() -> T {
        T::from_f64(1.0 / 8.0)
    }

    /// Returns true if a sample of energy zero changes the evidence only by rounding: no share, evidence zero in the bulk, and a
    /// ceiling so high that Σe⁻ᵍ over all directions is d = DIM − `keep` up to rounding.
    pub(in super::super) fn holds_in_silence(&self, keep: usize, update: &Update<T>) -> bool {
        let dropped = T::from_usize(DIM.saturating_sub(keep));
        update.share == T::ZERO
            && self.bulk_drop == T::ONE
            && T::from_usize(keep) * update.ceiling_drop <= T::from_f64(4.0) * T::EPSILON * dropped
    }

    /// Stores the new evidence. Adds the price of `learned.rise` to the excess (see `charge`). The caller rotates the directions
    /// and stores their number.
    #[inline(always)]
    fn replace_by(&mut self, learned: &Learned<T>, keep: usize) {
        // Not a loop: the compiler would replace a loop by two calls of `memcpy`, which need about 130 instructions.
        each!(I => if I < learned.rank && let (Some(value), Some(drop)) = (self.values.get_mut(I), self.drops.get_mut(I)) {
            (*value, *drop) = (learned.values[I], learned.drops[I]);
        });
        self.charge(learned.rise, keep);
    }
}

#[cfg(test)]
mod tests;
