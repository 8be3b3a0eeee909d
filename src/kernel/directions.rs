//! The directions of feature space that a window of points speaks for.
//! In: the Gram matrix K of the window. Out: its leading eigenpairs (λᵢ, uᵢ), which stand for the directions
//! vᵢ = λᵢ^(−1/2)·Σⱼ uᵢⱼφ(xⱼ), each with the probability that it is kept; and of a sample, its coordinates vᵢ·φ(x).
//! Method: [KW07] Algorithm 6 with Λ^(−1/2)Uᵀy for the coordinates, where Λ⁻¹ is printed. Centered: K̄ = JKJ.
//! Cost of a solution: (2/3)·WINDOW³ multiply-adds for the eigenvalues and about WINDOW² + 45·WINDOW for each vector, of which
//! only those that can be kept are computed. Kept: 2·WINDOW·RANK + WINDOW + 3·RANK + 3 numbers and a count.

use super::ambient::Outlook;
use super::gram::in_range;
use super::{Ambient, GramWindow, Kernel, OnlineKernelSettings};
use crate::centering::Centering;
use crate::codec::{sound, stored};
use crate::spectrum::reduced::Reduced;
use crate::spectrum::vector::dot;
use crate::weights::Subset;
use crate::{CodecError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

/// What has to be left of a direction's squared length for it to go on without a point.
const LEAST_REST: f64 = 0.01;

/// Leading directions of the points in a window.
#[derive(Clone, Debug)]
pub(super) struct Directions<T, const WINDOW: usize, const RANK: usize> {
    /// Eigenvectors uᵢ of the Gram matrix, one a column, by falling eigenvalue.
    pub(super) vectors: SMatrix<T, WINDOW, RANK>,
    /// K·uᵢ, which the fast mode carries along.
    pub(super) images: SMatrix<T, WINDOW, RANK>,
    /// Eigenvalues λᵢ.
    pub(super) values: [T; RANK],
    /// λᵢ^(−1/2).
    pub(super) inverse_roots: [T; RANK],
    /// The probability that each is kept, p.
    pub(super) probabilities: [T; RANK],
    /// The same of each direction that no point has shown.
    pub(super) outside: T,
    /// How many directions count: those that are more probable than any outside.
    pub(super) count: usize,
    /// How many are carried on by the fast mode, their eigenvalues in the numerical range.
    pub(super) carried: usize,
    /// How many points they were found from; before the first solution none.
    pub(super) points: usize,
    /// Where the directions start from, as a shift of each row of K: its mean less half the mean of all; zero if uncentered.
    shifts: [T; WINDOW],
    /// The mean of all entries of K; zero if uncentered.
    mean: T,
}

/// A sample as seen from the directions.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<T, const RANK: usize> {
    /// ‖φ(x)‖², about the centre.
    pub(super) energy: T,
    /// vᵢ·φ(x).
    pub(super) coordinates: [T; RANK],
}

