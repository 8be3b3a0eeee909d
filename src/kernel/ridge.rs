//! Kernel ridge regression, and its posterior variance: a smooth function with error bars.
//! In: points, a target yᵢ for each, and the weight ρ. Out: f(x) = Σ αᵢk(xᵢ, x) and its variance.
//! Method: \[C15\], α = (K + ρI)⁻¹y by Cholesky, corrected up to two times by its residual, which is computed with
//! twice the digits. Without corrections the error is larger by a factor of up to the condition number of K + ρI.
//! Cost: WINDOW³/2 multiply-adds and about 60·WINDOW² operations for a fit; a variance needs WINDOW²/2 more than a
//! prediction. Kept: WINDOW·(DIM + 2) + 1 numbers, a count and the kernel.

use super::points::{Points, checked_norm};
use super::{GramWindow, Kernel};
use crate::codec::{StoredKernel, stored, validate};
use crate::learner::default_is_constant;
use crate::scalar::constant::of_number;
use crate::spectrum::Cholesky;
use crate::spectrum::compensated::dot_compensated;
use crate::spectrum::vector::{add_scaled, dot};
use crate::{CodecError, MatrixError, RidgeError, SampleError, Scalar, SettingsError};
use core::iter::once;

/// Each correction adds about as many correct digits as the first solution has: two corrections are enough if a third
/// of the digits of the first solution are correct.
const REFINEMENTS: usize = 2;

/// The weight ρ of smoothness: the fitted function f minimises the sum of its squared errors plus ρ‖f‖².
///
/// ```
/// use eigenstream::{SettingsError, kernel::RidgeSettings};
/// assert!(RidgeSettings::new(0.1_f32).is_ok());
/// assert_eq!(RidgeSettings::new(-0.1_f32), Err(SettingsError::Regularization));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct RidgeSettings<T> {
    pub(super) regularization: T,
}

impl<T: Scalar> RidgeSettings<T> {
    /// The weight ρ = 1.
    pub const DEFAULT: Self = Self { regularization: T::ONE };

    /// The weight ρ; with ρ = 0 the function passes through every target, up to rounding.
    ///
    /// ρ = 0 needs a Gram matrix that is positive definite.
    ///
    /// # Errors
    /// [`SettingsError::Regularization`] if ρ is negative or not finite.
    pub const fn new(regularization: T) -> Result<Self, SettingsError> {
        if of_number!(regularization => regularization >= 0.0 && regularization.is_finite()) {
            Ok(Self { regularization })
        } else {
            Err(SettingsError::Regularization)
        }
    }
}

default_is_constant!(RidgeSettings);

stored!([T: Scalar] RidgeSettings<T> { regularization } by new(regularization));

