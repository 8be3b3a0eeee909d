//! Batch kernel PCA of a window.
//! In: a window, and a call to [`fit`](KernelPca::fit). Out: codes, reconstruction errors, the explained variance,
//! denoised samples.
//! Method: \[KW07\] Algorithm 2 with the code Λ^(−1/2)Uᵀy (Λ and U are the eigenvalues and eigenvectors of K, y the
//! kernel values of the sample); the error is k(x, x) − Σ codeⱼ². Centred as in \[C15\].
//! Cost: about 28·(WINDOW − KEEP)·WINDOW² + 12.5·KEEP·(KEEP + 1)·WINDOW² operations for a fit; WINDOW kernel calls and
//! KEEP·WINDOW multiply-adds for a sample. Kept: WINDOW·(DIM + KEEP + 2) + KEEP + 2 numbers, a count, a choice and the
//! kernel.

use super::expansion::Expansion;
use super::points::Points;
use super::{FittedKernelPca, GramEigen, GramWindow, Kernel, Preimage, PreimageKernel, PreimageSettings};
use crate::codec::{StoredKernel, stored};
use crate::learner::{energy_of, refusal};
use crate::spectrum::Convergence;
use crate::spectrum::vector::{add_scaled, dot, scale};
use crate::{Centering, CodecError, FitError, SampleError, Scalar};

