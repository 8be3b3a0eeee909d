//! Rotates the stored directions V to the eigenvectors of a matrix M that a sample has changed. M is the evidence matrix of
//! `TrackingPca`, or the matrix of keep probabilities of `AdditivePca`.
//! In: V, the part q of the sample outside V, and U: the eigenvectors of the new M in the basis (V, q/‖q‖), with the last row
//! divided by ‖q‖. Out: V ← (V, q)·U in place.
//! Method: one row of V at a time. For three directions before and after the sample, there is also a function with constant
//! sizes. Its results are bit-identical to those of the general loop. Code that is compiled for size does not use it.
//! Cost: DIM·r·(r + 1) multiply-adds for r directions. Scratch: RANK numbers; 15 in the function with constant sizes.

use crate::spectrum::few::{FEW, dot, each};
use crate::{SMALL, Scalar};

/// V ← (V, q)·U with V = `columns`, q = `outside`, U = `small`: combines `before` directions and q into `rank` new directions,
/// one for each of the first `rank` columns of U.
#[inline(never)]
pub(in crate::pca) fn rotate<T: Scalar, const DIM: usize, const RANK: usize>(
    columns: &mut [[T; DIM]; RANK],
    outside: &[T; DIM],
    small: &[[T; RANK]],
    before: usize,
    rank: usize,
) {
    // Three stored directions before and after the sample: all coefficients fit into registers. One and two directions have no
    // such function here, because `TrackingPca` usually rotates them with `rotate_by`.
    if !SMALL && (before, rank) == (3, 3) {
        return rotate_few::<T, DIM, RANK, 3, 3>(columns, outside, small);
    }
    rotate_any(columns, outside, small, before, rank);
}

/// [`rotate`] for any number of directions.
#[inline(always)]
fn rotate_any<T: Scalar, const DIM: usize, const RANK: usize>(
    columns: &mut [[T; DIM]; RANK],
    outside: &[T; DIM],
    small: &[[T; RANK]],
    before: usize,
    rank: usize,
) {
    // One row of (V, q): the entries of the directions, then the entry of q. With `before` = RANK there is no room for q. If
    // RANK = DIM, q is then zero up to rounding. If RANK < DIM, the learner comes from encoded bytes, and q is not learned.
    let mut old = [T::ZERO; RANK];
    // A loop by index: the optimiser can prove that `row` < DIM and removes the bounds checks.
    for row in 0..DIM {
        for (old, column) in old.iter_mut().zip(columns.iter()).take(before) {
            *old = column[row];
        }
        if let Some(old) = old.get_mut(before) {
            *old = outside[row];
        }
        for (column, weights) in columns.iter_mut().zip(small).take(rank) {
            // A sum that starts at −0 has the bits of a sum without this start, even if all terms are −0. So the result is
            // bit-identical to `rotate_few`.
            let mut sum = -T::ZERO;
            for (&old, &weight) in old.iter().zip(weights).take(before.wrapping_add(1)) {
                sum += old * weight;
            }
            column[row] = sum;
        }
    }
}

/// [`rotate`] from `IN` directions to `OUT` directions.
#[inline(never)]
fn rotate_few<T: Scalar, const DIM: usize, const RANK: usize, const IN: usize, const OUT: usize>(
    columns: &mut [[T; DIM]; RANK],
    outside: &[T; DIM],
    small: &[[T; RANK]],
) {
    let mut weights = [[T::ZERO; IN]; OUT];
    let mut outside_weights = [T::ZERO; OUT];
    for ((weights, last), column) in weights.iter_mut().zip(&mut outside_weights).zip(small) {
        for (weight, &entry) in weights.iter_mut().zip(column) {
            *weight = entry;
        }
        *last = column.get(IN).copied().unwrap_or(T::ZERO);
    }
    for row in 0..DIM {
        let mut old = [T::ZERO; IN];
        for (old, column) in old.iter_mut().zip(columns.iter()) {
            *old = column[row];
        }
        for ((column, weights), &last) in columns.iter_mut().zip(&weights).zip(&outside_weights) {
            let mut sum = old[0] * weights[0];
            for (&old, &weight) in old.iter().zip(weights).skip(1) {
                sum += old * weight;
            }
            column[row] = if IN < RANK { sum + outside[row] * last } else { sum };
        }
    }
}

/// Replaces column j by Σ `weights[j].0[i]`·vᵢ + `weights[j].1`·x for each j < `rank`, where vᵢ are the old columns and
/// x = `beside`. The results are bit-identical to those of [`rotate`] with these weights, `before` = `COUNT` and RANK > `COUNT`.
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

/// [`rotate_by`] in a function that is not inlined, for paths that run rarely. `rank` is `COUNT`, or `COUNT` − 1 if the last
/// direction is not stored any more.
#[inline(never)]
pub(super) fn rotate_rarely<T: Scalar, const DIM: usize, const COUNT: usize>(
    columns: &mut [[T; DIM]; COUNT],
    beside: &[T; DIM],
    weights: &[([T; FEW], T); FEW],
    rank: usize,
) {
    // `rank` is a constant in both calls, so the weights stay in registers.
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
        // The columns contain zeros of both signs. The first channel is zero in all directions. In the first two
        // rotated directions every product in the sum of this channel is −0.
        let mut columns: [[f32; 4]; 5] =
            core::array::from_fn(|i| core::array::from_fn(|j| [0.0, 0.3, -0.0, -0.7][(3 * i + j) % 4]));
        for (column, zero) in columns.iter_mut().zip([-0.0, 0.0, 0.0, 0.0, 0.0]) {
            column[0] = zero;
        }
        let small: [[f32; 5]; 4] =
            core::array::from_fn(|i| core::array::from_fn(|j| 0.1 * (i as f32) - 0.15 * j as f32));
        let outside = [0.0, 0.2, -0.0, -0.4];
        let bits = |columns: [[f32; 4]; 5]| columns.map(|column| column.map(f32::to_bits));
        let any = |before, rank| {
            let mut rotated = columns;
            rotate_any(&mut rotated, &outside, &small, before, rank);
            bits(rotated)
        };
        type Rotate = fn(&mut [[f32; 4]; 5], &[f32; 4], &[[f32; 5]]);
        let few = |rotate: Rotate| {
            let mut rotated = columns;
            rotate(&mut rotated, &outside, &small);
            bits(rotated)
        };
        assert_eq!(few(rotate_few::<f32, 4, 5, 3, 3>), any(3, 3));
    }
}
