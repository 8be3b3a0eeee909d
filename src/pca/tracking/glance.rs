//! A sample as one to three stored directions see it.
//! In: a sample, its energy, orthonormal directions. Out: its coordinates c = Vᵀx and the energy outside, ρ = ‖x‖² − ‖c‖²; where
//! that is not enough, the part outside q = x − V·c itself.
//! Method: the difference of the energies, unless it has lost its digits. Then q is computed, and its overlap o = Vᵀq, the rounding of c, is
//! moved to c: ρ = ‖q‖² − ‖o‖².
//! Cost: DIM multiply-adds a direction for c, 2·DIM more a direction for q. Scratch: DIM numbers for q.

use crate::spectrum::few::{self, FEW};
use crate::spectrum::vector::rare::{add_scaled, dot};
use crate::{SMALL, Scalar};

/// A sample seen from the stored directions.
#[derive(Clone, Copy)]
pub(super) struct Glance<T> {
    /// c.
    pub(super) inside: [T; FEW],
    /// ρ.
    pub(super) outside_energy: T,
}

impl<T: Scalar> Glance<T> {
    /// Looks at a sample of this energy from `COUNT` directions, all in one pass: each entry of the sample that is loaded serves every
    /// direction.
    #[inline(always)]
    pub(super) fn of<const DIM: usize, const COUNT: usize>(
        sample: &[T; DIM],
        energy: T,
        directions: &[[T; DIM]; COUNT],
    ) -> Self {
        // cᵢ = vᵢ·x.
        let mut inside = [T::ZERO; FEW];
        for row in 0..DIM {
            for (sum, direction) in inside.iter_mut().zip(directions) {
                *sum += direction[row] * sample[row];
            }
        }
        let mut glance = Self::by_energies(COUNT, inside, energy);
        if glance.lacks_digits(energy) {
            let outside = Outside::of(&mut { *sample }, &inside, directions);
            glance.correct(&outside);
        }
        glance
    }

    /// [`of`](Self::of) for any number of directions up to [`FEW`], one after the other, with its bits.
    #[inline(always)]
    pub(super) fn of_any<const DIM: usize>(sample: &[T; DIM], energy: T, directions: &[[T; DIM]]) -> Self {
        let mut inside = [T::ZERO; FEW];
        for (entry, direction) in inside.iter_mut().zip(directions) {
            *entry = dot(direction, sample);
        }
        let mut glance = Self::by_energies(directions.len(), inside, energy);
        if glance.lacks_digits(energy) {
            let outside = Outside::of_any(&mut { *sample }, &inside, directions);
            glance.correct(&outside);
        }
        glance
    }

    /// ρ = ‖x‖² − ‖c‖².
    #[inline(always)]
    fn by_energies(count: usize, inside: [T; FEW], energy: T) -> Self {
        Self {
            inside,
            outside_energy: energy - few::dot(count, &inside, &inside),
        }
    }

    /// Whether the difference of the energies has lost its digits.
    #[inline(always)]
    fn lacks_digits(&self, energy: T) -> bool {
        self.outside_energy < energy * T::from_f64(1.0 / 64.0)
    }

    /// ρ = ‖q‖² − ‖o‖², and c + o.
    #[inline(always)]
    fn correct(&mut self, outside: &Outside<T>) {
        for i in 0..FEW {
            self.inside[i] += outside.overlap[i];
        }
        self.outside_energy = outside.energy;
    }
}

/// About the part q of a sample outside the stored directions.
pub(super) struct Outside<T> {
    /// o = Vᵀq.
    pub(super) overlap: [T; FEW],
    /// ‖q − V·o‖².
    pub(super) energy: T,
}

impl<T: Scalar> Outside<T> {
    /// Turns the sample in `vector` into q = x − V·c, and finds the overlap, in one pass: each direction that is loaded serves both.
    #[inline(never)]
    pub(super) fn of<const DIM: usize, const COUNT: usize>(
        vector: &mut [T; DIM],
        inside: &[T; FEW],
        directions: &[[T; DIM]; COUNT],
    ) -> Self {
        if SMALL {
            return Self::of_any(vector, inside, directions);
        }
        let mut overlap = [T::ZERO; FEW];
        let mut energy = T::ZERO;
        for row in 0..DIM {
            let entry = &mut vector[row];
            let mut stored = [T::ZERO; COUNT];
            for ((stored, direction), &inside) in stored.iter_mut().zip(directions).zip(inside) {
                *stored = direction[row];
                *entry -= *stored * inside;
            }
            for (overlap, stored) in overlap.iter_mut().zip(stored) {
                *overlap += stored * *entry;
            }
            energy += *entry * *entry;
        }
        energy -= few::dot(COUNT, &overlap, &overlap);
        Self {
            overlap,
            energy: T::ZERO.max(energy),
        }
    }

    /// [`of`](Self::of) for any number of directions up to [`FEW`], with its bits.
    #[inline(never)]
    pub(super) fn of_any<const DIM: usize>(vector: &mut [T; DIM], inside: &[T; FEW], directions: &[[T; DIM]]) -> Self {
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

    /// How much more ρ is than the energy of q; none unless they are alike.
    pub(super) fn ratio(&self, outside_energy: T) -> Option<T> {
        let ratio = outside_energy / self.energy;
        (T::HALF..=T::TWO).contains(&ratio).then_some(ratio)
    }
}
