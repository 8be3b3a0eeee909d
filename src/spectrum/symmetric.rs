//! Operations on symmetric matrices A of which only the upper triangle is read.
//! In: a matrix, and a vector, a number or a second matrix. Out: the matrix changed in place, or what is computed from
//! it, with all sums in one fixed order.
//! Cost: at most about N²/2 multiply-adds, N² for [`multiply`]; [`approach`] has one column of scratch.

use super::vector::{add_scaled, dot, scale};
use crate::scalar::Scalar;
use nalgebra::SMatrix;

/// A ← A + factor·v vᵀ, with v = `vector`.
pub(crate) fn add_outer<T: Scalar, const N: usize>(matrix: &mut SMatrix<T, N, N>, factor: T, vector: &[T; N]) {
    let (fours, rest) = matrix.data.0.as_chunks_mut::<4>();
    let (entries, last_entries) = vector.as_chunks::<4>();
    let mut above = 0;
    for (columns, entries) in fours.iter_mut().zip(entries) {
        let factors = entries.map(|entry| factor * entry);
        add_to_four(columns, above, factors, vector);
        above += 4;
    }
    for (column, &entry) in rest.iter_mut().zip(last_entries) {
        if let Some(upper) = column.get_mut(..=above) {
            add_scaled(upper, factor * entry, vector);
        }
        above += 1;
    }
}

/// [`add_outer`] for the four columns from column `above` on; the first `above` entries of `vector` are loaded only
/// once.
fn add_to_four<T: Scalar, const N: usize>(columns: &mut [[T; N]; 4], above: usize, factors: [T; 4], vector: &[T; N]) {
    let Some((entries, corner)) = vector.split_at_checked(above) else {
        return;
    };
    let [a, b, c, d] = columns;
    let [factor_a, factor_b, factor_c, factor_d] = factors;
    for ((((&entry, a), b), c), d) in entries.iter().zip(a).zip(b).zip(c).zip(d) {
        *a += factor_a * entry;
        *b += factor_b * entry;
        *c += factor_c * entry;
        *d += factor_d * entry;
    }
    for (position, (column, factor)) in columns.iter_mut().zip(factors).enumerate() {
        if let Some(upper) = column.get_mut(above..=above.wrapping_add(position)) {
            add_scaled(upper, factor, corner);
        }
    }
}

/// A ← A + `other`.
pub(crate) fn add_upper<T: Scalar, const N: usize>(matrix: &mut SMatrix<T, N, N>, other: &SMatrix<T, N, N>) {
    for (place, (column, entries)) in matrix.data.0.iter_mut().zip(&other.data.0).enumerate() {
        if let Some(upper) = column.get_mut(..=place) {
            add_scaled(upper, T::ONE, entries);
        }
    }
}

/// A ← A + weight·(B − A); `add(i, zeros)` adds column i of B, down to the diagonal, to zeros.
///
/// If A equals B, A does not change. By rounding, (1 − weight)·A + weight·B could change it.
pub(crate) fn approach<T: Scalar, const N: usize>(
    matrix: &mut SMatrix<T, N, N>,
    weight: T,
    add: impl Fn(usize, &mut [T]),
) {
    for (place, column) in matrix.data.0.iter_mut().enumerate() {
        let mut other = [T::ZERO; N];
        if let (Some(upper), Some(other)) = (column.get_mut(..=place), other.get_mut(..=place)) {
            add(place, other);
            for (entry, &other) in upper.iter_mut().zip(other.iter()) {
                *entry += weight * (other - *entry);
            }
        }
    }
}

/// image ← A·vector.
pub(crate) fn multiply<T: Scalar, const N: usize>(matrix: &SMatrix<T, N, N>, vector: &[T; N], image: &mut [T; N]) {
    let (fours, rest) = matrix.data.0.as_chunks::<4>();
    let mut above = 0;
    for columns in fours {
        multiply_four(columns, above, vector, image);
        above += 4;
    }
    for column in rest {
        if let (Some((upper, [corner, ..])), Some((entries, [entry, ..])), Some((targets, [target, ..]))) = (
            column.split_at_checked(above),
            vector.split_at_checked(above),
            image.split_at_mut_checked(above),
        ) {
            add_scaled(targets, *entry, upper);
            *target = dot(upper, entries) + *corner * *entry;
        }
        above += 1;
    }
}

