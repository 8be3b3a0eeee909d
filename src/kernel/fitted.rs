//! A fitted kernel PCA as plain numbers, for flash.
//! In: a fit. Out: arrays for a `const` or `static`, and a check whether given arrays are those of a fit.
//! Method: the columns aⱼ = uⱼ/√λⱼ satisfy K·aⱼ = λⱼaⱼ and √(λᵢλⱼ)·aᵢ·aⱼ = δᵢⱼ (1 if i = j, else 0). A change after
//! which both still hold is not detected, for example another γ with a single point.
//! Cost of the check: at most WINDOW² + WINDOW kernel calls and about KEEP·WINDOW·(2·WINDOW + (KEEP + 1)/2)
//! multiply-adds.

use super::Kernel;
use super::gram::center_row;
use super::points::{Points, checked_norm};
use crate::codec::stored;
use crate::spectrum::vector::dot;
use crate::{Centering, FitError, Scalar};

/// The numbers of a fitted [`KernelPca`](super::KernelPca).
///
/// The text of `{:?}` is the source code of a constant; it needs `use eigenstream::Centering::*` and `use
/// eigenstream::kernel::FittedKernelPca`.
///
/// ```
/// use eigenstream::kernel::{FittedKernelPca, KernelPca, Linear};
/// use eigenstream::Centering::*;
/// static PARTS: FittedKernelPca<f32, 2, 1, 2> = FittedKernelPca {
///     centering: Centered,
///     len: 2,
///     points: [[1.0, 0.0], [3.0, 0.0]],
///     coefficients: [[0.5, -0.5]],
///     eigenvalues: [2.0],
///     left_out: 0.0,
///     means: [2.0, 6.0],
///     mean: 4.0,
/// };
/// let pca = KernelPca::from_fitted(Linear, &PARTS)?;
/// assert_eq!(pca.transform(&[0.0, 9.0])?, [2.0]);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FittedKernelPca<T, const DIM: usize, const KEEP: usize, const WINDOW: usize> {
    /// Whether μ is subtracted from the features.
    pub centering: Centering,
    /// The number of slots in use.
    pub len: usize,
    /// The points by slot.
    pub points: [[T; DIM]; WINDOW],
    /// uⱼ/√λⱼ for each kept direction; zero for a missing direction.
    pub coefficients: [[T; WINDOW]; KEEP],
    /// λⱼ, descending; zero for missing directions.
    pub eigenvalues: [T; KEEP],
    /// The sum of the eigenvalues that are not kept.
    pub left_out: T,
    /// The mean of each row of the Gram matrix before centring; zero if uncentered.
    pub means: [T; WINDOW],
    /// The mean of all entries of the Gram matrix before centring; zero if uncentered.
    pub mean: T,
}

impl<T: Scalar, const DIM: usize, const KEEP: usize, const WINDOW: usize> FittedKernelPca<T, DIM, KEEP, WINDOW> {
    pub(super) const fn empty(centering: Centering) -> Self {
        Self {
            centering,
            len: 0,
            points: [[T::ZERO; DIM]; WINDOW],
            coefficients: [[T::ZERO; WINDOW]; KEEP],
            eigenvalues: [T::ZERO; KEEP],
            left_out: T::ZERO,
            means: [T::ZERO; WINDOW],
            mean: T::ZERO,
        }
    }