/// A function fitted to the points of a window.
///
/// Predictions use the last fit; before it every prediction is zero.
///
/// ```
/// use eigenstream::kernel::{Gaussian, GramWindow, KernelRidge, RidgeSettings};
/// use eigenstream::spectrum::Cholesky;
///
/// let mut window = GramWindow::<f32, _, 1, 8>::new(Gaussian::DEFAULT);
/// let mut targets = [0.0; 8];
/// for step in 0..8 {
///     let x = 0.5 * step as f32;
///     targets[window.push(&[x])?] = x.sin();
/// }
/// let mut ridge = KernelRidge::new(Gaussian::DEFAULT, RidgeSettings::new(1e-3)?);
/// ridge.fit(&window, &targets, &mut Cholesky::new())?;
/// assert!((ridge.predict(&[1.3])? - 1.3_f32.sin()).abs() < 0.01);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct KernelRidge<T, K, const DIM: usize, const WINDOW: usize> {
    kernel: K,
    settings: RidgeSettings<T>,
    points: [[T; DIM]; WINDOW],
    /// k(xᵢ, xᵢ) of each point.
    norms: [T; WINDOW],
    /// The coefficients αᵢ; zero in unused slots.
    coefficients: [T; WINDOW],
    len: usize,
}

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const WINDOW: usize> KernelRidge<T, K, DIM, WINDOW> {
    /// A model without a fit.
    ///
    /// `WINDOW` = 0 does not compile:
    ///
    /// ```compile_fail,E0080
    /// use eigenstream::kernel::{KernelRidge, Linear, RidgeSettings};
    /// let ridge = KernelRidge::<f32, _, 2, 0>::new(Linear, RidgeSettings::DEFAULT);
    /// ```
    #[must_use]
    pub const fn new(kernel: K, settings: RidgeSettings<T>) -> Self {
        const { assert!(WINDOW > 0, "a window has at least one slot: WINDOW >= 1") };
        Self {
            kernel,
            settings,
            points: [[T::ZERO; DIM]; WINDOW],
            norms: [T::ZERO; WINDOW],
            coefficients: [T::ZERO; WINDOW],
            len: 0,
        }
    }

    /// Fits a function to the points and their targets by slot; targets of unused slots are not read.
    ///
    /// After an error the last fit stays; after `Singular` and `Overflow`, `room` no longer has the factor of that fit.
    ///
    /// # Errors
    /// - [`RidgeError::Target`] with the slot of the first target that is not finite.
    /// - [`RidgeError::Singular`] if K + ρI is not positive definite up to rounding, for example because two points are
    ///   too similar for a small ρ.
    /// - [`RidgeError::Overflow`] if k(xᵢ, xᵢ) + ρ overflows, or a prediction could overflow.
    ///
    /// ```
    /// use eigenstream::RidgeError;
    /// use eigenstream::kernel::{Gaussian, GramWindow, KernelRidge, RidgeSettings};
    /// use eigenstream::spectrum::Cholesky;
    ///
    /// let mut window = GramWindow::<f32, _, 1, 2>::new(Gaussian::DEFAULT);
    /// window.push(&[1.0])?;
    /// window.push(&[1.0])?;
    /// let mut ridge = KernelRidge::new(Gaussian::DEFAULT, RidgeSettings::new(0.0)?);
    /// let refused = ridge.fit(&window, &[1.0, 2.0], &mut Cholesky::new());
    /// assert_eq!(refused, Err(RidgeError::Singular));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn fit(
        &mut self,
        window: &GramWindow<T, K, DIM, WINDOW>,
        targets: &[T; WINDOW],
        room: &mut Cholesky<T, WINDOW>,
    ) -> Result<(), RidgeError>
    where
        K: Clone,
    {
        let mut solution = [T::ZERO; WINDOW];
        for (slot, (target, &value)) in solution.iter_mut().zip(targets).enumerate().take(window.len()) {
            if !value.is_finite() {
                return Err(RidgeError::Target { slot });
            }
            *target = value;
        }
        let rho = self.settings.regularization;
        room.decompose_with(|row, column| match window.entry(row, column) {
            // For an unused slot, a row of the identity matrix and the target zero give the coefficient zero.
            _ if row == column && row >= window.len() => T::ONE,
            entry if row == column => entry + rho,
            entry => entry,
        })
        .map_err(|error| match error {
            MatrixError::NotPositiveDefinite => RidgeError::Singular,
            _ => RidgeError::Overflow,
        })?;
        let targets = solution;
        room.solve(&mut solution);
        for _ in 0..REFINEMENTS {
            let mut correction = self.residual(window, &targets, &solution);
            room.solve(&mut correction);
            // A larger correction, or NaN, means that the solution has no correct digits to correct.
            if largest(&correction) <= T::HALF * largest(&solution) {
                add_scaled(&mut solution, T::ONE, &correction);
            }
        }
        // `can_hold` is false for NaN too.
        if !window.as_points().can_hold(&solution) {
            return Err(RidgeError::Overflow);
        }
        self.kernel = window.kernel().clone();
        self.norms = *window.norms();
        self.coefficients = solution;
        self.len = window.len();
        for (target, point) in self.points.iter_mut().zip(window.points()) {
            *target = *point;
        }
        Ok(())
    }

    /// The residual y − (K + ρI)α, computed with twice the digits; zero in unused slots.
    fn residual(
        &self,
        window: &GramWindow<T, K, DIM, WINDOW>,
        targets: &[T; WINDOW],
        solution: &[T; WINDOW],
    ) -> [T; WINDOW] {
        let mut residual = [T::ZERO; WINDOW];
        for (row, (left, &target)) in residual.iter_mut().zip(targets).enumerate().take(window.len()) {
            let products = solution
                .iter()
                .enumerate()
                .map(|(column, &value)| (window.entry(row, column), -value));
            let own = solution.get(row).map(|&value| (self.settings.regularization, -value));
            *left = dot_compensated(once((target, T::ONE)).chain(own).chain(products));
        }
        residual
    }

    /// The prediction f(x) = Σ αᵢk(xᵢ, x).
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn predict(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        let mut row = [T::ZERO; WINDOW];
        self.fitted_points().row(sample, &mut row)?;
        Ok(dot(&self.coefficients, &row))
    }

    fn fitted_points(&self) -> Points<'_, T, K, DIM, WINDOW> {
        Points {
            kernel: &self.kernel,
            points: self.points.get(..self.len).unwrap_or_default(),
            norms: &self.norms,
        }
    }

    /// The posterior variance k(x, x) − rᵀ(K + ρI)⁻¹r with rᵢ = k(xᵢ, x); its square root is an error bar.
    ///
    /// The variance belongs to the Gaussian process whose mean is [`predict`](Self::predict) and whose noise has the
    /// variance ρ. With a Gaussian kernel the variance approaches k(x, x) far from all points. `factor` must be the
    /// `room` of the last [`fit`](Self::fit) without error, unchanged since then.
    ///
    /// # Errors
    /// [`SampleError`].
    ///
    /// ```
    /// use eigenstream::kernel::{Gaussian, GramWindow, KernelRidge, RidgeSettings};
    /// use eigenstream::spectrum::Cholesky;
    ///
    /// let mut window = GramWindow::<f32, _, 1, 2>::new(Gaussian::DEFAULT);
    /// window.push(&[0.0])?;
    /// let (mut ridge, mut factor) = (KernelRidge::new(Gaussian::DEFAULT, RidgeSettings::new(0.25)?), Cholesky::new());
    /// ridge.fit(&window, &[1.0, 0.0], &mut factor)?;
    /// // The variance is 1 − 1/(1 + 0.25) at the point, and k(x, x) = 1 far from the point.
    /// assert!((ridge.variance(&[0.0], &factor)? - 0.2).abs() < 1e-6);
    /// assert_eq!(ridge.variance(&[9.0], &factor)?, 1.0);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn variance(&self, sample: &[T; DIM], factor: &Cholesky<T, WINDOW>) -> Result<T, SampleError> {
        let mut row = [T::ZERO; WINDOW];
        let norm = self.fitted_points().row(sample, &mut row)?;
        // With K + ρI = CᵀC: rᵀ(CᵀC)⁻¹r = ‖C⁻ᵀr‖².
        factor.solve_transposed(&mut row);
        let explained = dot(&row, &row);
        // `explained` can be larger than `norm` by rounding; with the `factor` of another fit it can be infinite or
        // NaN.
        Ok(if explained <= norm { norm - explained } else { T::ZERO })
    }

    /// The kernel of the last fit.
    #[must_use]
    pub const fn kernel(&self) -> &K {
        &self.kernel
    }

    /// The coefficients αᵢ by slot.
    #[must_use]
    pub const fn coefficients(&self) -> &[T; WINDOW] {
        &self.coefficients
    }
}

