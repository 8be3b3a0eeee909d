//! Rotates the stored directions V to the eigenvectors of a matrix M that a sample has changed. M is the evidence matrix of
//! `TrackingPca`, or the matrix of keep probabilities of `AdditivePca`.
//! In: V, the part q of the sample outside V, and U: the eigenvectors of the new M in the basis (V, q/‖q‖), with the last row
//! divided by ‖q‖. Out: V ← (V, q)·U in place.
//! Method: one row of V at a time. For three to five directions before the sample, there is also a function that has this number
//! as a constant. It is fastest if the number after the sample is a constant too: three directions before and after, or four. Its
//! results are bit-identical to those of the general loop. Code that is compiled for size does not use it.
//! Cost: DIM·r·(r + 1) multiply-adds for r directions. Scratch: RANK numbers.

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
    if !SMALL {
        // As many directions after the sample as before: with this number as a constant, the entries of U stay in registers.
        match (before, rank, small.first_chunk::<3>(), small.first_chunk::<4>()) {
            (3, 3, Some(small), _) if RANK >= 3 => return rotate_from::<T, DIM, RANK, 3>(columns, outside, small, 3),
            (4, 4, _, Some(small)) if RANK >= 4 => return rotate_from::<T, DIM, RANK, 4>(columns, outside, small, 4),
            _ => {}
        }
        // Three to five stored directions: all entries of a row of (V, q) fit into registers.
        match before {
            3 if RANK >= 3 => return rotate_from::<T, DIM, RANK, 3>(columns, outside, small, rank),
            4 if RANK >= 4 => return rotate_from::<T, DIM, RANK, 4>(columns, outside, small, rank),
            5 if RANK >= 5 => return rotate_from::<T, DIM, RANK, 5>(columns, outside, small, rank),
            _ => {}
        }
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
            // A sum that starts at −0 has the bits of a sum without this start, even if all terms are −0.
            let mut sum = -T::ZERO;
            for (&old, &weight) in old.iter().zip(weights).take(before.wrapping_add(1)) {
                sum += old * weight;
            }
            column[row] = sum;
        }
    }
}

/// [`rotate`] from `BEFORE` directions.
#[inline(always)]
fn rotate_from<T: Scalar, const DIM: usize, const RANK: usize, const BEFORE: usize>(
    columns: &mut [[T; DIM]; RANK],
    outside: &[T; DIM],
    small: &[[T; RANK]],
    rank: usize,
) {
    for row in 0..DIM {
        let mut old = [T::ZERO; BEFORE];
        for (old, column) in old.iter_mut().zip(columns.iter()) {
            *old = column[row];
        }
        let beside = outside[row];
        for (column, weights) in columns.iter_mut().zip(small).take(rank) {
            let mut sum = -T::ZERO;
            for (&old, &weight) in old.iter().zip(weights) {
                sum += old * weight;
            }
            if let Some(&weight) = weights.get(BEFORE) {
                sum += beside * weight;
            }
            column[row] = sum;
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
        let small: [[f32; 5]; 5] =
            core::array::from_fn(|i| core::array::from_fn(|j| 0.1 * (i as f32) - 0.15 * j as f32));
        let outside = [0.0, 0.2, -0.0, -0.4];
        let bits = |columns: [[f32; 4]; 5]| columns.map(|column| column.map(f32::to_bits));
        let any = |before, rank| {
            let mut rotated = columns;
            rotate_any(&mut rotated, &outside, &small, before, rank);
            bits(rotated)
        };
        // With five of five columns in use there is no room for `outside`.
        for (before, rank) in (3..=5).flat_map(|before| (1..=5).map(move |rank| (before, rank))) {
            let mut rotated = columns;
            rotate(&mut rotated, &outside, &small, before, rank);
            assert_eq!(bits(rotated), any(before, rank), "from {before} to {rank}");
        }
    }
}
