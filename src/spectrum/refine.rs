//! Corrects the leading eigenvectors of a matrix, up to the rounding of its entries.
//! In: a positive semidefinite A, its decomposition and its first K eigenvectors. Out: these K without their parts
//! along the other eigenvectors ([`refine`]); [`refine_each`] also separates them from each other and computes their
//! eigenvalues.
//! Method: one Newton step for each pair, with compensated scalar products: `guide::mathematics`, "The refinement".
//! Cost: the computation of each of the N − K other eigenvectors and 25·N² operations for it; [`refine_each`] takes
//! (K² + K)/2 times 25·N² more. Scratch: 2·N numbers and that of one eigenvector.

use super::PartialEigen;
use super::compensated::dot_compensated;
use super::orthogonality::orthonormalize_columns;
use super::vector::{add_scaled, dot};
use crate::scalar::Scalar;
use nalgebra::{ArrayStorage, SMatrix};

/// The largest correction, an angle in radians. A larger angle means nearly equal eigenvalues, whose vectors are not
/// determined: such a correction is not applied.
const LARGEST_TURN: f64 = 1.0 / 256.0;

/// Removes from the columns `leading` their parts along the other eigenvectors and makes them orthonormal.
///
/// `eigen` is the decomposition of `matrix`.
pub(crate) fn refine<T: Scalar, const N: usize, const K: usize>(
    matrix: &SMatrix<T, N, N>,
    eigen: &PartialEigen<T, N>,
    leading: &mut SMatrix<T, N, K>,
) {
    refine_columns(matrix, eigen, &mut leading.data.0, N);
}

/// Like [`refine`], for at most N columns; also separates these columns from each other and writes their eigenvalues to
/// `values`.
///
/// All rows of `matrix` from `used` on are zero. By rounding a column of a small eigenvalue can have entries in these
/// rows; these entries are set to zero. A value whose compensated product overflows does not change.
pub(crate) fn refine_each<T: Scalar, const N: usize>(
    matrix: &SMatrix<T, N, N>,
    eigen: &PartialEigen<T, N>,
    leading: &mut [[T; N]],
    values: &mut [T],
    used: usize,
) {
    for column in leading.iter_mut() {
        clear_unused(column, used);
    }
    refine_columns(matrix, eigen, leading, used);
    for count in 0..leading.len() {
        let Some((before, [current, ..])) = leading.split_at_mut_checked(count) else {
            break;
        };
        let Some(&small) = eigen.values().get(count) else {
            break;
        };
        for (other, &large) in before.iter_mut().zip(eigen.values().iter()) {
            let image = product(matrix, current);
            let (overlap, coupling) = (dot(other, current), dot(other, &image));
            let gap = large - small;
            let turn = (coupling - large * overlap) / gap;
            let back = (coupling - small * overlap) / gap;
            if turn.abs() <= T::from_f64(LARGEST_TURN) && back.abs() <= T::from_f64(LARGEST_TURN) {
                let before = *other;
                add_scaled(other, turn, current);
                add_scaled(current, -back, &before);
            }
        }
    }
    orthonormalize_columns(leading);
    let mut largest = T::MAX;
    for (vector, value) in leading.iter().zip(values) {
        let image = product(matrix, vector);
        let quotient = dot_compensated(vector.iter().copied().zip(image));
        if quotient.is_finite() {
            *value = quotient.min(largest);
        }
        largest = *value;
    }
}

fn refine_columns<T: Scalar, const N: usize>(
    matrix: &SMatrix<T, N, N>,
    eigen: &PartialEigen<T, N>,
    leading: &mut [[T; N]],
    used: usize,
) {
    let mut other = SMatrix::<T, N, 1>::from_array_storage(ArrayStorage([[T::ZERO; N]; 1]));
    for (position, &small) in eigen.values().iter().enumerate().skip(leading.len()) {
        let _ = eigen.vectors(&[position], &mut other);
        let [dropped] = &mut other.data.0;
        clear_unused(dropped, used);
        let image = product(matrix, dropped);
        for (kept, &large) in leading.iter_mut().zip(eigen.values().iter()) {
            let turn = (dot(kept, &image) - large * dot(kept, dropped)) / (large - small);
            // The comparison is also false if equal eigenvalues made `turn` NaN or infinite.
            if turn.abs() <= T::from_f64(LARGEST_TURN) {
                add_scaled(kept, turn, dropped);
            }
        }
    }
    orthonormalize_columns(leading);
}

