//! The largest eigenvalues of an arrow-shaped matrix, and their eigenvectors.
//! In: poles p with weights c, a factor w, and a tridiagonal tail (diagonal a, off-diagonal b):
//!
//! ```text
//!   diag(p) + w·c·cᵀ   b₀·c
//!         b₀·cᵀ         a₀   b₁
//!                       b₁   a₁   b₂
//!                             b₂   a₂  …
//! ```
//!
//! Out: for each pole the *root* above it, the nearest larger eigenvalue λ, and its eigenvector.
//! Method: 1 = g·Σ cᵢ²/(λ − pᵢ) with g = w + b₀²/(λ − a₀ − b₁²/(λ − a₁ − …)), iterated as λ − pᵢ = g·cᵢ²/(1 − g·Σ_{k≠i}
//! cₖ²/(λ − pₖ)), without a division by c.
//! Cost of a root: at most 12 evaluations, each with one division for each row of the tail and for each pole.

use crate::scalar::Scalar;
use crate::spectrum::MOST;

/// The largest number of rows of the tail.
pub(super) const TAIL: usize = 9;

/// The largest number of evaluations for one root. A root near another pole or near an eigenvalue of the tail can need
/// more, and then counts as not found.
const EVALUATIONS: usize = 12;

/// The arrow matrix.
pub(super) struct Arrow<T> {
    pub(super) poles: usize,
    /// The poles p, descending.
    pub(super) pole: [T; MOST],
    /// The weights c of the poles.
    pub(super) along: [T; MOST],
    /// w, the factor of c·cᵀ.
    pub(super) weight: T,
    pub(super) rows: usize,
    /// a, the diagonal of the tail.
    pub(super) diagonal: [T; TAIL],
    /// b: entry i couples row i of the tail to row i − 1, entry 0 couples row 0 to the poles.
    pub(super) coupling: [T; TAIL],
}

/// An eigenvalue and its eigenvector, whose entry at the next pole below is 1.
#[derive(Clone, Copy)]
pub(super) struct Root<T> {
    /// The eigenvalue λ.
    pub(super) value: T,
    /// The entries of the eigenvector at the poles.
    pub(super) of_poles: [T; MOST],
    /// The entries of the eigenvector in the tail.
    pub(super) of_tail: [T; TAIL],
    /// The squared length of the eigenvector.
    pub(super) energy: T,
}

impl<T: Scalar> Arrow<T> {
    #[inline(always)]
    pub(super) const fn new() -> Self {
        Self {
            poles: 0,
            pole: [T::ZERO; MOST],
            along: [T::ZERO; MOST],
            weight: T::ZERO,
            rows: 0,
            diagonal: [T::ZERO; TAIL],
            coupling: [T::ZERO; TAIL],
        }
    }

    /// Whether λ = `value` is above all eigenvalues of a tail of the first `rows` rows and one more row, whose b²/(λ −
    /// a) is `beyond`.
    ///
    /// If so, `gaps` gets the denominators in g (see the file head), one for each of the `rows` rows.
    pub(super) fn clears(&self, value: T, rows: usize, beyond: T, gaps: &mut [T; TAIL]) -> bool {
        let mut share = beyond;
        for row in (0..rows.min(TAIL)).rev() {
            let gap = value - self.diagonal[row] - share;
            if gap <= T::ZERO {
                return false;
            }
            gaps[row] = gap;
            let coupling = self.coupling[row];
            share = coupling * coupling / gap;
        }
        true
    }

    /// Finds the root above the pole at `position`. The estimate `shift` of their distance is iterated until it changes
    /// by at most `accuracy`.
    ///
    /// Returns false if the iteration reaches an eigenvalue of the tail or the next larger pole, needs more than
    /// [`EVALUATIONS`], or has a denominator that is not positive.
    pub(super) fn root(&self, position: usize, accuracy: T, shift: &mut T, root: &mut Root<T>) -> bool {
        let (Some(&pole), Some(&own)) = (self.pole.get(position), self.along.get(position)) else {
            return false;
        };
        let above = position.checked_sub(1).and_then(|above| self.pole.get(above));
        let room = above.map_or(T::MAX, |above| *above - pole);
        let first = self.coupling[0];
        let mut gaps = [T::ONE; TAIL];
        for _ in 0..EVALUATIONS {
            root.value = pole + *shift;
            if !self.clears(root.value, self.rows, T::ZERO, &mut gaps) {
                return false;
            }
            let inner = if self.rows > 0 { first / gaps[0] } else { T::ZERO };
            let strength = self.weight + first * inner;
            // The poles are subtracted first, because `shift` can be far below the rounding error of a pole.
            let mut others = T::ZERO;
            for k in 0..self.poles.min(MOST) {
                if k != position {
                    let part = self.along[k] / (*shift + (pole - self.pole[k]));
                    root.of_poles[k] = part;
                    others += self.along[k] * part;
                }
            }
            let left = T::ONE - strength * others;
            let ratio = strength * own / left;
            let found = ratio * own;
            if !(left > T::ZERO && found < room) {
                return false;
            }
            let off = (found - *shift).abs();
            *shift = found;
            if off <= accuracy {
                root.value = pole + found;
                self.vector(position, ratio, inner * (own + ratio * others), &gaps, root);
                return true;
            }
        }
        false
    }

