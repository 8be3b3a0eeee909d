//! Single eigenvectors of a symmetric tridiagonal matrix whose eigenvalues are known.
//! In: T without negligible couplings, λ, the eigenvectors found before. Out: an eigenvector of λ, orthogonal to those
//! of near eigenvalues.
//! Method: solves (T − λI)·x = b, with the x of the solve before as b, until the residual is small:
//! `guide::mathematics`, "Inverse iteration". If the first rows of T have no coupling, their axes are eigenvectors.
//! Cost: about 30·N operations for the first solve, 20·N for each further one, and in each 2·N to 6·N multiply-adds for
//! each near vector. Scratch: 4·N numbers and 2·N flags.

use super::tridiagonal::{Tridiagonal, zeros_at_the_start};
use crate::scalar::Scalar;
use crate::spectrum::Convergence;
use crate::spectrum::orthogonality::{complete, normalize, project, project_out};
use crate::spectrum::vector::{rare, rolled, whole};

/// The largest number of solves for an eigenvector.
const SOLVES: usize = 6;

/// The largest number of solves with the first shift if an eigenvalue found before is near.
///
/// If the x of the third solve is not accepted, the shift is probably too close to the eigenvalue found before: the
/// part along its vector grows most and is then removed.
const SOLVES_BESIDE: usize = 3;

/// The largest residual that is accepted after one solve, in units of ε·‖T‖; each further solve adds the same amount.
///
/// A residual that several solves do not reduce usually comes from the error of λ.
const RESIDUAL: f64 = 4.0;

/// The largest residual that is accepted after the last solve, in units of N·ε·‖T‖, about the error of the reduction.
///
/// The last vectors of a cluster need this limit: they must be orthogonal to the others, so their residual can be as
/// large as the width of the cluster.
const LAST_RESIDUAL: f64 = 2.0;

/// Eigenvalues are near if they differ by at most this fraction of ‖T‖: then projection makes the vectors orthogonal.
///
/// The vectors of other eigenvalues are orthogonal up to an error of about [`RESIDUAL`]·ε/NEAR.
const NEAR: f64 = 0.125;

/// The change of the shift, in units of ε·‖T‖, if an eigenvalue found before is not farther than this or after solves
/// that fail.
///
/// It is meant to exceed the errors of both eigenvalues, but to allow a residual within [`RESIDUAL`].
const ASIDE: f64 = 4.0;

/// Eigenvalues that differ by at most this, in units of ε·‖T‖, form a cluster.
///
/// After the projections little of a vector of a cluster remains. Compared with this rest, rounding errors along the
/// vectors of far eigenvalues are large, so these errors are removed too.
const CLUSTER: f64 = 64.0;

/// The choice of an axis if the diagonal entries of several rows without coupling almost equal the eigenvalue.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::spectrum) enum Search {
    /// The first such axis. This search is the shortest, but it can take the axis of another value.
    First,
    /// The axis whose diagonal entry is nearest to the value.
    Nearest,
}

impl Search {
    /// A row that is not `taken` and whose diagonal entry equals `value` up to `reach`.
    #[inline(never)]
    fn row<T: Scalar>(self, diagonal: &[T], taken: &[bool], value: T, mut reach: T) -> Option<usize> {
        let mut found = None;
        for (row, (&entry, &taken)) in rolled(diagonal).zip(taken).enumerate() {
            let distance = (entry - value).abs();
            if !taken && distance <= reach {
                found = Some(row);
                if self == Self::First {
                    break;
                }
                reach = distance;
            }
        }
        found
    }
}

/// The factors of T − shift·I = P·L·U (row exchanges, lower triangle, upper triangle), from Gaussian elimination.
pub(in crate::spectrum) struct Solver<T, const N: usize> {
    /// The numbers 1/U[i][i].
    inverse: [T; N],
    /// The entries U[i][i+1].
    next: [T; N],
    /// The entries U[i][i+2], zero unless rows i and i+1 were exchanged.
    second: [T; N],
    /// The entries L[i+1][i].
    multiplier: [T; N],
    /// Whether rows i and i+1 were exchanged.
    exchanged: [bool; N],
    /// Whether the axis of row i was returned as an eigenvector.
    taken: [bool; N],
    search: Search,
    /// Whether another value has probably taken the axis that belongs to a value.
    starved: bool,
    /// φ·(k² − 1) modulo one, with the golden ratio φ; k is one more than the number of entries that `start` has
    /// written.
    phase: T,
    /// φ·k² − φ·(k − 1)² modulo one, with the k of `phase`.
    stride: T,
    /// Whether two of the eigenvalues so far form a cluster.
    clustered: bool,
}

