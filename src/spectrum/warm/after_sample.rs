//! The leading eigenpairs of a positive semidefinite matrix that has just met a sample, from those that it had before.
//! In: A = f·A_old + w·d·dᵀ, the sample d with f and w, the pairs (θᵢ, vᵢ) of A_old. Out: the pairs of A in their place, as soon
//! as they are found, and a bound on all its other eigenvalues.
//! Method: A·vᵢ = f·θᵢ·vᵢ + w·(vᵢ·d)·d lies in the span of the v and of q₁, the part of d beside them. Only q₁ leads out, to q₂,
//! and that to q₃ (Lanczos). In this basis A is an [`Arrow`]. A·q of the last basis vector is not computed; its diagonal entry is
//! estimated by the mean of the remaining spectrum. The estimate only proposes pairs: one product with A measures the residual
//! ‖A·v − λ·v‖ of each pair, corrects the pair once, and rejects it if the residual is too large. So errors do not add up over the
//! trials.
//! Bound: orthogonal to the v of before are the q and an unseen rest, positive semidefinite, none of whose eigenvalues exceeds its
//! trace; one less than λ is left to all others where this tail clears λ.
//! Cost: N² + 10·N multiply-adds for each q, one to five as a rule, and as much for each pair. Scratch: 18·N + 80 numbers.

use super::arrow::{Arrow, Root, TAIL};
use crate::Scalar;
use crate::spectrum::MOST;
use crate::spectrum::orthogonality::take_out;
use crate::spectrum::symmetric::{multiply, trace};
use crate::spectrum::vector::{add_scaled, dot, scale};
use crate::spectrum::whole::selected::point_up;
use heapless::Vec;
use nalgebra::SMatrix;

/// ‖A·v − λ·v‖ of a pair that is found, in units of ε·‖A‖: what a solver for the whole matrix may leave as well.
const RESIDUAL: f64 = 4.0;

/// The rounding error of the trace outside the basis, in units of ε·tr A.
const UNSEEN: f64 = 16.0;

/// The largest error of the image of the last q, in units of the mean eigenvalue outside the basis. An estimate is enough, because the
/// pairs are measured.
const SPREAD: f64 = 4.0;

/// ‖A·v − λ·v‖² of a pair that can be corrected, in units of ε·‖A‖².
const CORRECTED: f64 = 0.0625;

/// How often the bound on the other eigenvalues is made tighter, each time by half of what it may be off.
const HALVINGS: usize = 6;

/// The last change of a matrix: A ← retention·A + weight·sample·sampleᵀ.
#[derive(Clone, Copy)]
pub(crate) struct Change<'a, T, const N: usize> {
    /// f.
    pub(crate) retention: T,
    /// w.
    pub(crate) weight: T,
    /// d.
    pub(crate) sample: &'a [T; N],
    /// ‖d‖².
    pub(crate) energy: T,
}

/// The basis as it grows, and the matrix as seen in it, in units of `unit`.
pub(crate) struct RankOneTracker<'a, T, const N: usize> {
    matrix: &'a SMatrix<T, N, N>,
    /// A power of two near tr A.
    unit: T,
    /// tr A.
    trace: T,
    /// v.
    before: &'a [[T; N]],
    /// q₁, q₂, …; of the last of them, only the coupling to the one before is known.
    basis: Vec<[T; N], TAIL>,
    /// A in this basis.
    arrow: Arrow<T>,
    /// λ − f·θ of each pair, as last found.
    shifts: [T; MOST],
    /// The trace of A among all that neither the v nor the q with a known image lead to.
    unseen: T,
    /// A bound on the eigenvalues of A among these q,
    seen: T,
    /// and on all eigenvalues of A but the first, as many as there are v.
    bound: T,
    /// The mean of those.
    middle: T,
}

