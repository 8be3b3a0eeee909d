//! The leading eigenpairs of a positive semidefinite matrix A, from guesses of the vectors.
//! In: A and guesses. Out: the pairs, and an upper bound on all other eigenvalues.
//! Method: the Lanczos method computes an orthonormal basis q₁, q₂, … from q₁, the scaled sum of the guesses; T is A in
//! this basis. Proof: `guide::mathematics`, "Eigenpairs from those of the step before".
//! Cost: N² + 2·m·N multiply-adds for the m-th q, and an inverse iteration for T and m·N multiply-adds for each pair.
//! Scratch: the basis of the caller, and about N + 14·`STEPS` numbers.

use crate::scalar::Scalar;
use crate::spectrum::orthogonality::project;
use crate::spectrum::symmetric::{multiply, trace};
use crate::spectrum::vector::{add_scaled, add_two_scaled, dot, rare, scale_and_dot, whole};
use crate::spectrum::whole::inverse_iteration::{Search, Solver, eigenvector};
use crate::spectrum::whole::ql::eigenvalues;
use crate::spectrum::whole::selected::{point_up, sort_descending};
use crate::spectrum::whole::tridiagonal::Tridiagonal;
use crate::spectrum::{Convergence, MOST};
use nalgebra::SMatrix;

/// The largest accepted residual ‖A·v − θ·v‖ of a pair (θ, v), in units of ε·‖T‖.
///
/// The solver for the whole matrix accepts 64·ε·‖T‖ for N = 32.
const RESIDUAL: f64 = 64.0;

/// The assumed rounding error of tr A − tr T, in units of ε·tr A.
const UNSEEN: f64 = 16.0;

/// A growing basis of at most `STEPS` vectors q, and A in this basis: the tridiagonal matrix T.
pub(crate) struct Lanczos<'a, T, const N: usize, const STEPS: usize> {
    matrix: &'a SMatrix<T, N, N>,
    /// A power of two near the trace of A, the unit of all eigenvalues in the other fields.
    unit: T,
    /// The trace of A, in units of `unit`.
    trace: T,
    /// ‖A‖² (Frobenius) in units of `unit`²; infinite before [`sum_squares`](Self::sum_squares).
    squares: T,
    /// At first the guesses. The vectors q overwrite them, and [`replace_with_vectors`](Self::replace_with_vectors)
    /// overwrites the first q.
    room: &'a mut [[T; N]],
    /// The number of vectors q in `room`.
    len: usize,
    /// A·q/`unit` of the last q, minus its parts along the last two q; at first the sum of the guesses.
    next: [T; N],
    /// The length of `next`; one before the first [`grow`](Self::grow), zero after a `grow` that
    /// found `next` in the span of the q, or `STEPS` q.
    outside: T,
    /// The tridiagonal matrix T, which is A/`unit` in the basis.
    projected: Tridiagonal<T, STEPS>,
    /// An upper bound on the norm of `projected`.
    norm: T,
    /// The eigenvalues θ of `projected`, descending.
    values: [T; STEPS],
}

impl<'a, T: Scalar, const N: usize, const STEPS: usize> Lanczos<'a, T, N, STEPS> {
    /// The first `guesses` vectors in `room` must be orthonormal.
    pub(crate) fn new(matrix: &'a SMatrix<T, N, N>, room: &'a mut [[T; N]], guesses: usize) -> Self {
        let trace = trace(matrix);
        let unit = trace.power_of_two();
        let mut lanczos = Self {
            matrix,
            unit,
            trace: trace / unit,
            squares: T::INFINITY,
            room,
            len: 0,
            next: [T::ZERO; N],
            outside: T::ONE,
            projected: Tridiagonal {
                diagonal: [T::ZERO; STEPS],
                coupling: [T::ZERO; STEPS],
            },
            norm: T::ZERO,
            values: [T::ZERO; STEPS],
        };
        for guess in lanczos.room.iter().take(guesses) {
            whole::add_scaled(&mut lanczos.next, T::ONE, guess);
        }
        lanczos
    }

