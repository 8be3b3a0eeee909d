//! The leading directions of feature space for the points of a window.
//! In: the Gram matrix K of the points xⱼ in the window. Out: its leading eigenpairs (λᵢ, uᵢ), which define the directions
//! vᵢ = λᵢ^(−1/2)·Σⱼ uᵢⱼφ(xⱼ) of the features φ, and the probability pᵢ that direction i is kept. For a sample x: its coordinates
//! vᵢ·φ(x).
//! Method: [KW07] Algorithm 6 with the coordinates Λ^(−1/2)Uᵀy (Λ, U: the eigenvalues and eigenvectors, yⱼ = k(xⱼ, x)); the paper
//! prints Λ⁻¹ in place of Λ^(−1/2). If centered, K is replaced by the centred K̄.
//! A direction "counts" if pᵢ is above p₀, the keep probability of a direction outside the span of the points. An
//! eigenvalue is "in the numerical range" if it is larger than the rounding error of the largest eigenvalue (`in_range`). A
//! "solution" is the result of `exact`: the eigenpairs for the present points. A "refresh" computes a solution. A refresh is
//! pending while points are newer than the last solution.
//! Cost: WINDOW multiply-adds for each coordinate; for a solution see `exact`.
//! Kept: 2·WINDOW·RANK + WINDOW + 3·RANK + 2 numbers and two counts.

use super::ambient::Outlook;
use crate::codec::{Exchange, Layout, Reader, Stored, Writer, stored, validate};
use crate::kernel::gram::matrix::{center_row, centred};
use crate::kernel::{GramWindow, Kernel};
use crate::spectrum::vector::{any_length, dot, whole};
use crate::weights::Subset;
use crate::{Centering, CodecError, Scalar};

/// When a point is removed, a direction stays in use only if more than this fraction of its squared length remains.
const LEAST_REST: f64 = 0.01;

/// The leading directions of the points in a window.
#[derive(Clone, Debug)]
pub(super) struct Directions<T, const WINDOW: usize, const RANK: usize> {
    pub(super) columns: Columns<T, WINDOW, RANK>,
    /// The known eigenvalues λᵢ of the Gram matrix, descending, then zeros.
    pub(super) values: [T; RANK],
    /// λᵢ^(−1/2) with the eigenvalue λᵢ, for at least the first `count` directions. `forget` changes this factor so that the
    /// direction keeps its length. The factor is zero if `forget` has removed the direction.
    pub(super) inverse_roots: [T; RANK],
    /// The keep probability pᵢ of each direction with a known eigenvalue, then zeros.
    pub(super) probabilities: [T; RANK],
    /// p₀, the keep probability of each direction outside the span of the points; zero before the first solution.
    pub(super) outside: T,
    /// The number of directions that count: those with a keep probability above `outside`.
    pub(super) count: usize,
    /// The number of points in the window at the last solution; zero before the first solution.
    pub(super) points: usize,
    /// The shift of each row of K that centres K: the mean of the row minus half the mean of all entries; zero if uncentered.
    pub(super) shifts: [T; WINDOW],
    /// The mean of all entries of K; zero if uncentered.
    pub(super) mean: T,
}

/// First the eigenvectors uᵢ of the Gram matrix, by descending eigenvalue, of the directions that count. Then scratch memory, which
/// is not in the image: the Lanczos basis of `exact` needs both arrays in one piece.
#[derive(Clone, Debug)]
pub(super) struct Columns<T, const WINDOW: usize, const RANK: usize>(pub(super) [[[T; WINDOW]; RANK]; 2]);

impl<T: Scalar, const WINDOW: usize, const RANK: usize> Stored for Columns<T, WINDOW, RANK> {
    const CONTENT: Layout = <[[T; WINDOW]; RANK]>::CONTENT;

    fn store(&self, image: &mut Writer<'_>) {
        let Self([vectors, _]) = self;
        vectors.store(image);
    }

    fn load(image: &mut Reader<'_>) -> Result<Self, CodecError> {
        Ok(Self([Stored::load(image)?, [[T::ZERO; WINDOW]; RANK]]))
    }

