//! Rotates the stored directions V to the eigenvectors of a matrix that a sample has changed.
//! In: V, the part q of the sample outside, and U, the eigenvectors in the basis (V, q/‖q‖) with the last row divided
//! by ‖q‖. Out: V ← (V, q)·U in place, one row at a time. For up to four directions a product of four or five columns,
//! padded with zeros, gives the same bits faster.
//! Cost: DIM·r·(r + 1) multiply-adds for r directions. Scratch: RANK numbers.

use crate::spectrum::few::{FEW, dot, each};
use crate::spectrum::vector::{any_length, any_length_mut, stay_rolled};
use crate::{SMALL, Scalar};
use core::array::from_fn;

/// V ← (V, q)·U, from `before` directions and q to `rank` ≤ `before` + 1 directions; the other columns of V become
/// zero. All entries of U after row `before` must be zero. The columns of U after the first `rank` have no meaning
/// afterwards.
#[inline(never)]
pub(in crate::pca) fn rotate<T: Scalar, const DIM: usize, const RANK: usize>(
    columns: &mut [[T; DIM]; RANK],
    outside: &[T; DIM],
    small: &mut [[T; RANK]; RANK],
    before: usize,
    rank: usize,
) {
    match before {
        ..=3 if !SMALL && RANK >= 4 => rotate_few::<T, DIM, RANK, 4>(columns, outside, small, before, rank),
        4 if !SMALL && RANK >= 5 => rotate_few::<T, DIM, RANK, 5>(columns, outside, small, before, rank),
        _ => rotate_any(columns, outside, small, before, rank),
    }
}

/// [`rotate`] for `before` < `COUNT`: missing columns are zeros. The number of columns is constant, so the entries of U
/// stay in registers.
#[inline(always)]
fn rotate_few<T: Scalar, const DIM: usize, const RANK: usize, const COUNT: usize>(
    columns: &mut [[T; DIM]; RANK],
    outside: &[T; DIM],
    small: &mut [[T; RANK]; RANK],
    before: usize,
    rank: usize,
) {
    clear_from(small, rank);
    clear_from(columns, before);
    if let Some(column) = columns.get_mut(before) {
        *column = *outside;
    }
    let Some(columns) = columns.first_chunk_mut::<COUNT>() else {
        return;
    };
    let weights: [[T; COUNT]; COUNT] = from_fn(|j| from_fn(|i| small[j][i]));
    // This is a loop over indices: the optimiser can prove `row` < DIM and removes the bounds checks.
    for row in 0..DIM {
        stay_rolled();
        let old: [T; COUNT] = from_fn(|i| columns[i][row]);
        for (column, weights) in columns.iter_mut().zip(&weights) {
            column[row] = sum_of_products(&old, weights);
        }
    }
}

#[inline(always)]
fn rotate_any<T: Scalar, const DIM: usize, const RANK: usize>(
    columns: &mut [[T; DIM]; RANK],
    outside: &[T; DIM],
    small: &[[T; RANK]; RANK],
    before: usize,
    rank: usize,
) {
    // One row of (V, q). With `before` = RANK there is no room for q; q is then zero up to rounding, or the learner was
    // decoded.
    let mut old = [T::ZERO; RANK];
    let (columns, small) = (any_length_mut(columns), any_length(small));
    for row in 0..DIM {
        stay_rolled();
        for (old, column) in old.iter_mut().zip(columns.iter()).take(before) {
            *old = column[row];
        }
        if let Some(old) = old.get_mut(before) {
            *old = outside[row];
        }
        for (column, weights) in columns.iter_mut().zip(small).take(rank) {
            stay_rolled();
            column[row] = sum_of_products(old.get(..=before).unwrap_or(&old), weights);
        }
    }
    clear_from(columns, rank);
}

/// Returns Σ oldᵢ·weightᵢ over the shorter slice. The sum starts from zero, so that zeros at the end do not change its
/// bits.
#[inline(always)]
fn sum_of_products<T: Scalar>(old: &[T], weights: &[T]) -> T {
    let mut sum = T::ZERO;
    for (&old, &weight) in old.iter().zip(weights) {
        sum += old * weight;
    }
    sum
}

#[inline(always)]
fn clear_from<T: Scalar, const N: usize>(columns: &mut [[T; N]], count: usize) {
    for column in any_length_mut(columns).iter_mut().skip(count) {
        stay_rolled();
        *column = [T::ZERO; N];
    }
}

/// Replaces each column j < `rank` by Σ `weights[j].0[i]`·vᵢ + `weights[j].1`·`beside`, with the old columns vᵢ.
#[inline(always)]
pub(super) fn rotate_by<T: Scalar, const DIM: usize, const COUNT: usize>(
    columns: &mut [[T; DIM]; COUNT],
    beside: &[T; DIM],
    weights: &[([T; FEW], T); FEW],
    rank: usize,
) {
    for row in 0..DIM {
        let old = each!(I => columns.get(I).and_then(|column| column.get(row)).map_or(T::ZERO, |&entry| entry));
        each!(J => if J < rank && let Some(column) = columns.get_mut(J) {
            column[row] = dot(COUNT, &old, &weights[J].0) + beside[row] * weights[J].1;
        });
    }
}

/// [`rotate_by`] for paths that run rarely; `rank` is `COUNT` or `COUNT` − 1.
#[inline(never)]
pub(super) fn rotate_rarely<T: Scalar, const DIM: usize, const COUNT: usize>(
    columns: &mut [[T; DIM]; COUNT],
    beside: &[T; DIM],
    weights: &[([T; FEW], T); FEW],
    rank: usize,
) {
    // A constant `rank` keeps the weights in registers.
    if rank == COUNT {
        rotate_by(columns, beside, weights, COUNT);
    } else {
        rotate_by(columns, beside, weights, COUNT - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_written_out_has_the_bits_of_any_other() {
        // The columns contain zeros of both signs; in the first two rotated directions every product of the first
        // channel is −0.
        let mut columns: [[f32; 4]; 5] =
            core::array::from_fn(|i| core::array::from_fn(|j| [0.0, 0.3, -0.0, -0.7][(3 * i + j) % 4]));
        for (column, zero) in columns.iter_mut().zip([-0.0, 0.0, 0.0, 0.0, 0.0]) {
            column[0] = zero;
        }
        let outside = [0.0, 0.2, -0.0, -0.4];
        let bits = |columns: [[f32; 4]; 5]| columns.map(|column| column.map(f32::to_bits));
        // If `before` = 5, all five columns are in use and there is no room for `outside`.
        for before in 0..=5 {
            let small: [[f32; 5]; 5] = core::array::from_fn(|i| {
                core::array::from_fn(|j| {
                    if j <= before {
                        0.1 * (i as f32) - 0.15 * j as f32
                    } else {
                        0.0
                    }
                })
            });
            for rank in 1..=5.min(before + 1) {
                let (mut rotated, mut any) = (columns, columns);
                rotate(&mut rotated, &outside, &mut small.clone(), before, rank);
                rotate_any(&mut any, &outside, &small, before, rank);
                assert_eq!(bits(rotated), bits(any), "from {before} to {rank}");
                assert!(rotated.iter().skip(rank).all(|column| column == &[0.0; 4]));
            }
        }
    }
}
