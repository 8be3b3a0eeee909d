//! The leading eigenpairs of a positive semidefinite matrix after a sample was added, from the eigenpairs before.
//! In: A = f·A_old + w·d·dᵀ, the sample d with its weight w, the factor f of the old matrix, the leading eigenpairs (θᵢ, vᵢ) of
//! A_old. Out: the leading eigenpairs (λᵢ, uᵢ) of A if their residuals are small enough, and an upper bound on all other
//! eigenvalues of A.
//! Method: A·vᵢ = f·θᵢ·vᵢ + w·(vᵢ·d)·d lies in the span of the old v and of q₁, the normalised part of d that is orthogonal to
//! them. A·q₁ has a part outside this span, the direction q₂; A·q₂ gives q₃, and so on (Lanczos). In the basis of the v and q, A
//! is an [`Arrow`]. A·q of the last q is not computed; q·A·q is estimated by the mean eigenvalue of A outside the v and the other
//! q.
//! The arrow only proposes pairs (λ, u), because it contains this estimate. One product with A measures the residual ‖A·u − λ·u‖
//! of each pair. A pair with a small residual is accepted. A pair with a larger residual is corrected once. A pair whose residual
//! is too large for the correction is rejected. After every second sample, a pair is accepted without this product if its
//! estimated residual is small. So errors add up over two samples at most.
//! Bound: the complement of the old v contains the q whose A·q is known, and the unseen directions, which are orthogonal to the v
//! and to these q. In the unseen directions A is positive semidefinite, so its eigenvalues there are at most its trace there. If
//! a number x lies above all eigenvalues of A restricted to the complement (`Arrow::clears`), then all eigenvalues of A except
//! the r largest are below x; r is the number of old v.
//! Cost: about N² + 2·(r + m + 3)·N multiply-adds for each q and for each measured pair, with r old v and m new q; usually one to
//! five q. A pair that is not measured costs about 2·(r + m)·N.
//! Memory of the caller: at most 9·N numbers for the q, N for each new pair. Scratch: about N + 160 numbers.

use super::arrow::{Arrow, Root, TAIL};
use crate::scalar::Scalar;
use crate::spectrum::MOST;
use crate::spectrum::orthogonality::take_out;
use crate::spectrum::symmetric::{multiply, trace};
use crate::spectrum::vector::{
    add_combination, add_scaled, add_scaled_and_square, add_two_scaled, dot, scale, scale_and_dot, write_scaled,
};
use crate::spectrum::whole::selected::point_up;
use nalgebra::SMatrix;

/// A pair (λ, u) is accepted if ‖A·u − λ·u‖ is at most this number, in units of ε times the estimate `norm` of ‖A‖. For a
/// corrected pair ‖A·u − λ·u‖ is estimated, not measured. With 4 instead of 16, the total losses of the benchmark W3 changed by
/// less than 3·10⁻⁷ of their size, and W3 cost 3 % more.
const RESIDUAL: f64 = 16.0;

/// The part of the accepted residual that counts as small. A pair with a larger measured residual is corrected. A pair with a
/// larger estimated residual is measured after every sample. So the residuals of two samples, one with a measurement and one
/// without, usually add up to less than the accepted residual. With 1 instead of ¼, the sum was often too large: the pairs were
/// then rejected, and the benchmark W3 with 64 channels cost almost three times as much.
const SMALL: f64 = 0.25;

/// The assumed rounding error of the trace of A outside all directions whose product with A is known, in units of ε·tr A.
const UNSEEN: f64 = 16.0;

/// A·q of the last basis vector q is not computed. Instead q·A·q is estimated by the mean eigenvalue in the unseen directions.
/// The error of A·q is assumed to be this number times this mean eigenvalue. An assumption is enough, because the residual of
/// each pair is measured. A number that is too small costs products with A for pairs that are then rejected.
const SPREAD: f64 = 8.0;

/// The last evaluation of an eigenvalue of the arrow changes it by at most this number, in units of ε times the estimate `norm`
/// of ‖A‖. The error that is left is much smaller, because the evaluations converge fast.
const ACCURACY: f64 = 4.0;

/// The number of known A·q from which on [`stays_too_small`](RankOneTracker::stays_too_small) can return true. With 2 instead of
/// 4, the mean of the steps before was sometimes too small, and the benchmark W3 with 64 channels cost 12 % more.
const STEPS_BEFORE_ESTIMATE: usize = 4;

