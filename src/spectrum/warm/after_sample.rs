//! The leading eigenpairs of a positive semidefinite matrix after a sample was added.
//! In: A = f·A_old + w·ddᵀ with two numbers f and w, the sample d, and the leading pairs (θᵢ, vᵢ) of A_old. Out: those
//! of A, and an upper bound on all other eigenvalues.
//! Method: in the basis of the v and of Lanczos vectors q, A is an [`Arrow`] with one assumed entry; its pairs are the
//! estimates. A product with A measures each residual; after every second sample, only residuals whose estimate is not
//! small.
//! Proof: `guide::mathematics`, "Eigenpairs from those of the step before".
//! Cost: about N² + 2·(r + m + 3)·N multiply-adds for each of m vectors q, at most 9, and each of r pairs.

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

/// The largest accepted residual, in units of ε·‖A‖; the residual of a corrected pair is an estimate.
const RESIDUAL: f64 = 16.0;

/// A residual below this fraction of the largest accepted residual needs no correction and, after every second sample,
/// no measurement.
///
/// With ¼ the residuals of two samples add up to less than the largest accepted one.
const SMALL: f64 = 0.25;

/// The assumed rounding error of the trace in the unseen directions (see [`RankOneTracker`]), in units of ε·tr A.
const UNSEEN: f64 = 16.0;

/// The assumed error of the estimate of A·q for the last q, in units of the mean eigenvalue in the unseen directions.
/// If this number is too small, products with A are spent on pairs that are then rejected.
const SPREAD: f64 = 8.0;

/// The iteration of an eigenvalue of the arrow matrix stops at a change of at most this, in units of ε·‖A‖; the
/// remaining error is much smaller.
const ACCURACY: f64 = 4.0;

/// The number of known products A·q from which [`stays_too_small`](RankOneTracker::stays_too_small) can return true.
const STEPS_BEFORE_ESTIMATE: usize = 4;

/// The largest residual² that is corrected instead of rejected, in units of ε·‖A‖².
const CORRECTED: f64 = 0.0625;

/// The number of bisections with which [`bound`](RankOneTracker::bound) lowers the upper bound, if at least two A·q are
/// known.
const HALVINGS: usize = 6;

/// The change A ← retention·A + weight·sample·sampleᵀ.
#[derive(Clone, Copy)]
pub(crate) struct Change<'a, T, const N: usize> {
    pub(crate) retention: T,
    pub(crate) weight: T,
    pub(crate) sample: &'a [T; N],
    /// ‖sample‖².
    pub(crate) energy: T,
    /// The number of samples so far; if it is odd, a small estimate needs no measurement.
    pub(crate) number: u64,
}

/// The growing basis of old eigenvectors v and new directions q, and A in this basis.
///
/// In the fields, eigenvalues, traces and bounds are in units of `unit`. *Seen*: the q whose A·q is known. *Unseen*:
/// all directions orthogonal to these q and to the v.
pub(crate) struct RankOneTracker<'a, T, const N: usize> {
    matrix: &'a SMatrix<T, N, N>,
    /// A power of two near tr A.
    unit: T,
    /// The trace of A.
    trace: T,
    /// The eigenvectors v of A_old.
    before: &'a [[T; N]],
    /// The vectors q₁, q₂, …; for the last q, only the entries of A with the vectors before it are known.
    basis: &'a mut [[T; N]],
    /// The number of vectors q.
    count: usize,
    /// Whether every residual is measured.
    thorough: bool,
    arrow: Arrow<T>,
    /// The last estimate of λ − f·θ of each pair.
    shifts: [T; MOST],
    /// The pairs of the last [`values`](Self::values).
    roots: [Root<T>; MOST],
    /// The trace of A in the unseen directions, plus its rounding error.
    unseen: T,
    /// An upper bound on the eigenvalues in the span of the seen q.
    seen: T,
    /// An upper bound on all eigenvalues of A except the r largest, with r the number of v.
    bound: T,
    /// An estimate of the mean of the eigenvalues that `bound` limits.
    middle: T,
}

impl<'a, T: Scalar, const N: usize> RankOneTracker<'a, T, N> {
    /// A tracker that [`begin`](Self::begin) fills in place, because it is too large to be moved. For `basis`, min(N,
    /// [`TAIL`]) columns of any content are enough.
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

