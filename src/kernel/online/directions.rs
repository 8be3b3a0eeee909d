//! The directions of feature space that a window of points speaks for.
//! In: the Gram matrix K of the window. Out: its leading eigenpairs (λᵢ, uᵢ), which stand for the directions
//! vᵢ = λᵢ^(−1/2)·Σⱼ uᵢⱼφ(xⱼ), each with the probability that it is kept; and of a sample, its coordinates vᵢ·φ(x).
//! Method: [KW07] Algorithm 6 with Λ^(−1/2)Uᵀy for the coordinates, where Λ⁻¹ is printed. Centered: K̄ = JKJ.
//! Cost: 2·WINDOW multiply-adds for each coordinate; of a solution, see `exact` and `fast`. Kept: 2·WINDOW·RANK + WINDOW + 3·RANK
//! + 4 numbers and three counts.

use super::ambient::Outlook;
use crate::codec::{stored, validate};
use crate::kernel::gram::matrix::{center_row, centred};
use crate::kernel::{GramWindow, Kernel};
use crate::spectrum::vector::dot;
use crate::weights::Subset;
use crate::{Centering, CodecError, Scalar};

/// The least part of a direction's squared length that must remain after a point has left, for the direction to be carried on.
const LEAST_REST: f64 = 0.01;

/// Leading directions of the points in a window.
#[derive(Clone, Debug)]
pub(super) struct Directions<T, const WINDOW: usize, const RANK: usize> {
    /// Eigenvectors uᵢ of the Gram matrix, one a column, by falling eigenvalue; then K·uᵢ, which the fast mode carries along.
    /// Side by side they are room for a basis, while new ones are sought.
    pub(super) columns: [[[T; WINDOW]; RANK]; 2],
    /// Eigenvalues λᵢ.
    pub(super) values: [T; RANK],
    /// λᵢ^(−1/2).
    pub(super) inverse_roots: [T; RANK],
    /// The probability that each is kept, p.
    pub(super) probabilities: [T; RANK],
    /// The keep probability of each direction outside the span of the points.
    pub(super) outside: T,
    /// How many directions count: those that are more probable than any outside.
    pub(super) count: usize,
    /// How many are carried on by the fast mode, their eigenvalues in the numerical range.
    pub(super) carried: usize,
    /// How many points they were found from; before the first solution none.
    pub(super) points: usize,
    /// Where the directions start from, as a shift of each row of K: its mean less half the mean of all; zero if uncentered.
    pub(super) shifts: [T; WINDOW],
    /// The mean of all entries of K; zero if uncentered.
    pub(super) mean: T,
    /// δ, a bound on the norm of the difference between Σpᵢvᵢvᵢᵀ of these directions and of the exact ones; zero for these.
    pub(super) error: T,
}

/// A sample in the coordinates of the directions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coordinates<T, const RANK: usize> {
    /// ‖φ(x)‖², about the centre.
    pub(super) energy: T,
    /// vᵢ·φ(x).
    pub(super) values: [T; RANK],
}

impl<T: Scalar, const WINDOW: usize, const RANK: usize> Directions<T, WINDOW, RANK> {
    /// Of no points.
    pub(super) const fn new() -> Self {
        Self {
            columns: [[[T::ZERO; WINDOW]; RANK]; 2],
            values: [T::ZERO; RANK],
            inverse_roots: [T::ZERO; RANK],
            probabilities: [T::ZERO; RANK],
            outside: T::ZERO,
            count: 0,
            carried: 0,
            points: 0,
            shifts: [T::ZERO; WINDOW],
            mean: T::ZERO,
            error: T::ZERO,
        }
    }

    /// Of no points again.
    pub(super) fn reset(&mut self) {
        for column in self.columns.as_flattened_mut() {
            column.fill(T::ZERO);
        }
        self.values = [T::ZERO; RANK];
        self.inverse_roots = [T::ZERO; RANK];
        self.probabilities = [T::ZERO; RANK];
        self.outside = T::ZERO;
        self.count = 0;
        self.carried = 0;
        self.points = 0;
        self.shifts = [T::ZERO; WINDOW];
        self.mean = T::ZERO;
        self.error = T::ZERO;
    }

    /// The eigenvectors.
    pub(super) const fn vectors(&self) -> &[[T; WINDOW]; RANK] {
        let [vectors, _] = &self.columns;
        vectors
    }

    /// The directions that count, with their probabilities.
    pub(super) fn probabilities(&self) -> &[T] {
        self.probabilities.get(..self.count).unwrap_or_default()
    }

    /// p_RANK − p₀ if all `RANK` places are taken and there are more points: no direction left out has more. Else zero.
    pub(super) fn left_out(&self) -> T {
        match self.probabilities.last() {
            Some(&last) if RANK < WINDOW && self.count == RANK => last - self.outside,
            _ => T::ZERO,
        }
    }

