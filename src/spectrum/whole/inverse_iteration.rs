//! Single eigenvectors of a symmetric tridiagonal matrix whose eigenvalues are known.
//! In: T without negligible couplings, an eigenvalue λ, the vectors already found for values near λ. Out: one more, of length one, orthogonal to those.
//! Method: solve (T − λI)·x = b again and again, b the x before: the direction of λ grows by 1/ε each time while the others
//! do not. Equal values give the same growth to a whole plane; taking away what is already found picks the next direction.
//! Cost: some 45·N operations, 2·N more for each vector nearby; 4·N numbers and N flags of scratch.

use super::tridiagonal::Tridiagonal;
use crate::Scalar;
use crate::spectrum::Convergence;
use crate::spectrum::orthogonality::{complete, normalize, project, take_out};

/// Solves for one vector. Two are the rule, three happen in tight clusters.
const SOLVES: usize = 6;

/// Solves with one shift. A third one that fails shows that the shift has landed beside the value of a vector that was found
/// before: that direction grows most and is taken away again, and little is left of the wanted one.
const SOLVES_BESIDE: usize = 3;

/// ‖(T − λI)·x‖ of a vector that is good enough after one solve, in units of ε·‖T‖. Each further solve may leave as much
/// again: what does not go away is the error of the eigenvalue.
const RESIDUAL: f64 = 4.0;

/// ‖(T − λI)·x‖ of a vector that is accepted after the last solve, in units of N·ε·‖T‖: an error of the size that the reduction
/// of a matrix of N rows to T makes as well. The last vectors of a cluster come here. They are fixed by the vectors before
/// them, so no solve makes their residual smaller than the width of the cluster.
const LAST_RESIDUAL: f64 = 2.0;

/// Vectors whose values differ by less than this part of ‖T‖ are kept orthogonal by force; beyond it they come out
/// orthogonal to ε/NEAR by themselves.
const NEAR: f64 = 0.125;

/// How far to step aside from a value that was found before, in units of ε·‖T‖: beyond the error of both, and so
/// near that whatever grows most there has this value to within what [`RESIDUAL`] allows.
const ASIDE: f64 = 4.0;

/// Values that differ by less than this, in units of ε·‖T‖, are a cluster. Of all its directions but one little is left after
/// taking away those already found, and beside that little the rounding errors along any other vector count.
const CLUSTER: f64 = 64.0;

/// T − λI = P·L·U by elimination with row exchanges.
pub(in crate::spectrum) struct Solver<T, const N: usize> {
    /// 1/U[i][i].
    inverse: [T; N],
    /// U[i][i+1].
    next: [T; N],
    /// U[i][i+2], filled by exchanges.
    second: [T; N],
    /// L[i+1][i].
    multiplier: [T; N],
    /// Whether rows i and i+1 changed places.
    exchanged: [bool; N],
    /// Where the next start goes on, so that no two starts are alike: φ·k² modulo one,
    phase: T,
    /// and the difference to the next.
    stride: T,
    /// Whether two of the values so far are of a cluster.
    clustered: bool,
}