    /// Computes ‖A‖² with N²/2 multiply-adds; [`bound_beyond`](Self::bound_beyond) is then often smaller.
    #[inline(never)]
    pub(crate) fn sum_squares(&mut self) {
        self.squares = square_sum(self.matrix) / (self.unit * self.unit);
    }

    /// Adds one q. Returns false if `room` is full, if there are already `STEPS` q, or if `next` is in the span of the
    /// q.
    // This function, `solve` and `replace_with_vectors` are not inlined, so that the scratch of all three uses the same
    // part of the stack.
    #[inline(never)]
    pub(crate) fn grow(&mut self) -> bool {
        let Some((basis, [vector, ..])) = self.room.split_at_mut_checked(self.len) else {
            return false;
        };
        vector.copy_from_slice(&self.next);
        if self.len >= STEPS || !project(vector, basis) {
            self.outside = T::ZERO;
            return false;
        }
        multiply(self.matrix, vector, &mut self.next);
        let along = scale_and_dot(&mut self.next, T::ONE / self.unit, vector);
        let Tridiagonal { diagonal, coupling } = &mut self.projected;
        if let Some(diagonal) = diagonal.get_mut(self.len) {
            *diagonal = along;
        }
        // The parts along all other vectors are rounding errors, which the next `project` removes. The last pair of the
        // iterator is the vector before q and its entry of T.
        match basis.iter().zip(coupling).last() {
            Some((previous, coupling)) => {
                add_two_scaled(&mut self.next, (-along, vector), (-self.outside, previous));
                *coupling = self.outside;
            }
            None => add_scaled(&mut self.next, -along, vector),
        }
        self.len += 1;
        self.outside = dot(&self.next, &self.next).sqrt();
        true
    }

    /// Estimates the residual of a pair, divided by 64·ε·θ, with θ = `value`/`unit` near one of the first `wanted`
    /// eigenvalues of T.
    ///
    /// The residual is `outside` times the product of min(1, b/|θ − a|) over the q after the first `wanted`, where, in
    /// the row of T for this q, a is the diagonal entry and b the entry before it.
    pub(crate) fn likely_error(&self, value: T, wanted: usize) -> T {
        let value = value / self.unit;
        let mut part = self.outside / (T::from_f64(RESIDUAL) * T::EPSILON * value);
        let rows = self
            .projected
            .coupling
            .iter()
            .zip(self.projected.diagonal.iter().skip(1));
        for (&coupling, &diagonal) in rows.take(self.len.saturating_sub(1)).skip(wanted.saturating_sub(1)) {
            part *= T::ONE.min(coupling / (value - diagonal).abs());
        }
        part
    }

    /// The eigenvalues of T, multiplied by `unit`, descending; unused entries are zero. Up to rounding, the i-th is at
    /// most the i-th eigenvalue of A.
    #[inline(never)]
    pub(crate) fn solve(&mut self) -> [T; STEPS] {
        self.norm = self.projected.drop_negligible();
        let _ = eigenvalues(&self.projected, T::EPSILON * self.norm, &mut self.values);
        sort_descending(&mut self.values);
        self.values.map(|value| value * self.unit)
    }

    /// An upper bound on all eigenvalues of A except the `found` largest. If the first `found` pairs are pairs of A,
    /// the result bounds the eigenvalues of all other pairs.
    pub(crate) fn bound_beyond(&self, found: usize) -> T {
        // The result is the larger eigenvalue of [`seen`, `outside`; `outside`, `unseen`].
        let seen = self.values.get(found).copied().unwrap_or(T::ZERO);
        let coupling = self.outside * self.outside;
        let mut unseen = self.trace + T::from_f64(UNSEEN) * T::EPSILON * self.trace;
        let mut squares = self.squares + T::from_usize(4 * N) * T::EPSILON * self.squares - T::TWO * coupling;
        for (&value, &coupling) in self.projected.diagonal.iter().zip(&self.projected.coupling) {
            unseen -= value;
            squares -= value * value + T::TWO * (coupling * coupling);
        }
        if squares < unseen * unseen {
            unseen = T::ZERO.max(squares).sqrt();
        }
        let half = T::HALF * (seen - unseen);
        let root = (half * half + coupling).sqrt();
        (T::HALF * (seen + unseen) + root) * self.unit
    }

