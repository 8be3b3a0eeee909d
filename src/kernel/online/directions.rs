//! The leading directions for the points of a window.
//! In: the Gram matrix K. Out: the directions that *count*: their keep probability is above that of a direction
//! outside the span of the points; for a sample its coordinates.
//! Method: [KW07] Algorithm 6 with Λ^(−1/2) in place of the printed Λ⁻¹ (Λ: the eigenvalues); Lanczos steps from the
//! last directions (`spectrum::warm`) or, if these fail, the tridiagonal form of K.
//! Cost: about WINDOW² + 30·WINDOW multiply-adds for each of at most 14 Lanczos steps, and small eigenproblems; without
//! these steps or after they fail, (2/3)·WINDOW³, and WINDOW² and about 250·WINDOW operations for each eigenpair.

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

/// The largest number of Lanczos steps; [`Columns`] has room for 2·`RANK` steps, which can be fewer.
const STEPS: usize = 14;

/// A direction stays in use after the removal of a point if more than this part of its squared length remains.
const LEAST_REST: f64 = 0.01;

/// The leading directions of the points in a window.
#[derive(Clone, Debug)]
pub(super) struct Directions<T, const WINDOW: usize, const RANK: usize> {
    pub(super) columns: Columns<T, WINDOW, RANK>,
    /// The known eigenvalues, descending, then zeros.
    pub(super) values: [T; RANK],
    /// λᵢ^(−1/2) for at least the first `count` directions; `forget` changes it so that a direction keeps its length,
    /// or sets it to zero.
    pub(super) inverse_roots: [T; RANK],
    /// The keep probabilities of the known eigenvalues, then zeros.
    pub(super) probabilities: [T; RANK],
    /// The keep probability p₀ of each direction outside the span of the points; zero before the first solution.
    pub(super) outside: T,
    /// The number of stored directions with a keep probability above `outside`.
    pub(super) count: usize,
    /// The number of points at the last solution.
    pub(super) points: usize,
    /// The mean of each row of K before centring, minus half the mean of all entries; zero if uncentered.
    pub(super) shifts: [T; WINDOW],
    /// The mean of all entries of K before centring; zero if uncentered.
    pub(super) mean: T,
}

/// The eigenvectors of the directions that count, then scratch that is not in the image.
///
/// The Lanczos basis needs both arrays in one piece.
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
    /// ‖φ(x)‖²; inexact if centered and a point was replaced after the last solution.
    pub(super) energy: T,
    /// vᵢ·φ(x) for each direction that counts, then zeros.
    pub(super) values: [T; RANK],
}

impl<T: Scalar, const WINDOW: usize, const RANK: usize> Directions<T, WINDOW, RANK> {
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

    pub(super) const fn vectors(&self) -> &[[T; WINDOW]; RANK] {
        let Columns([vectors, _]) = &self.columns;
        vectors
    }

    /// The keep probabilities of the directions that count.
    pub(super) fn probabilities(&self) -> &[T] {
        self.probabilities.get(..self.count).unwrap_or_default()
    }

    /// An upper limit of pᵢ − p₀ for the directions that are not stored.
    pub(super) fn left_out(&self) -> T {
        match self.probabilities.last() {
            Some(&last) if RANK < WINDOW && self.count == RANK => last - self.outside,
            _ => T::ZERO,
        }
    }

    /// The coordinates of a sample with k(x, x) = `norm` and the kernel values `row`; `left` has the slots whose points
    /// are not used.
    pub(super) fn coordinates(
        &self,
        norm: T,
        mut row: [T; WINDOW],
        left: &Subset<WINDOW>,
        centering: Centering,
    ) -> Coordinates<T, RANK> {
        let mut energy = norm;
        if centering == Centering::Centered && self.points > 0 {
            // Half of `self.mean` is already subtracted in each shift.
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
            // Decoded directions can belong to another window, and can then give an infinite coordinate.
            *coordinate = (whole::dot(vector, &row) * inverse_root).max(-T::MAX).min(T::MAX);
        }
        Coordinates { energy, values }
    }

    /// The expected loss (1 − p₀)·‖φ(x)‖² − Σ(pᵢ − p₀)(vᵢ·φ(x))², at least zero; p₀ = `outside`.
    pub(super) fn expected_loss(&self, coordinates: &Coordinates<T, RANK>, outside: T) -> T {
        let mut loss = (T::ONE - outside) * coordinates.energy;
        for (&probability, &coordinate) in self.probabilities().iter().zip(&coordinates.values) {
            loss -= (probability - outside) * (coordinate * coordinate);
        }
        T::ZERO.max(loss)
    }

