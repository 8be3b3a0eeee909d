//! The largest eigenvalues of a positive semidefinite matrix and their eigenvectors, from guesses of these eigenvectors.
//! In: a matrix A, guesses of the wanted eigenvectors. Out: the wanted pairs if their residuals are small enough, and an upper
//! bound on all other eigenvalues.
//! Method: Lanczos. q₁ is the sum of the guesses. Each next q is A times the last q, made orthogonal to all q before. Each q has
//! norm one. In this basis of m vectors A is a tridiagonal matrix T. The largest eigenvalues of T converge to those of A. A·q of
//! the last q has a part of norm β outside the span. So an eigenpair (θ, s) of T with ‖s‖ = 1 gives the vector v = Σ sᵢ·qᵢ with
//! the residual ‖A·v − θ·v‖ = β·|s_m|. The part of A outside the span is positive semidefinite. Its eigenvalues are at most its
//! trace, tr A − tr T. They are also at most its Frobenius norm, the square root of ‖A‖² − ‖T‖² − 2β² with the Frobenius norms of
//! A and T. The second bound is usually the smaller one if many small eigenvalues remain.
//! Cost: N² + 2·m·N multiply-adds for the m-th vector, up to N² + 6·m·N if little of it remains after a projection; then the
//! eigenvalues of T, and about 90·`STEPS` operations and m·N multiply-adds for each pair. Scratch: the basis, in borrowed memory,
//! and about N + 15·`STEPS` numbers, up to 3·`STEPS` more if N is not a multiple of 4 (`combine`).

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

/// The largest residual ‖A·v − θ·v‖ of an accepted pair (θ, v), in units of ε·`norm`. `norm` is an upper bound on ‖T‖; T is A in
/// the basis. The solver for the whole matrix accepts up to 2·N·ε·‖A‖, which is 64·ε·‖A‖ for N = 32. With 4 instead of 64, the
/// benchmark W2 (exact) had equal errors of the losses. But the steps often ended before this limit was reached; then the whole
/// matrix was decomposed, and the worst trial cost 229,000 instead of 104,000 instructions.
const RESIDUAL: f64 = 64.0;

/// The assumed rounding error of tr A − tr T, the trace of A outside the basis, in units of ε·tr A.
const UNSEEN: f64 = 16.0;

/// A growing basis of at most `STEPS` vectors, and T, the matrix A in this basis. If a pair needs more vectors, the caller
/// decomposes the whole matrix.
pub(crate) struct Lanczos<'a, T, const N: usize, const STEPS: usize> {
    matrix: &'a SMatrix<T, N, N>,
    /// A power of two near tr A. T is stored in units of `unit`.
    unit: T,
    /// tr A, in units of `unit`.
    trace: T,
    /// ‖A‖² (Frobenius norm), in units of `unit`²; infinite before the call of [`sum_squares`](Self::sum_squares).
    squares: T,
    /// Memory for the basis. At first it holds the guesses. [`grow`](Self::grow) writes the basis vectors q₁, q₂, … Then
    /// [`replace_with_vectors`](Self::replace_with_vectors) writes eigenvectors over the first q.
    room: &'a mut [[T; N]],
    /// The number of q in `room`.
    len: usize,
    /// The next q, not normalised: A·q/`unit` of the last q, minus its parts along the last two q. At first the sum of the
    /// guesses.
    next: [T; N],
    /// β, the norm of `next`; one before the first [`grow`](Self::grow). If `grow` returns false although `room` is not full, it
    /// sets β to zero.
    outside: T,
    /// T, the matrix A in the basis of the q.
    projected: Tridiagonal<T, STEPS>,
    /// An upper bound on ‖T‖, computed by [`solve`](Self::solve).
    norm: T,
    /// The eigenvalues θ of T, descending, computed by [`solve`](Self::solve).
    values: [T; STEPS],
}

impl<'a, T: Scalar, const N: usize, const STEPS: usize> Lanczos<'a, T, N, STEPS> {
    /// Prepares q₁, the sum of the guesses. The guesses are the first `guesses` vectors in `room` and must be orthonormal.
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

    /// Computes ‖A‖² (Frobenius norm) with N²/2 multiply-adds. [`bound_beyond`](Self::bound_beyond) then also uses ‖A‖.
    #[inline(never)]
    pub(crate) fn sum_squares(&mut self) {
        self.squares = square_sum(self.matrix) / (self.unit * self.unit);
    }