    fn replace(&mut self, image: &mut Exchange<'_>) {
        let Self([vectors, _]) = self;
        vectors.replace(image);
    }
}

/// The coordinates of a sample in the directions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coordinates<T, const RANK: usize> {
    /// ‖φ(x)‖²; if centered and after the first solution, the squared distance of φ(x) from μ, the mean of the features of the
    /// points. If a point was replaced after the last solution, this distance is inexact: μ·φ(x) is computed from the present
    /// points, ‖μ‖² from the points of the last solution.
    pub(super) energy: T,
    /// The coordinate vᵢ·φ(x) along each direction vᵢ that counts; zero for other directions. If centered, φ(x) minus the mean of
    /// the features of the points replaces φ(x). If points were replaced after the last solution, they are left out of vᵢ
    /// (`forget`), and the centring is inexact.
    pub(super) values: [T; RANK],
}

impl<T: Scalar, const WINDOW: usize, const RANK: usize> Directions<T, WINDOW, RANK> {
    /// The directions of an empty window.
    pub(super) const fn new() -> Self {
        Self {
            columns: Columns([[[T::ZERO; WINDOW]; RANK]; 2]),
            values: [T::ZERO; RANK],
            inverse_roots: [T::ZERO; RANK],
            probabilities: [T::ZERO; RANK],
            outside: T::ZERO,
            count: 0,
            points: 0,
            shifts: [T::ZERO; WINDOW],
            mean: T::ZERO,
        }
    }

    /// Resets to the directions of an empty window.
    pub(super) fn reset(&mut self) {
        for column in self.columns.0.as_flattened_mut() {
            column.fill(T::ZERO);
        }
        self.values = [T::ZERO; RANK];
        self.inverse_roots = [T::ZERO; RANK];
        self.probabilities = [T::ZERO; RANK];
        self.outside = T::ZERO;
        self.count = 0;
        self.points = 0;
        self.shifts = [T::ZERO; WINDOW];
        self.mean = T::ZERO;
    }

    /// The eigenvectors uᵢ of the Gram matrix.
    pub(super) const fn vectors(&self) -> &[[T; WINDOW]; RANK] {
        let Columns([vectors, _]) = &self.columns;
        vectors
    }

    /// The keep probabilities of the directions that count: those above `outside`.
    pub(super) fn probabilities(&self) -> &[T] {
        self.probabilities.get(..self.count).unwrap_or_default()
    }

    /// Returns an upper limit of p − p₀ for the directions that are not stored, with the keep probability p of a direction and
    /// p₀ = `outside`. If all `RANK` directions count and `RANK` < `WINDOW`, this is p − p₀ of the last stored direction,
    /// otherwise zero.
    pub(super) fn left_out(&self) -> T {
        match self.probabilities.last() {
            Some(&last) if RANK < WINDOW && self.count == RANK => last - self.outside,
            _ => T::ZERO,
        }
    }

