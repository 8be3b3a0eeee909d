//! Reduces a symmetric matrix to a tridiagonal matrix, and transforms vectors back.
//! In: A. Out: T and reflectors u with A = Q·T·Qᵀ, Q = P_{N−1}⋯P₁.
//! Method: Householder reflections P = I − β·u·uᵀ, from the last column to column 1; each takes four columns of A at a
//! time. A column that is zero up to rounding needs no reflection, so a matrix of rank r needs about r + 1.
//! Cost: (2/3)·N³ multiply-adds, about 2·(r + 1)·N² for a small rank, N² for each vector transformed back; 4·N numbers
//! of scratch.

use crate::scalar::Scalar;
use crate::spectrum::vector::{add_scaled, dot, stay_rolled};

/// A symmetric tridiagonal matrix, in comments T.
#[derive(Clone, Debug)]
pub(in crate::spectrum) struct Tridiagonal<T, const N: usize> {
    /// The diagonal entries.
    pub(in crate::spectrum) diagonal: [T; N],
    /// The off-diagonal entries: entry i is in row i and column i + 1; the last one is zero.
    pub(in crate::spectrum) coupling: [T; N],
}

impl<T: Scalar, const N: usize> Tridiagonal<T, N> {
    /// Returns a bound `norm` on ‖T‖ and sets couplings within ±ε·`norm` to zero, which changes no eigenvalue by more
    /// than 2ε·`norm`.
    pub(in crate::spectrum) fn drop_negligible(&mut self) -> T {
        drop_negligible(&self.diagonal, &mut self.coupling)
    }

    /// The number of rows at the start of T without coupling, whose axes are eigenvectors.
    pub(in crate::spectrum) fn uncoupled(&self) -> usize {
        zeros_at_the_start(&self.coupling)
    }
}

#[inline(never)] // one copy in flash for all sizes
fn drop_negligible<T: Scalar>(diagonal: &[T], coupling: &mut [T]) -> T {
    let mut norm = T::ZERO;
    let mut before = T::ZERO;
    for (diagonal, coupling) in diagonal.iter().zip(&*coupling) {
        stay_rolled();
        let after = coupling.abs();
        norm = norm.max(before + diagonal.abs() + after);
        before = after;
    }
    for coupling in coupling {
        stay_rolled();
        if coupling.abs() <= T::EPSILON * norm {
            *coupling = T::ZERO;
        }
    }
    norm
}

#[inline(never)] // with an unknown length, so that the compiler does not unroll the loop
pub(super) fn zeros_at_the_start<T: Scalar>(numbers: &[T]) -> usize {
    numbers.iter().take_while(|&&number| number == T::ZERO).count()
}

/// The entries of one row in the four vectors of a step, stored together for one loop; [`reduce`] defines u, β and q.
#[derive(Clone, Copy)]
struct Row<T> {
    /// The entry of u of the reflection before.
    last: T,
    /// The entry of q of the reflection before.
    shift: T,
    /// The entry of u of this reflection.
    next: T,
    /// The entry of A·u of this reflection, later of β·A·u.
    product: T,
}

/// Reduces the matrix whose upper triangle is in `columns`.
///
/// On return column i holds the i entries of u, then β, which is zero if no reflection is needed.
pub(in crate::spectrum) fn reduce<T: Scalar, const N: usize>(
    columns: &mut [[T; N]; N],
    tridiagonal: &mut Tridiagonal<T, N>,
) {
    // With p = β·A·u and q = p − (β/2)(p·u)·u, P·A·P = A − u·qᵀ − q·uᵀ. The subtraction is delayed until the next u is
    // known: then one loop over A subtracts these products and multiplies A by the next u.
    let mut rows = [Row {
        last: T::ZERO,
        shift: T::ZERO,
        next: T::ZERO,
        product: T::ZERO,
    }; N];
    // Whether the last q is zero, so that there is nothing to subtract.
    let mut idle = true;
    // The largest |T[i][i]| so far, at most ‖A‖.
    let mut largest = T::ZERO;
    // A column counts as reduced if the squares of its entries above the coupling sum to at most this. Without a lower
    // limit β could overflow. The callers scale the matrix to entries of moderate size.
    let mut negligible = T::MIN_POSITIVE / (T::EPSILON * T::EPSILON);
    for i in (0..N).rev() {
        let Some((block, [column, ..])) = columns.split_at_mut_checked(i) else {
            continue;
        };
        let Some((rows, [here, ..])) = rows.split_at_mut_checked(i) else {
            continue;
        };
        let Some((reflector, [corner, ..])) = column.split_at_mut_checked(i) else {
            continue;
        };
        for (entry, row) in reflector.iter_mut().zip(rows.iter()) {
            *entry -= row.last * here.shift;
            *entry -= row.shift * here.last;
        }
        let middle = *corner - T::TWO * here.last * here.shift;
        if let Some(diagonal) = tridiagonal.diagonal.get_mut(i) {
            *diagonal = middle;
        }
        if middle.abs() > largest {
            largest = middle.abs();
            // A rounding error of the reduction. Neglecting entries of this length changes no eigenvalue by more.
            let rounding = T::EPSILON * largest;
            negligible = negligible.max(rounding * rounding);
        }
        let (above, beta) = reflect(reflector, negligible);
        *corner = beta;
        if let Some(coupling) = tridiagonal.coupling.get_mut(i.wrapping_sub(1)) {
            *coupling = above;
        }
        for (row, &u) in rows.iter_mut().zip(reflector.iter()) {
            row.next = u;
            row.product = T::ZERO;
        }
        // Rows of zeros at the end lead to this case, as in a kernel learner that stores few samples.
        if beta == T::ZERO && idle {
            continue;
        }
        idle = beta == T::ZERO;
        subtract_and_multiply(block, rows);
        let mut overlap = T::ZERO;
        for row in rows.iter_mut() {
            row.product *= beta;
            overlap += row.product * row.next;
        }
        let half = T::HALF * beta * overlap;
        for row in rows.iter_mut() {
            row.last = row.next;
            row.shift = row.product - half * row.next;
        }
    }
    if let Some(last) = tridiagonal.coupling.last_mut() {
        *last = T::ZERO;
    }
}