fn clear_unused<T: Scalar, const N: usize>(vector: &mut [T; N], used: usize) {
    for entry in vector.iter_mut().skip(used) {
        *entry = T::ZERO;
    }
}

/// `matrix`·`vector`, by compensated scalar products.
fn product<T: Scalar, const N: usize>(matrix: &SMatrix<T, N, N>, vector: &[T; N]) -> [T; N] {
    let columns = &matrix.data.0;
    let mut image = [T::ZERO; N];
    for (row, target) in image.iter_mut().enumerate() {
        // Row i of A consists of column i above the diagonal, then of entry i of column i and of all later columns.
        let before = columns.iter().skip(row).take(1).flatten().take(row);
        let after = columns.iter().skip(row).filter_map(|column| column.get(row));
        *target = dot_compensated(before.chain(after).copied().zip(vector.iter().copied()));
    }
    image
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectrum::Convergence;

    #[test]
    fn a_small_gap_far_below_the_largest_value_is_resolved() {
        // The eigenvalues are 8, 2⁻⁶ and 2⁻⁷; the eigenvectors are the columns of a rotation with entries −1/3 and 2/3.
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
        refine(&matrix, &eigen, &mut leading);

        // The reference decomposes the same `f32` entries in `f64`.
        let mut reference = PartialEigen::<f64, 3>::new();
        assert_eq!(reference.decompose(&matrix.map(f64::from)), Ok(Convergence::Reached));
        let mut dropped = SMatrix::<f64, 3, 1>::zeros();
        let _ = reference.vectors(&[2], &mut dropped);
        let mixed = (leading.map(f64::from).transpose() * dropped).abs().max();
        assert!(mixed < 4.0 * f64::from(f32::EPSILON), "{mixed:e}");
    }

    #[test]
    fn each_of_the_kept_vectors_and_values_is_as_accurate_as_the_matrix() {
        // The eigenvalues are 8, 2⁻⁶ and 2⁻⁷; all eigenvectors are kept.
        let columns =
            [[2.0, -1.0, 2.0], [2.0, 2.0, -1.0], [-1.0, 2.0, 2.0]].map(|column: [f64; 3]| column.map(|x| x / 3.0));
        let values = [8.0, 1.0 / 64.0, 1.0 / 128.0];
        let matrix = SMatrix::<f32, 3, 3>::from_fn(|i, j| {
            (0..3).map(|k| values[k] * columns[k][i] * columns[k][j]).sum::<f64>() as f32
        });
        let mut eigen = PartialEigen::new();
        assert_eq!(eigen.decompose(&matrix), Ok(Convergence::Reached));
        let mut vectors = [[0.0; 3]; 3];
        let _ = eigen.vectors_into(&[0, 1, 2], &mut vectors);
        let mut found = [0.0; 3];
        refine_each(&matrix, &eigen, &mut vectors, &mut found, 3);

        let mut reference = PartialEigen::<f64, 3>::new();
        assert_eq!(reference.decompose(&matrix.map(f64::from)), Ok(Convergence::Reached));
        let mut exact = SMatrix::<f64, 3, 3>::zeros();
        let _ = reference.vectors(&[0, 1, 2], &mut exact);
        let mut largest = (0.0_f64, 0.0_f64);
        for position in 0..3 {
            let value = reference.values()[position];
            largest.0 = largest.0.max((f64::from(found[position]) / value - 1.0).abs());
            for other in (0..3).filter(|&other| other != position) {
                let mixed: f64 = (0..3)
                    .map(|i| f64::from(vectors[position][i]) * exact[(i, other)])
                    .sum();
                largest.1 = largest.1.max(mixed.abs());
            }
        }
        let epsilon = f64::from(f32::EPSILON);
        assert!(largest.0 < 4.0 * epsilon, "values {:e}", largest.0);
        assert!(largest.1 < 4.0 * epsilon, "vectors {:e}", largest.1);
    }

    #[test]
    fn equal_values_are_left_alone() {
        let mut eigen = PartialEigen::<f32, 3>::new();
        let identity = SMatrix::identity();
        assert_eq!(eigen.decompose(&identity), Ok(Convergence::Reached));
        let mut leading = SMatrix::<f32, 3, 1>::zeros();
        let _ = eigen.vectors(&[0], &mut leading);
        let before = leading;
        refine(&identity, &eigen, &mut leading);
        // The vector is not rotated, only scaled to length one.
        assert!((leading - before).abs().max() <= 2.0 * f32::EPSILON);
    }
}