/// [`multiply`] for four columns: eight multiply-adds for seven loads and stores in each of the `above` rows.
fn multiply_four<T: Scalar, const N: usize>(columns: &[[T; N]; 4], above: usize, vector: &[T; N], image: &mut [T; N]) {
    let [a, b, c, d] = columns;
    let (Some((entries, [p, q, r, s, ..])), Some((targets, corner))) =
        (vector.split_at_checked(above), image.split_at_mut_checked(above))
    else {
        return;
    };
    let (mut sum_a, mut sum_b, mut sum_c, mut sum_d) = (T::ZERO, T::ZERO, T::ZERO, T::ZERO);
    for (((((&a, &b), &c), &d), &entry), target) in a.iter().zip(b).zip(c).zip(d).zip(entries).zip(targets) {
        sum_a += a * entry;
        sum_b += b * entry;
        sum_c += c * entry;
        sum_d += d * entry;
        let mut sum = *target;
        sum += a * *p;
        sum += b * *q;
        sum += c * *r;
        sum += d * *s;
        *target = sum;
    }
    // The block of four rows and columns on the diagonal.
    let (Some([aa, ..]), Some([ab, bb, ..]), Some([ac, bc, cc, ..]), Some([ad, bd, cd, dd, ..])) =
        (a.get(above..), b.get(above..), c.get(above..), d.get(above..))
    else {
        return;
    };
    if let [image_p, image_q, image_r, image_s, ..] = corner {
        *image_p = sum_a + *aa * *p + *ab * *q + *ac * *r + *ad * *s;
        *image_q = sum_b + *ab * *p + *bb * *q + *bc * *r + *bd * *s;
        *image_r = sum_c + *ac * *p + *bc * *q + *cc * *r + *cd * *s;
        *image_s = sum_d + *ad * *p + *bd * *q + *cd * *r + *dd * *s;
    }
}

/// vᵀA v, with v = `vector`.
pub(crate) fn quadratic_form<T: Scalar, const N: usize>(matrix: &SMatrix<T, N, N>, vector: &[T; N]) -> T {
    let mut sum = T::ZERO;
    for (position, (column, &entry)) in matrix.data.0.iter().zip(vector).enumerate() {
        if let Some((above, [diagonal, ..])) = column.split_at_checked(position) {
            sum += entry * (T::TWO * dot(above, vector) + *diagonal * entry);
        }
    }
    sum
}

pub(crate) fn mirror<T: Scalar, const N: usize>(matrix: &mut SMatrix<T, N, N>) {
    let columns = &mut matrix.data.0;
    for column in 0..N {
        for row in 0..column {
            columns[row][column] = columns[column][row];
        }
    }
}

pub(crate) const fn identity<T: Scalar, const N: usize>() -> [[T; N]; N] {
    let mut columns = [[T::ZERO; N]; N];
    let mut i = 0;
    while i < N {
        columns[i][i] = T::ONE;
        i += 1;
    }
    columns
}

/// Writes zeros, because multiplying by zero would keep NaN.
pub(crate) fn clear<T: Scalar, const N: usize>(matrix: &mut SMatrix<T, N, N>) {
    for column in &mut matrix.data.0 {
        column.fill(T::ZERO);
    }
}

/// A ← factor·A.
#[inline]
pub(crate) fn scale_upper<T: Scalar, const N: usize>(matrix: &mut SMatrix<T, N, N>, factor: T) {
    for (column, entries) in matrix.data.0.iter_mut().enumerate() {
        if let Some(upper) = entries.get_mut(..=column) {
            scale(upper, factor);
        }
    }
}

/// A ← A + value·I.
pub(crate) fn add_diagonal<T: Scalar, const N: usize>(matrix: &mut SMatrix<T, N, N>, value: T) {
    for i in 0..N {
        matrix.data.0[i][i] += value;
    }
}

pub(crate) fn set_identity<T: Scalar, const N: usize>(matrix: &mut SMatrix<T, N, N>) {
    clear(matrix);
    for i in 0..N {
        matrix.data.0[i][i] = T::ONE;
    }
}

/// The trace Σ aᵢᵢ.
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
        let mut image = [f32::NAN; 3];
        multiply(&matrix, &[1.0, 0.0, -1.0], &mut image);
        assert_eq!(image, [-4.0, -8.0, -12.0]);
        // The result is 2·(v·w)² with v = (1, 2, 3), w = (1, 0, −1) and v·w = −2.
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