/// The largest ‖A·u − λ·u‖² of a pair (λ, u) that is corrected instead of rejected, in units of ε times the square of the
/// estimate `norm` of ‖A‖.
const CORRECTED: f64 = 0.0625;

/// The number of bisection steps in one call of `bound`, if at least two A·q are known (with fewer there is no bisection). Each
/// step halves the interval in which a smaller bound is searched.
const HALVINGS: usize = 6;

/// The last change of the matrix: A ← retention·A + weight·sample·sampleᵀ.
#[derive(Clone, Copy)]
pub(crate) struct Change<'a, T, const N: usize> {
    /// f, the factor of the old matrix.
    pub(crate) retention: T,
    /// w, the weight of the sample.
    pub(crate) weight: T,
    /// d, the sample.
    pub(crate) sample: &'a [T; N],
    /// ‖d‖².
    pub(crate) energy: T,
    /// The number of samples so far. If it is odd, a pair is measured only if its estimated residual is not small.
    pub(crate) number: u64,
}

/// The growing basis (old eigenvectors v, new directions q), and the matrix A in this basis. `matrix` is A itself, unscaled. All
/// other fields for entries, eigenvalues, bounds and traces of A are in units of `unit`.
pub(crate) struct RankOneTracker<'a, T, const N: usize> {
    matrix: &'a SMatrix<T, N, N>,
    /// A power of two near tr A.
    unit: T,
    /// tr A, in units of `unit`.
    trace: T,
    /// The eigenvectors v of A_old, the matrix before the sample.
    before: &'a [[T; N]],
    /// Memory of the caller for q₁, q₂, … A·q of the last q is not known. Only the entries of A between the last q and the
    /// vectors before it are known.
    basis: &'a mut [[T; N]],
    /// The number of q.
    count: usize,
    /// Whether the residual of every pair is measured.
    thorough: bool,
    /// A in the basis of the v and q.
    arrow: Arrow<T>,
    /// The last estimate of λ − f·θ of each pair. λ is the new eigenvalue, θ the old one, f the factor of the old matrix.
    shifts: [T; MOST],
    /// The pairs of the last call of [`values`](Self::values), one for each v.
    roots: [Root<T>; MOST],
    /// The trace of A outside the v and the q whose A·q is known (in the unseen directions), plus its assumed rounding error.
    unseen: T,
    /// An upper bound on the eigenvalues of A in the span of the q whose A·q is known.
    seen: T,
    /// An upper bound on all eigenvalues of A except the r largest; r is the number of v.
    bound: T,
    /// An estimate of the mean of all eigenvalues of A except the r largest: the trace of A outside the r vectors v, divided by
    /// N − r.
    middle: T,
}

impl<'a, T: Scalar, const N: usize> RankOneTracker<'a, T, N> {
    /// An empty basis. [`begin`](Self::begin) fills it in place, because the struct is too large to be moved. `basis` is memory
    /// for the q, with any content; min(N, [`TAIL`]) columns are enough.
    #[inline(always)]
    pub(crate) fn new(matrix: &'a SMatrix<T, N, N>, before: &'a [[T; N]], basis: &'a mut [[T; N]]) -> Self {
        Self {
            matrix,
            unit: T::ONE,
            trace: T::ZERO,
            before,
            basis,
            count: 0,
            thorough: true,
            arrow: const { Arrow::new() },
            shifts: [T::ZERO; MOST],
            roots: const { [Root::new(); MOST] },
            unseen: T::ZERO,
            seen: T::ZERO,
            bound: T::ZERO,
            middle: T::ZERO,
        }
    }