impl<T: Scalar, const N: usize> Solver<T, N> {
    pub(in crate::spectrum) fn new(search: Search) -> Self {
        Self {
            inverse: [T::ZERO; N],
            next: [T::ZERO; N],
            second: [T::ZERO; N],
            multiplier: [T::ZERO; N],
            exchanged: [false; N],
            taken: [false; N],
            search,
            starved: false,
            phase: T::ZERO,
            stride: T::from_f64(0.618_033_988_749_894_9),
            clustered: false,
        }
    }

    fn factor(&mut self, tridiagonal: &Tridiagonal<T, N>, value: T, smallest: T) {
        let Tridiagonal { diagonal, coupling } = tridiagonal;
        let mut pivot = diagonal[0] - value;
        let mut right = coupling[0];
        for i in 0..N - 1 {
            let (below, corner, beyond) = (coupling[i], diagonal[i + 1] - value, coupling[i + 1]);
            if below.abs() > pivot.abs() {
                let inverse = T::ONE / below;
                let multiplier = pivot * inverse;
                self.inverse[i] = inverse;
                self.next[i] = corner;
                self.second[i] = beyond;
                self.multiplier[i] = multiplier;
                self.exchanged[i] = true;
                pivot = right - multiplier * corner;
                right = -(multiplier * beyond);
            } else {
                let inverse = T::ONE / away_from_zero(pivot, smallest);
                let multiplier = below * inverse;
                self.inverse[i] = inverse;
                self.next[i] = right;
                self.second[i] = T::ZERO;
                self.exchanged[i] = false;
                self.multiplier[i] = multiplier;
                pivot = corner - multiplier * right;
                right = beyond;
            }
        }
        self.inverse[N - 1] = T::ONE / away_from_zero(pivot, smallest);
    }

    /// Returns the new shift `shift` + `aside`, after factoring for it.
    #[cold]
    fn step_aside(&mut self, tridiagonal: &Tridiagonal<T, N>, shift: T, aside: T, smallest: T) -> T {
        let shift = shift + aside;
        self.factor(tridiagonal, shift, smallest);
        shift
    }

    /// x ← L⁻¹·P⁻¹·x.
    fn eliminate(&self, x: &mut [T; N]) {
        for i in 0..N - 1 {
            if self.exchanged[i] {
                let (upper, lower) = (x[i], x[i + 1]);
                x[i] = lower;
                x[i + 1] = upper - self.multiplier[i] * lower;
            } else {
                x[i + 1] -= self.multiplier[i] * x[i];
            }
        }
    }

    /// x ← U⁻¹·x.
    fn substitute(&self, x: &mut [T; N]) {
        let (mut after, mut beyond) = (T::ZERO, T::ZERO);
        let factors = self.next.iter().zip(&self.second).zip(&self.inverse);
        for (entry, ((&next, &second), &inverse)) in x.iter_mut().zip(factors).rev() {
            *entry = (*entry - next * after - second * beyond) * inverse;
            beyond = after;
            after = *entry;
        }
    }

    /// Writes the axis of a row without coupling that is not yet taken and whose diagonal entry equals `value` up to
    /// `tolerance`. Returns false if there is none.
    fn take_axis(&mut self, tridiagonal: &Tridiagonal<T, N>, value: T, tolerance: T, x: &mut [T; N]) -> bool {
        let uncoupled = tridiagonal.uncoupled();
        let diagonal = tridiagonal.diagonal.get(..uncoupled).unwrap_or_default();
        let taken = self.taken.get(..uncoupled).unwrap_or_default();
        let Some(row) = self.search.row(diagonal, taken, value, tolerance) else {
            return false;
        };
        x.fill(T::ZERO);
        if let (Some(entry), Some(taken)) = (x.get_mut(row), self.taken.get_mut(row)) {
            (*entry, *taken) = (T::ONE, true);
        }
        true
    }

    /// Whether the vectors must be computed again, with [`Search::Nearest`].
    pub(in crate::spectrum) fn is_starved(&self) -> bool {
        self.starved
    }

    /// Fills `x` with pseudo-random numbers, equal on all machines, to which no eigenvector is likely to be orthogonal.
    fn start(&mut self, x: &mut [T; N]) {
        fill_at_random(x, &mut self.phase, &mut self.stride);
    }
}

#[inline(never)]
fn fill_at_random<T: Scalar>(x: &mut [T], phase: &mut T, stride: &mut T) {
    for value in x {
        // φ·(k² − 1) modulo one for k = 2, 3, …
        *stride = next_modulo_one(*stride, T::from_f64(0.236_067_977_499_789_7)); // 2φ modulo one
        *phase = next_modulo_one(*phase, *stride);
        *value = *phase - T::HALF;
    }
}

