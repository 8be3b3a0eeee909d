//! Splits a sample into the part inside the stored directions and the part outside.
//! In: a sample x and orthonormal directions vᵢ. Out: the coordinates cᵢ of x in the directions, the part q outside and its
//! energy.
//! Method: x = Σ cᵢvᵢ + q. If q is small, the parts of q along the directions are moved to the coordinates again.
//! Cost: 2·DIM to 3·DIM multiply-adds per direction in each of one to three passes. Scratch: DIM + 2·RANK numbers.

use crate::Scalar;
use crate::spectrum::vector::{any_length, stay_rolled, whole};

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
            stay_rolled();
            split.subtract(directions);
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
        for direction in any_length(directions) {
            stay_rolled();
            let overlap = whole::dot(&self.outside, direction);
            whole::add_scaled(&mut self.outside, -overlap, direction);
        }
    }

    /// Moves the parts along `directions` from `outside` to `inside`.
    fn subtract(&mut self, directions: &[[T; DIM]]) {
        // All overlaps vᵢ·q are computed before the first subtraction. So the orthogonality error of the directions remains in q;
        // `of` repeats the pass if this error matters.
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
