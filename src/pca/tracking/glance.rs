//! Splits a sample into the parts inside and outside one to three stored directions V. Out: the coordinates c = Vᵀx,
//! the energy outside ρ = ‖x‖² − ‖c‖², and on request q = x − V·c.
//! Method: a ρ below ‖x‖²/64 has lost digits. In this case q is computed, and the overlap o = Vᵀq is added to c; then ρ
//! = ‖q‖² − ‖o‖².
//! Cost: DIM multiply-adds per direction for c; for q 2·DIM more, and DIM for ‖q‖².

use crate::spectrum::few::{self, FEW, each};
use crate::spectrum::vector::{
    stay_rolled,
    whole::{add_scaled, dot},
};
use crate::{SMALL, Scalar};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outlook {
    /// ρ is above its rounding error.
    Outside,
    /// ρ is zero up to rounding, or subnormal.
    Inside,
}

#[derive(Clone, Copy)]
pub(super) struct Glance<T> {
    /// The coordinates c = Vᵀx.
    pub(super) inside: [T; FEW],
    /// The energy outside, ρ.
    pub(super) outside_energy: T,
    /// Whether the sample has a part outside; valid only if `learned::in_range` holds.
    pub(super) outlook: Outlook,
}

impl<T: Scalar> Glance<T> {
    /// Computes c in one pass, so that each entry of the sample is loaded once. A second pass computes q if
    /// [`lacks_digits`](Self::lacks_digits) holds.
    #[inline(always)]
    pub(super) fn of<const DIM: usize, const COUNT: usize>(
        sample: &[T; DIM],
        energy: T,
        directions: &[[T; DIM]; COUNT],
    ) -> Self {
        if SMALL {
            return Self::of_any(sample, energy, directions);
        }
        let mut inside = [T::ZERO; FEW];
        for row in 0..DIM {
            each!(I => if let Some(direction) = directions.get(I) {
                inside[I] += direction[row] * sample[row];
            });
        }
        let mut glance = Self::by_energies(COUNT, inside, energy);
        if glance.lacks_digits(energy) {
            let outside = Outside::of(sample, &mut [T::ZERO; DIM], &inside, directions);
            glance.correct(&outside, energy);
        }
        glance
    }

    /// [`of`](Self::of) for any number of directions up to [`FEW`], with the same bits.
    #[inline(never)]
    pub(super) fn of_any<const DIM: usize>(sample: &[T; DIM], energy: T, directions: &[[T; DIM]]) -> Self {
        let mut inside = [T::ZERO; FEW];
        for (entry, direction) in inside.iter_mut().zip(directions) {
            *entry = dot(direction, sample);
        }
        let mut glance = Self::by_energies(directions.len(), inside, energy);
        if glance.lacks_digits(energy) {
            let outside = Outside::of_any(sample, &mut [T::ZERO; DIM], &inside, directions);
            glance.correct(&outside, energy);
        }
        glance
    }

    #[inline(always)]
    fn by_energies(count: usize, inside: [T; FEW], energy: T) -> Self {
        Self {
            inside,
            outside_energy: energy - few::dot(count, &inside, &inside),
            outlook: Outlook::Outside,
        }
    }

    #[inline(always)]
    fn lacks_digits(&self, energy: T) -> bool {
        self.outside_energy < energy * T::from_f64(1.0 / 64.0)
    }

    /// Adds the overlap o to c, and sets ρ and `outlook`.
    #[inline(always)]
    fn correct(&mut self, outside: &Outside<T>, energy: T) {
        each!(I => self.inside[I] += outside.overlap[I]);
        self.outside_energy = outside.energy;
        // Up to this energy, as in `Evidence::learn`, the part outside is rounding error alone.
        let smallest = (T::from_f64(64.0) * T::EPSILON * T::EPSILON * energy).max(T::MIN_POSITIVE);
        if outside.energy <= smallest {
            self.outlook = Outlook::Inside;
        }
    }
}

/// Overlap and energy of the part q outside.
pub(super) struct Outside<T> {
    /// The overlap o = Vᵀq, an effect of rounding and of the orthogonality error of V.
    pub(super) overlap: [T; FEW],
    /// The energy ‖q‖² − ‖o‖², at least zero.
    pub(super) energy: T,
}

impl<T: Scalar> Outside<T> {
    /// Writes q to `vector`, and computes o and ‖q‖² in the same pass.
    #[inline(never)]
    pub(super) fn of<const DIM: usize, const COUNT: usize>(
        sample: &[T; DIM],
        vector: &mut [T; DIM],
        inside: &[T; FEW],
        directions: &[[T; DIM]; COUNT],
    ) -> Self {
        if SMALL {
            return Self::of_any(sample, vector, inside, directions);
        }
        let mut overlap = [T::ZERO; FEW];
        let mut energy = T::ZERO;
        for row in 0..DIM {
            stay_rolled();
            let mut entry = sample[row];
            let mut stored = [T::ZERO; COUNT];
            for ((stored, direction), &inside) in stored.iter_mut().zip(directions).zip(inside) {
                *stored = direction[row];
                entry -= *stored * inside;
            }
            for (overlap, stored) in overlap.iter_mut().zip(stored) {
                *overlap += stored * entry;
            }
            energy += entry * entry;
            vector[row] = entry;
        }
        energy -= few::dot(COUNT, &overlap, &overlap);
        Self {
            overlap,
            energy: T::ZERO.max(energy),
        }
    }

    /// [`of`](Self::of) for any number of directions up to [`FEW`], with the same bits.
    #[inline(never)]
    pub(super) fn of_any<const DIM: usize>(
        sample: &[T; DIM],
        vector: &mut [T; DIM],
        inside: &[T; FEW],
        directions: &[[T; DIM]],
    ) -> Self {
        *vector = *sample;
        for (direction, &inside) in directions.iter().zip(inside) {
            add_scaled(vector, -inside, direction);
        }
        let mut overlap = [T::ZERO; FEW];
        for (overlap, direction) in overlap.iter_mut().zip(directions) {
            *overlap = dot(direction, vector);
        }
        let energy = dot(vector, vector) - few::dot(directions.len(), &overlap, &overlap);
        Self {
            overlap,
            energy: T::ZERO.max(energy),
        }
    }

    /// Returns the ratio of `outside_energy` to `energy`; `None` if it is outside ½ … 2, because `outside_energy` is
    /// then not exact enough.
    pub(super) fn ratio(&self, outside_energy: T) -> Option<T> {
        let ratio = outside_energy / self.energy;
        (T::HALF..=T::TWO).contains(&ratio).then_some(ratio)
    }
}