impl<T: Scalar, const WINDOW: usize, const RANK: usize> Directions<T, WINDOW, RANK> {
    /// Of no points.
    pub(super) const fn new() -> Self {
        Self {
            vectors: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; WINDOW]; RANK])),
            images: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; WINDOW]; RANK])),
            values: [T::ZERO; RANK],
            inverse_roots: [T::ZERO; RANK],
            probabilities: [T::ZERO; RANK],
            outside: T::ZERO,
            count: 0,
            carried: 0,
            points: 0,
            shifts: [T::ZERO; WINDOW],
            mean: T::ZERO,
        }
    }

    /// Of no points again.
    pub(super) fn reset(&mut self) {
        for column in self.vectors.data.0.iter_mut().chain(&mut self.images.data.0) {
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
    }

    /// The directions that count, with their probabilities.
    pub(super) fn probabilities(&self) -> &[T] {
        self.probabilities.get(..self.count).unwrap_or_default()
    }

    /// A sample with k(x, x) = `norm` and this row of comparisons with the points; what took the place of the points that
    /// `left` is not compared.
    pub(super) fn view(
        &self,
        norm: T,
        mut row: [T; WINDOW],
        left: &Subset<WINDOW>,
        centering: Centering,
    ) -> View<T, RANK> {
        let mut energy = norm;
        if centering == Centering::Centered && self.points > 0 {
            let mut sum = T::ZERO;
            for &entry in row.iter().take(self.points) {
                sum += entry;
            }
            let mean = sum / T::from_usize(self.points);
            // ȳᵢ = yᵢ − mean(y) − (row mean of K) + mean(K).
            let half = T::HALF * self.mean;
            for (entry, &shift) in row.iter_mut().zip(&self.shifts).take(self.points) {
                *entry = (*entry - mean) - (shift - half);
            }
            energy = T::ZERO.max((norm - mean) - (mean - self.mean));
        }
        if !left.is_empty() {
            for (slot, entry) in row.iter_mut().enumerate() {
                if left.contains(slot) {
                    *entry = T::ZERO;
                }
            }
        }
        let mut coordinates = [T::ZERO; RANK];
        let stored = self.vectors.data.0.iter().zip(&self.inverse_roots).take(self.count);
        for (coordinate, (vector, &inverse_root)) in coordinates.iter_mut().zip(stored) {
            *coordinate = dot(vector, &row) * inverse_root;
        }
        View { energy, coordinates }
    }

    /// Expected loss of a sample, q₀·‖φ(x)‖² − Σ(pᵢ − p₀)(vᵢ·φ(x))², with p₀ = 1 − q₀ of what no point has shown.
    pub(super) fn expected_loss(&self, view: &View<T, RANK>, outside: T) -> T {
        let mut loss = (T::ONE - outside) * view.energy;
        for (&probability, &coordinate) in self.probabilities().iter().zip(&view.coordinates) {
            loss -= (probability - outside) * (coordinate * coordinate);
        }
        T::ZERO.max(loss)
    }

    /// All eigenvalues of the window's Gram matrix, descending, none below zero.
    pub(super) fn spectrum<K: Kernel<T, DIM>, const DIM: usize>(
        window: &mut GramWindow<T, K, DIM, WINDOW>,
        centering: Centering,
    ) -> [T; WINDOW] {
        let mut values = [T::ZERO; WINDOW];
        let unit = unit_of(window.norms());
        let mut shifts = [T::ZERO; WINDOW];
        center(window, centering, &mut shifts);
        let reduced = Reduced::of(lend(window, centering, unit, &shifts));
        let _ = reduced.values(&mut values);
        values.map(|value| T::ZERO.max(value * unit))
    }

    /// Solves the eigenproblem of the window from scratch, to rounding; vectors are found for the directions that count and
    /// for `carried` so many, if the points have shown as many.
    pub(super) fn solve<K: Kernel<T, DIM>, const DIM: usize>(
        &mut self,
        window: &mut GramWindow<T, K, DIM, WINDOW>,
        settings: &OnlineKernelSettings<T>,
        keep: usize,
        carried: usize,
    ) {
        self.points = window.len();
        let unit = unit_of(window.norms());
        self.center(window, settings.centering);
        let columns = lend(window, settings.centering, unit, &self.shifts);
        let reduced = Reduced::of(columns);
        if !self.lead(&reduced, unit, settings, keep, carried) {
            self.survey(&reduced, unit, settings, keep, carried);
        }
        let mut scaled = [T::ZERO; RANK];
        for (scaled, &value) in scaled.iter_mut().zip(&self.values) {
            *scaled = value / unit;
        }
        let wanted = self.count.max(self.carried);
        // A bound that is hit is logged by the solver, and its answer is orthonormal all the same.
        let _ = reduced.vectors(
            columns,
            scaled.get(..wanted).unwrap_or_default(),
            &mut self.vectors.data.0,
        );
    }

    /// Finds the eigenvalues that matter and no others, from the largest down; false where too many matter for that to pay.
    fn lead(
        &mut self,
        reduced: &Reduced<T, WINDOW>,
        unit: T,
        settings: &OnlineKernelSettings<T>,
        keep: usize,
        carried: usize,
    ) -> bool {
        let mut values = self.values.map(|value| value / unit);
        let mut scratch = [T::ZERO; RANK];
        let mut known = 0;
        let mut wanted = carried.max(keep.saturating_add(1));
        // Every round knows more values than the last.
        while wanted > known && wanted.saturating_mul(4) <= WINDOW + 16 {
            let Some(values) = values.get_mut(..wanted) else {
                return false;
            };
            reduced.leading(values);
            known = wanted;
            let mut evident = [T::ZERO; RANK];
            for (evident, &value) in evident.iter_mut().zip(values.iter()) {
                *evident = value * unit;
            }
            let evident = evident.get(..known).unwrap_or_default();
            if in_range(evident) < known {
                return false;
            }
            let Some((outlook, least)) = Ambient::leading(evident, settings.learning_rate, keep, &mut scratch) else {
                return false;
            };
            wanted = reduced.count_above(least / unit);
            if wanted <= known {
                self.adopt(&outlook, evident);
                self.carried = carried.min(known);
                return true;
            }
        }
        false
    }

    /// Finds all eigenvalues.
    // Apart, for its scratch is seldom needed.
    #[inline(never)]
    fn survey(
        &mut self,
        reduced: &Reduced<T, WINDOW>,
        unit: T,
        settings: &OnlineKernelSettings<T>,
        keep: usize,
        carried: usize,
    ) {
        let mut values = [T::ZERO; WINDOW];
        let _ = reduced.values(&mut values);
        for value in &mut values {
            *value *= unit;
        }
        let known = values.get(..in_range(&values)).unwrap_or_default();
        let mut scratch = [T::ZERO; WINDOW];
        let rate = settings.learning_rate;
        let outlook = settings.ambient.outlook(known, self.points, rate, keep, &mut scratch);
        self.adopt(&outlook, known);
        self.carried = carried.min(known.len()).min(RANK);
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
        let stored = self.vectors.data.0.iter().zip(&mut self.inverse_roots).take(self.count);
        for (vector, inverse_root) in stored {
            // ‖v − aφ‖² = 1 − 2a(v·φ) + a²‖φ‖² for the part aφ of v that goes.
            let part = vector.get(slot).copied().unwrap_or(T::ZERO) * *inverse_root;
            let overlap = dot(vector, &row) * *inverse_root;
            let rest = T::ONE - part * (T::TWO * overlap - part * norm);
            // What is left of a direction that was mostly this point says nothing.
            let keep = rest > T::from_f64(LEAST_REST) && rest.is_finite();
            *inverse_root = if keep { *inverse_root / rest.sqrt() } else { T::ZERO };
        }
    }

    /// Finds where the directions start from.
    pub(super) fn center<K: Kernel<T, DIM>, const DIM: usize>(
        &mut self,
        window: &GramWindow<T, K, DIM, WINDOW>,
        centering: Centering,
    ) {
        self.mean = center(window, centering, &mut self.shifts);
    }

    /// Takes over eigenvalues and what follows from them; the directions that count are those above the outside.
    pub(super) fn adopt(&mut self, outlook: &Outlook<T>, values: &[T]) {
        self.outside = outlook.outside;
        self.count = 0;
        self.values = [T::ZERO; RANK];
        self.probabilities = [T::ZERO; RANK];
        for (position, &value) in values.iter().enumerate().take(RANK) {
            self.values[position] = value;
            self.inverse_roots[position] = T::ONE / value.sqrt();
            let probability = outlook.probability(value);
            self.probabilities[position] = probability;
            if probability > self.outside {
                self.count = position + 1;
            }
        }
    }
}

