//! The largest eigenvalues of a positive semidefinite matrix and their eigenvectors, from a guess at these.
//! In: a matrix A, vectors near to the wanted ones. Out: the wanted pairs as soon as they are found, and a bound on the
//! eigenvalues that were not.
//! Method: Lanczos. q₁ is the sum of the guesses, each further q the image of the last under A, made orthogonal to all before.
//! In this basis A is tridiagonal, T, and the eigenvalues of T approach those of A, the largest first. Only the last q leads
//! out of the span, by its coupling β to the next, which says how wrong a pair (θ, s) of T is: ‖A·v − θ·v‖ = β·|s_m|. The
//! part of A that the span does not see is positive semidefinite: no eigenvalue of it exceeds its trace, tr A − tr T.
//! Cost: N² + 2·m·N multiply-adds for the m-th vector, twice the second term where a projection cancels; then some
//! 90·`STEPS` operations and m·N multiply-adds for each pair. Scratch: 13·N + 140 numbers.

use super::{
    Convergence,
    inverse_iteration::{Solver, eigenvector},
    orthogonality::project,
    partial::{point_up, sort_descending},
    symmetric::{multiply, trace},
    tridiagonal::Tridiagonal,
    values::eigenvalues,
    vector::{add_scaled, dot, scale},
};
use crate::Scalar;
use heapless::Vec;
use nalgebra::SMatrix;

/// Vectors in the basis, at most. A pair that takes more is cheaper to have from [`PartialEigen`](super::PartialEigen).
pub(crate) const STEPS: usize = 12;

/// Vectors that can be found, at most.
pub(crate) const MOST: usize = STEPS / 2;

/// β·|s_m| of a pair that is found, in units of ε·‖A‖: what a solver for the whole matrix may leave as well.
const RESIDUAL: f64 = 4.0;

/// What rounding may take from the trace that the basis does not see, in units of ε·tr A.
const UNSEEN: f64 = 16.0;

/// A growing basis, and the matrix as seen in it.
pub(crate) struct Krylov<'a, T, const N: usize> {
    matrix: &'a SMatrix<T, N, N>,
    /// A power of two near tr A, in units of which T is.
    unit: T,
    /// tr A, in the same unit.
    trace: T,
    /// q₁, q₂, ….
    basis: Vec<[T; N], STEPS>,
    /// Where A leads from the last of them, beyond the last two: the next one, if it is made orthogonal to all.
    next: [T; N],
    /// β, the length of that; zero if there is no next.
    outside: T,
    /// T.
    projected: Tridiagonal<T, STEPS>,
    /// A bound on ‖T‖ and the eigenvalues of T, descending, as of the last [`solve`](Self::solve).
    norm: T,
    values: [T; STEPS],
}

impl<'a, T: Scalar, const N: usize> Krylov<'a, T, N> {
    /// The basis that begins with the sum of orthonormal guesses.
    pub(crate) fn new(matrix: &'a SMatrix<T, N, N>, guesses: &[[T; N]]) -> Self {
        let trace = trace(matrix);
        let unit = trace.power_of_two();
        let mut start = [T::ZERO; N];
        for guess in guesses {
            add_scaled(&mut start, T::ONE, guess);
        }
        Self {
            matrix,
            unit,
            trace: trace / unit,
            basis: Vec::new(),
            next: start,
            outside: T::ONE,
            projected: Tridiagonal {
                diagonal: [T::ZERO; STEPS],
                coupling: [T::ZERO; STEPS],
            },
            norm: T::ZERO,
            values: [T::ZERO; STEPS],
        }
    }

    /// One vector more; false if there is no room, or nothing outside that A leads to.
    pub(crate) fn grow(&mut self) -> bool {
        let mut vector = self.next;
        if self.basis.is_full() || !project(&mut vector, self.basis.iter()) {
            self.outside = T::ZERO;
            return false;
        }
        // What A·q has along q and along the vector before it goes at once; what rounding leaves of them, and of all
        // others, is small enough that the projection above takes it away in one go.
        let mut image = multiply(self.matrix, &vector);
        scale(&mut image, T::ONE / self.unit);
        let along = dot(&vector, &image);
        add_scaled(&mut image, -along, &vector);
        let Tridiagonal { diagonal, coupling } = &mut self.projected;
        if let Some(diagonal) = diagonal.get_mut(self.basis.len()) {
            *diagonal = along;
        }
        // As many couplings as vectors before this one.
        if let Some((previous, coupling)) = self.basis.iter().zip(coupling).last() {
            add_scaled(&mut image, -self.outside, previous);
            *coupling = self.outside;
        }
        // There is room.
        let _ = self.basis.push(vector);
        self.outside = dot(&image, &image).sqrt();
        self.next = image;
        true
    }

    /// How wrong the pair of a value is likely to be, as part of what is allowed, if the value is one of the first `wanted` and
    /// much the same as this: each vector beyond those has the part β/(θ − α) of the one before it.
    pub(crate) fn likely_error(&self, value: T, wanted: usize) -> T {
        let value = value / self.unit;
        let mut part = self.outside / (T::from_f64(RESIDUAL) * T::EPSILON * value);
        let rows = self
            .projected
            .coupling
            .iter()
            .zip(self.projected.diagonal.iter().skip(1));
        for (&coupling, &diagonal) in rows
            .take(self.basis.len().saturating_sub(1))
            .skip(wanted.saturating_sub(1))
        {
            part *= T::ONE.min(coupling / (value - diagonal).abs());
        }
        part
    }