/// Kernel PCA, fitted to the points of a window.
///
/// All results refer to the last fit. Before the first fit there are no directions, and the error of a sample is k(x,
/// x). [`fit`](Self::fit) sets an eigenvalue outside the [numerical range](crate::kernel) and the coordinate of its
/// direction to zero: a window may have fewer points than `KEEP`.
///
/// ```
/// use eigenstream::Centering;
/// use eigenstream::kernel::{Gaussian, GramEigen, GramWindow, KernelPca};
///
/// // Points on a ring: linear PCA finds no preferred direction.
/// let mut window = GramWindow::<f32, _, 2, 16>::new(Gaussian::DEFAULT);
/// for step in 0..16 {
///     let angle = step as f32 * core::f32::consts::TAU / 16.0;
///     window.push(&[angle.cos(), angle.sin()])?;
/// }
/// let mut pca = KernelPca::<f32, _, 2, 4, 16>::new(Gaussian::DEFAULT, Centering::Centered);
/// let _ = pca.fit(&window, &mut GramEigen::new());
/// // The first sample is on the ring, between two points. The second is the centre of the ring, far from all points.
/// let (on, off) = (pca.score(&[0.98, 0.195])?, pca.score(&[0.0, 0.0])?);
/// assert!(off > 5.0 * on, "{off} {on}");
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct KernelPca<T, K, const DIM: usize, const KEEP: usize, const WINDOW: usize> {
    kernel: K,
    /// k(xᵢ, xᵢ) of each point.
    norms: [T; WINDOW],
    fitted: FittedKernelPca<T, DIM, KEEP, WINDOW>,
}

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const KEEP: usize, const WINDOW: usize>
    KernelPca<T, K, DIM, KEEP, WINDOW>
{
    /// A model without a fit.
    ///
    /// A window with fewer slots than directions does not compile, so neither does a swap of `KEEP` and `WINDOW`:
    ///
    /// ```compile_fail,E0080
    /// use eigenstream::Centering;
    /// use eigenstream::kernel::{KernelPca, Linear};
    /// let pca = KernelPca::<f32, _, 2, 8, 1>::new(Linear, Centering::Centered);
    /// ```
    ///
    /// `KEEP` = 0 does not compile:
    /// ```compile_fail,E0080
    /// use eigenstream::Centering;
    /// use eigenstream::kernel::{KernelPca, Linear};
    /// let pca = KernelPca::<f32, _, 2, 0, 8>::new(Linear, Centering::Centered);
    /// ```
    #[must_use]
    pub const fn new(kernel: K, centering: Centering) -> Self {
        const { assert_sizes::<KEEP, WINDOW>() };
        Self {
            kernel,
            norms: [T::ZERO; WINDOW],
            fitted: FittedKernelPca::empty(centering),
        }
    }

    /// The model of a fit that was done elsewhere, if its numbers satisfy the equations of a fit with this kernel.
    ///
    /// A change after which the equations still hold is not detected, for example another `left_out`, other points in
    /// unused slots, or a kernel with equal values for all pairs of points.
    ///
    /// # Errors
    /// - [`FitError::Length`] if `len` is larger than `WINDOW`.
    /// - [`FitError::NotANumber`] if a number is not finite, or if ‖x‖² or k(x, x) of a point is too large.
    /// - [`FitError::NotAFit`] if an equation is violated by more than rounding, the eigenvalues are not descending, or
    ///   an eigenvalue or `left_out` is negative.
    ///
    /// ```
    /// use eigenstream::FitError;
    /// use eigenstream::Centering;
    /// use eigenstream::kernel::{Gaussian, GramEigen, GramWindow, KernelPca};
    ///
    /// let kernel = Gaussian::new(0.5)?;
    /// let mut window = GramWindow::<f32, _, 1, 3>::new(kernel);
    /// for value in [0.0, 1.0, 3.0] {
    ///     window.push(&[value])?;
    /// }
    /// let mut fitted = KernelPca::<f32, _, 1, 2, 3>::new(kernel, Centering::Centered);
    /// let _ = fitted.fit(&window, &mut GramEigen::new());
    ///
    /// let rebuilt = KernelPca::from_fitted(kernel, fitted.fitted())?;
    /// assert_eq!(rebuilt.score(&[2.0]), fitted.score(&[2.0]));
    /// let refused = KernelPca::from_fitted(Gaussian::new(0.6)?, fitted.fitted());
    /// assert_eq!(refused.err(), Some(FitError::NotAFit));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn from_fitted(kernel: K, fitted: &FittedKernelPca<T, DIM, KEEP, WINDOW>) -> Result<Self, FitError> {
        const { assert_sizes::<KEEP, WINDOW>() };
        let norms = fitted.check(&kernel)?;
        Ok(Self {
            kernel,
            norms,
            fitted: fitted.clone(),
        })
    }

    /// Computes the directions in which the features of the points vary most, and copies the kernel and the points.
    ///
    /// `room` is scratch memory. [`Convergence::BoundHit`] says that eigenvalues or directions can be inaccurate.
    pub fn fit(&mut self, window: &GramWindow<T, K, DIM, WINDOW>, room: &mut GramEigen<T, WINDOW>) -> Convergence
    where
        K: Clone,
    {
        self.kernel = window.kernel().clone();
        self.norms = *window.norms();
        let parts = &mut self.fitted;
        parts.len = window.len();
        parts.points = [[T::ZERO; DIM]; WINDOW];
        for (target, point) in parts.points.iter_mut().zip(window.points()) {
            *target = *point;
        }
        let (values, means, mean) = room.decompose_about(window, parts.centering);
        (parts.means, parts.mean) = (means, mean);
        let (vectors, eigenvalues) = room.leading(parts.len, &mut parts.coefficients);
        for (column, &value) in parts.coefficients.iter_mut().zip(&eigenvalues) {
            if value > T::ZERO {
                scale(column, T::ONE / value.sqrt());
            }
        }
        let mut left_out = T::ZERO;
        for (position, &value) in room.eigenvalues().iter().enumerate() {
            let kept = eigenvalues.get(position).is_some_and(|&kept| kept > T::ZERO);
            if !kept {
                left_out += T::ZERO.max(value);
            }
        }
        parts.eigenvalues = eigenvalues;
        parts.left_out = left_out;
        values.and(vectors)
    }

    /// The code of a sample: its coordinates along the directions.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn transform(&self, sample: &[T; DIM]) -> Result<[T; KEEP], SampleError> {
        Ok(self.code(sample)?.0)
    }

    /// The reconstruction error of a sample, ‖φ(x)‖² − Σ codeⱼ²; a large error means an unusual sample.
    ///
    /// The rounding error is larger if a kept eigenvalue is much smaller than the largest. A negative difference counts
    /// as zero.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        let (code, energy) = self.code(sample)?;
        Ok(T::ZERO.max(energy - dot(&code, &code)))
    }

    /// ‖φ(x)‖², which is, up to rounding, Σ codeⱼ² plus the [`score`](Self::score).
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn energy(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        Ok(self.code(sample)?.1)
    }

    /// The feature vector μ + Σ codeⱼ·vⱼ of a code, as a weighted sum over the points.
    ///
    /// # Errors
    /// [`SampleError`]; its channel is the position in `code`.
    ///
    /// ```
    /// use eigenstream::Centering;
    /// use eigenstream::kernel::{GramEigen, GramWindow, KernelPca, Linear};
    /// let mut window = GramWindow::<f32, _, 2, 4>::new(Linear);
    /// window.push(&[0.0, 2.0])?;
    /// let mut pca = KernelPca::<f32, _, 2, 1, 4>::new(Linear, Centering::Uncentered);
    /// let _ = pca.fit(&window, &mut GramEigen::new());
    /// // The code means three times the direction (0, 1). This direction is half of the point, so the weight is 1.5.
    /// assert_eq!(pca.expansion(&[3.0])?.weights()[0], 1.5);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn expansion(&self, code: &[T; KEEP]) -> Result<Expansion<'_, T, K, DIM, WINDOW>, SampleError> {
        energy_of(code)?;
        let parts = &self.fitted;
        let mut weights = [T::ZERO; WINDOW];
        for (&coordinate, column) in code.iter().zip(&parts.coefficients) {
            add_scaled(&mut weights, coordinate, column);
        }
        if parts.centering == Centering::Centered {
            // The mean μ gets the weight 1 − (the sum of `weights`), which is divided equally among all points.
            let mut sum = T::ZERO;
            for &weight in &weights {
                sum += weight;
            }
            let share = (T::ONE - sum) / T::from_usize(parts.len.max(1));
            for weight in weights.iter_mut().take(parts.len) {
                *weight += share;
            }
        }
        Expansion::over(self.points(), weights).ok_or_else(|| refusal(code))
    }

    /// The eigenvalues of the directions, descending.
    ///
    /// `fit` sets eigenvalues outside the [numerical range](crate::kernel) to zero; `from_fitted` keeps the given ones.
    #[must_use]
    pub const fn eigenvalues(&self) -> &[T; KEEP] {
        &self.fitted.eigenvalues
    }

    /// The variance of the features along each direction: eigenvalue/(n − 1) for n points, eigenvalue/n if uncentered.
    ///
    /// The variance is zero without points, and for a single point if centred.
    #[must_use]
    pub fn explained_variance(&self) -> [T; KEEP] {
        let degrees = match self.fitted.centering {
            Centering::Centered => self.fitted.len.saturating_sub(1),
            Centering::Uncentered => self.fitted.len,
        };
        let unit = if degrees > 0 {
            T::ONE / T::from_usize(degrees)
        } else {
            T::ZERO
        };
        self.fitted.eigenvalues.map(|value| value * unit)
    }

    /// Explained variance divided by the total variance; zero if the total is zero or subnormal.
    #[must_use]
    pub fn explained_variance_ratio(&self) -> [T; KEEP] {
        let mut total = self.fitted.left_out;
        for &value in &self.fitted.eigenvalues {
            total += value;
        }
        let unit = if total >= T::MIN_POSITIVE {
            T::ONE / total
        } else {
            T::ZERO
        };
        self.fitted.eigenvalues.map(|value| value * unit)
    }

    /// The sum of the eigenvalues that are not kept.
    ///
    /// Up to rounding, this is the total error of all points, and no other `KEEP` directions have a smaller one.
    #[must_use]
    pub const fn loss(&self) -> T {
        self.fitted.left_out
    }

    /// The kernel of the last fit.
    #[must_use]
    pub const fn kernel(&self) -> &K {
        &self.kernel
    }

    /// The numbers of the fit, for printing, for flash, and for [`from_fitted`](Self::from_fitted).
    #[must_use]
    pub const fn fitted(&self) -> &FittedKernelPca<T, DIM, KEEP, WINDOW> {
        &self.fitted
    }

    /// The code of a sample and ‖φ(x)‖².
    fn code(&self, sample: &[T; DIM]) -> Result<([T; KEEP], T), SampleError> {
        let mut row = [T::ZERO; WINDOW];
        let norm = self.points().row(sample, &mut row)?;
        let mean = self.fitted.center(&mut row);
        let mut code = [T::ZERO; KEEP];
        for (coordinate, column) in code.iter_mut().zip(&self.fitted.coefficients) {
            *coordinate = dot(column, &row);
        }
        Ok((code, T::ZERO.max(norm - T::TWO * mean + self.fitted.mean)))
    }

    fn points(&self) -> Points<'_, T, K, DIM, WINDOW> {
        Points {
            kernel: &self.kernel,
            points: self.fitted.points.get(..self.fitted.len).unwrap_or_default(),
            norms: &self.norms,
        }
    }
}