    /// Removes the point in `slot`, before it is replaced, from every direction that counts, and restores the length of
    /// the direction.
    ///
    /// Only `inverse_roots` changes; it becomes zero if too little of a direction remains. The points in the slots
    /// `left` were removed before.
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
            // ‖v − aφ‖² = 1 − 2a(v·φ) + a²‖φ‖² remains, with the features φ of the point, a = `part` and v·φ =
            // `overlap`.
            let part = vector.get(slot).copied().unwrap_or(T::ZERO) * *inverse_root;
            let overlap = dot(vector, &row) * *inverse_root;
            let rest = T::ONE - part * (T::TWO * overlap - part * norm);
            let keep = rest > T::from_f64(LEAST_REST) && rest.is_finite();
            *inverse_root = if keep { *inverse_root / rest.sqrt() } else { T::ZERO };
        }
    }

    /// Stores the first `RANK` of `values`, and computes their keep probabilities.
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

    /// All eigenvalues of the window, descending; a negative eigenvalue becomes zero.
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

    /// Computes the directions of the present window, up to rounding.
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
        // A window of at most `STEPS` slots is small enough for `find`.
        let few = WINDOW > STEPS && self.count > keep && self.count <= MOST;
        if !(few && self.track(matrix, unit, settings.learning_rate, keep)) {
            self.find(&mut matrix.data.0, unit, settings, keep);
        }
    }

    /// Computes the directions from the last ones by Lanczos steps. Returns false, with some vectors overwritten, if an
    /// eigenpair is not accurate, τ ≤ 0, another direction could count, or more than [`MOST`] directions count.
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

    /// Computes the directions from the window alone.
    #[inline(never)]
    fn find(&mut self, columns: &mut [[T; WINDOW]; WINDOW], unit: T, settings: &OnlineKernelSettings<T>, keep: usize) {
        let reduced = Reduced::of(columns);
        if !self.lead(&reduced, unit, settings, keep) {
            self.survey(&reduced, unit, settings, keep);
        }
        self.find_vectors(&reduced, columns, unit);
    }

    /// Computes the eigenvectors of the directions that count; `columns` has the reflectors of `reduced`.
    #[inline(never)] // separate stack frame: the reduction does not need this scratch
    fn find_vectors(&mut self, reduced: &Reduced<T, WINDOW>, columns: &[[T; WINDOW]; WINDOW], unit: T) {
        let mut scaled = [T::ZERO; RANK];
        for (scaled, &value) in scaled.iter_mut().zip(&self.values) {
            *scaled = value / unit;
        }
        let Columns([vectors, _]) = &mut self.columns;
        // The vectors are orthonormal even if the solver hits its bound.
        let _ = reduced.vectors(columns, scaled.iter().copied().take(self.count), vectors);
    }

    /// Computes only the leading eigenvalues, at least `keep` + 1. Returns false if more than `RANK` or more than
    /// (`WINDOW` + 16)/4 are needed, if not all are in the numerical range, or if they do not determine the threshold.
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

    /// Computes all eigenvalues and stores the first `RANK`.
    // This function is not inlined, because its scratch is rarely needed.
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

    /// Checks decoded directions for which no refresh is pending; `loudest` is the largest k(xᵢ, xᵢ).
    pub(super) fn settled(&self, loudest: T) -> Result<(), CodecError> {
        let rounding = T::from_f64(16.0) * T::EPSILON;
        let mut pairs = self.values.iter().zip(&self.inverse_roots).take(self.count);
        let inverse = |(&value, &root): (&T, &T)| (root * value.sqrt() - T::ONE).abs() <= rounding;
        validate::accept(pairs.all(inverse), CodecError::Range)?;
        // A shift is within ±1.5·`loudest`; the limit is larger because of rounding.
        validate::within(
            T::TWO * loudest,
            self.shifts.iter().take(self.points).chain([&self.mean]),
        )
    }
}

/// Writes the shifts and returns the mean of all entries; if uncentered, returns zero and writes nothing.
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

/// The square array of the window, with K/`unit`, centred if wanted, on the diagonal and above.
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

/// The largest power of two up to the trace of the uncentered K, but at least `MIN_POSITIVE`. This trace bounds ‖K‖,
/// centered or not.
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

    /// Three points are so far from all others that the axes of their slots are eigenvectors, all with the eigenvalue 1
    /// up to rounding.
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
