//! Splits a sample into the part inside the stored directions and the part outside.
//! In: a sample x and orthonormal directions vᵢ. Out: the coordinates cᵢ of x in the directions, the part q outside and its
//! energy.
//! Method: x = Σ cᵢvᵢ + q. If q is small, the parts of q along the directions are moved to the coordinates again.
//! Cost: 2·DIM to 3·DIM multiply-adds per direction in each of one to three passes. Scratch: DIM + 2·RANK numbers.

use crate::spectrum::{
    take_out,
    vector::{add_scaled, dot, rare},
};
use crate::{SMALL, Scalar};

/// The two parts of a sample.
pub(in crate::pca) struct Split<T, const DIM: usize, const RANK: usize> {
    /// cᵢ = vᵢ·x: the coordinates of the sample x in the directions vᵢ.
    pub(in crate::pca) inside: [T; RANK],
    /// q = x − Σ cᵢvᵢ: the part outside the directions.
    pub(in crate::pca) outside: [T; DIM],
    /// ‖q‖².
    pub(in crate::pca) outside_energy: T,
}

impl<T: Scalar, const DIM: usize, const RANK: usize> Split<T, DIM, RANK> {
    /// Splits a sample of this energy into the part inside `directions` and the part outside.
    #[inline(always)]
    pub(in crate::pca) fn of(sample: &[T; DIM], energy: T, directions: &[[T; DIM]]) -> Self {
        let mut split = Self {
            inside: [T::ZERO; RANK],
            outside: *sample,
            outside_energy: energy,
        };
        // q contains two errors of the subtracted part: rounding, and the orthogonality error of the directions. If a pass leaves
        // less than 1/256 of the energy before the pass, both errors matter, so subtract again. There are at most three passes.
        for _ in 0..3 {
            let before = split.outside_energy;
            if SMALL {
                split.subtract_singly(directions);
            } else {
                split.subtract(directions);
            }
            if split.outside_energy >= before * T::from_f64(1.0 / 256.0) {
                break;
            }
        }
        split
    }

    /// Removes from `outside` the parts along `directions` that rounding and the orthogonality error left there. Does not change
    /// `inside` and `outside_energy`.
    #[inline(never)]
    pub(in crate::pca) fn subtract_again(&mut self, directions: &[[T; DIM]]) {
        take_out(&mut self.outside, directions.iter());
    }

    /// [`subtract`](Self::subtract) with one direction at a time: less code, bit-identical results.
    fn subtract_singly(&mut self, directions: &[[T; DIM]]) {
        let mut overlaps = [T::ZERO; RANK];
        for (overlap, direction) in overlaps.iter_mut().zip(directions) {
            *overlap = rare::dot(direction, &self.outside);
        }
        rare::add_scaled(&mut self.inside, T::ONE, &overlaps);
        for (&overlap, direction) in overlaps.iter().zip(directions) {
            rare::add_scaled(&mut self.outside, -overlap, direction);
        }
        if !directions.is_empty() {
            self.outside_energy = rare::dot(&self.outside, &self.outside).min(T::MAX);
        }
    }

    /// Moves the parts along `directions` from `outside` to `inside`. Handles two directions at a time: each entry of `outside`
    /// is loaded once for both.
    #[inline(always)]
    fn subtract(&mut self, directions: &[[T; DIM]]) {
        let (pairs, rest) = directions.as_chunks::<2>();
        // All overlaps vᵢ·q are computed before the first subtraction. So the orthogonality error of the directions remains in q;
        // `of` repeats the pass if this error matters.
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
            // Subtraction and energy in one pass.
            self.outside_energy = T::ZERO;
            for (&entry, outside) in direction.iter().zip(&mut self.outside) {
                *outside -= entry * overlap;
                self.outside_energy += *outside * *outside;
            }
        }
        self.outside_energy = self.outside_energy.min(T::MAX);
    }
}
