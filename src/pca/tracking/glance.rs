//! Splits a sample into the part inside and the part outside of one to three stored directions.
//! In: a sample x, its energy ‖x‖², orthonormal directions V. Out: the coordinates c = Vᵀx, the energy outside,
//! ρ = ‖x‖² − ‖c‖², and whether ρ is above rounding. On request also the part outside, q = x − V·c.
//! Method: ρ is computed as this difference if the result is at least ‖x‖²/64. A smaller difference has lost digits: then q is
//! computed. The overlap o = Vᵀq comes from rounding and from the orthogonality error of V. o is added to c, and ρ = ‖q‖² − ‖o‖².
//! Cost: DIM multiply-adds per direction for c. For q, 2·DIM more per direction, and DIM more for ‖q‖². Scratch: DIM numbers for
//! q.

use crate::spectrum::few::{self, FEW, each};
use crate::spectrum::vector::{
    stay_rolled,
    whole::{add_scaled, dot},
};
use crate::{SMALL, Scalar};

/// Whether a sample has a part outside the stored directions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outlook {
    /// The energy outside the stored directions is above rounding.
    Outside,
    /// The energy outside the stored directions is zero up to rounding, or subnormal.
    Inside,
}

/// The coordinates of a sample in the stored directions, and the energy of the part of the sample outside.
#[derive(Clone, Copy)]
pub(super) struct Glance<T> {
    /// c = Vᵀx: the coordinates of the sample x in the stored directions V.
    pub(super) inside: [T; FEW],
    /// ρ: the energy of the part of x outside the stored directions.
    pub(super) outside_energy: T,
    /// Whether ρ is above rounding. The value has a meaning only if ‖x‖² is in the range of the closed forms
    /// (`learned::in_range`).
    pub(super) outlook: Outlook,
}

impl<T: Scalar> Glance<T> {
    /// Computes the coordinates c of a sample in `COUNT` directions, and the energy ρ of the part outside. One pass: each entry
    /// of the sample is loaded once for all directions. A second pass computes q if ρ is below ‖x‖²/64 (see `lacks_digits`). Code
    /// that is compiled for size calls [`of_any`](Self::of_any).
    #[inline(always)]
    pub(super) fn of<const DIM: usize, const COUNT: usize>(
        sample: &[T; DIM],
        energy: T,
        directions: &[[T; DIM]; COUNT],
    ) -> Self {
        if SMALL {
            return Self::of_any(sample, energy, directions);
        }
        // cᵢ = vᵢ·x.
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

    /// [`of`](Self::of) for any number of directions up to [`FEW`], one direction after the other. The results are bit-identical.
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

    /// Computes the energy outside the directions, ρ = ‖x‖² − ‖c‖², from the coordinates c = `inside` of a sample x.
    #[inline(always)]
    fn by_energies(count: usize, inside: [T; FEW], energy: T) -> Self {
        Self {
            inside,
            outside_energy: energy - few::dot(count, &inside, &inside),
            outlook: Outlook::Outside,
        }
    }

    /// Returns true if the difference ρ = ‖x‖² − ‖c‖² is below ‖x‖²/64: then digits are lost.
    #[inline(always)]
    fn lacks_digits(&self, energy: T) -> bool {
        self.outside_energy < energy * T::from_f64(1.0 / 64.0)
    }

    /// Adds the overlap o to the coordinates c, sets ρ to the energy in `outside`, and decides whether ρ is above rounding.
    #[inline(always)]
    fn correct(&mut self, outside: &Outside<T>, energy: T) {
        each!(I => self.inside[I] += outside.overlap[I]);
        self.outside_energy = outside.energy;
        // A ρ of at most `smallest` can be rounding error alone, or is subnormal. `Evidence::learn` has this limit too.
        let smallest = (T::from_f64(64.0) * T::EPSILON * T::EPSILON * energy).max(T::MIN_POSITIVE);
        if outside.energy <= smallest {
            self.outlook = Outlook::Inside;
        }
    }
}

/// Two properties of q = x − V·c, the part of a sample x outside the stored directions V; c are the coordinates of x.
pub(super) struct Outside<T> {
    /// o = Vᵀq: zero up to rounding, and up to the orthogonality error of V.
    pub(super) overlap: [T; FEW],
    /// ‖q − V·o‖² = ‖q‖² − ‖o‖²: the energy of q after the correction by o.
    pub(super) energy: T,
}

impl<T: Scalar> Outside<T> {
    /// Writes q = x − V·c to `vector`, with x = `sample`, V = `directions` and c = `inside`. Computes the overlap o = Vᵀq in
    /// the same pass, so that each entry of V is loaded once. Code that is compiled for size uses separate passes.
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

    /// [`of`](Self::of) for any number of directions up to [`FEW`]. The results are bit-identical.
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

    /// Returns ρ divided by `energy` = ‖q‖² − ‖o‖², where ρ = `outside_energy` is the energy of q that [`Glance`] computed.
    /// Returns `None` if the quotient is not between ½ and 2: then ρ is not exact enough.
    pub(super) fn ratio(&self, outside_energy: T) -> Option<T> {
        let ratio = outside_energy / self.energy;
        (T::HALF..=T::TWO).contains(&ratio).then_some(ratio)
    }
}