/// Writes the shifts that centre K and returns its mean; all zero for directions about zero.
fn center<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const WINDOW: usize>(
    window: &GramWindow<T, K, DIM, WINDOW>,
    centering: Centering,
    shifts: &mut [T; WINDOW],
) -> T {
    if centering == Centering::Uncentered {
        return T::ZERO;
    }
    let mean = window.row_means(shifts);
    let half = T::HALF * mean;
    for shift in shifts.iter_mut().take(window.len()) {
        *shift -= half;
    }
    mean
}

/// The triangle of the window that may be spoilt, filled with K or K̄ over `unit`.
fn lend<'a, T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const WINDOW: usize>(
    window: &'a mut GramWindow<T, K, DIM, WINDOW>,
    centering: Centering,
    unit: T,
    shifts: &[T; WINDOW],
) -> &'a mut [[T; WINDOW]; WINDOW] {
    match centering {
        Centering::Uncentered => window.lend(unit),
        Centering::Centered => window.lend_shifted(unit, shifts),
    }
}

/// A power of two near the trace, which bounds the norm of K.
fn unit_of<T: Scalar>(norms: &[T]) -> T {
    let mut trace = T::ZERO;
    for &norm in norms {
        trace += norm;
    }
    trace.power_of_two()
}

stored!(
    [T: Scalar, const WINDOW: usize, const RANK: usize] Directions<T, WINDOW, RANK> {
        vectors, images, values, inverse_roots, probabilities, outside, count, carried, points, shifts, mean
    }
    if sound
);

impl<T: Scalar, const WINDOW: usize, const RANK: usize> Directions<T, WINDOW, RANK> {
    fn sound(&self) -> Result<(), CodecError> {
        let fits = self.count <= RANK && self.carried <= RANK && self.points <= WINDOW;
        sound::accept(fits, CodecError::Count)?;
        sound::probabilities(&self.probabilities)?;
        sound::probabilities(&[self.outside])?;
        sound::not_negative(&self.values)?;
        sound::not_negative(&self.inverse_roots)?;
        sound::within(T::TWO, self.vectors.iter())
    }
}