    /// Adds one basis vector. Returns false if there is no memory for it, if the basis has `STEPS` vectors, or if `next` has no
    /// part outside the span.
    // `grow`, `solve` and `replace_with_vectors` are not inlined: so their scratch uses the same stack, one after the other.
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
        // Subtract the parts of A·q along q = `vector` and along the vector before q. The parts along all other vectors are
        // rounding errors; `project` removes them in the next call. The last pair of this `zip` is the vector before q, and the
        // off-diagonal entry of T between this vector and q.
        match basis.iter().zip(coupling).last() {
            Some((previous, coupling)) => {
                add_two_scaled(&mut self.next, (-along, vector), (-self.outside, previous));
                *coupling = self.outside;
            }
            None => add_scaled(&mut self.next, -along, vector),
        }
        self.len = self.len.wrapping_add(1);
        self.outside = dot(&self.next, &self.next).sqrt();
        true
    }

    /// Estimates the residual of a pair, divided by the allowed residual. `value` must be near one of the first `wanted`
    /// eigenvalues of A; let θ = `value`/`unit`. The allowed residual is here 64·ε·θ. The estimate is `outside`/(64·ε·θ),
    /// multiplied by min(1, b/|θ − a|) for each basis vector q after the first `wanted`. a is the diagonal entry of q in T, b is
    /// the entry of T between q and the vector before q.
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

    /// Returns the eigenvalues of T times `unit`, descending. Up to rounding, each is at most the eigenvalue of A at the same
    /// position. If T has fewer than `STEPS` rows, the other entries are zero.
    #[inline(never)]
    pub(crate) fn solve(&mut self) -> [T; STEPS] {
        self.norm = self.projected.drop_negligible();
        let _ = eigenvalues(&self.projected, T::EPSILON * self.norm, &mut self.values);
        sort_descending(&mut self.values);
        self.values.map(|value| value * self.unit)
    }

    /// An upper bound on all eigenvalues of A except the `found` largest, from the last [`solve`](Self::solve). If the first
    /// `found` pairs of T are eigenpairs of A, the bound holds for all eigenvalues of A except those of these pairs.
    pub(crate) fn bound_beyond(&self, found: usize) -> T {
        // The larger eigenvalue of [α, β; β, δ]: α = `seen` is the eigenvalue of T after the first `found`, δ = `unseen` bounds
        // the part of A outside the basis, β = `outside` is the entry between the two.
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

    /// Computes the eigenvectors of T for the first `weights.len()` values. Their entries are the weights of the basis vectors in
    /// the eigenvectors of A. Returns false if the residual of one of the pairs is too large, or if the
    /// computation of an eigenvector fails.
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

    /// Returns the weight of the last basis vector.
    fn last_weight(&self, weights: Option<&[T; STEPS]>) -> T {
        let last = weights.and_then(|weights| weights.get(self.len.saturating_sub(1)));
        last.copied().unwrap_or(T::ZERO)
    }

    /// Replaces the first vectors in `room` by the eigenvectors of the first `wanted` values. Returns false and does not change
    /// `room` if `wanted` is more than [`MOST`] or than the number of basis vectors, if the residual of one of the
    /// pairs is too large, or if the computation of an eigenvector fails.
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

/// Corrects the weights of an eigenvector of T, a vector of length one. The rows of T from the index `len` on are zero, so the
/// weights from `len` on (the outer weights) should be zero too. If the eigenvalue is small compared with ‖T‖, the outer weights
/// can be larger than rounding errors. If the sum of the squares of the outer weights is above ε, sets the outer weights to zero
/// and scales the other weights to length one. Returns false if the outer weights have more than half of the sum of all squares.
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

/// ‖A‖², the sum of the squares of all entries of the symmetric matrix A whose upper triangle is that of `matrix`.
fn square_sum<T: Scalar, const N: usize>(matrix: &SMatrix<T, N, N>) -> T {
    let mut sum = T::ZERO;
    for (column, entries) in matrix.data.0.iter().enumerate() {
        if let Some((above, [corner, ..])) = entries.split_at_checked(column) {
            sum += T::TWO * dot(above, above) + *corner * *corner;
        }
    }
    sum
}

/// The number of rows in a block.
const ROWS: usize = 4;

/// Replaces column i by Σⱼ `weights[i][j]`·(column j before the call), for each i < `weights.len()`. There are at most K columns.
// Not inlined: the scratch is on the stack only during this call.
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
mod tests;