    /// Computes eigenvectors of T; their entries are the weights of the q. Returns false if a residual is too large or
    /// a computation fails.
    #[inline(never)]
    fn weigh(&self, weights: &mut [[T; STEPS]]) -> bool {
        let mut solver = Solver::new(Search::First);
        let allowed = T::from_f64(RESIDUAL) * T::EPSILON * self.norm;
        for (position, &value) in self.values.iter().enumerate().take(weights.len()) {
            let Some(weights) = weights.get_mut(..=position) else {
                break;
            };
            let values = self.values.iter().copied();
            let outcome = eigenvector(&self.projected, self.norm, value, values, &mut solver, weights);
            if !weights.last_mut().is_some_and(|weights| stay_inside(weights, self.len)) {
                return false;
            }
            let outside = self.outside * self.last_weight(weights.last()).abs();
            if outcome != Convergence::Reached || outside > allowed {
                return false;
            }
        }
        true
    }

    fn last_weight(&self, weights: Option<&[T; STEPS]>) -> T {
        let last = weights.and_then(|weights| weights.get(self.len.saturating_sub(1)));
        last.copied().unwrap_or(T::ZERO)
    }

    /// Replaces the first vectors in `room` by `wanted` eigenvectors. Returns false, and changes nothing, if `wanted`
    /// is above the number of q or above [`MOST`], or if [`weigh`](Self::weigh) fails.
    #[inline(never)]
    pub(crate) fn replace_with_vectors(&mut self, wanted: usize) -> bool {
        let mut weights = [[T::ZERO; STEPS]; MOST];
        let (Some(weights), true) = (weights.get_mut(..wanted), wanted <= self.len) else {
            return false;
        };
        if !self.weigh(weights) {
            return false;
        }
        let columns = self.room.get_mut(..self.len).unwrap_or_default();
        combine(columns, weights);
        for column in columns.iter_mut().take(wanted) {
            point_up(column);
        }
        true
    }
}

/// Corrects the weights of an eigenvector of T: those from `len` on should be zero.
///
/// For a small eigenvalue they can be larger than rounding errors. Returns false if they have more than half of the
/// energy.
fn stay_inside<T: Scalar>(weights: &mut [T], len: usize) -> bool {
    let Some((inside, beyond)) = weights.split_at_mut_checked(len) else {
        return true;
    };
    if rare::dot(beyond, beyond) > T::EPSILON {
        let energy = rare::dot(inside, inside);
        if energy < T::HALF {
            return false;
        }
        beyond.fill(T::ZERO);
        rare::scale(inside, T::ONE / energy.sqrt());
    }
    true
}

/// ‖A‖², the sum of the squares of all entries, from the upper triangle.
fn square_sum<T: Scalar, const N: usize>(matrix: &SMatrix<T, N, N>) -> T {
    let mut sum = T::ZERO;
    for (column, entries) in matrix.data.0.iter().enumerate() {
        if let Some((above, [corner, ..])) = entries.split_at_checked(column) {
            sum += T::TWO * dot(above, above) + *corner * *corner;
        }
    }
    sum
}

const ROWS: usize = 4;

/// Replaces column i by Σⱼ `weights[i][j]`·(column j before), for at most K columns. Four rows of two sums are computed
/// together, with six loads for eight multiply-adds.
// This function is not inlined: so its scratch is on the stack only during the call.
#[inline(never)]
fn combine<T: Scalar, const N: usize, const K: usize>(columns: &mut [[T; N]], weights: &[[T; K]]) {
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
        // `weight_pairs` comes first, so that `zip` takes no columns from `left` after the last weights.
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
mod tests;