    /// Writes the eigenvector: 1 at `position`, and `ratio` times the old entry at each other pole. The tail begins
    /// with `first`; each later entry is the one before times b/`gaps`.
    fn vector(&self, position: usize, ratio: T, first: T, gaps: &[T; TAIL], root: &mut Root<T>) {
        let mut energy = T::ZERO;
        for k in 0..self.poles.min(MOST) {
            let part = if k == position {
                T::ONE
            } else {
                ratio * root.of_poles[k]
            };
            root.of_poles[k] = part;
            energy += part * part;
        }
        let mut part = first;
        for row in 0..self.rows.min(TAIL) {
            if row > 0 {
                part *= self.coupling[row] / gaps[row];
            }
            root.of_tail[row] = part;
            energy += part * part;
        }
        root.energy = energy;
    }
}

impl<T: Scalar> Root<T> {
    #[inline(always)]
    pub(super) const fn new() -> Self {
        Self {
            value: T::ZERO,
            of_poles: [T::ZERO; MOST],
            of_tail: [T::ZERO; TAIL],
            energy: T::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectrum::PartialEigen;
    use nalgebra::SMatrix;

    /// An arrow matrix with two poles, which are above the eigenvalues of a tail of three rows.
    fn arrow() -> Arrow<f64> {
        let mut arrow = Arrow::new();
        (arrow.poles, arrow.rows, arrow.weight) = (2, 3, 0.5);
        arrow.pole[..2].copy_from_slice(&[8.0, 5.0]);
        arrow.along[..2].copy_from_slice(&[0.6, -0.5]);
        arrow.diagonal[..3].copy_from_slice(&[1.0, 2.0, 1.5]);
        arrow.coupling[..3].copy_from_slice(&[0.3, 0.4, 0.2]);
        arrow
    }

    fn dense(arrow: &Arrow<f64>) -> SMatrix<f64, 5, 5> {
        SMatrix::from_fn(|row, column| match (row.min(column), row.max(column)) {
            (low, high) if high < 2 => {
                let diagonal = if low == high { arrow.pole[low] } else { 0.0 };
                diagonal + arrow.weight * arrow.along[low] * arrow.along[high]
            }
            (low, 2) if low < 2 => arrow.coupling[0] * arrow.along[low],
            (low, high) if low == high => arrow.diagonal[low - 2],
            (low, high) if high == low + 1 && low >= 2 => arrow.coupling[high - 2],
            _ => 0.0,
        })
    }

    #[test]
    fn roots_and_vectors_are_those_of_the_matrix_written_out() {
        let mut arrow = arrow();
        for weight in [0.6, 0.0] {
            arrow.along[0] = weight;
            let matrix = dense(&arrow);
            let mut eigen = PartialEigen::new();
            assert!(eigen.decompose(&matrix).is_ok());
            for position in 0..2 {
                let mut root = Root::new();
                assert!(arrow.root(position, 1e-15, &mut 0.0, &mut root));
                assert!((root.value - eigen.values()[position]).abs() < 1e-13);
                let mut vector = [0.0; 5];
                vector[..2].copy_from_slice(&root.of_poles[..2]);
                vector[2..].copy_from_slice(&root.of_tail[..3]);
                let vector = SMatrix::<f64, 5, 1>::from(vector);
                assert!((matrix * vector - vector * root.value).abs().max() < 1e-13);
                assert!((vector.dot(&vector) - root.energy).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn a_root_that_the_tail_reaches_is_not_found() {
        let mut arrow = arrow();
        arrow.diagonal[1] = 6.0;
        let mut root = Root::new();
        assert!(arrow.root(0, 1e-15, &mut 0.0, &mut root));
        assert!(!arrow.root(1, 1e-15, &mut 0.0, &mut root));
    }

    #[test]
    fn poles_at_the_same_place_are_not_told_apart() {
        let mut arrow = arrow();
        arrow.pole[1] = arrow.pole[0];
        let mut root = Root::new();
        assert!(!arrow.root(1, 1e-15, &mut 0.0, &mut root));
    }

    #[test]
    fn a_root_beyond_the_next_pole_is_another_one_and_is_not_found() {
        // λ = 2.5 solves 1 = 0.3/(λ − 2) + 0.6/(λ − 1).
        let mut arrow = Arrow::<f64>::new();
        (arrow.poles, arrow.weight) = (2, 1.0);
        arrow.pole[..2].copy_from_slice(&[2.0, 1.0]);
        arrow.along[..2].copy_from_slice(&[0.3_f64.sqrt(), 0.6_f64.sqrt()]);
        let mut root = Root::new();
        assert!(arrow.root(0, 1e-15, &mut 0.5, &mut root));
        assert!((root.value - 2.5).abs() < 1e-14);
        assert!(!arrow.root(1, 1e-15, &mut 1.5, &mut root));
    }
}