    /// Converts all numbers to another type, for example a fit in `f64` on the host to `f32` for the chip.
    ///
    /// ```
    /// use eigenstream::Centering;
    /// use eigenstream::kernel::{GramEigen, GramWindow, KernelPca, Linear};
    /// let mut window = GramWindow::<f64, _, 1, 2>::new(Linear);
    /// window.push(&[2.0])?;
    /// let mut pca = KernelPca::<f64, _, 1, 1, 2>::new(Linear, Centering::Uncentered);
    /// let _ = pca.fit(&window, &mut GramEigen::new());
    /// let small = KernelPca::<f32, _, 1, 1, 2>::from_fitted(Linear, &pca.fitted().cast())?;
    /// assert_eq!(small.transform(&[3.0])?, [3.0]);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cast<U: Scalar>(&self) -> FittedKernelPca<U, DIM, KEEP, WINDOW> {
        let number = |value: T| U::from_f64(value.to_f64());
        FittedKernelPca {
            centering: self.centering,
            len: self.len,
            points: self.points.map(|point| point.map(number)),
            coefficients: self.coefficients.map(|column| column.map(number)),
            eigenvalues: self.eigenvalues.map(number),
            left_out: number(self.left_out),
            means: self.means.map(number),
            mean: number(self.mean),
        }
    }

    /// k(xᵢ, xᵢ) of each point, if the numbers are those of a fit with `kernel`.
    pub(super) fn check<K: Kernel<T, DIM>>(&self, kernel: &K) -> Result<[T; WINDOW], FitError> {
        let Some(points) = self.points.get(..self.len) else {
            return Err(FitError::Length {
                given: self.len,
                capacity: WINDOW,
            });
        };
        self.check_numbers()?;
        let mut norms = [T::ZERO; WINDOW];
        let mut largest = T::ZERO;
        for (norm, point) in norms.iter_mut().zip(points) {
            *norm = checked_norm::<_, _, DIM, WINDOW>(kernel, point).map_err(|_| FitError::NotANumber)?;
            largest = largest.max(*norm);
        }
        let points = Points {
            kernel,
            points,
            norms: &norms,
        };
        // This is larger than the usual error of a fit, because a kernel can round differently on the host.
        let rounding = T::from_usize(64 * WINDOW) * T::EPSILON;
        // A difference of subnormal numbers can be rounding error alone.
        let allowed = (rounding * largest).max(T::MIN_POSITIVE);
        if self.is_orthonormal(rounding) && self.solves(points, allowed) {
            Ok(norms)
        } else {
            Err(FitError::NotAFit)
        }
    }

    /// Checks that all numbers are finite, and that the eigenvalues are descending and, like `left_out`, not negative.
    fn check_numbers(&self) -> Result<(), FitError> {
        let arrays = [self.means.as_slice(), &self.eigenvalues, &[self.mean, self.left_out]];
        let lists = arrays
            .into_iter()
            .chain(self.points.iter().map(<[T; DIM]>::as_slice))
            .chain(self.coefficients.iter().map(<[T; WINDOW]>::as_slice));
        for list in lists {
            if !list.iter().all(|value| value.is_finite()) {
                return Err(FitError::NotANumber);
            }
        }
        let mut before = T::MAX;
        for &value in &self.eigenvalues {
            if !(value >= T::ZERO && value <= before) {
                return Err(FitError::NotAFit);
            }
            before = value;
        }
        if self.left_out < T::ZERO {
            return Err(FitError::NotAFit);
        }
        Ok(())
    }

    /// Whether √(λᵢλⱼ)·aᵢ·aⱼ = δᵢⱼ, and the coefficients of missing directions and unused slots are zero.
    fn is_orthonormal(&self, rounding: T) -> bool {
        let columns = || self.coefficients.iter().zip(&self.eigenvalues);
        for (count, (column, &value)) in columns().enumerate() {
            let used = if value > T::ZERO { self.len } else { 0 };
            if column.iter().skip(used).any(|&entry| entry != T::ZERO) {
                return false;
            }
            for (other, &other_value) in columns().take(count) {
                if !within(dot(column, other) * value.sqrt() * other_value.sqrt(), rounding) {
                    return false;
                }
            }
            if value > T::ZERO && !within(dot(column, column) * value - T::ONE, rounding) {
                return false;
            }
        }
        true
    }

    /// Whether K·aⱼ = λⱼaⱼ, row by row, and `means` and `mean` are those of K before centring, or zero if uncentered.
    fn solves<K: Kernel<T, DIM>>(&self, points: Points<'_, T, K, DIM, WINDOW>, rounding: T) -> bool {
        let share = T::ONE / T::from_usize(self.len.max(1));
        let slots = points.points.iter().zip(points.norms).zip(&self.means);
        let mut mean = T::ZERO;
        for (slot, ((point, &norm), &row_mean)) in slots.enumerate() {
            let mut row = [T::ZERO; WINDOW];
            points.compare(point, norm, &mut row);
            let found = self.center(&mut row);
            mean += found * share;
            if self.centering == Centering::Centered && !within(found - row_mean, rounding) {
                return false;
            }
            for (column, &value) in self.coefficients.iter().zip(&self.eigenvalues) {
                let wanted = value * column.get(slot).copied().unwrap_or(T::ZERO);
                // If each of `len` entries of `row` is off by `rounding`, the product is off by up to
                // √`len`·`rounding`·‖aⱼ‖. The limit is larger: it has `len` in place of √`len`.
                let allowed = rounding * dot(column, column).sqrt() * T::from_usize(self.len);
                if !within(dot(column, &row) - wanted, allowed) {
                    return false;
                }
            }
        }
        match self.centering {
            Centering::Centered => within(mean - self.mean, rounding),
            Centering::Uncentered => self.mean == T::ZERO && self.means.iter().all(|&mean| mean == T::ZERO),
        }
    }

    /// Centres the kernel values of a sample, and returns their mean; zero if uncentered.
    pub(super) fn center(&self, row: &mut [T; WINDOW]) -> T {
        match self.centering {
            Centering::Centered => center_row(row, self.len, &self.means, self.mean),
            Centering::Uncentered => T::ZERO,
        }
    }
}

/// Whether |`difference`| ≤ `allowed`; false for NaN, which an overflow can cause.
fn within<T: Scalar>(difference: T, allowed: T) -> bool {
    difference.abs() <= allowed
}

stored!(
    [T: Scalar, const DIM: usize, const KEEP: usize, const WINDOW: usize] FittedKernelPca<T, DIM, KEEP, WINDOW> {
        centering, len, points, coefficients, eigenvalues, left_out, means, mean
    }
);
