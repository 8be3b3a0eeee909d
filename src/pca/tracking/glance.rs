//! A sample as one to three stored directions see it.
//! In: a sample, its energy, orthonormal directions. Out: its coordinates c = Vᵀx and the energy outside, ρ = ‖x‖² − ‖c‖²; where
//! that is not enough, the part outside q = x − V·c itself.
//! Method: the difference of the energies, unless it has lost its digits. Then q is computed, and its overlap o = Vᵀq, the rounding of c, is
//! moved to c: ρ = ‖q‖² − ‖o‖².
//! Cost: DIM multiply-adds a direction for c, 2·DIM more a direction for q. Scratch: DIM numbers for q.

use crate::Scalar;
use crate::spectrum::few::{FEW, dot};

/// A sample seen from the stored directions.
#[derive(Clone, Copy)]
pub(super) struct Glance<T> {
    /// c.
    pub(super) inside: [T; FEW],
    /// ρ.
    pub(super) outside_energy: T,
}

impl<T: Scalar> Glance<T> {
    /// Looks at a sample of this energy from `COUNT` directions.
    #[inline(always)]
    pub(super) fn of<const DIM: usize, const COUNT: usize>(
        sample: &[T; DIM],
        energy: T,
        directions: &[[T; DIM]; COUNT],
    ) -> Self {
        // cᵢ = vᵢ·x, all in one pass: each entry of the sample that is loaded serves every direction.
        let mut inside = [T::ZERO; FEW];
        for (row, &entry) in sample.iter().enumerate() {
            for (sum, direction) in inside.iter_mut().zip(directions) {
                *sum += direction[row] * entry;
            }
        }
        // ρ = ‖x‖² − ‖c‖².
        let outside_energy = energy - dot::<T, COUNT>(&inside, &inside);
        if outside_energy >= energy * T::from_f64(1.0 / 64.0) {
            return Self { inside, outside_energy };
        }
        Self::precise(sample, inside, directions)
    }

    /// For a difference that has lost its digits.
    #[inline(never)]
    fn precise<const DIM: usize, const COUNT: usize>(
        sample: &[T; DIM],
        mut inside: [T; FEW],
        directions: &[[T; DIM]; COUNT],
    ) -> Self {
        let outside = Outside::of(&mut { *sample }, inside, directions);
        for (entry, overlap) in inside.iter_mut().zip(outside.overlap) {
            *entry += overlap;
        }
        Self {
            inside,
            outside_energy: outside.energy,
        }
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
    /// Turns the sample in `vector` into q = x − V·c, and finds the overlap in one pass.
    #[inline(never)]
    pub(super) fn of<const DIM: usize, const COUNT: usize>(
        vector: &mut [T; DIM],
        inside: [T; FEW],
        directions: &[[T; DIM]; COUNT],
    ) -> Self {
        let mut overlap = [T::ZERO; FEW];
        let mut energy = T::ZERO;
        for (row, entry) in vector.iter_mut().enumerate() {
            let mut stored = [T::ZERO; COUNT];
            for ((stored, direction), inside) in stored.iter_mut().zip(directions).zip(inside) {
                *stored = direction[row];
                *entry -= *stored * inside;
            }
            for (overlap, stored) in overlap.iter_mut().zip(stored) {
                *overlap += stored * *entry;
            }
            energy += *entry * *entry;
        }
        energy -= dot::<T, COUNT>(&overlap, &overlap);
        Self {
            overlap,
            energy: T::ZERO.max(energy),
        }
    }
}
