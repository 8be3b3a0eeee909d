//! The triangle of the sums of squares, and the rotations that add a row to it.
//! In: rows of N features z and a value y. Out: U, q and e with ‖Uw − q‖² + e² = Σ (z·w − y)² for all w.
//! Method: Givens rotations. UᵀU is never computed: a solution with it would lose twice as many digits.
//! Cost: per row at most N + 1 rotations with a square root and 4 divisions each, which rotate at most (N² + N)/2 pairs
//! of numbers.

use crate::CodecError;
use crate::Scalar;
use crate::codec::{stored, validate};
use crate::spectrum::vector::{dot, scale};
use nalgebra::{ArrayStorage, SMatrix};

/// The triangle: U, q and e of the file head.
#[derive(Clone, Debug)]
pub(super) struct Triangle<T, const N: usize> {
    /// The upper triangle U; no diagonal entry is negative.
    factor: SMatrix<T, N, N>,
    /// The vector q.
    values: [T; N],
    /// The number e, which is not negative.
    error: T,
}

impl<T: Scalar, const N: usize> Triangle<T, N> {
    pub(super) const fn new() -> Self {
        Self {
            factor: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; N]; N])),
            values: [T::ZERO; N],
            error: T::ZERO,
        }
    }

    /// e: the root of the sum of squares that remains with the best w.
    pub(super) const fn error(&self) -> T {
        self.error
    }

    /// Multiplies every row that was added by `factor`.
    pub(super) fn fade(&mut self, factor: T) {
        for (i, column) in self.factor.data.0.iter_mut().enumerate() {
            scale(column.get_mut(..=i).unwrap_or_default(), factor);
        }
        scale(&mut self.values, factor);
        self.error *= factor;
    }

    /// Adds a row.
    pub(super) fn add(&mut self, mut row: [T; N], mut value: T) {
        for i in 0..N {
            let (cosine, sine, length) = rotation(self.factor.data.0[i][i], row[i]);
            if sine == T::ZERO {
                continue;
            }
            self.factor.data.0[i][i] = length;
            for j in i + 1..N {
                rotate(&mut self.factor.data.0[j][i], &mut row[j], cosine, sine);
            }
            rotate(&mut self.values[i], &mut value, cosine, sine);
        }
        let (_, _, length) = rotation(self.error, value);
        self.error = length;
    }

    /// Adds the row with `entry` at `index`, zero elsewhere, and the value zero.
    pub(super) fn add_axis(&mut self, index: usize, entry: T) {
        let mut row = [T::ZERO; N];
        if let Some(place) = row.get_mut(index) {
            *place = entry;
        }
        self.add(row, T::ZERO);
    }

    /// The vector v with Uᵀv = `features`: ‖v‖² is the leverage of the features, and v·q their predicted value. If a
    /// diagonal entry of U is zero, the entry of v is zero.
    pub(super) fn coordinates(&self, features: &[T; N]) -> [T; N] {
        let mut solved = [T::ZERO; N];
        for i in 0..N {
            let column = &self.factor.data.0[i];
            let rest = features[i] - dot(column.get(..i).unwrap_or_default(), &solved);
            solved[i] = quotient(rest, column[i]);
        }
        solved
    }

    /// v·q, for v = `coordinates`.
    pub(super) fn value_at(&self, coordinates: &[T; N]) -> T {
        dot(coordinates, &self.values)
    }

    /// The best weights w; an entry is zero where the diagonal of U is zero. An overflow becomes ±MAX.
    pub(super) fn weights(&self) -> [T; N] {
        let mut weights = self.values;
        for solved in 0..N {
            let i = N - 1 - solved;
            for j in i + 1..N {
                let known = weights[j];
                // The limit at each step prevents ∞ − ∞ = NaN.
                weights[i] = finite(weights[i] - self.factor.data.0[j][i] * known);
            }
            weights[i] = finite(quotient(weights[i], self.factor.data.0[i][i]));
        }
        weights
    }

    /// Learned entries are below √(MAX/ε), because the weights of the rows sum to at most 1/(4ε), and the square of a
    /// number in a row is at most about 4·MAX.
    fn validate(&self) -> Result<(), CodecError> {
        let limit = T::MAX.sqrt() / T::EPSILON;
        validate::within(limit, self.factor.iter().chain(&self.values))?;
        validate::within(limit, [&self.error])?;
        validate::not_negative(&[self.error])?;
        for (i, column) in self.factor.data.0.iter().enumerate() {
            if let Some([corner, below @ ..]) = column.get(i..) {
                validate::not_negative(&[*corner])?;
                // No method writes below the diagonal.
                validate::within(T::ZERO, below)?;
            }
        }
        Ok(())
    }
}