    /// Starts the basis with the v and q₁; `values` are the eigenvalues θ of A_old.
    pub(crate) fn begin(&mut self, values: &[T], change: Change<'_, T, N>) {
        let total = trace(self.matrix);
        self.unit = total.power_of_two();
        let inverse_unit = T::ONE / self.unit;
        self.trace = total * inverse_unit;
        self.unseen = self.trace + T::from_f64(UNSEEN) * T::EPSILON * self.trace;
        let arrow = &mut self.arrow;
        if let Some(next) = self.basis.first_mut() {
            self.count = 1;
            // If the sample is smaller, its squares can underflow: then the basis does not use the sample, and every
            // residual is measured.
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

    /// Computes A·q of the last q, and the next q. Returns false if `basis` has no free column, if there are already
    /// [`TAIL`] q, or if the coupling of the last q is zero.
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
        // The known parts are removed first; `part_outside` then removes only rounding errors.
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

    /// Estimates, before the first q, whether the basis is too small even with [`TAIL`] q.
    ///
    /// `values` are all eigenvalues of A_old; the first `wanted` are followed, and the others are zero if they are not
    /// known. The trace in the unseen directions is at least the sum of the smallest eigenvalues; with random q this
    /// trace would be a fixed share of the sum of all others. Returns true if the geometric mean of these two numbers
    /// is above the smallest wanted eigenvalue, and false if the others are zero.
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

    /// Estimates whether the basis is too small even with [`TAIL`] q. Returns true if the trace in the unseen
    /// directions would stay above the smallest wanted eigenvalue, with each further q lowering this trace by the mean
    /// of the steps before.
    pub(crate) fn stays_too_small(&self) -> bool {
        let known = self.count.saturating_sub(1);
        if known < STEPS_BEFORE_ESTIMATE {
            return false;
        }
        let left = T::from_usize(TAIL.saturating_sub(self.count));
        let last = self.arrow.poles.min(MOST).saturating_sub(1);
        let smallest = self.arrow.pole[last] + self.shifts[last];
        // The trace of A in all directions orthogonal to the v.
        let first = self.middle * T::from_usize(N.saturating_sub(self.before.len()).max(1));
        let lowered = (first - self.unseen) / T::from_usize(known);
        self.unseen - left * lowered > smallest
    }

    /// Sets the entry q·A·q of the last q, which is not known, to the mean eigenvalue in the unseen directions.
    fn end(&mut self) {
        self.arrow.rows = self.count;
        let last = self.count.saturating_sub(1);
        let known = self.before.len().saturating_add(last);
        if let Some(diagonal) = self.arrow.diagonal.get_mut(last) {
            *diagonal = self.unseen.max(T::ZERO) / T::from_usize(N.saturating_sub(known).max(1));
        }
    }

    /// An estimate of ‖A‖: f·θ₁ + w·‖d‖².
    fn norm(&self) -> T {
        self.arrow.pole[0] + self.arrow.weight
    }

    /// The largest accepted residual.
    fn allowed(&self) -> T {
        T::from_f64(RESIDUAL) * T::EPSILON * self.norm()
    }

    /// The estimated residual, times the length of the vector in `root`.
    fn estimate(&self, root: &Root<T>) -> T {
        let last = self.arrow.rows.min(TAIL).saturating_sub(1);
        root.of_tail[last] * (T::from_f64(SPREAD) * self.arrow.diagonal[last])
    }

    /// The largest |μ − `middle`| for 0 ≤ μ ≤ `bound`, divided by λ − `middle` with λ = `value`, but at most 1.
    ///
    /// A correction multiplies the error along an eigenvector of such a μ by (μ − `middle`)/(λ − `middle`).
    fn contraction(&self, value: T) -> T {
        let rest = (self.bound - self.middle).max(self.middle);
        rest / (value - self.middle).max(rest)
    }

    /// An upper bound on all eigenvalues of A except the r largest, with r the number of v.
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

    /// Estimates of the leading eigenvalues, one for each v, then zeros. `None` if one is not found or too inaccurate:
    /// the basis must grow.
    pub(crate) fn values(&mut self) -> Option<[T; MOST]> {
        let mut values = [T::ZERO; MOST];
        let allowed = self.allowed();
        // The smallest value comes first, because it usually needs the largest basis.
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

    /// Writes the eigenvectors of the last [`values`](Self::values), corrected if necessary, and the eigenvalues of
    /// measured pairs. Returns false if a residual or the number of pairs is too large; then nothing written is valid.
    pub(crate) fn vectors(&self, vectors: &mut [[T; N]], values: &mut [T; MOST]) -> bool {
        let mut missed = [T::ZERO; N];
        let allowed = self.allowed();
        let small = T::from_f64(SMALL) * allowed;
        for (k, (root, target)) in self.roots.iter().zip(values).take(self.arrow.poles).enumerate() {
            let Some((others, [vector, ..])) = vectors.split_at_mut_checked(k) else {
                return false;
            };
            // `vector` becomes a sum. `write_scaled` writes its first term, so the old content does not matter.
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
            // A correction leaves an error of about the square of its size.
            let largest = T::from_f64(CORRECTED) * T::EPSILON * self.norm() * self.norm();
            if !(error * contraction * contraction <= allowed * allowed && error <= largest) {
                return false;
            }
            // One step of the power method with A − `middle`·I.
            if error > small * small {
                // The division by λ − `middle` can enlarge rounding errors along `others`.
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

/// Removes the parts of `vector` along `others`, scales the rest to length one, and returns the length of the rest
/// before this scaling. Returns zero if this length is at most ε/4·`whole`, which counts as rounding error.
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
        // With more than half of the length left, the error along `others` is a rounding error.
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

/// The larger eigenvalue of the matrix [a, b; b, c].
fn top<T: Scalar>(a: T, c: T, b: T) -> T {
    let half = T::HALF * (a - c);
    T::HALF * (a + c) + (half * half + b * b).sqrt()
}

#[cfg(test)]
mod tests;