    /// A sample with k(x, x) = `norm` and this row of comparisons with the points; what took the place of the points that
    /// `left` is not compared.
    pub(super) fn coordinates(
        &self,
        norm: T,
        mut row: [T; WINDOW],
        left: &Subset<WINDOW>,
        centering: Centering,
    ) -> Coordinates<T, RANK> {
        let mut energy = norm;
        if centering == Centering::Centered && self.points > 0 {
            // A shift is the mean of a row less half of `mean`, so that the other half is left to add.
            let mean = center_row(&mut row, self.points, &self.shifts, T::HALF * self.mean);
            energy = T::ZERO.max(centred(norm, mean, mean, self.mean));
        }
        if !left.is_empty() {
            for (slot, entry) in row.iter_mut().enumerate() {
                if left.contains(slot) {
                    *entry = T::ZERO;
                }
            }
        }
        let mut values = [T::ZERO; RANK];
        let stored = self.vectors().iter().zip(&self.inverse_roots).take(self.count);
        for (coordinate, (vector, &inverse_root)) in values.iter_mut().zip(stored) {
            // Directions of an image that waits for a refresh are not those of its window yet.
            *coordinate = (dot(vector, &row) * inverse_root).max(-T::MAX).min(T::MAX);
        }
        Coordinates { energy, values }
    }

    /// Expected loss of a sample, q₀·‖φ(x)‖² − Σ(pᵢ − p₀)(vᵢ·φ(x))², with p₀ = 1 − q₀ outside the span of the points.
    pub(super) fn expected_loss(&self, coordinates: &Coordinates<T, RANK>, outside: T) -> T {
        let mut loss = (T::ONE - outside) * coordinates.energy;
        for (&probability, &coordinate) in self.probabilities().iter().zip(&coordinates.values) {
            loss -= (probability - outside) * (coordinate * coordinate);
        }
        T::ZERO.max(loss)
    }

    /// The point in `slot` is about to leave the window: every direction goes on without it, at its old length.
    pub(super) fn forget<K: Kernel<T, DIM>, const DIM: usize>(
        &mut self,
        window: &GramWindow<T, K, DIM, WINDOW>,
        slot: usize,
        left: &Subset<WINDOW>,
    ) {
        let (Some(&norm), Some(&shift)) = (window.norms().get(slot), self.shifts.get(slot)) else {
            return;
        };
        let mut row = window.gram_row(slot);
        for (other, (entry, &other_shift)) in row.iter_mut().zip(&self.shifts).enumerate() {
            *entry = if left.contains(other) {
                T::ZERO
            } else {
                *entry - shift - other_shift
            };
        }
        let norm = norm - T::TWO * shift;
        let [vectors, _] = &self.columns;
        let stored = vectors.iter().zip(&mut self.inverse_roots).take(self.count);
        for (vector, inverse_root) in stored {
            // ‖v − aφ‖² = 1 − 2a(v·φ) + a²‖φ‖² for the part aφ of v that goes.
            let part = vector.get(slot).copied().unwrap_or(T::ZERO) * *inverse_root;
            let overlap = dot(vector, &row) * *inverse_root;
            let rest = T::ONE - part * (T::TWO * overlap - part * norm);
            // A direction that consisted mostly of this point is given up.
            let keep = rest > T::from_f64(LEAST_REST) && rest.is_finite();
            *inverse_root = if keep { *inverse_root / rest.sqrt() } else { T::ZERO };
        }
    }

    /// Takes over the eigenvalues and computes the probabilities from them; the directions that count are those above the outside.
    pub(super) fn update_probabilities(&mut self, outlook: &Outlook<T>, values: &[T]) {
        self.outside = outlook.outside;
        self.count = 0;
        self.values = [T::ZERO; RANK];
        self.probabilities = [T::ZERO; RANK];
        let places = self.values.iter_mut().zip(&mut self.inverse_roots);
        let places = places.zip(&mut self.probabilities).zip(values);
        for (position, (((own, inverse_root), probability), &value)) in places.enumerate() {
            *own = value;
            *inverse_root = T::ONE / value.sqrt();
            *probability = outlook.keeping.probability(value);
            if *probability > self.outside {
                self.count = position + 1;
            }
        }
    }
}

stored!(
    [T: Scalar, const WINDOW: usize, const RANK: usize] Directions<T, WINDOW, RANK> {
        columns, values, inverse_roots, probabilities, outside, count, carried, points, shifts, mean, error
    }
    if validate
);

impl<T: Scalar, const WINDOW: usize, const RANK: usize> Directions<T, WINDOW, RANK> {
    fn validate(&self) -> Result<(), CodecError> {
        let fits = self.count <= RANK && self.carried <= RANK && self.points <= WINDOW;
        validate::accept(fits, CodecError::Count)?;
        validate::probabilities(&self.probabilities)?;
        validate::probabilities(&[self.outside])?;
        validate::not_negative(&self.values)?;
        validate::not_negative(&self.inverse_roots)?;
        validate::accept(self.error >= T::ZERO && self.error <= T::MAX, CodecError::Range)?;
        validate::within(T::TWO, self.vectors().as_flattened().iter())
    }

    /// Checks the directions right after a refresh, for a window whose loudest point has this norm.
    pub(super) fn settled(&self, loudest: T) -> Result<(), CodecError> {
        let rounding = T::from_f64(16.0) * T::EPSILON;
        let mut pairs = self.values.iter().zip(&self.inverse_roots).take(self.count);
        let inverse = |(&value, &root): (&T, &T)| (root * value.sqrt() - T::ONE).abs() <= rounding;
        validate::accept(pairs.all(inverse), CodecError::Range)?;
        // By construction means over the Gram matrix, whose entries are at most `loudest`; ×2 for rounding.
        validate::within(
            T::TWO * loudest,
            self.shifts.iter().take(self.points).chain([&self.mean]),
        )
    }
}