/// Replaces `vector` by the u whose reflection would make all its entries but the last zero; returns (the last entry
/// after the reflection, β).
///
/// If the squares of the other entries sum to at most `negligible`, β is zero and `vector` does not change.
fn reflect<T: Scalar>(vector: &mut [T], negligible: T) -> (T, T) {
    let Some((last, head)) = vector.split_last_mut() else {
        return (T::ZERO, T::ZERO);
    };
    let rest = dot(head, head);
    if rest <= negligible {
        return (*last, T::ZERO);
    }
    // `image` has the opposite sign of `last`, so that their difference does not cancel.
    let length = (rest + *last * *last).sqrt();
    let image = if *last > T::ZERO { -length } else { length };
    *last -= image;
    (image, -T::ONE / (image * *last))
}

/// A ← A − last·shiftᵀ − shift·lastᵀ and product ← A·next, for A = `block`.
fn subtract_and_multiply<T: Scalar, const N: usize>(block: &mut [[T; N]], rows: &mut [Row<T>]) {
    let (fours, rest) = block.as_chunks_mut::<4>();
    let mut above = 0;
    for four in fours {
        let Some((rows, [a, b, c, d, ..])) = rows.split_at_mut_checked(above) else {
            return;
        };
        let mut own = [*a, *b, *c, *d];
        let [sum_a, sum_b, sum_c, sum_d] = four_columns(four, rows, &own);
        // The triangle of the four columns at the diagonal, two columns at a time.
        let [first, second, third, fourth] = four;
        let (left, right) = own.split_at_mut_checked(2).unwrap_or_default();
        two_columns(first, second, above, &mut [], left, [sum_a, sum_b]);
        two_columns(third, fourth, above, left, right, [sum_c, sum_d]);
        [*a, *b, *c, *d] = own;
        above = above.wrapping_add(4);
    }
    let (pairs, single) = rest.as_chunks_mut::<2>();
    for [left_column, right_column] in pairs {
        let Some((rows, own)) = rows.split_at_mut_checked(above) else {
            return;
        };
        two_columns(left_column, right_column, 0, rows, own, [T::ZERO; 2]);
        above = above.wrapping_add(2);
    }
    if let ([column], Some((rows, [here, ..]))) = (single, rows.split_at_mut_checked(above)) {
        let mut sum = T::ZERO;
        for (entry, row) in column.iter_mut().zip(rows) {
            let mut a = *entry;
            a -= row.last * here.shift;
            a -= row.shift * here.last;
            *entry = a;
            sum += a * row.next;
            row.product += a * here.next;
        }
        if let Some(corner) = column.get_mut(above) {
            *corner -= T::TWO * here.last * here.shift;
            here.product = sum + *corner * here.next;
        }
    }
}

