//! Replaces columns by weighted sums of all columns, in place.
//! In: c columns v₁, v₂, … of N entries, and weights wᵢⱼ for the sums i = 1, …, s. Out: column i is Σⱼ wᵢⱼ·vⱼ for each i ≤ s; the
//! other columns do not change.
//! Cost: c·s multiply-adds for each of the N rows, but up to 4·K·s for each of the last N mod 4 rows; K ≥ c is the number of
//! weights in memory for each sum. In a block of four rows and two sums, each column costs eight multiply-adds and six loads.
//! Scratch: four rows of K entries, up to five rows more if N mod 4 is not zero.

use crate::scalar::Scalar;

/// The number of rows in a block.
const ROWS: usize = 4;

/// Replaces column i by Σⱼ `weights[i][j]`·(column j before the call), for each i < `weights.len()`. There are at most K columns.
// Not inlined: the scratch is on the stack only during this call.
#[inline(never)]
pub(crate) fn combine<T: Scalar, const N: usize, const K: usize>(columns: &mut [[T; N]], weights: &[[T; K]]) {
    let mut before = [[T::ZERO; ROWS]; K];
    for block in 0..N / ROWS {
        for (before, column) in before.iter_mut().zip(columns.iter()) {
            if let Some(rows) = column.as_chunks().0.get(block) {
                *before = *rows;
            }
        }
        let before = before.get(..columns.len()).unwrap_or(&before);
        let (column_pairs, last_column) = columns.as_chunks_mut::<2>();
        let (weight_pairs, last_weights) = weights.as_chunks::<2>();
        let mut left = column_pairs.iter_mut();
        // `weight_pairs` is first in the `zip`: so `zip` takes no pair of columns from `left` when the weights end.
        for ([first_weights, second_weights], [first, second]) in weight_pairs.iter().zip(left.by_ref()) {
            let [first_sums, second_sums] = two_sums(before, first_weights, second_weights);
            put(first, block, first_sums);
            put(second, block, second_sums);
        }
        if let [weights] = last_weights
            && let Some(column) = left.flatten().chain(last_column).next()
        {
            put(column, block, one_sum(before, weights));
        }
    }
    for row in N / ROWS * ROWS..N {
        let mut before = [T::ZERO; K];
        for (before, column) in before.iter_mut().zip(columns.iter()) {
            *before = column.get(row).copied().unwrap_or(T::ZERO);
        }
        for (column, weights) in columns.iter_mut().zip(weights) {
            if let Some(entry) = column.get_mut(row) {
                let [sum, ..] = one_sum(&before.map(|entry| [entry; ROWS]), weights);
                *entry = sum;
            }
        }
    }
}

fn put<T: Scalar, const N: usize>(column: &mut [T; N], block: usize, sums: [T; ROWS]) {
    if let Some(rows) = column.as_chunks_mut().0.get_mut(block) {
        *rows = sums;
    }
}

#[inline(always)]
fn two_sums<T: Scalar, const K: usize>(before: &[[T; ROWS]], first: &[T; K], second: &[T; K]) -> [[T; ROWS]; 2] {
    let [mut a, mut b, mut c, mut d] = [T::ZERO; ROWS];
    let [mut e, mut f, mut g, mut h] = [T::ZERO; ROWS];
    for ((&[p, q, r, s], &first), &second) in before.iter().zip(first).zip(second) {
        a += p * first;
        b += q * first;
        c += r * first;
        d += s * first;
        e += p * second;
        f += q * second;
        g += r * second;
        h += s * second;
    }
    [[a, b, c, d], [e, f, g, h]]
}

#[inline(always)]
fn one_sum<T: Scalar, const K: usize>(before: &[[T; ROWS]], weights: &[T; K]) -> [T; ROWS] {
    let [mut a, mut b, mut c, mut d] = [T::ZERO; ROWS];
    for (&[p, q, r, s], &weight) in before.iter().zip(weights) {
        a += p * weight;
        b += q * weight;
        c += r * weight;
        d += s * weight;
    }
    [a, b, c, d]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls [`combine`] with 0, 1, … `COUNT` sums of `COUNT` columns of `N` rows. Compares with sums computed entry by entry.
    fn check<const N: usize, const COUNT: usize>() {
        for sums in 0..=COUNT {
            let mut columns: [[f32; N]; COUNT] =
                core::array::from_fn(|j| core::array::from_fn(|i| (i * 7 + j * 3) as f32));
            let weights: [[f32; 6]; COUNT] =
                core::array::from_fn(|j| core::array::from_fn(|i| (i * 2 + j) as f32 - 3.0));
            let before = columns;
            combine(&mut columns, &weights[..sums]);
            for (position, column) in columns.iter().enumerate() {
                for (row, &entry) in column.iter().enumerate() {
                    let sum = (0..COUNT).map(|j| before[j][row] * weights[position][j]).sum();
                    let wanted = if position < sums { sum } else { before[position][row] };
                    assert_eq!(entry, wanted, "row {row} of column {position} of {sums}");
                }
            }
        }
    }

    #[test]
    fn every_row_of_every_sum_is_what_it_is_taken_alone() {
        check::<8, 6>();
        check::<7, 5>();
        check::<3, 2>();
        check::<5, 1>();
    }
}
