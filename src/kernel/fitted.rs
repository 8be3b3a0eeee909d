//! A fitted kernel PCA as plain numbers: made on the host or the chip, kept in flash, checked where it is used.
//! In: a fit. Out: arrays that a `const` or `static` can hold, and the check that they are a fit still.
//! Method: the columns aⱼ = uⱼ/√λⱼ of a fit satisfy K̄aⱼ = λⱼaⱼ and λⱼ·aᵢ·aⱼ = δᵢⱼ, which a changed number, another kernel or
//! another width break. The kernel is no part of it: it is code.
//! Cost of the check: WINDOW² kernel calls and KEEP·WINDOW·(WINDOW + KEEP) multiply-adds. Scratch: 3·WINDOW numbers.

use super::Kernel;
use super::gram::matrix::center_row;
use super::points::{Points, checked_norm};
use crate::codec::stored;
use crate::spectrum::vector::dot;
use crate::{Centering, FitError, Scalar};

/// The numbers of a fitted [`KernelPca`](super::KernelPca).
///
/// Printed with `{:?}` they are the source of a constant, given `use eigenstream::Centering::*`.
///
/// ```
/// use eigenstream::kernel::{FittedKernelPca, KernelPca, Linear};
/// use eigenstream::Centering::*;
/// static PARTS: FittedKernelPca<f32, 2, 2, 1> = FittedKernelPca {
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
pub struct FittedKernelPca<T, const DIM: usize, const WINDOW: usize, const KEEP: usize> {
    /// About the mean of the features, or about zero.
    pub centering: Centering,
    /// How many slots are in use, m.
    pub len: usize,
    /// The points, in the order of their slots.
    pub points: [[T; DIM]; WINDOW],
    /// uⱼ/√λⱼ for each direction kept; zero where there is none.
    pub coefficients: [[T; WINDOW]; KEEP],
    /// λⱼ, descending; zero where there is no direction.
    pub eigenvalues: [T; KEEP],
    /// The sum of the eigenvalues that are not kept.
    pub left_out: T,
    /// Means of the rows of the Gram matrix; zero if uncentered.
    pub means: [T; WINDOW],
    /// Mean of the Gram matrix; zero if uncentered.
    pub mean: T,
}

impl<T: Scalar, const DIM: usize, const WINDOW: usize, const KEEP: usize> FittedKernelPca<T, DIM, WINDOW, KEEP> {
    /// A model without directions, before the first fit.
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

    /// Converts all numbers to another type: fit in `f64` on the host, ship in `f32`.
    ///
    /// ```
    /// use eigenstream::Centering;
    /// use eigenstream::kernel::{GramEigen, GramWindow, KernelPca, Linear};
    /// let mut window = GramWindow::<f64, _, 1, 2>::new(Linear);
    /// window.push(&[2.0])?;
    /// let mut pca = KernelPca::<f64, _, 1, 2, 1>::new(Linear, Centering::Uncentered);
    /// let _ = pca.fit(&window, &mut GramEigen::new());
    /// let small = KernelPca::<f32, _, 1, 2, 1>::from_fitted(Linear, &pca.fitted().cast())?;
    /// assert_eq!(small.transform(&[3.0])?, [3.0]);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cast<U: Scalar>(&self) -> FittedKernelPca<U, DIM, WINDOW, KEEP> {
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

    /// The norms of the points, if these are the numbers of a fit with `kernel`.
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
        // The accuracy of a fit in this number type, with a margin for a kernel that rounds differently on the host.
        let rounding = T::from_usize(64 * WINDOW) * T::EPSILON;
        if self.is_orthonormal(rounding) && self.solves(points, rounding * largest) {
            Ok(norms)
        } else {
            Err(FitError::NotAFit)
        }
    }

    /// Every number is one, and eigenvalues come as eigenvalues do.
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

    /// √(λᵢλⱼ)·aᵢ·aⱼ = δᵢⱼ, nothing where there is no direction, and nothing in slots that are not in use.
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

    /// K̄aⱼ = λⱼaⱼ, row by row, and the means are those of K.
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
                // One rounding of K for each of its entries, on a column of length ‖aⱼ‖.
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

    /// ȳᵢ = yᵢ − mean(y) − meanᵢ(K) + mean(K) on the slots in use. Returns mean(y). Uncentered, nothing changes and zero is returned.
    pub(super) fn center(&self, row: &mut [T; WINDOW]) -> T {
        match self.centering {
            Centering::Centered => center_row(row, self.len, &self.means, self.mean),
            Centering::Uncentered => T::ZERO,
        }
    }
}

/// False for the NaN of an overflow, too.
fn within<T: Scalar>(difference: T, allowed: T) -> bool {
    difference.abs() <= allowed
}

stored!(
    [T: Scalar, const DIM: usize, const WINDOW: usize, const KEEP: usize] FittedKernelPca<T, DIM, WINDOW, KEEP> {
        centering, len, points, coefficients, eigenvalues, left_out, means, mean
    }
);
