//! Splits a sample into the parts inside and outside the stored directions: x = Σ cᵢvᵢ + q. If q is small, its parts
//! along the directions are moved to the coordinates again.
//! Cost: 2·DIM to 3·DIM multiply-adds per direction in each of one to three passes. Scratch: DIM + 2·RANK numbers.

use crate::Scalar;
use crate::spectrum::vector::{any_length, stay_rolled, whole};

pub(in crate::pca) struct Split<T, const DIM: usize, const RANK: usize> {
    /// The coordinates cᵢ = vᵢ·x.
    pub(in crate::pca) inside: [T; RANK],
    /// The part q of the sample outside.
    pub(in crate::pca) outside: [T; DIM],
    /// The energy ‖q‖².
    pub(in crate::pca) outside_energy: T,
}

impl<T: Scalar, const DIM: usize, const RANK: usize> Split<T, DIM, RANK> {
    #[inline(always)]
    pub(in crate::pca) fn of(sample: &[T; DIM], energy: T, directions: &[[T; DIM]]) -> Self {
        let mut split = Self {
            inside: [T::ZERO; RANK],
            outside: *sample,
            outside_energy: energy,
        };
        // q contains rounding and the orthogonality error of the directions; both matter if a pass leaves less than
        // 1/256 of the energy.
        for _ in 0..3 {
            let before = split.outside_energy;
            stay_rolled();
            split.subtract(directions);
            if split.outside_energy >= before * T::from_f64(1.0 / 256.0) {
                break;
            }
        }
        split
    }

    /// Removes from `outside` what rounding and orthogonality error left along `directions`; does not change `inside`
    /// and `outside_energy`.
    #[inline(never)]
    pub(in crate::pca) fn subtract_again(&mut self, directions: &[[T; DIM]]) {
        for direction in any_length(directions) {
            stay_rolled();
            let overlap = whole::dot(&self.outside, direction);
            whole::add_scaled(&mut self.outside, -overlap, direction);
        }
    }

    /// Moves the parts along `directions` from `outside` to `inside`.
    fn subtract(&mut self, directions: &[[T; DIM]]) {
        // All overlaps come from the first q, so the orthogonality error remains; `of` repeats the pass if this error
        // matters.
        let mut overlaps = [T::ZERO; RANK];
        for (overlap, direction) in overlaps.iter_mut().zip(directions) {
            stay_rolled();
            *overlap = whole::dot(direction, &self.outside);
        }
        for ((inside, &overlap), direction) in self.inside.iter_mut().zip(&overlaps).zip(directions) {
            stay_rolled();
            *inside += overlap;
            whole::add_scaled(&mut self.outside, -overlap, direction);
        }
        if !directions.is_empty() {
            self.outside_energy = whole::dot(&self.outside, &self.outside).min(T::MAX);
        }
    }
}