    /// Fills the basis with the v and q₁, the normalised part of the sample outside the v. `values` are the eigenvalues θ of
    /// A_old.
    pub(crate) fn begin(&mut self, values: &[T], change: Change<'_, T, N>) {
        let total = trace(self.matrix);
        self.unit = total.power_of_two();
        let inverse_unit = T::ONE / self.unit;
        self.trace = total * inverse_unit;
        self.unseen = self.trace + T::from_f64(UNSEEN) * T::EPSILON * self.trace;
        let arrow = &mut self.arrow;
        if let Some(next) = self.basis.first_mut() {
            self.count = 1;
            // A sample with ‖d‖² below this limit is not used: squares of its entries can underflow, so ‖d‖² is not accurate. If
            // this sample changed A, the residuals of the pairs show the change. So all residuals are then measured.
            let usable = change.energy >= T::MIN_POSITIVE / T::EPSILON;
            self.thorough = !usable || change.number.is_multiple_of(2);
            let factor = if usable { change.energy.inverse_sqrt() } else { T::ZERO };
            write_scaled(next, factor, change.sample);
            if usable {
                arrow.weight = change.weight * (change.energy * inverse_unit);
            }
            arrow.poles = self.before.len().min(MOST);
            let pairs = values.iter().zip(self.before).zip(&mut self.shifts);
            for (((&value, vector), shift), (pole, along)) in pairs.zip(arrow.pole.iter_mut().zip(&mut arrow.along)) {
                *pole = change.retention * value * inverse_unit;
                *along = dot(vector, next);
                *shift = arrow.weight * *along * *along;
                self.unseen -= *pole + *shift;
            }
            arrow.coupling[0] = arrow.weight * part_outside(next, T::ONE, self.before.iter());
        }
        self.bound = self.unseen.max(T::ZERO);
        self.middle = self.bound / T::from_usize(N.saturating_sub(self.before.len()).max(1));
        self.end();
    }

    /// Computes A·q of the last q, and from it the next q. Returns false if there is no memory for the next q, if there
    /// are already [`TAIL`] q, or if the last q is not valid (its `coupling` is zero).
    pub(crate) fn grow(&mut self) -> bool {
        let here = self.count.saturating_sub(1);
        let Some(&before) = self.arrow.coupling.get(here) else {
            return false;
        };
        let Some((known, [next, ..])) = self.basis.split_at_mut_checked(self.count) else {
            return false;
        };
        let Some((last, head)) = known.split_last() else {
            return false;
        };
        if before == T::ZERO || self.count >= TAIL {
            return false;
        }
        self.count += 1;
        multiply(self.matrix, last, next);
        let along = scale_and_dot(next, T::ONE / self.unit, last);
        // Subtract the known parts of A·q first: along q, and along the q before it (for q₁: along the v). So `part_outside`
        // below removes only rounding errors.
        match head.last() {
            Some(previous) => {
                add_two_scaled(next, (-along, last), (-before, previous));
                self.seen = top(self.seen, along, before);
            }
            None => {
                add_scaled(next, -along, last);
                for (&along, direction) in self.arrow.along.iter().zip(self.before) {
                    add_scaled(next, -(before * along), direction);
                }
                self.seen = along;
            }
        }
        let known = head.len().saturating_sub(1);
        let outside = part_outside(next, self.trace, self.before.iter().chain(head.iter().take(known)));
        self.unseen -= along;
        if let Some(diagonal) = self.arrow.diagonal.get_mut(here) {
            *diagonal = along;
        }
        if let Some(coupling) = self.arrow.coupling.get_mut(here + 1) {
            *coupling = outside;
        }
        self.bound = top(self.seen, self.unseen.max(T::ZERO), outside);
        self.end();
        true
    }

    /// Estimates, before the first q, whether the basis is too small even with all [`TAIL`] q. `values` are all eigenvalues of
    /// A_old, descending, of which the first `wanted` are followed. [`bound`](Self::bound) is at least the trace of A in the
    /// unseen directions. This trace is at least the sum of the smallest eigenvalues: the q can at best be the eigenvectors of
    /// the largest eigenvalues that are not wanted. If the q were random, it would be about the mean of the eigenvalues that are
    /// not wanted, for each unseen direction. Returns true if the geometric mean of these two sums is above the smallest wanted
    /// eigenvalue. Returns false if the eigenvalues that are not wanted are not known; they are then zero.
    pub(crate) fn would_stay_too_small(values: &[T; N], wanted: usize) -> bool {
        let Some((&[.., smallest], others)) = values.split_at_checked(wanted) else {
            return false;
        };
        if others.first().is_none_or(|&largest| largest <= T::ZERO) {
            return false;
        }
        let mut seen = T::ZERO;
        let mut unseen = T::ZERO;
        for (place, &value) in others.iter().enumerate() {
            if place < TAIL - 1 {
                seen += value;
            } else {
                unseen += value;
            }
        }
        let count = others.len();
        let share = T::from_usize(count.saturating_sub(TAIL - 1)) / T::from_usize(count);
        unseen * (share * (seen + unseen)) > smallest * smallest
    }

