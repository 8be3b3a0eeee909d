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
use crate::kernel::gram::{center_row, centred, in_range};
use crate::kernel::{Ambient, GramWindow, Kernel, OnlineKernelSettings};
use crate::spectrum::vector::{any_length, dot, rare, stay_rolled, whole};
use crate::spectrum::whole::Reduced;
use crate::spectrum::{Lanczos, MOST};
use crate::weights::Subset;
use crate::{Centering, CodecError, Scalar};
use nalgebra::SMatrix;

/// The maximum number of Lanczos steps. There are also at most 2·`RANK` steps, because `columns` is the memory of the basis.
const STEPS: usize = 14;

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

    /// Computes all eigenvalues of the window's Gram matrix, or of its centred form, descending. Negative eigenvalues are
    /// replaced by zero.
    pub(super) fn spectrum<K: Kernel<T, DIM>, const DIM: usize>(
        window: &mut GramWindow<T, K, DIM, WINDOW>,
        centering: Centering,
    ) -> [T; WINDOW] {
        let mut values = [T::ZERO; WINDOW];
        let unit = unit_of(window.norms());
        let mut shifts = [T::ZERO; WINDOW];
        center(window, centering, &mut shifts);
        let reduced = Reduced::of(&mut lend(window, centering, unit, &shifts).data.0);
        let _ = reduced.values(&mut values);
        values.map(|value| T::ZERO.max(value * unit))
    }

    /// Solves the eigenproblem of the window up to rounding. Computes the vectors of the directions that count (can be kept), at
    /// most `RANK`.
    pub(super) fn solve<K: Kernel<T, DIM>, const DIM: usize>(
        &mut self,
        window: &mut GramWindow<T, K, DIM, WINDOW>,
        settings: &OnlineKernelSettings<T>,
        keep: usize,
    ) {
        self.points = window.len();
        let unit = unit_of(window.norms());
        self.center(window, settings.centering);
        let matrix = lend(window, settings.centering, unit, &self.shifts);
        // If `WINDOW` is at most the maximum number of Lanczos steps, computing all directions costs less than tracking some.
        let few = WINDOW > STEPS && self.count > keep && self.count <= MOST;
        if !(few && self.track(matrix, unit, settings.learning_rate, keep)) {
            self.find(&mut matrix.data.0, unit, settings, keep);
        }
    }

    /// Computes the leading directions from the last directions by Lanczos steps. Returns false if one of these problems remains
    /// after the last step: the error of an eigenpair is too large, a direction that was not found could be kept, the eigenvalues
    /// found do not determine the threshold τ of `ambient`, more than `MOST` directions count, or the computation of a vector
    /// fails. If the result is false, some of the stored vectors are overwritten.
    #[inline(never)] // separate stack frame: `find` does not need this scratch
    fn track(&mut self, matrix: &SMatrix<T, WINDOW, WINDOW>, unit: T, rate: T, keep: usize) -> bool {
        let last = self.count.checked_sub(1).and_then(|last| self.values.get(last));
        let last = last.copied().unwrap_or(T::ZERO) / unit;
        let mut lanczos = Lanczos::<_, _, STEPS>::new(matrix, self.columns.0.as_flattened_mut(), self.count);
        lanczos.sum_squares();
        while lanczos.grow() {
            if lanczos.likely_error(last, self.count) > T::ONE {
                continue;
            }
            let values = lanczos.solve().map(|value| value * unit);
            let values = values.get(..in_range(&values)).unwrap_or_default();
            let Some((outlook, least)) = Ambient::leading(values, rate, keep) else {
                continue;
            };
            let count = values.iter().take_while(|&&value| value > least).count();
            if lanczos.bound_beyond(count) * unit > least {
                continue;
            }
            if lanczos.replace_with_vectors(count) {
                self.update_probabilities(&outlook, values.get(..count).unwrap_or_default());
                return true;
            }
        }
        false
    }

    /// Computes the leading directions from the window alone.
    #[inline(never)]
    fn find(&mut self, columns: &mut [[T; WINDOW]; WINDOW], unit: T, settings: &OnlineKernelSettings<T>, keep: usize) {
        let reduced = Reduced::of(columns);
        if !self.lead(&reduced, unit, settings, keep) {
            self.survey(&reduced, unit, settings, keep);
        }
        self.find_vectors(&reduced, columns, unit);
    }

    /// Computes the eigenvectors of the directions that count (can be kept). `columns` contains
    /// the reflectors of the reduction to tridiagonal form.
    #[inline(never)] // separate stack frame: the reduction does not need this scratch
    fn find_vectors(&mut self, reduced: &Reduced<T, WINDOW>, columns: &[[T; WINDOW]; WINDOW], unit: T) {
        let mut scaled = [T::ZERO; RANK];
        for (scaled, &value) in scaled.iter_mut().zip(&self.values) {
            *scaled = value / unit;
        }
        let Columns([vectors, _]) = &mut self.columns;
        // The vectors are orthonormal even if the solver reaches its limit of iterations. With the feature `defmt`, on a chip,
        // the solver then writes a line to the log.
        let _ = reduced.vectors(columns, scaled.iter().copied().take(self.count), vectors);
    }

    /// Computes the keep probabilities and only the leading eigenvalues: all whose directions can be kept, and at least the first
    /// `keep` + 1. Returns false in these cases:
    /// - These eigenvalues are more than `RANK`, or so many that `survey` is cheaper.
    /// - One of them can consist of rounding error alone.
    /// - They do not determine the threshold τ of `ambient`.
    #[inline(never)]
    fn lead(&mut self, reduced: &Reduced<T, WINDOW>, unit: T, settings: &OnlineKernelSettings<T>, keep: usize) -> bool {
        let mut values = self.values.map(|value| value / unit);
        let mut known = 0;
        let mut wanted = keep.saturating_add(1);
        // Every round computes more eigenvalues than the round before.
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
            let Some((outlook, least)) = Ambient::leading(evident, settings.learning_rate, keep) else {
                return false;
            };
            wanted = reduced.count_above(least / unit);
            if wanted <= known {
                self.update_probabilities(&outlook, evident);
                return true;
            }
        }
        false
    }

    /// Computes all eigenvalues and the keep probabilities. Stores the first of each, at most `RANK`.
    // A separate function, because its scratch is rarely needed.
    #[inline(never)]
    fn survey(&mut self, reduced: &Reduced<T, WINDOW>, unit: T, settings: &OnlineKernelSettings<T>, keep: usize) {
        let mut values = [T::ZERO; WINDOW];
        let _ = reduced.values(&mut values);
        rare::scale(&mut values, unit);
        let known = values.get(..in_range(&values)).unwrap_or_default();
        let rate = settings.learning_rate;
        let outlook = settings.ambient.outlook(known, self.points, rate, keep);
        self.update_probabilities(&outlook, known);
    }

    /// Stores the shifts and the mean that centre the Gram matrix K.
    pub(super) fn center<K: Kernel<T, DIM>, const DIM: usize>(
        &mut self,
        window: &GramWindow<T, K, DIM, WINDOW>,
        centering: Centering,
    ) {
        self.mean = center(window, centering, &mut self.shifts);
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

/// Writes the shifts that centre the Gram matrix K (the mean of each row minus half the mean of all entries), and returns the
/// mean of all entries. If uncentered, returns zero and leaves `shifts` unchanged.
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
        stay_rolled();
        *shift -= half;
    }
    mean
}

