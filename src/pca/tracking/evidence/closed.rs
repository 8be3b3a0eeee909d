//! A trial in closed form, for one or two kept directions: the path is chosen by how many directions are stored.
//! In: a sample. Out: the new evidence, or word that the general solver has to do it; then nothing was changed.
//! Method: `steady` with as many directions as are kept, `contested` with one more. A sample of zeros changes nothing.
//! Cost: DIM·r multiply-adds to look at a sample, DIM·r·(r + 1) to turn r directions.

use super::super::contested;
use super::super::glance::{Glance, Outside};
use super::super::learned::{Learned, Seen, Weights};
use super::super::rotation::rotate_by;
use super::super::steady;
use super::{Evidence, Update};
use crate::Scalar;

/// The largest ηf‖x‖² that is learned in closed form.
const LARGEST_STEP: f64 = 32.0;

impl<T: Scalar, const DIM: usize, const RANK: usize> Evidence<T, DIM, RANK> {
    /// A sample as a closed form needs it, or none where there is no closed form for what is stored. The bulk must be at zero.
    #[inline(always)]
    pub(in super::super) fn glance<const KEEP: usize>(&self, sample: &[T; DIM], energy: T) -> Option<Glance<T>> {
        if self.rank() >= RANK {
            return None;
        }
        let columns = self.directions.data.0.as_slice();
        Some(match (KEEP, self.rank()) {
            (1, 1) => Glance::of::<DIM, 1>(sample, energy, columns.first_chunk()?),
            (1 | 2, 2) => Glance::of::<DIM, 2>(sample, energy, columns.first_chunk()?),
            (2, 3) => Glance::of::<DIM, 3>(sample, energy, columns.first_chunk()?),
            _ => return None,
        })
    }

    /// [`learn`](Self::learn) in closed form. False where a condition does not hold; then nothing was changed.
    #[inline(always)]
    pub(in super::super) fn learn_closed<const KEEP: usize>(
        &mut self,
        sample: &[T; DIM],
        glance: Glance<T>,
        energy: T,
        update: &Update<T>,
        factor: T,
    ) -> bool {
        let seen = Seen {
            inside: glance.inside,
            outside_energy: glance.outside_energy,
            energy,
            rate: update.rate * factor,
            dropped: T::from_usize(DIM.saturating_sub(KEEP)),
        };
        // Beyond it rounding of ηe counts in evidence of a few units, which the general solver avoids by its differences.
        if seen.rate * energy > T::from_f64(LARGEST_STEP) {
            return false;
        }
        if self.rank() == KEEP
            && let Some(values) = self.values.first_chunk::<KEEP>()
            && let Some(learned) = steady::learn(values, &seen, update)
            && learned.growth::<KEEP>(energy) <= Self::most_growth()
            && let Some(directions) = self.directions.data.0.first_chunk_mut::<KEEP>()
        {
            rotate_by(directions, sample, &learned.weights::<KEEP>(&seen.inside));
            self.replace_by(&learned, KEEP);
            return true;
        }
        self.learn_closed_rarely::<KEEP>(sample, seen, update)
    }

    /// Every closed form but the most frequent one.
    #[inline(never)]
    fn learn_closed_rarely<const KEEP: usize>(&mut self, sample: &[T; DIM], seen: Seen<T>, update: &Update<T>) -> bool {
        match (KEEP, self.rank()) {
            (1, 1) => self.learn_by::<1, KEEP>(sample, &seen, update, steady::learn_rarely),
            (2, 2) => self.learn_by::<2, KEEP>(sample, &seen, update, steady::learn_rarely),
            (1, 2) => self.learn_by::<2, KEEP>(sample, &seen, update, contested::learn),
            (2, 3) => self.learn_by::<3, KEEP>(sample, &seen, update, contested::learn),
            _ => false,
        }
    }