    /// Estimates whether the basis is too small even with all [`TAIL`] q. [`bound`](Self::bound) is at least the trace of A in
    /// the unseen directions. Each known A·q lowers this trace by q·A·q. The steps that are left are assumed to lower it by the
    /// mean of the steps before. Returns true if it then is still above the smallest wanted eigenvalue.
    pub(crate) fn stays_too_small(&self) -> bool {
        let known = self.count.saturating_sub(1);
        if known < STEPS_BEFORE_ESTIMATE {
            return false;
        }
        let left = T::from_usize(TAIL.saturating_sub(self.count));
        let last = self.arrow.poles.min(MOST).saturating_sub(1);
        let smallest = self.arrow.pole[last] + self.shifts[last];
        // The trace before the first step, outside the v.
        let first = self.middle * T::from_usize(N.saturating_sub(self.before.len()).max(1));
        let lowered = (first - self.unseen) / T::from_usize(known);
        self.unseen - left * lowered > smallest
    }

    /// Ends the arrow with the last q; q·A·q is estimated by the mean eigenvalue of A outside the v and the other q.
    fn end(&mut self) {
        self.arrow.rows = self.count;
        let last = self.count.saturating_sub(1);
        let known = self.before.len().saturating_add(last);
        if let Some(diagonal) = self.arrow.diagonal.get_mut(last) {
            *diagonal = self.unseen.max(T::ZERO) / T::from_usize(N.saturating_sub(known).max(1));
        }
    }

    /// An estimate of ‖A‖, in units of `unit`: f·θ₁ + w·‖d‖². θ₁ is the largest old eigenvalue. w·‖d‖² counts as zero if the
    /// sample is too small to be used.
    fn norm(&self) -> T {
        self.arrow.pole[0] + self.arrow.weight
    }

    /// The largest accepted residual, in units of `unit`.
    fn allowed(&self) -> T {
        T::from_f64(RESIDUAL) * T::EPSILON * self.norm()
    }

    /// Estimates the residual of a pair without a correction, times the length of the eigenvector in `root`.
    fn estimate(&self, root: &Root<T>) -> T {
        let last = self.arrow.rows.min(TAIL).saturating_sub(1);
        root.of_tail[last] * (T::from_f64(SPREAD) * self.arrow.diagonal[last])
    }

    /// The correction of an eigenvector u multiplies the error of u along the unwanted directions (those of eigenvalues that are
    /// not leading) by a factor. Returns an upper bound on this factor, or 1 if the bound is larger. `value` is the eigenvalue of
    /// u.
    fn contraction(&self, value: T) -> T {
        let rest = (self.bound - self.middle).max(self.middle);
        rest / (value - self.middle).max(rest)
    }

    /// Returns an upper bound on all eigenvalues of A except the r largest; r is the number of v.
    pub(crate) fn bound(&mut self) -> T {
        let rows = self.count.saturating_sub(1);
        let unseen = self.unseen.max(T::ZERO);
        let mut lower = unseen;
        for row in 0..rows.min(TAIL) {
            lower = lower.max(self.arrow.diagonal[row]);
        }
        let outside = self.arrow.coupling.get(rows).copied().unwrap_or(T::ZERO);
        let mut gaps = [T::ONE; TAIL];
        for _ in 0..if rows > 1 { HALVINGS } else { 0 } {
            let middle = T::HALF * (lower + self.bound);
            if middle > unseen
                && self
                    .arrow
                    .clears(middle, rows, outside * outside / (middle - unseen), &mut gaps)
            {
                self.bound = middle;
            } else {
                lower = middle;
            }
        }
        self.bound * self.unit
    }

    /// Returns estimates of the leading eigenvalues of A, one for each v, then zeros. Returns `None` if one is not found (for
    /// example because two are too close), or if the estimated residual of a pair after its correction is too large: then the
    /// basis must grow.
    pub(crate) fn values(&mut self) -> Option<[T; MOST]> {
        let mut values = [T::ZERO; MOST];
        let allowed = self.allowed();
        // Begin with the smallest value: it usually needs the largest basis, so a basis that is too small is detected early.
        let accuracy = T::from_f64(ACCURACY) * T::EPSILON * self.norm();
        for k in (0..self.arrow.poles.min(MOST)).rev() {
            let root = &mut self.roots[k];
            if !self.arrow.root(k, accuracy, &mut self.shifts[k], root) {
                return None;
            }
            let root = &self.roots[k];
            let (value, energy) = (root.value, root.energy);
            let error = self.estimate(root) * self.contraction(value);
            if error * error > allowed * allowed * energy {
                return None;
            }
            values[k] = value * self.unit;
        }
        Some(values)
    }