/// Returns the square array of the window, with K/`unit` on the diagonal and above; with the centred K/`unit` if centered.
fn lend<'a, T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const WINDOW: usize>(
    window: &'a mut GramWindow<T, K, DIM, WINDOW>,
    centering: Centering,
    unit: T,
    shifts: &[T; WINDOW],
) -> &'a mut SMatrix<T, WINDOW, WINDOW> {
    match centering {
        Centering::Uncentered => window.lend(unit),
        Centering::Centered => window.lend_shifted(unit, shifts),
    }
}

/// Returns the largest power of two up to the sum of `norms`, or the smallest normal number if the sum is smaller. The sum is
/// the trace of the uncentered Gram matrix, and an upper bound of the norm of K, also if K is centred.
fn unit_of<T: Scalar>(norms: &[T]) -> T {
    let mut trace = T::ZERO;
    for &norm in norms {
        trace += norm;
    }
    trace.power_of_two()
}

#[cfg(test)]
mod tests {
    use crate::kernel::{Gaussian, Kernel, OnlineKernelPca, OnlineKernelSettings};

    /// Points of which most are far apart. The leading eigenvalues have errors of a few ε, and the axes of the distant points are
    /// eigenvectors.
    #[test]
    fn eigenvectors_of_distant_points_are_axes() {
        let points = [
            [-3.971097650615332, 3.01146366354898, 6.550446082133629],
            [-2.6567375603529504, 2.0741445226021007, 4.8279880270798845],
            [-2.9428882553635267, 2.140056896807701, 3.763231042385454],
            [-2.585625495264705, 1.9495107003369871, 3.915889724830304],
            [-2.259441058821438, 1.7500531641410069, 4.117982341033684],
            [0.21701069568065612, -0.25843319026483613, -0.8083338701973202],
            [-2.4605353127931266, 1.7250674582189105, 2.99455702471864],
            [-1.020757429099156, 0.8131013068950121, 2.215307680647216],
            [-2.089016969579, 1.5802684347318745, 3.2184269891352697],
        ];
        let Ok(kernel) = Gaussian::new(30.0_f64) else { return };
        let mut pca = OnlineKernelPca::<f64, _, 3, 1, 20, 20>::new(kernel, OnlineKernelSettings::DEFAULT);
        for point in &points {
            assert_eq!(pca.learn(point), Ok(()));
        }
        let directions = &pca.directions;
        assert_eq!(directions.count, 9);
        for (value, vector) in directions.values.iter().zip(directions.vectors()).take(9) {
            for (row, point) in points.iter().enumerate() {
                let mut image = -value * vector[row];
                for (other, entry) in points.iter().zip(vector) {
                    image += kernel.value(point, other) * entry;
                }
                assert!(image.abs() < 1e-14, "{value}: {image:e}");
            }
        }
    }
}
