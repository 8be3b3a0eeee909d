//! Makes a leading subspace as accurate as the matrix itself.
//! In: a symmetric positive semidefinite matrix A, its decomposition and its first K eigenvectors. Out: those vectors with
//! the share of the other eigenvectors that rounding mixed into them taken out again.
//! Method: the solver's vectors are exact for a matrix that differs from A by some ε·λ₁, which turns the subspace by
//! ε·λ₁/(λᵢ − λⱼ). Newton's step for the pair of a kept vᵢ and a dropped vⱼ is vᵢ ← vᵢ + x·vⱼ with
//! x = (vᵢ·Avⱼ − λᵢ·vᵢ·vⱼ) / (λᵢ − λⱼ). With Avⱼ from doubled scalar products its error is of size ε·λⱼ, and λⱼ is small.
//! Cost: (N − K) times 13·N² operations and one eigenvector. Scratch: 3·N numbers.

use super::doubled::dot_doubled;
use super::vector::{add_scaled, dot};
use super::{PartialEigen, orthonormalize};
use crate::Scalar;
use nalgebra::{ArrayStorage, SMatrix};

/// A turn by more than this is no rounding error but a pair of nearly equal eigenvalues, whose subspace is open.
const LARGEST_TURN: f64 = 1.0 / 256.0;

/// Takes the other eigenvectors out of the first K, which `eigen` found for the upper triangle of `matrix`.
pub(crate) fn sharpen<T: Scalar, const N: usize, const K: usize>(
    matrix: &SMatrix<T, N, N>,
    eigen: &PartialEigen<T, N>,
    leading: &mut SMatrix<T, N, K>,
) {
    let mut other = SMatrix::<T, N, 1>::from_array_storage(ArrayStorage([[T::ZERO; N]; 1]));
    for (position, &small) in eigen.values().iter().enumerate().skip(K) {
        let _ = eigen.vectors(&[position], &mut other);
        let [dropped] = &other.data.0;
        let image = product(matrix, dropped);
        for (kept, &large) in leading.data.0.iter_mut().zip(eigen.values().iter()) {
            let turn = (dot(kept, &image) - large * dot(kept, dropped)) / (large - small);
            // False for the NaN of a vanished gap, too.
            if turn.abs() <= T::from_f64(LARGEST_TURN) {
                add_scaled(kept, turn, dropped);
            }
        }
    }
    orthonormalize(leading, K);
}

/// A·v with doubled digits, from the upper triangle.
fn product<T: Scalar, const N: usize>(matrix: &SMatrix<T, N, N>, vector: &[T; N]) -> [T; N] {
    let columns = &matrix.data.0;
    let mut image = [T::ZERO; N];
    for (row, target) in image.iter_mut().enumerate() {
        // Row i of A is column i down to the diagonal, then entry i of the columns that follow.
        let before = columns.iter().skip(row).take(1).flatten().take(row);
        let after = columns.iter().skip(row).filter_map(|column| column.get(row));
        *target = dot_doubled(before.chain(after).copied().zip(vector.iter().copied()));
    }
    image
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectrum::Convergence;

    #[test]
    fn a_small_gap_far_below_the_largest_value_is_resolved() {
        // Eigenvalues 8, 2⁻⁶ and 2⁻⁷ along the columns of a rotation with entries 1/3 and 2/3.
        let columns =
            [[2.0, -1.0, 2.0], [2.0, 2.0, -1.0], [-1.0, 2.0, 2.0]].map(|column: [f64; 3]| column.map(|x| x / 3.0));
        let values = [8.0, 1.0 / 64.0, 1.0 / 128.0];
        let exact =
            SMatrix::<f64, 3, 3>::from_fn(|i, j| (0..3).map(|k| values[k] * columns[k][i] * columns[k][j]).sum());
        let matrix = exact.map(|entry| entry as f32);
        let mut eigen = PartialEigen::new();
        assert_eq!(eigen.decompose(&matrix), Ok(Convergence::Reached));
        let mut leading = SMatrix::<f32, 3, 2>::zeros();
        let _ = eigen.vectors(&[0, 1], &mut leading);
        sharpen(&matrix, &eigen, &mut leading);

        // The reference decomposes the same rounded entries with all digits.
        let mut reference = PartialEigen::<f64, 3>::new();
        assert_eq!(reference.decompose(&matrix.map(f64::from)), Ok(Convergence::Reached));
        let mut dropped = SMatrix::<f64, 3, 1>::zeros();
        let _ = reference.vectors(&[2], &mut dropped);
        let mixed = (leading.map(f64::from).transpose() * dropped).abs().max();
        assert!(mixed < 4.0 * f64::from(f32::EPSILON), "{mixed:e}");
    }

    #[test]
    fn equal_values_are_left_alone() {
        let mut eigen = PartialEigen::<f32, 3>::new();
        let identity = SMatrix::identity();
        assert_eq!(eigen.decompose(&identity), Ok(Convergence::Reached));
        let mut leading = SMatrix::<f32, 3, 1>::zeros();
        let _ = eigen.vectors(&[0], &mut leading);
        let before = leading;
        sharpen(&identity, &eigen, &mut leading);
        // Not turned, only scaled to length one again.
        assert!((leading - before).abs().max() <= 2.0 * f32::EPSILON);
    }
}