impl<T: Scalar, K: PreimageKernel<T, DIM>, const DIM: usize, const KEEP: usize, const WINDOW: usize>
    KernelPca<T, K, DIM, KEEP, WINDOW>
{
    /// Removes the part of a sample that the directions do not explain: the pre-image of its projection.
    ///
    /// The search starts at the sample.
    ///
    /// # Errors
    /// [`SampleError`]. If the projection is too large, its channel is an index into the code.
    ///
    /// ```
    /// use eigenstream::Centering;
    /// use eigenstream::kernel::{Gaussian, GramEigen, GramWindow, KernelPca, PreimageSettings};
    ///
    /// let mut window = GramWindow::<f32, _, 2, 16>::new(Gaussian::DEFAULT);
    /// for step in 0..16 {
    ///     let angle = step as f32 * core::f32::consts::TAU / 16.0;
    ///     window.push(&[angle.cos(), angle.sin()])?;
    /// }
    /// let mut pca = KernelPca::<f32, _, 2, 4, 16>::new(Gaussian::DEFAULT, Centering::Centered);
    /// let _ = pca.fit(&window, &mut GramEigen::new());
    /// // A sample outside the ring is moved back to the ring.
    /// let [x, y] = pca.denoise(&[1.3, 0.0], PreimageSettings::DEFAULT)?.sample;
    /// assert!((x - 1.0).abs() < 0.1 && y.abs() < 0.01, "{x} {y}");
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn denoise(&self, sample: &[T; DIM], settings: PreimageSettings<T>) -> Result<Preimage<T, DIM>, SampleError> {
        self.expansion(&self.transform(sample)?)?
            .preimage_from(sample, settings)
    }
}