    /// Returns the coordinates of a sample with k(x, x) = `norm`. `row` contains its kernel values with the points. The entries
    /// in the slots `left` are set to zero after centring, because their points are newer than the last solution.
    pub(super) fn coordinates(
        &self,
        norm: T,
        mut row: [T; WINDOW],
        left: &Subset<WINDOW>,
        centering: Centering,
    ) -> Coordinates<T, RANK> {
        let mut energy = norm;
        if centering == Centering::Centered && self.points > 0 {
            // A shift is the mean of a row minus half of `self.mean`, so only the other half of `self.mean` is added here.
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
        let stored = any_length(self.vectors())
            .iter()
            .zip(&self.inverse_roots)
            .take(self.count);
        for (coordinate, (vector, &inverse_root)) in values.iter_mut().zip(stored) {
            // A decoded learner can have directions that do not belong to its window: `validate` does not compare them with the
            // window. The limits prevent an infinite coordinate.
            *coordinate = (whole::dot(vector, &row) * inverse_root).max(-T::MAX).min(T::MAX);
        }
        Coordinates { energy, values }
    }

    /// Returns the expected loss of a sample x, (1 − p₀)·‖φ(x)‖² − Σ(pᵢ − p₀)(vᵢ·φ(x))², at least zero, with the keep
    /// probabilities pᵢ of the directions vᵢ, and p₀ = `outside`. If centered, from the first solution on, φ(x) minus the mean of
    /// the features replaces φ(x).
    pub(super) fn expected_loss(&self, coordinates: &Coordinates<T, RANK>, outside: T) -> T {
        let mut loss = (T::ONE - outside) * coordinates.energy;
        for (&probability, &coordinate) in self.probabilities().iter().zip(&coordinates.values) {
            loss -= (probability - outside) * (coordinate * coordinate);
        }
        T::ZERO.max(loss)
    }

    /// Removes the point in `slot` from every direction that counts and scales the direction to its old length. If at most
    /// `LEAST_REST` of the squared length of a direction remains, sets the direction to zero. Only `inverse_roots` changes. The
    /// points of the slots in `left` were removed before; the caller adds `slot` to `left` for later calls. Call this before the
    /// point is replaced.
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
        let Columns([vectors, _]) = &self.columns;
        let stored = vectors.iter().zip(&mut self.inverse_roots).take(self.count);
        for (vector, inverse_root) in stored {
            // v is the direction, φ the features of the point (if centered, minus the mean), a = `part` the coefficient of φ in
            // v, and `overlap` is v·φ. Without the point, ‖v − aφ‖² = 1 − 2a(v·φ) + a²‖φ‖² remains of ‖v‖² = 1.
            let part = vector.get(slot).copied().unwrap_or(T::ZERO) * *inverse_root;
            let overlap = dot(vector, &row) * *inverse_root;
            let rest = T::ONE - part * (T::TWO * overlap - part * norm);
            // A direction of which almost nothing remains is set to zero.
            let keep = rest > T::from_f64(LEAST_REST) && rest.is_finite();
            *inverse_root = if keep { *inverse_root / rest.sqrt() } else { T::ZERO };
        }
    }

    /// Stores the eigenvalues, at most `RANK`, and computes the keep probabilities. `count` becomes the number of stored
    /// directions with a probability above `outside`.
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
                self.count = position.wrapping_add(1);
            }
        }
    }
}

stored!(
    [T: Scalar, const WINDOW: usize, const RANK: usize] Directions<T, WINDOW, RANK> {
        columns, values, inverse_roots, probabilities, outside, count, points, shifts, mean
    }
    if validate
);

impl<T: Scalar, const WINDOW: usize, const RANK: usize> Directions<T, WINDOW, RANK> {
    fn validate(&self) -> Result<(), CodecError> {
        let fits = self.count <= RANK && self.points <= WINDOW;
        validate::accept(fits, CodecError::Count)?;
        validate::probabilities(&self.probabilities)?;
        validate::probabilities(&[self.outside])?;
        validate::not_negative(&self.values)?;
        validate::not_negative(&self.inverse_roots)?;
        validate::within(T::TWO, self.vectors().as_flattened().iter())
    }

    /// Checks `inverse_roots`, `shifts` and `mean` after decoding. Must not be called while a refresh is pending, because a valid
    /// learner can then fail these checks. `loudest` is the largest k(xᵢ, xᵢ).
    pub(super) fn settled(&self, loudest: T) -> Result<(), CodecError> {
        let rounding = T::from_f64(16.0) * T::EPSILON;
        let mut pairs = self.values.iter().zip(&self.inverse_roots).take(self.count);
        let inverse = |(&value, &root): (&T, &T)| (root * value.sqrt() - T::ONE).abs() <= rounding;
        validate::accept(pairs.all(inverse), CodecError::Range)?;
        // Every entry of the Gram matrix is within ±`loudest`. A shift is the mean of a row minus half of `mean`, so it is within
        // ±1.5·`loudest`. The limit 2·`loudest` leaves room for rounding.
        validate::within(
            T::TWO * loudest,
            self.shifts.iter().take(self.points).chain([&self.mean]),
        )
    }
}