fn next_modulo_one<T: Scalar>(value: T, stride: T) -> T {
    let next = value + stride;
    if next >= T::ONE { next - T::ONE } else { next }
}

/// Replaces a pivot of magnitude below `smallest` by ±`smallest`. Such pivots are expected, because T − λI is singular.
fn away_from_zero<T: Scalar>(pivot: T, smallest: T) -> T {
    if pivot.abs() >= smallest {
        pivot
    } else if pivot < T::ZERO {
        -smallest
    } else {
        smallest
    }
}

/// Writes an eigenvector of T for the eigenvalue `value` into the last of `vectors`.
///
/// The others are the eigenvectors of the first values in `found`.
pub(in crate::spectrum) fn eigenvector<T: Scalar, const N: usize>(
    tridiagonal: &Tridiagonal<T, N>,
    norm: T,
    value: T,
    found: impl Iterator<Item = T> + Clone,
    solver: &mut Solver<T, N>,
    vectors: &mut [[T; N]],
) -> Convergence {
    let Some((x, before)) = vectors.split_last_mut() else {
        return Convergence::Reached;
    };
    let smallest = (norm * T::EPSILON).max(T::MIN_POSITIVE);
    let allowed = T::from_f64(LAST_RESIDUAL) * T::from_usize(N) * smallest;
    let fit = match solver.search {
        Search::First => T::from_f64(RESIDUAL) * smallest,
        // The error of a value can be larger than the limit of `Search::First`.
        Search::Nearest => allowed.max(T::from_f64(RESIDUAL) * smallest),
    };
    if solver.take_axis(tridiagonal, value, fit, x) {
        return Convergence::Reached;
    }
    let mut tolerance = T::ZERO;
    let reach = norm * T::from_f64(NEAR);
    let known = before.iter().zip(found);
    let near = known.clone().filter(|(_, found)| (*found - value).abs() <= reach);
    let near = near.map(|(other, _)| other);
    let mut nearest = T::INFINITY;
    for (_, found) in known.clone() {
        nearest = nearest.min((found - value).abs());
    }
    solver.clustered |= nearest <= smallest * T::from_f64(CLUSTER);
    // With a changed shift the parts along this eigenvector and along the near one grow alike, so the removal of the
    // near one does not leave only rounding errors.
    let aside = smallest * T::from_f64(ASIDE);
    let mut shift = if nearest <= aside { value + aside } else { value };
    solver.factor(tridiagonal, shift, smallest);
    solver.start(x);
    // The eigenvectors of the rows without coupling are axes, so x starts with zeros there; each solve keeps them.
    for entry in x.iter_mut().take(tridiagonal.uncoupled()) {
        *entry = T::ZERO;
    }
    for solve in 0..SOLVES {
        // The first x is arbitrary and needs no elimination.
        if solve > 0 {
            solver.eliminate(x);
        }
        solver.substitute(x);
        tolerance += T::from_f64(RESIDUAL) * smallest;
        let directed = if nearest <= reach {
            project_out(x, |x| {
                for other in near.clone() {
                    let overlap = whole::dot(x, other);
                    whole::add_scaled(x, -overlap, other);
                }
            })
        } else {
            normalize(x)
        };
        if !directed {
            // Either only the parts along vectors found before grew, or the first x was a sum of such vectors, or x
            // overflowed.
            begin_again(tridiagonal, value, x, before);
            solver.starved |= zeros_at_the_start(x) < tridiagonal.uncoupled();
            shift = solver.step_aside(tridiagonal, shift, aside, smallest);
        } else if residual(tridiagonal, value, x) <= tolerance * tolerance {
            if solver.clustered {
                for (other, _) in known.filter(|(_, found)| (*found - value).abs() > reach) {
                    let overlap = rare::dot(x, other);
                    rare::add_scaled(x, -overlap, other);
                }
            }
            return Convergence::Reached;
        } else if solve + 1 >= SOLVES_BESIDE && nearest <= reach {
            shift = solver.step_aside(tridiagonal, shift, aside, smallest);
        }
    }
    let convergence = after_last_solve(tridiagonal, value, allowed, x, before);
    solver.starved |= convergence == Convergence::BoundHit && tridiagonal.uncoupled() > 0;
    convergence
}

/// Makes x a unit vector orthogonal to `before`, starting from the axis with the smallest residual of those with a large
/// enough part outside the span of `before`.
///
/// If x is zero in a block of T, a solve keeps x zero there. So x needs a part in a block of the wanted eigenvector.
#[cold]
fn begin_again<T: Scalar, const N: usize>(
    tridiagonal: &Tridiagonal<T, N>,
    value: T,
    x: &mut [T; N],
    before: &[[T; N]],
) {
    let Tridiagonal { diagonal, coupling } = tridiagonal;
    x.fill(T::ZERO);
    if let Some(entry) = x.get_mut(nearest_axis(diagonal, coupling, value, before.as_flattened())) {
        *entry = T::ONE;
    }
    if !project(x, before) {
        complete(x, before);
    }
}

