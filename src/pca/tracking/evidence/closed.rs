//! Learns a sample in closed form for KEEP = 1, 2 or 3; the number of stored directions selects the path.
//! Method: with KEEP stored directions `steady` is used, in `follow` for a sample with a part outside, in
//! `learn_closed` for one without. For KEEP = 1 or 2 `learn_closed` also uses `contested`: with KEEP + 1 stored
//! directions, or with KEEP and the part outside as one more.
//! Cost in multiply-adds for r directions: DIM·r per split, 2·DIM·r + DIM for the part outside, DIM·r + DIM to append
//! it, DIM·r·(r + 1) to rotate.

use super::super::glance::{Glance, Outlook, Outside};
use super::super::learned::{Learned, Seen, in_range};
use super::super::rotation::{rotate_by, rotate_rarely};
use super::super::{contested, steady};
use super::{Evidence, Update, sum_of_losses};
use crate::spectrum::few::{FEW, each};
use crate::spectrum::vector::whole;
use crate::{SMALL, Scalar};

/// The result of [`follow`](Evidence::follow); all numbers are from before the update.
pub(in super::super) struct Followed<T, const KEEP: usize> {
    /// c, the coordinates in the stored directions.
    pub(in super::super) inside: [T; KEEP],
    /// ρ, the energy outside the stored directions.
    pub(in super::super) outside_energy: T,
    pub(in super::super) expected_loss: T,
}

impl<T: Scalar, const DIM: usize, const RANK: usize> Evidence<T, DIM, RANK> {
    /// [`learn`](Self::learn) with KEEP directions stored before and after; `None`, and no change, if a condition does
    /// not hold.
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
        // This test comes directly after `Glance::of`, so that the optimiser omits it where there was no second pass.
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
            // This uses the drop probabilities from before the update.
            expected_loss: sum_of_losses(&self.drops, &inside, seen.outside_energy),
        };
        self.replace_by(&learned, KEEP);
        Some(followed)
    }

    /// Splits a sample for a closed form; returns `None` if KEEP and the number of stored directions have no closed
    /// form. The caller checks that the bulk has no evidence.
    #[inline(always)]
    pub(in super::super) fn glance<const KEEP: usize>(&self, sample: &[T; DIM], energy: T) -> Option<Glance<T>> {
        let rank = self.rank();
        if KEEP > FEW || rank >= RANK {
            return None;
        }
        let columns = self.directions.data.0.as_slice();
        // KEEP + 1 stored directions are frequent in noise, and `Glance::of` is faster, with the same bits.
        match (KEEP, rank) {
            (1, 2) => Some(Glance::of::<DIM, 2>(sample, energy, columns.first_chunk()?)),
            (2, 3) => Some(Glance::of::<DIM, 3>(sample, energy, columns.first_chunk()?)),
            _ if rank == KEEP => Some(Glance::of_any(sample, energy, self.directions())),
            _ => None,
        }
    }

    /// [`learn`](Self::learn) in closed form; false if a condition does not hold, and then only the first unused
    /// column can have changed.
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
        // If `steady`, the KEEP stored directions contain the whole sample, and all stay stored.
        let steady = self.rank() == KEEP && outlook == Outlook::Inside;
        if steady {
            // For KEEP = 1 or 2 one more column enters the rotation with weight zero; its old entries could be NaN.
            if let Some(column) = self.directions.data.0.get_mut(KEEP) {
                *column = [T::ZERO; DIM];
            }
        } else if KEEP == FEW {
            return false;
        } else if self.rank() == KEEP {
            // The part outside becomes the last direction, with the evidence of the bulk, zero; then the whole sample
            // is inside.
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
        // `learned` is borrowed and not moved, because `Learned` is large.
        let Some(learned) = &learned else {
            return false;
        };
        let (mut beside, mut overlap, mut length) = (sample, seen.inside, T::ONE);
        let mut vector;
        // An error in ρ, the energy outside, changes the lengths of the new directions. If they could change too much,
        // the rotation uses the part q outside in place of the sample.
        if learned.growth(count, energy) > Self::most_growth() {
            vector = [T::ZERO; DIM];
            let outside = self.outside::<KEEP>(sample, &mut vector, &overlap);
            let Some(ratio) = outside.ratio(seen.outside_energy) else {
                return false;
            };
            // The rotation is for a q of energy ρ; the computed q, without its part V·o along the directions (o = Vᵀq),
            // has the energy ‖q‖² − ‖o‖².
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

    /// Combines the first KEEP + 1 columns (for KEEP = 3 the first three) and `beside` into `rank` directions.
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

    /// Writes q, the part of the sample outside the KEEP + 1 stored directions, to `vector`.
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

    /// Writes q/‖q‖ to the first unused column, and ‖q‖ after the coordinates; false, and `seen` unchanged, if
    /// `seen.outside_energy` is not exact enough.
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

    /// The evidence of the first columns; entries after the stored directions have no meaning.
    #[inline(always)]
    fn first_values(&self) -> [T; FEW] {
        let mut values = [T::ZERO; FEW];
        for (value, &stored) in values.iter_mut().zip(&self.values) {
            *value = stored;
        }
        values
    }

    /// The largest growth of the orthogonality error in one trial that the regular re-orthonormalisation corrects.
    fn most_growth() -> T {
        T::from_f64(1.0 / 8.0)
    }

    /// Whether a sample of energy zero changes the evidence only by rounding: no share, no evidence in the bulk, and a
    /// ceiling without effect on Σe⁻ᵍ.
    pub(in super::super) fn holds_in_silence(&self, keep: usize, update: &Update<T>) -> bool {
        let dropped = T::from_usize(DIM.saturating_sub(keep));
        update.share == T::ZERO
            && self.bulk_drop == T::ONE
            && T::from_usize(keep) * update.ceiling_drop <= T::from_f64(4.0) * T::EPSILON * dropped
    }

    /// Stores the new evidence and adds the price of `rise` to the excess; the caller rotates the directions and stores
    /// their number.
    #[inline(always)]
    fn replace_by(&mut self, learned: &Learned<T>, keep: usize) {
        // This is no loop: from a loop the compiler would make two calls of `memcpy`, about 130 instructions.
        each!(I => if I < learned.rank && let (Some(value), Some(drop)) = (self.values.get_mut(I), self.drops.get_mut(I)) {
            (*value, *drop) = (learned.values[I], learned.drops[I]);
        });
        self.charge(learned.rise, keep);
    }
}

#[cfg(test)]
mod tests;