impl<'a, T: Scalar, const N: usize> RankOneTracker<'a, T, N> {
    /// Nothing yet; filled in place by [`begin`](Self::begin), since it is too large to be moved.
    #[inline(always)]
    pub(crate) fn new(matrix: &'a SMatrix<T, N, N>, before: &'a [[T; N]]) -> Self {
        Self {
            matrix,
            unit: T::ONE,
            trace: T::ZERO,
            before,
            basis: Vec::new(),
            arrow: Arrow::new(),
            shifts: [T::ZERO; MOST],
            unseen: T::ZERO,
            seen: T::ZERO,
            bound: T::ZERO,
            middle: T::ZERO,
        }
    }

    /// The basis of the v and of the sample, given the eigenvalues of before.
    pub(crate) fn begin(&mut self, values: &[T], change: Change<'_, T, N>) {
        let total = trace(self.matrix);
        self.unit = total.power_of_two();
        let inverse_unit = T::ONE / self.unit;
        self.trace = total * inverse_unit;
        self.unseen = self.trace + T::from_f64(UNSEEN) * T::EPSILON * self.trace;
        let arrow = &mut self.arrow;
        let _ = self.basis.push([T::ZERO; N]);
        if let Some(next) = self.basis.last_mut() {
            // Below this a sample has no direction to speak of; what it did to A is found where the pairs are measured.
            if change.energy >= T::MIN_POSITIVE / T::EPSILON {
                add_scaled(next, change.energy.inverse_sqrt(), change.sample);
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

    /// Computes the image of the last q, and with it one q more; false if there is no room, or nothing that A leads to.
    pub(crate) fn grow(&mut self) -> bool {
        let here = self.basis.len().saturating_sub(1);
        let Some(&before) = self.arrow.coupling.get(here) else {
            return false;
        };
        if before == T::ZERO || self.basis.push([T::ZERO; N]).is_err() {
            return false;
        }
        let Some((next, [head @ .., last])) = self.basis.split_last_mut() else {
            return false;
        };
        multiply(self.matrix, last, next);
        scale(next, T::ONE / self.unit);
        let along = dot(last, next);
        // Subtract the known parts of A·q first. The rounding errors that remain, along these and all other vectors, are then so
        // small that one projection removes them.
        add_scaled(next, -along, last);
        match head.last() {
            Some(previous) => {
                add_scaled(next, -before, previous);
                self.seen = top(self.seen, along, before);
            }
            None => {
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

    /// Ends the tail with the last q; its diagonal entry is the mean eigenvalue outside the basis.
    fn end(&mut self) {
        self.arrow.rows = self.basis.len();
        let known = self.before.len() + self.basis.len().saturating_sub(1);
        if let Some(diagonal) = self.arrow.diagonal.get_mut(self.basis.len().saturating_sub(1)) {
            *diagonal = self.unseen.max(T::ZERO) / T::from_usize(N.saturating_sub(known).max(1));
        }
    }

    /// ‖A‖, near enough.
    fn norm(&self) -> T {
        self.arrow.pole[0] + self.arrow.weight
    }

    /// The largest part of the error of a pair that a correction leaves.
    fn contraction(&self, value: T) -> T {
        let rest = (self.bound - self.middle).max(self.middle);
        rest / (value - self.middle).max(rest)
    }

    /// An upper bound on all eigenvalues of A but the first, as many as there are v.
    pub(crate) fn bound(&mut self) -> T {
        let rows = self.basis.len().saturating_sub(1);
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

    /// The leading eigenvalues of A, if their pairs are likely to be found. One that takes a larger basis, or that is too near to
    /// another to tell, is not.
    pub(crate) fn values(&mut self) -> Option<[T; MOST]> {
        let mut values = [T::ZERO; MOST];
        let mut root = Root::new();
        let last = self.arrow.rows.min(TAIL).saturating_sub(1);
        let spread = T::from_f64(SPREAD) * self.arrow.diagonal[last];
        let allowed = T::from_f64(RESIDUAL) * T::EPSILON * self.norm();
        // The last is the last to be found.
        for k in (0..self.arrow.poles.min(MOST)).rev() {
            if !self
                .arrow
                .root(k, T::HALF * T::EPSILON * self.norm(), &mut self.shifts[k], &mut root)
            {
                return None;
            }
            let error = root.of_tail[last] * spread * self.contraction(root.value);
            if error * error > allowed * allowed * root.energy {
                return None;
            }
            values[k] = root.value * self.unit;
        }
        Some(values)
    }

    /// Writes the vectors that belong to the [`values`](Self::values), and the values as these vectors have them. False, and
    /// nothing of use written, if one of them is not what it should be.
    pub(crate) fn vectors(&mut self, vectors: &mut Vec<[T; N], MOST>, values: &mut [T; MOST]) -> bool {
        let mut root = Root::new();
        let mut missed = [T::ZERO; N];
        let allowed = T::from_f64(RESIDUAL) * T::EPSILON * self.norm();
        vectors.clear();
        for k in 0..self.arrow.poles.min(MOST) {
            let accuracy = T::HALF * T::EPSILON * self.norm();
            if !self.arrow.root(k, accuracy, &mut self.shifts[k], &mut root) || vectors.push([T::ZERO; N]).is_err() {
                return false;
            }
            let Some((vector, others)) = vectors.split_last_mut() else {
                return false;
            };
            let parts = root.of_poles.iter().zip(self.before);
            for (&part, direction) in parts.chain(root.of_tail.iter().zip(&self.basis)) {
                add_scaled(vector, part, direction);
            }
            take_out(vector, others.iter());
            let energy = dot(vector, vector);
            scale(vector, energy.inverse_sqrt());

            multiply(self.matrix, vector, &mut missed);
            scale(&mut missed, T::ONE / self.unit);
            let value = dot(vector, &missed);
            add_scaled(&mut missed, -value, vector);
            let error = dot(&missed, &missed);
            let contraction = self.contraction(value);
            // A correction must be small: it changes the other directions by its square.
            let small = T::from_f64(CORRECTED) * T::EPSILON * self.norm() * self.norm();
            if !(error * contraction * contraction <= allowed * allowed && error <= small) {
                return false;
            }
            // A step towards A·v, from which the mean of all other eigenvalues is taken away.
            if error > allowed * allowed {
                // The division would enlarge the rounding errors along the other vectors.
                take_out(&mut missed, others.iter());
                add_scaled(vector, T::ONE / (value - self.middle), &missed);
                let energy = dot(vector, vector);
                scale(vector, energy.inverse_sqrt());
            }
            point_up(vector);
            values[k] = value * self.unit;
        }
        true
    }
}

/// Takes the directions of `others` out of a vector and scales the rest to length one. Returns how long it was; zero, and anything
/// in the vector, if that is the rounding of a vector of length `whole`.
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
        // Half the length is left: whatever rounding brought in is as small as rounding.
        if mostly || left <= negligible {
            break;
        }
    }
    if energy <= negligible {
        return T::ZERO;
    }
    let length = energy.sqrt();
    scale(vector, T::ONE / length);
    length
}

/// The larger eigenvalue of [a, b; b, c].
fn top<T: Scalar>(a: T, c: T, b: T) -> T {
    let half = T::HALF * (a - c);
    T::HALF * (a + c) + (half * half + b * b).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectrum::PartialEigen;
    use crate::spectrum::symmetric::{add_diagonal, add_outer, scale_upper};
    use nalgebra::ArrayStorage;

    const DIM: usize = 16;
    type Matrix<T> = SMatrix<T, DIM, DIM>;

    fn scatter() -> Matrix<f64> {
        let mut matrix = SMatrix::zeros();
        add_diagonal(&mut matrix, 1.0 / 16.0);
        for (position, strength) in [8.0, 4.0, 1.0, 0.5].into_iter().enumerate() {
            add_outer(&mut matrix, strength / 8.0, &sample(position + 1));
        }
        matrix
    }

    /// A direction that is no axis, another one for each number.
    fn sample(number: usize) -> [f64; DIM] {
        core::array::from_fn(|i| if (i * number) % 7 < 3 { 1.0 } else { -0.5 })
    }

    fn exact(matrix: &Matrix<f64>) -> ([f64; DIM], [[f64; DIM]; 2]) {
        let mut eigen = PartialEigen::new();
        assert!(eigen.decompose(matrix).is_ok());
        let mut vectors = SMatrix::<f64, DIM, 2>::from_array_storage(ArrayStorage([[0.0; DIM]; 2]));
        let _ = eigen.vectors(&[0, 1], &mut vectors);
        (eigen.values().data.0[0], vectors.data.0)
    }

    /// Follows two pairs of a matrix that meets `met` and compares them with those of the matrix itself; returns how many images
    /// it took, and none if the pairs were lost.
    fn follow(old: &Matrix<f64>, guesses: &[[f64; DIM]; 2], values: &[f64], met: [f64; DIM]) -> Option<usize> {
        let mut matrix = *old;
        scale_upper(&mut matrix, 0.9);
        add_outer(&mut matrix, 0.25, &met);
        let change = Change {
            retention: 0.9,
            weight: 0.25,
            sample: &met,
            energy: dot(&met, &met),
        };
        let (all_values, directions) = exact(&matrix);
        let mut tracker = RankOneTracker::new(&matrix, guesses);
        tracker.begin(values, change);
        let mut found = Vec::new();
        for images in 1.. {
            let grown = tracker.grow();
            assert!(
                tracker.bound() >= all_values[2],
                "beyond the bound with {images} images"
            );
            if let Some(mut values) = tracker.values()
                && tracker.vectors(&mut found, &mut values)
            {
                for (pair, vector) in found.iter().enumerate() {
                    assert!((values[pair] - all_values[pair]).abs() < 1e-13);
                    for (entry, exact) in vector.iter().zip(&directions[pair]) {
                        assert!((entry - exact).abs() < 1e-13);
                    }
                }
                return Some(images);
            }
            if !grown {
                break;
            }
        }
        None
    }

    #[test]
    fn pairs_are_those_of_the_whole_matrix_and_nothing_exceeds_the_bound() {
        let old = scatter();
        let (values, directions) = exact(&old);
        // Beside what two pairs span, five directions and a multiple of the identity.
        let images = follow(&old, &directions, &values, sample(9));
        assert!(images.is_some_and(|images| images <= 5), "{images:?}");
        // Nothing new: the sample is one of the pairs, or nothing at all.
        assert!(follow(&old, &directions, &values, directions[1]).is_some());
        assert!(follow(&old, &directions, &values, [0.0; DIM]).is_some());
    }

    #[test]
    fn pairs_that_were_none_are_seen_to_be_none() {
        let old = scatter();
        let (values, mut directions) = exact(&old);
        directions[1] = [0.0; DIM];
        directions[1][0] = 1.0;
        directions[1][5] = -1.0;
        let first = directions[0];
        part_outside(&mut directions[1], 1.0, [first].iter());
        assert_eq!(follow(&old, &directions, &values, sample(9)), None);
    }

    #[test]
    fn a_direction_that_nothing_leads_to_is_within_the_bound() {
        let mut old = Matrix::<f64>::zeros();
        (old[(0, 0)], old[(1, 1)], old[(2, 2)]) = (9.0, 8.0, 2.0);
        let (values, directions) = exact(&old);
        // The sample is an axis, and so is all that the basis ever sees of this diagonal matrix.
        let mut met = [0.0; DIM];
        met[5] = 1.0;
        assert!(follow(&old, &directions, &values, met).is_some());
    }
}