/// The largest |entry|; NaN if the last entry is NaN. If an earlier entry is NaN, the result can be a number, but
/// `can_hold` refuses such a vector.
fn largest<T: Scalar, const N: usize>(vector: &[T; N]) -> T {
    let mut largest = T::ZERO;
    for value in vector {
        let size = value.abs();
        largest = if size <= largest { largest } else { size };
    }
    largest
}

stored!(
    [T: Scalar, K: Kernel<T, DIM> + StoredKernel, const DIM: usize, const WINDOW: usize]
    KernelRidge<T, K, DIM, WINDOW>: Ridge [DIM, WINDOW] of T with (K::NUMBER) {
        kernel, settings, points, coefficients, len
    }
    renewed { norms }
    if check
);

impl<T: Scalar, K: Kernel<T, DIM> + StoredKernel, const DIM: usize, const WINDOW: usize>
    KernelRidge<T, K, DIM, WINDOW>
{
    /// Computes `norms`, and checks that predictions stay finite.
    fn check(&mut self) -> Result<(), CodecError> {
        let points = self.points.get(..self.len).ok_or(CodecError::Count)?;
        for (norm, point) in self.norms.iter_mut().zip(points) {
            *norm = checked_norm::<_, _, DIM, WINDOW>(&self.kernel, point).map_err(|_| CodecError::Range)?;
        }
        let points = Points {
            kernel: &self.kernel,
            points,
            norms: &self.norms,
        };
        validate::accept(points.can_hold(&self.coefficients), CodecError::Range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Gaussian;

    #[test]
    fn memory_is_the_sum_of_its_parts() {
        const DIM: usize = 6;
        const WINDOW: usize = 32;
        let words = WINDOW * DIM // points
            + WINDOW // norms
            + WINDOW // coefficients
            + 1 // regularisation
            + 1; // gamma
        let bytes = 4 * words + size_of::<usize>();
        assert_eq!(size_of::<KernelRidge<f32, Gaussian<f32>, DIM, WINDOW>>(), bytes);
    }
}