    /// The eigenvalues of T, descending, each at most the one of A at its place; zero for those that T does not have.
    pub(crate) fn solve(&mut self) -> [T; STEPS] {
        self.norm = self.projected.drop_negligible();
        let _ = eigenvalues(&self.projected, T::EPSILON * self.norm, &mut self.values);
        sort_descending(&mut self.values);
        self.values.map(|value| value * self.unit)
    }

    /// An upper bound on all eigenvalues of A but the first `found`, given that those are found.
    pub(crate) fn bound_beyond(&self, found: usize) -> T {
        // What is left of T, what T does not see, and the coupling between the two: [α, β; β, δ].
        let seen = self.values.get(found).copied().unwrap_or(T::ZERO);
        let mut unseen = self.trace + T::from_f64(UNSEEN) * T::EPSILON * self.trace;
        for &value in &self.projected.diagonal {
            unseen -= value;
        }
        let half = T::HALF * (seen - unseen);
        let root = (half * half + self.outside * self.outside).sqrt();
        (T::HALF * (seen + unseen) + root) * self.unit
    }

    /// Writes the eigenvectors of the first values into `vectors`, if all of them are found. False, and nothing
    /// written, if one of them is not.
    pub(crate) fn vectors(&self, vectors: &mut [[T; N]]) -> bool {
        let mut solver = Solver::new();
        let mut small = Vec::<[T; STEPS], MOST>::new();
        let allowed = T::from_f64(RESIDUAL) * T::EPSILON * self.norm;
        for &value in self.values.iter().take(vectors.len()) {
            if small.push([T::ZERO; STEPS]).is_err() {
                return false;
            }
            let found = self.values.iter().copied();
            let outcome = eigenvector(&self.projected, self.norm, value, found, &mut solver, &mut small);
            let weights = small.last().into_iter().flatten().zip(&self.basis);
            let last = weights.last().map_or(T::ZERO, |(&weight, _)| weight);
            let found = self.outside * last.abs() <= allowed;
            if outcome != Convergence::Reached || !found {
                return false;
            }
        }
        for (vector, weights) in vectors.iter_mut().zip(&small) {
            *vector = [T::ZERO; N];
            for (&weight, direction) in weights.iter().zip(&self.basis) {
                add_scaled(vector, weight, direction);
            }
            point_up(vector);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectrum::PartialEigen;
    use crate::spectrum::symmetric::{add_diagonal, add_outer};

    /// Eigenvalues near 8, 4, 1, 1/2 along directions that are no axes, the others at 1/16.
    fn scatter() -> SMatrix<f64, 16, 16> {
        let mut matrix = SMatrix::zeros();
        add_diagonal(&mut matrix, 1.0 / 16.0);
        for (position, strength) in [8.0, 4.0, 1.0, 0.5].into_iter().enumerate() {
            let mut direction: [f64; 16] =
                core::array::from_fn(|i| if (i * (position + 1)) % 7 < 3 { 1.0 } else { -0.5 });
            assert!(project(&mut direction, [].iter()));
            add_outer(&mut matrix, strength, &direction);
        }
        matrix
    }

    #[test]
    fn leading_pairs_agree_with_those_of_the_whole_matrix_and_nothing_exceeds_the_bound() {
        let matrix = scatter();
        let mut eigen = PartialEigen::new();
        assert_eq!(eigen.decompose(&matrix), Ok(Convergence::Reached));
        let mut exact = SMatrix::<f64, 16, 2>::zeros();
        let _ = eigen.vectors(&[0, 1], &mut exact);
        let mut guesses = exact.data.0;
        for guess in &mut guesses {
            guess[3] += 1e-3;
        }
        let mut krylov = Krylov::new(&matrix, &guesses);
        let mut found = [[0.0; 16]; 2];
        let mut steps = 0;
        while krylov.grow() {
            steps += 1;
            let values = krylov.solve();
            for (position, &value) in values.iter().enumerate().take(steps) {
                assert!(value <= eigen.values()[position] + 1e-12);
            }
            if krylov.vectors(&mut found) {
                break;
            }
        }
        // Four directions beside a multiple of the identity: one step each, and one for the rest.
        assert!((3..=6).contains(&steps), "{steps} steps");
        for (found, exact) in found.iter().zip(&exact.data.0) {
            for (found, exact) in found.iter().zip(exact) {
                assert!((found - exact).abs() < 1e-13);
            }
        }
        let bound = krylov.bound_beyond(2);
        assert!(eigen.values()[2] <= bound && bound < 3.0, "{bound}");
    }

    #[test]
    fn a_direction_that_no_guess_leads_to_is_within_the_bound() {
        // The guess is an axis, and so is all that the basis ever sees of this diagonal matrix.
        let mut matrix = SMatrix::<f32, 14, 14>::zeros();
        matrix[(0, 0)] = 2.0;
        matrix[(1, 1)] = 5.0;
        let mut guess = [0.0; 14];
        guess[0] = 1.0;
        let mut krylov = Krylov::new(&matrix, &[guess]);
        assert!(krylov.grow() && !krylov.grow());
        assert_eq!(krylov.solve()[0], 2.0);
        assert!(krylov.bound_beyond(1) >= 5.0);
    }
}