/// Sizes that do not fit do not compile, because the callers are `const` blocks.
const fn assert_sizes<const KEEP: usize, const WINDOW: usize>() {
    assert!(KEEP > 0, "kernel PCA keeps at least one direction: KEEP >= 1");
    assert!(
        KEEP <= WINDOW,
        "there are no more directions than points: KEEP <= WINDOW"
    );
}

stored!(
    [T: Scalar, K: Kernel<T, DIM> + StoredKernel, const DIM: usize, const KEEP: usize, const WINDOW: usize]
    KernelPca<T, K, DIM, KEEP, WINDOW>: Kernel [DIM, WINDOW, KEEP] of T with (K::NUMBER) {
        kernel, fitted
    }
    renewed { norms }
    if check
);

impl<T: Scalar, K: Kernel<T, DIM> + StoredKernel, const DIM: usize, const KEEP: usize, const WINDOW: usize>
    KernelPca<T, K, DIM, KEEP, WINDOW>
{
    /// Checks `fitted` with this kernel, and computes `norms`.
    fn check(&mut self) -> Result<(), CodecError> {
        self.norms = self.fitted.check(&self.kernel).map_err(|error| match error {
            FitError::Length { .. } => CodecError::Count,
            FitError::NotANumber => CodecError::NotANumber,
            _ => CodecError::Directions,
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Gaussian, Linear};

    #[test]
    fn a_fit_to_two_near_points_in_a_window_of_eight_is_a_fit() {
        // The second eigenvalue is about 2·10⁻⁶ of the largest: rounding errors can make its vector nonzero in
        // unused slots, where `fit` must write zeros.
        let kernel = Gaussian::DEFAULT;
        let mut window = GramWindow::<f32, _, 1, 8>::new(kernel);
        assert!([0.0, 0.0021].iter().all(|&point| window.push(&[point]).is_ok()));
        let mut pca = KernelPca::<f32, _, 1, 2, 8>::new(kernel, Centering::Uncentered);
        let _ = pca.fit(&window, &mut GramEigen::new());
        assert!(pca.eigenvalues()[1] > 0.0);
        assert!(KernelPca::from_fitted(kernel, pca.fitted()).is_ok());
    }

    #[test]
    fn a_fit_to_points_with_subnormal_products_is_a_fit() {
        // Subnormal numbers have few digits: the mean of all entries is 4·2⁻¹⁴⁹ in the fit, and 5·2⁻¹⁴⁹ in the check,
        // which adds in another order.
        let mut window = GramWindow::<f32, _, 1, 2>::new(Linear);
        assert!(
            [5.2202842e-23, 1.0401215e-22]
                .iter()
                .all(|&point| window.push(&[point]).is_ok())
        );
        let mut pca = KernelPca::<f32, _, 1, 1, 2>::new(Linear, Centering::Centered);
        let _ = pca.fit(&window, &mut GramEigen::new());
        assert!(KernelPca::from_fitted(Linear, pca.fitted()).is_ok());
    }

    #[test]
    fn memory_is_the_sum_of_its_parts() {
        const DIM: usize = 6;
        const WINDOW: usize = 32;
        const KEEP: usize = 4;
        let words = WINDOW * DIM // points
            + WINDOW * KEEP // coefficients
            + WINDOW // norms
            + WINDOW + 1 // means of the Gram matrix
            + KEEP + 1 // eigenvalues, and the sum of those left out
            + 1; // gamma
        let counts = size_of::<usize>() + size_of::<u64>(); // slots in use; centering, padded
        assert_eq!(
            size_of::<KernelPca<f64, Gaussian<f64>, DIM, KEEP, WINDOW>>(),
            8 * words + counts
        );
    }
}
