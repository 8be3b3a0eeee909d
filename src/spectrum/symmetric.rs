//! Symmetric matrices as the learners keep them: the upper triangle, which is all that the eigensolvers read.
//! In: a square matrix and a vector or a number. Out: the matrix changed in place, in one fixed order.
//! Cost: N²/2 multiply-adds each; no copy.

use super::vector::{add_scaled, dot, scale};
use crate::Scalar;
use nalgebra::SMatrix;

/// A ← A + factor·v vᵀ, on the upper triangle.
pub(crate) fn add_outer<T: Scalar, const N: usize>(matrix: &mut SMatrix<T, N, N>, factor: T, vector: &[T; N]) {
    for (position, (column, &entry)) in matrix.data.0.iter_mut().zip(vector).enumerate() {
        if let Some(upper) = column.get_mut(..=position) {
            add_scaled(upper, factor * entry, vector);
        }
    }
}

/// vᵀA v of the symmetric matrix whose upper triangle is that of `matrix`.
pub(crate) fn quadratic_form<T: Scalar, const N: usize>(matrix: &SMatrix<T, N, N>, vector: &[T; N]) -> T {
    let mut sum = T::ZERO;
    for (position, (column, &entry)) in matrix.data.0.iter().zip(vector).enumerate() {
        if let Some((above, [diagonal, ..])) = column.split_at_checked(position) {
            sum += entry * (T::TWO * dot(above, vector) + *diagonal * entry);
        }
    }
    sum
}

/// Copies the upper triangle to the lower.
pub(crate) fn mirror<T: Scalar, const N: usize>(matrix: &mut SMatrix<T, N, N>) {
    let columns = &mut matrix.data.0;
    for column in 0..N {
        for row in 0..column {
            columns[row][column] = columns[column][row];
        }
    }
}

/// matrix ← 0, whatever it was: a factor of zero would keep what is not a number.
pub(crate) fn clear<T: Scalar, const N: usize>(matrix: &mut SMatrix<T, N, N>) {
    for column in &mut matrix.data.0 {
        column.fill(T::ZERO);
    }
}

/// matrix ← factor·matrix, upper triangle.
#[inline]
pub(crate) fn scale_upper<T: Scalar, const N: usize>(matrix: &mut SMatrix<T, N, N>, factor: T) {
    for (column, entries) in matrix.data.0.iter_mut().enumerate() {
        if let Some(upper) = entries.get_mut(..=column) {
            scale(upper, factor);
        }
    }
}

/// matrix ← matrix + value·I.
pub(crate) fn add_diagonal<T: Scalar, const N: usize>(matrix: &mut SMatrix<T, N, N>, value: T) {
    for i in 0..N {
        matrix.data.0[i][i] += value;
    }
}

/// aᵢᵢ ← value.
pub(crate) fn set_diagonal<T: Scalar, const N: usize>(matrix: &mut SMatrix<T, N, N>, value: T) {
    for i in 0..N {
        matrix.data.0[i][i] = value;
    }
}

/// Σ aᵢᵢ.
pub(crate) fn trace<T: Scalar, const N: usize>(matrix: &SMatrix<T, N, N>) -> T {
    let mut sum = T::ZERO;
    for i in 0..N {
        sum += matrix.data.0[i][i];
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_upper_triangle_alone_makes_the_matrix() {
        let mut matrix = SMatrix::<f32, 3, 3>::repeat(f32::NAN);
        clear(&mut matrix);
        add_outer(&mut matrix, 2.0, &[1.0, 2.0, 3.0]);
        assert_eq!((matrix[(0, 2)], matrix[(2, 0)]), (6.0, 0.0));
        assert_eq!(trace(&matrix), 2.0 * 14.0);
        // 2·(v·w)² with v·w = 1 + 0 − 3.
        assert_eq!(quadratic_form(&matrix, &[1.0, 0.0, -1.0]), 8.0);

        scale_upper(&mut matrix, 0.5);
        add_diagonal(&mut matrix, 1.0);
        mirror(&mut matrix);
        assert_eq!(
            matrix,
            SMatrix::from([[2.0, 2.0, 3.0], [2.0, 5.0, 6.0], [3.0, 6.0, 10.0]])
        );
    }
}