    #[inline(always)]
    fn learn_by<const COUNT: usize, const KEEP: usize>(
        &mut self,
        sample: &[T; DIM],
        seen: &Seen<T>,
        update: &Update<T>,
        learn: impl Fn(&[T; COUNT], &Seen<T>, &Update<T>) -> Option<Learned<T>>,
    ) -> bool {
        let learned = self.values.first_chunk().and_then(|values| learn(values, seen, update));
        // By reference: it is large.
        let Some(learned) = &learned else {
            return false;
        };
        let Some((stored, rest)) = self.directions.data.0.split_first_chunk_mut::<COUNT>() else {
            return false;
        };
        if learned.rank > COUNT || learned.growth::<COUNT>(seen.energy) > Self::most_growth() {
            let mut vector = *sample;
            let outside = Outside::of(&mut vector, seen.inside, stored);
            // ρ is known well enough, or the general solver has to do it.
            let ratio = seen.outside_energy / outside.energy;
            if !(T::HALF..=T::TWO).contains(&ratio) {
                return false;
            }
            rotate_with_outside(stored, rest, &vector, &outside, ratio, learned);
        } else {
            rotate_rarely(stored, sample, &learned.weights::<COUNT>(&seen.inside));
        }
        self.replace_by(learned, KEEP);
        true
    }

    /// The growth in one trial that is tidied away before it counts. A larger one needs q.
    fn most_growth() -> T {
        T::from_f64(1.0 / 8.0)
    }

    /// Whether a sample of zeros changes nothing but rounding: without a share, and if the ceiling leaves Σe⁻ᵍ at d to rounding.
    pub(in super::super) fn holds_in_silence(&self, keep: usize, update: &Update<T>) -> bool {
        let dropped = T::from_usize(DIM.saturating_sub(keep));
        update.share == T::ZERO
            && self.bulk_drop == T::ONE
            && T::from_usize(keep) * update.ceiling_drop <= T::from_f64(4.0) * T::EPSILON * dropped
    }

    /// The new evidence; the directions are turned already.
    #[inline(always)]
    fn replace_by(&mut self, learned: &Learned<T>, keep: usize) {
        for (value, &new) in self.values.iter_mut().zip(&learned.values).take(learned.rank) {
            *value = new;
        }
        for (drop, &new) in self.drops.iter_mut().zip(&learned.drops).take(learned.rank) {
            *drop = new;
        }
        self.rank = learned.rank as u32;
        self.charge(learned.rise, keep);
    }
}

/// [`rotate_by`], once for all that is not the most frequent closed form.
#[inline(never)]
fn rotate_rarely<T: Scalar, const DIM: usize, const COUNT: usize>(
    stored: &mut [[T; DIM]; COUNT],
    beside: &[T; DIM],
    weights: &Weights<T>,
) {
    rotate_by(stored, beside, weights);
}

/// A turn so large that the error of ρ counts, or one that stores one direction more: with q, scaled to the energy ρ.
#[inline(always)]
fn rotate_with_outside<T: Scalar, const DIM: usize, const COUNT: usize>(
    stored: &mut [[T; DIM]; COUNT],
    rest: &mut [[T; DIM]],
    vector: &[T; DIM],
    outside: &Outside<T>,
    ratio: T,
    learned: &Learned<T>,
) {
    let mut weights = learned.weights::<COUNT>(&outside.overlap);
    if let ([fresh, ..], true) = (rest, learned.rank > COUNT) {
        let (weights, beside) = learned.weights_of_leaving::<COUNT>(&outside.overlap, outside.energy);
        for (row, entry) in fresh.iter_mut().enumerate() {
            *entry = beside * vector[row];
            for (direction, weight) in stored.iter().zip(weights) {
                *entry += direction[row] * weight;
            }
        }
    }
    // q has the energy ‖q‖² − ‖o‖², and the turn was computed for ρ: √ratio, where they differ by rounding.
    let length = ratio * ratio.inverse_sqrt();
    for weight in &mut weights.beside {
        *weight *= length;
    }
    rotate_rarely(stored, vector, &weights);
}

#[cfg(test)]
mod tests;