stored!([T: Scalar, const N: usize] Triangle<T, N> { factor, values, error } if validate);

/// Cosine and sine of the rotation from (a, b) to (√(a² + b²), 0), and √(a² + b²), for a ≥ 0; the identity for a = b =
/// 0.
///
/// After many rows |b| is usually far below a. A computed √(1 + (b/a)²) is then too small on average, and these errors
/// add up, so `excess` = √(1 + (b/a)²) − 1 is computed without cancellation.
fn rotation<T: Scalar>(a: T, b: T) -> (T, T, T) {
    if a >= b.abs() && a > T::ZERO {
        let tangent = b / a;
        let square = tangent * tangent;
        let excess = square / (T::ONE + (T::ONE + square).sqrt());
        let root = T::ONE + excess;
        return (T::ONE - excess / root, tangent / root, a + a * excess);
    }
    let larger = b.abs();
    if larger == T::ZERO {
        return (T::ONE, T::ZERO, T::ZERO);
    }
    // `a` and `b` are divided by `larger` first, so that the sum of the squares neither overflows nor underflows.
    let (x, y) = (a / larger, b / larger);
    let root = (x * x + y * y).sqrt();
    (x / root, y / root, larger * root)
}

/// Rotates a pair: (a, b) ← (c·a + s·b, c·b − s·a), with c = `cosine` and s = `sine`.
fn rotate<T: Scalar>(a: &mut T, b: &mut T, cosine: T, sine: T) {
    (*a, *b) = (cosine * *a + sine * *b, cosine * *b - sine * *a);
}

/// a/b; zero if b is zero, because then no row determines the result.
fn quotient<T: Scalar>(a: T, b: T) -> T {
    if b > T::ZERO { a / b } else { T::ZERO }
}

/// Limits a number to ±MAX.
fn finite<T: Scalar>(number: T) -> T {
    number.min(T::MAX).max(-T::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_keeps_lengths_from_tiny_to_huge() {
        for unit in [1e-40_f32, 1e-20, 1.0, 1e19, 1e37] {
            let (cosine, sine, length) = rotation(3.0 * unit, -4.0 * unit);
            assert!((length / unit - 5.0).abs() < 1e-4);
            assert!((cosine - 0.6).abs() < 1e-4 && (sine + 0.8).abs() < 1e-4);
        }
        assert_eq!(rotation(0.0_f32, 0.0), (1.0, 0.0, 0.0));
    }

    #[test]
    fn two_rows_of_two_features_are_solved_exactly() {
        // 3·w₀ + 4·w₁ = 11 and w₁ = 2 have the answer (1, 2), and leave no error.
        let mut triangle = Triangle::<f64, 2>::new();
        triangle.add([3.0, 4.0], 11.0);
        triangle.add([0.0, 1.0], 2.0);
        let weights = triangle.weights();
        assert!((weights[0] - 1.0).abs() < 1e-14 && (weights[1] - 2.0).abs() < 1e-14);
        assert!(triangle.error() < 1e-14);
        // A third row says w₁ = 2 + √2, the second row says w₁ = 2. The best w₁ is in the middle: both errors are √½.
        triangle.add([0.0, 1.0], 2.0 + 2.0_f64.sqrt());
        assert!((triangle.error() - 1.0).abs() < 1e-14);
        let coordinates = triangle.coordinates(&[0.0, 1.0]);
        assert!((triangle.value_at(&coordinates) - 2.0 - 0.5_f64.sqrt()).abs() < 1e-14);
        // The variance of w₁ from two measurements is one half.
        assert!((dot(&coordinates, &coordinates) - 0.5).abs() < 1e-14);
    }

    #[test]
    fn a_direction_without_rows_has_no_weight() {
        let mut triangle = Triangle::<f32, 2>::new();
        triangle.add([2.0, 0.0], 4.0);
        assert_eq!(triangle.weights(), [2.0, 0.0]);
        assert_eq!(triangle.coordinates(&[0.0, 7.0]), [0.0, 0.0]);
    }
}