/// [`subtract_and_multiply`] for the rows of four columns above their diagonals: sixteen multiply-adds for thirteen
/// loads and stores.
///
/// Returns the products of the columns with `next`.
fn four_columns<T: Scalar, const N: usize>(
    [a_column, b_column, c_column, d_column]: &mut [[T; N]; 4],
    rows: &mut [Row<T>],
    [a_row, b_row, c_row, d_row]: &[Row<T>; 4],
) -> [T; 4] {
    let (mut sum_a, mut sum_b, mut sum_c, mut sum_d) = (T::ZERO, T::ZERO, T::ZERO, T::ZERO);
    let columns = a_column.iter_mut().zip(b_column).zip(c_column).zip(d_column);
    for ((((a_entry, b_entry), c_entry), d_entry), row) in columns.zip(rows) {
        let (mut a, mut b, mut c, mut d) = (*a_entry, *b_entry, *c_entry, *d_entry);
        a -= row.last * a_row.shift;
        b -= row.last * b_row.shift;
        c -= row.last * c_row.shift;
        d -= row.last * d_row.shift;
        a -= row.shift * a_row.last;
        b -= row.shift * b_row.last;
        c -= row.shift * c_row.last;
        d -= row.shift * d_row.last;
        (*a_entry, *b_entry, *c_entry, *d_entry) = (a, b, c, d);
        sum_a += a * row.next;
        sum_b += b * row.next;
        sum_c += c * row.next;
        sum_d += d * row.next;
        // Adds in the order of the columns, so that the bits are the same as with one column at a time.
        let mut product = row.product;
        product += a * a_row.next;
        product += b * b_row.next;
        product += c * c_row.next;
        product += d * d_row.next;
        row.product = product;
    }
    [sum_a, sum_b, sum_c, sum_d]
}

/// [`subtract_and_multiply`] for two columns from row `from` down to their diagonals.
///
/// `rows` lie above both diagonals, and `own` starts with the two diagonal rows; the sums passed in are those of the
/// rows before `from`.
#[inline(always)]
fn two_columns<T: Scalar, const N: usize>(
    left_column: &mut [T; N],
    right_column: &mut [T; N],
    from: usize,
    rows: &mut [Row<T>],
    own: &mut [Row<T>],
    [mut sum_left, mut sum_right]: [T; 2],
) {
    let [left, right, ..] = own else {
        return;
    };
    let corner = from + rows.len();
    let (Some(left_entries), Some(right_entries)) = (left_column.get_mut(from..), right_column.get_mut(from..)) else {
        return;
    };
    for ((left_entry, right_entry), row) in left_entries.iter_mut().zip(right_entries).zip(rows) {
        let (mut a, mut b) = (*left_entry, *right_entry);
        a -= row.last * left.shift;
        a -= row.shift * left.last;
        b -= row.last * right.shift;
        b -= row.shift * right.last;
        (*left_entry, *right_entry) = (a, b);
        sum_left += a * row.next;
        sum_right += b * row.next;
        row.product += a * left.next;
        row.product += b * right.next;
    }
    if let (Some(corner), Some([middle, end, ..])) = (left_column.get_mut(corner), right_column.get_mut(corner..)) {
        *corner -= T::TWO * left.last * left.shift;
        *middle -= left.last * right.shift + left.shift * right.last;
        *end -= T::TWO * right.last * right.shift;
        left.product = sum_left + *corner * left.next + *middle * right.next;
        right.product = sum_right + *middle * left.next + *end * right.next;
    }
}

/// v ← Q·v for each v of `vectors`.
pub(in crate::spectrum) fn restore<T: Scalar, const N: usize>(reflectors: &[[T; N]; N], vectors: &mut [[T; N]]) {
    for (i, column) in reflectors.iter().enumerate().skip(1) {
        let Some((u, [beta, ..])) = column.split_at_checked(i) else {
            break;
        };
        if *beta == T::ZERO {
            continue;
        }
        // Four vectors at a time: each load of an entry of u serves four vectors.
        let (fours, rest) = vectors.as_chunks_mut::<4>();
        for four in fours {
            reflect_four(u, *beta, four);
        }
        for vector in rest {
            let overlap = dot(u, vector);
            add_scaled(vector, -(*beta * overlap), u);
        }
    }
}

fn reflect_four<T: Scalar, const N: usize>(u: &[T], beta: T, [a, b, c, d]: &mut [[T; N]; 4]) {
    let (mut sum_a, mut sum_b, mut sum_c, mut sum_d) = (T::ZERO, T::ZERO, T::ZERO, T::ZERO);
    for ((((&u, &a), &b), &c), &d) in u.iter().zip(a.iter()).zip(b.iter()).zip(c.iter()).zip(d.iter()) {
        sum_a += u * a;
        sum_b += u * b;
        sum_c += u * c;
        sum_d += u * d;
    }
    let (factor_a, factor_b, factor_c, factor_d) = (beta * sum_a, beta * sum_b, beta * sum_c, beta * sum_d);
    for ((((&u, a), b), c), d) in u.iter().zip(a).zip(b).zip(c).zip(d) {
        *a -= factor_a * u;
        *b -= factor_b * u;
        *c -= factor_c * u;
        *d -= factor_d * u;
    }
}