/// The axis for [`begin_again`]; `before` has the vectors one after the other.
#[cold]
fn nearest_axis<T: Scalar>(diagonal: &[T], coupling: &[T], value: T, before: &[T]) -> usize {
    let (mut best, mut least) = (0, T::INFINITY);
    let mut above = T::ZERO;
    for (axis, (&entry, &coupling)) in diagonal.iter().zip(coupling).enumerate() {
        let size = (entry - value) * (entry - value) + above * above + coupling * coupling;
        above = coupling;
        let mut inside = T::ZERO;
        for &entry in before.iter().skip(axis).step_by(diagonal.len().max(1)) {
            inside += entry * entry;
        }
        // At least one axis has a part of squared length 1/N or more outside the span of `before`.
        if size < least && (T::ONE - inside) * T::from_usize(2 * diagonal.len()) >= T::ONE {
            (best, least) = (axis, size);
        }
    }
    best
}

/// Makes the last x orthogonal to `before`, or replaces x by some unit vector orthogonal to `before`; returns `Reached`
/// if its residual is at most `allowed`.
#[cold]
fn after_last_solve<T: Scalar, const N: usize>(
    tridiagonal: &Tridiagonal<T, N>,
    value: T,
    allowed: T,
    x: &mut [T; N],
    before: &[[T; N]],
) -> Convergence {
    if !project(x, before) {
        complete(x, before);
    }
    if residual(tridiagonal, value, x) <= allowed * allowed {
        Convergence::Reached
    } else {
        Convergence::bound_hit()
    }
}

/// ‖(T − λI)·x‖² with λ = `value`.
#[inline(never)]
fn residual<T: Scalar, const N: usize>(tridiagonal: &Tridiagonal<T, N>, value: T, x: &[T; N]) -> T {
    let Tridiagonal { diagonal, coupling } = tridiagonal;
    let mut sum = T::ZERO;
    let mut carried = T::ZERO;
    for i in 0..N - 1 {
        let entry = carried + (diagonal[i] - value) * x[i] + coupling[i] * x[i + 1];
        carried = coupling[i] * x[i];
        sum += entry * entry;
    }
    let entry = carried + (diagonal[N - 1] - value) * x[N - 1];
    sum + entry * entry
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectrum::whole::ql::eigenvalues;
    use crate::spectrum::whole::selected::sort_descending;

    #[test]
    fn an_eigenvector_has_no_part_along_the_axis_of_a_near_value() {
        let mut tridiagonal = Tridiagonal {
            diagonal: [0.0_f32, 1.0, 0.7, 0.3],
            coupling: [0.0, 0.2, 0.1, 0.0],
        };
        let mut values = [0.0; 4];
        let _ = eigenvalues(&tridiagonal, 0.0, &mut values);
        sort_descending(&mut values);
        // The first row has the third eigenvalue, which is a little below the second.
        tridiagonal.diagonal[0] = values[1] - 3e-4;
        let _ = eigenvalues(&tridiagonal, 0.0, &mut values);
        sort_descending(&mut values);
        let mut vectors = [[0.0; 4]; 4];
        let mut solver = Solver::new(Search::First);
        for count in 1..=4 {
            let (value, found) = (values[count - 1], values.into_iter());
            let outcome = eigenvector(&tridiagonal, 1.5, value, found, &mut solver, &mut vectors[..count]);
            assert_eq!(outcome, Convergence::Reached);
        }
        assert_eq!(vectors[2], [1.0, 0.0, 0.0, 0.0]);
        assert!([0, 1, 3].iter().all(|&other| vectors[other][0] == 0.0), "{vectors:?}");
    }

    #[test]
    fn a_bound_that_is_hit_leaves_a_unit_vector_beside_the_others_and_says_so() {
        let tridiagonal = Tridiagonal {
            diagonal: [4.0_f32, 1.0, 3.0],
            coupling: [1.0, 2.0, 0.0],
        };
        // No eigenvalue is near 100, so no vector has a small residual for 100.
        let mut vectors = [[1.0, 0.0, 0.0], [0.0; 3]];
        let mut solver = Solver::new(Search::First);
        let convergence = eigenvector(&tridiagonal, 7.0, 100.0, [4.0].into_iter(), &mut solver, &mut vectors);
        assert_eq!(convergence, Convergence::BoundHit);
        let [first, second] = vectors;
        assert!((second.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(first.iter().zip(&second).map(|(a, b)| a * b).sum::<f32>().abs() < 1e-6);
    }
}
