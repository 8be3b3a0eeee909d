//! Batch kernel PCA of a window, [KW07] Algorithm 2: the directions in which the features of the window's points vary most.
//! In: a window of points xᵢ, and a call to [`fit`](KernelPca::fit). Out: the code of a sample x (its coordinates along `KEEP`
//! directions), the reconstruction error of this code, the explained variance, the denoised sample.
//! Method: \[KW07\] Algorithm 2 with corrected coordinates. The kernel k(x, z) is the inner product φ(x)·φ(z) of the features of
//! two samples. Let yᵢ = k(xᵢ, x). The code is Λ^{−1/2}Uᵀy (Λ, U: eigenvalues and eigenvectors of the Gram matrix K), and the
//! error is k(x, x) − Σ codeⱼ². With [`Centering::Centered`], K, y and k(x, x) are centred about the mean m of the features of
//! the points, as in \[C15\].
//! Cost: a fit about 26·(WINDOW − KEEP)·WINDOW² + 12.5·KEEP·(KEEP + 1)·WINDOW² operations; a sample one kernel call for each
//! point, one k(x, x) and KEEP·WINDOW multiply-adds.
//! Kept: WINDOW·(DIM + KEEP + 2) + KEEP + 2 numbers, a count, a choice and the kernel. Scratch: WINDOW numbers for a sample; a
//! [`GramEigen`] and about 7·WINDOW numbers for the fit.

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
/// All results refer to the last fit, even if the window has changed since then. Before the first fit there are no directions,
/// and the error of a sample x is k(x, x). An eigenvalue that can consist of rounding error alone counts as zero, and the
/// coordinate along its direction is zero. So the window may have fewer points than `KEEP`: then the whole span of the points is
/// kept.
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
/// // First a sample on the ring, between two points. Then the centre of the ring, far from all points.
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
    /// Creates a model without a fit.
    ///
    /// A window with fewer slots than directions does not compile, so neither does a swap of `KEEP` and `WINDOW`:
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

    /// Returns the model of a fit that was done elsewhere. Checks that the numbers satisfy the equations of a fit with this
    /// kernel: the directions are orthonormal eigenvectors of the Gram matrix (of the centred Gram matrix if the fit is centred).
    ///
    /// # Errors
    /// - [`FitError::Length`] if `len` is larger than `WINDOW`.
    /// - [`FitError::NotANumber`] if a number is not finite, or if ‖x‖² or k(x, x) of a point x is too large.
    /// - [`FitError::NotAFit`] if the numbers violate the equations by more than rounding, if the eigenvalues are not descending,
    ///   or if an eigenvalue or `left_out` is negative. A changed number or another kernel usually violates the equations.
    ///
    /// A change after which the equations still hold is not detected. Examples: another `left_out` that is finite and not
    /// negative; other finite points (if centred, also means) in unused slots; a kernel with the same values for all pairs of
    /// points.
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

    /// Computes the directions in which the features of the window's points vary most: about their mean if centred, about zero if
    /// uncentered. Copies the kernel, the points, their k(xᵢ, xᵢ) and the means of the Gram matrix, which later codes need.
    /// `room` is scratch memory. Returns [`Convergence::BoundHit`] if the eigenvalues or the directions are less accurate than
    /// rounding allows.
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

    /// Returns the code of a sample x: its coordinates Λ^{−1/2}Uᵀy along the directions of the fit. yᵢ = k(xᵢ, x) for the points
    /// xᵢ; Λ and U are eigenvalues and eigenvectors of the Gram matrix. With a centred fit, y and the matrix are centred.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn transform(&self, sample: &[T; DIM]) -> Result<[T; KEEP], SampleError> {
        Ok(self.code(sample)?.0)
    }

    /// Returns the reconstruction error of a sample, ‖φ(x) − m‖² − Σ codeⱼ². A large error means an unusual sample.
    /// φ(x) are the features of the sample x, and m is the mean of the features of the points; m = 0 if uncentered.
    ///
    /// The error is computed as a difference. For a sample near the points, the rounding error of this difference is about the
    /// machine epsilon times the larger of k(x, x) and ‖m‖². The rounding error is larger if a kept eigenvalue is much smaller
    /// than the largest. If centred, the rounding error is also larger for a sample that is many times farther from m than the
    /// points. A negative difference counts as zero.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        let (code, energy) = self.code(sample)?;
        Ok(T::ZERO.max(energy - dot(&code, &code)))
    }

    /// Returns ‖φ(x) − m‖², which is, up to rounding, Σ codeⱼ² plus the [`score`](Self::score). φ(x) are the features of the
    /// sample x, and m is the mean of the features of the points; m = 0 if uncentered.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn energy(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        Ok(self.code(sample)?.1)
    }

    /// Returns the feature vector m + Σ codeⱼ·vⱼ of a code as a weighted sum over the points. vⱼ are the directions, and m is the
    /// mean of the features of the points; m = 0 if uncentered.
    ///
    /// # Errors
    /// [`SampleError`]; the channel in the error is the position in `code`.
    ///
    /// ```
    /// use eigenstream::Centering;
    /// use eigenstream::kernel::{GramEigen, GramWindow, KernelPca, Linear};
    /// let mut window = GramWindow::<f32, _, 2, 4>::new(Linear);
    /// window.push(&[0.0, 2.0])?;
    /// let mut pca = KernelPca::<f32, _, 2, 1, 4>::new(Linear, Centering::Uncentered);
    /// let _ = pca.fit(&window, &mut GramEigen::new());
    /// // Three times the direction (0, 1). The direction is half of the point, so the weight is 1.5.
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
            // m + Σ βᵢ(φ(xᵢ) − m) with βᵢ = `weights`: the mean m has the weight 1 − Σ βᵢ, which is divided equally among all
            // points.
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

    /// The eigenvalues λⱼ of the directions, descending. `fit` sets an eigenvalue to zero if it is at most 1e-6 (`f32`) or 1e-11
    /// (`f64`) times the largest, because it can be rounding error alone, or if it is not above the smallest normal number.
    /// `from_fitted` keeps the given eigenvalues.
    #[must_use]
    pub const fn eigenvalues(&self) -> &[T; KEEP] {
        &self.fitted.eigenvalues
    }

    /// The variance of the features of the points along each direction: eigenvalue/(n − 1) if centred, eigenvalue/n (the mean
    /// square) if uncentered, with the number n of points. Zero without points, and for a single point if centred.
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

    /// Explained variance divided by the total variance; zero if the sum of all eigenvalues is zero or subnormal.
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

    /// The sum of the eigenvalues that are not kept. Up to rounding, this sum is the total error of all points of the fit, and no
    /// other `KEEP` directions have a smaller total error.
    #[must_use]
    pub const fn loss(&self) -> T {
        self.fitted.left_out
    }

    /// The kernel of the last fit.
    #[must_use]
    pub const fn kernel(&self) -> &K {
        &self.kernel
    }

    /// The numbers of the fit. They can be printed, stored in flash, and passed to [`from_fitted`](Self::from_fitted).
    #[must_use]
    pub const fn fitted(&self) -> &FittedKernelPca<T, DIM, KEEP, WINDOW> {
        &self.fitted
    }

    /// Returns the code of a sample x and ‖φ(x) − m‖². φ(x) are the features of x, and m is the mean of the features of the
    /// points; m = 0 if uncentered.
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
    /// Removes the part of a sample that the directions do not explain: projects the features of the sample onto the directions,
    /// and searches for the sample whose features are nearest to this projection. The search starts at the given sample.
    ///
    /// # Errors
    /// [`SampleError`]. If the projection is too large, the channel in the error is an index into the code of the sample, the
    /// result of [`transform`](Self::transform).
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

/// Called in a `const` block: sizes that do not fit do not compile. A window that is not smaller than KEEP has a slot.
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
    /// Checks that `fitted` is a fit with this kernel, and computes `norms` from its points.
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
        // The second eigenvalue is 10⁻⁶ of the largest: rounding mixes its eigenvector with the six slots without a point.
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
        // Subnormal numbers have few digits: the means that the check computes differ from the means of the window.
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