impl<T: Scalar, const N: usize> Solver<T, N> {
    /// Room for the factors, set aside once for many vectors.
    pub(in crate::spectrum) fn new() -> Self {
        Self {
            inverse: [T::ZERO; N],
            next: [T::ZERO; N],
            second: [T::ZERO; N],
            multiplier: [T::ZERO; N],
            exchanged: [false; N],
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

    /// Goes on with another shift, further from the values found before; returns it.
    #[cold]
    #[inline(never)]
    fn step_aside(&mut self, tridiagonal: &Tridiagonal<T, N>, shift: T, aside: T, smallest: T) -> T {
        let shift = shift + aside;
        self.factor(tridiagonal, shift, smallest);
        shift
    }

    /// x ← L⁻¹·P·x.
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

    /// Fills `x` with numbers that no eigenvector is likely to be orthogonal to, the same on every machine.
    fn start(&mut self, x: &mut [T; N]) {
        for value in x.iter_mut() {
            // φ·k² modulo one for k = 1, 2, …, with φ the golden ratio: as good as random.
            self.stride = next_modulo_one(self.stride, T::from_f64(0.236_067_977_499_789_7)); // 2φ
            self.phase = next_modulo_one(self.phase, self.stride);
            *value = self.phase - T::HALF;
        }
    }
}

fn next_modulo_one<T: Scalar>(value: T, stride: T) -> T {
    let next = value + stride;
    if next >= T::ONE { next - T::ONE } else { next }
}

/// A pivot of zero is the very thing that is wanted: it becomes the smallest number that is safe to divide by.
fn away_from_zero<T: Scalar>(pivot: T, smallest: T) -> T {
    if pivot.abs() >= smallest {
        pivot
    } else if pivot < T::ZERO {
        -smallest
    } else {
        smallest
    }
}

/// Writes into the last of `vectors` an eigenvector of T for `value`.
///
/// The vectors before it belong to the values of `found`; `norm` bounds ‖T‖.
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
    // Beside a value that is equal to rounding, a step aside: all directions of the two then grow alike, and what is left
    // after taking away the one found is not a small difference of large numbers.
    let aside = smallest * T::from_f64(ASIDE);
    let mut shift = if nearest <= aside { value + aside } else { value };
    solver.factor(tridiagonal, shift, smallest);
    solver.start(x);
    for solve in 0..SOLVES {
        // The start is as good as any right-hand side: it counts as eliminated already.
        if solve > 0 {
            solver.eliminate(x);
        }
        solver.substitute(x);
        tolerance += T::from_f64(RESIDUAL) * smallest;
        let directed = if nearest <= reach {
            project(x, near.clone())
        } else {
            normalize(x)
        };
        if !directed {
            // The shift has landed on a value that was found before, whose direction is all that grows there, or the start was
            // a sum of the vectors found. The next start has no part of them.
            complete(x, before);
            shift = solver.step_aside(tridiagonal, shift, aside, smallest);
        } else if residual(tridiagonal, value, x) <= tolerance * tolerance {
            if solver.clustered {
                let far = known.filter(|(_, found)| (*found - value).abs() > reach);
                take_out(x, far.map(|(other, _)| other));
            }
            return Convergence::Reached;
        } else if solve + 1 >= SOLVES_BESIDE && nearest <= reach {
            shift = solver.step_aside(tridiagonal, shift, aside, smallest);
        }
    }
    let allowed = T::from_f64(LAST_RESIDUAL) * T::from_usize(N) * smallest;
    after_last_solve(tridiagonal, value, allowed, x, before)
}

/// Makes the vector of the last solve orthogonal to all others, and says whether its residual is at most `allowed`.
#[cold]
#[inline(never)]
fn after_last_solve<T: Scalar, const N: usize>(
    tridiagonal: &Tridiagonal<T, N>,
    value: T,
    allowed: T,
    x: &mut [T; N],
    before: &[[T; N]],
) -> Convergence {
    if !project(x, before.iter()) {
        complete(x, before);
    }
    if residual(tridiagonal, value, x) <= allowed * allowed {
        Convergence::Reached
    } else {
        Convergence::bound_hit()
    }
}

/// ‖(T − λI)·x‖².
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

    #[test]
    fn a_bound_that_is_hit_leaves_a_unit_vector_beside_the_others_and_says_so() {
        let tridiagonal = Tridiagonal {
            diagonal: [4.0_f32, 1.0, 3.0],
            coupling: [1.0, 2.0, 0.0],
        };
        // No eigenvalue is near 100: no vector has a small residual there.
        let mut vectors = [[1.0, 0.0, 0.0], [0.0; 3]];
        let mut solver = Solver::new();
        let convergence = eigenvector(&tridiagonal, 7.0, 100.0, [4.0].into_iter(), &mut solver, &mut vectors);
        assert_eq!(convergence, Convergence::BoundHit);
        let [first, second] = vectors;
        assert!((second.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(first.iter().zip(&second).map(|(a, b)| a * b).sum::<f32>().abs() < 1e-6);
    }
}