    /// Writes the eigenvectors of the last [`values`](Self::values), each corrected if its measured residual is not small. Replaces
    /// each value of a measured pair by u·A·u; u is the vector before its correction. Returns false if a residual is too large, or
    /// if `vectors` has fewer columns than there are pairs; `vectors` and `values` are then not valid.
    pub(crate) fn vectors(&self, vectors: &mut [[T; N]], values: &mut [T; MOST]) -> bool {
        let mut missed = [T::ZERO; N];
        let allowed = self.allowed();
        let small = T::from_f64(SMALL) * allowed;
        for (k, (root, target)) in self.roots.iter().zip(values).take(self.arrow.poles).enumerate() {
            let Some((others, [vector, ..])) = vectors.split_at_mut_checked(k) else {
                return false;
            };
            // u = Σ partᵢ·vᵢ + Σ partⱼ·qⱼ. The first term, part₁·v₁, overwrites the old content of `vector`.
            let ([part, parts @ ..], [first, directions @ ..]) = (&root.of_poles, self.before) else {
                return false;
            };
            write_scaled(vector, *part, first);
            add_combination(vector, parts, directions);
            add_combination(vector, &root.of_tail, self.basis.get(..self.count).unwrap_or_default());
            take_out(vector, others.iter());
            let energy = dot(vector, vector);
            scale(vector, energy.inverse_sqrt());
            let estimate = self.estimate(root);
            if !self.thorough && estimate * estimate <= small * small * root.energy {
                point_up(vector);
                continue;
            }

            multiply(self.matrix, vector, &mut missed);
            let value = scale_and_dot(&mut missed, T::ONE / self.unit, vector);
            let error = add_scaled_and_square(&mut missed, -value, vector);
            let contraction = self.contraction(value);
            // The correction below must be small: it causes an error of about the size of its square.
            let largest = T::from_f64(CORRECTED) * T::EPSILON * self.norm() * self.norm();
            if !(error * contraction * contraction <= allowed * allowed && error <= largest) {
                return false;
            }
            // The correction: one step of the power method with A − m·I. m = `middle` estimates the mean of all
            // eigenvalues of A that are not leading.
            if error > small * small {
                // First remove the rounding errors of `missed` along the vectors found before: the division by λ − m can enlarge
                // them.
                take_out(&mut missed, others.iter());
                add_scaled(vector, T::ONE / (value - self.middle), &missed);
                let energy = dot(vector, vector);
                scale(vector, energy.inverse_sqrt());
            }
            point_up(vector);
            *target = value * self.unit;
        }
        true
    }
}

/// Removes the parts of a vector along `others` and scales the remainder to norm one. Returns the norm of the remainder before
/// the scaling. Returns zero if this norm is at most ε/4 times `whole`, a rounding error; the vector is then not valid.
fn part_outside<'a, T: Scalar, const N: usize>(
    vector: &mut [T; N],
    whole: T,
    others: impl Iterator<Item = &'a [T; N]> + Clone,
) -> T {
    let negligible = T::from_f64(0.25) * T::EPSILON * whole;
    let negligible = negligible * negligible;
    let mut energy = dot(vector, vector);
    for _ in 0..3 {
        take_out(vector, others.clone());
        let left = dot(vector, vector);
        let mostly = left > T::from_f64(0.25) * energy;
        energy = left;
        // If `mostly` is true, more than half of the length remains. Then the error along `others` is only a rounding error.
        if mostly || left <= negligible {
            break;
        }
    }
    if energy <= negligible {
        return T::ZERO;
    }
    let inverse_length = energy.inverse_sqrt();
    scale(vector, inverse_length);
    energy * inverse_length
}

/// The larger eigenvalue of [a, b; b, c].
fn top<T: Scalar>(a: T, c: T, b: T) -> T {
    let half = T::HALF * (a - c);
    T::HALF * (a + c) + (half * half + b * b).sqrt()
}

#[cfg(test)]
mod tests;
