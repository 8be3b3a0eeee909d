//! The directions of a window, exact up to rounding.
//! In: the Gram matrix K of the window, and the last directions. Out: the leading eigenpairs of K, at most `RANK`: those that
//! count (the keep probability is above that of a direction outside the span of the points). If centered, K is the centred Gram matrix.
//! Method: in a large window, one new point usually turns the directions only a little. So the new directions are computed from
//! the last directions (`spectrum::warm::lanczos`), and a bound shows that all other eigenvalues are too small to count. This is
//! tried if more than `KEEP` and at most 6 of the last directions count, and `WINDOW` > 14. If it is not tried or fails, K is
//! reduced to tridiagonal form. Then eigenvalues are computed from the largest down, until no remaining eigenvalue can count. All
//! eigenvalues are computed at once in three cases: many eigenvalues can count, a computed eigenvalue can consist of rounding
//! error alone, or the largest eigenvalues do not determine the threshold of `ambient`.
//! Cost with Lanczos: about WINDOW² + 30·WINDOW multiply-adds for each step; usually at least `KEEP` + 3 steps, at most 14 and at
//! most 2·RANK. Cost otherwise: (2/3)·WINDOW³ multiply-adds for the tridiagonal form, and about WINDOW² + 250·WINDOW operations
//! for each eigenpair. Scratch: 7·WINDOW + 300 numbers for Lanczos, 14·WINDOW otherwise.

use super::directions::{Columns, Directions};
use crate::kernel::gram::matrix::in_range;
use crate::kernel::{Ambient, GramWindow, Kernel, OnlineKernelSettings};
use crate::spectrum::vector::{rare, stay_rolled};
use crate::spectrum::whole::Reduced;
use crate::spectrum::{Lanczos, MOST};
use crate::{Centering, Scalar};
use nalgebra::SMatrix;

/// The maximum number of Lanczos steps. There are also at most 2·`RANK` steps, because `columns` is the memory of the basis.
const STEPS: usize = 14;

impl<T: Scalar, const WINDOW: usize, const RANK: usize> Directions<T, WINDOW, RANK> {
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
