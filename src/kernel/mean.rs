//! Kernel mean, [C15]: the mean of a window in the space of features.
//! In: a window of m points. Out: μ = (1/m)·Σ φ(xᵢ): its length, its inner products, distances to it, its pre-image.
//! Method: \[C15\]. The distance to μ, measured in that of the points themselves, is the simplest outlier score that sees more
//! than straight lines: nothing to fit, nothing to choose but the kernel.
//! Cost: m²/2 multiply-adds to begin with, then m kernel calls a sample. Kept: `WINDOW` + 2 numbers and three borrows.

use super::expansion::{Expansion, distance_squared};
use super::{GramWindow, Kernel, Preimage, PreimageKernel, PreimageSettings};
use crate::{SampleError, Scalar};

/// μ = (1/m)·Σ φ(xᵢ) of the points in a window; an empty window has the mean zero.
///
/// Two means merge by their points: [`GramWindow::merge`], then the mean of the merged window.
///
/// ```
/// use eigenstream::kernel::{Gaussian, GramWindow, KernelMean};
///
/// let mut window = GramWindow::<f32, _, 2, 8>::new(Gaussian::DEFAULT);
/// for sample in [[0.0, 0.1], [0.2, 0.0], [0.1, 0.2], [-0.1, 0.1]] {
///     window.push(&sample)?;
/// }
/// let mean = KernelMean::of(&window);
/// // The points themselves score one on average.
/// assert!(mean.score(&[0.1, 0.1])? < 1.0);
/// assert!(mean.score(&[2.0, 2.0])? > 10.0);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct KernelMean<'a, T, K, const DIM: usize, const WINDOW: usize> {
    expansion: Expansion<'a, T, K, DIM, WINDOW>,
    /// ‖μ‖².
    norm_squared: T,
    /// Mean of ‖φ(xᵢ) − μ‖² over the points.
    spread: T,
}

impl<'a, T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const WINDOW: usize> KernelMean<'a, T, K, DIM, WINDOW> {
    /// The mean of the points that the window holds now.
    #[must_use]
    pub fn of(window: &'a GramWindow<T, K, DIM, WINDOW>) -> Self {
        let share = if window.is_empty() {
            T::ZERO
        } else {
            T::ONE / T::from_usize(window.len())
        };
        let mut weights = [T::ZERO; WINDOW];
        for weight in weights.iter_mut().take(window.len()) {
            *weight = share;
        }
        let norm_squared = T::ZERO.max(window.quadratic_form(&weights));
        let mut norms = T::ZERO;
        for &norm in window.norms() {
            norms += share * norm;
        }
        Self {
            expansion: Expansion::mean(window, weights),
            norm_squared,
            spread: T::ZERO.max(norms - norm_squared),
        }
    }

    /// The mean as a sum over the points.
    #[must_use]
    pub const fn expansion(&self) -> &Expansion<'a, T, K, DIM, WINDOW> {
        &self.expansion
    }

    /// ‖μ‖² = (1/m²)·Σᵢⱼ k(xᵢ, xⱼ).
    #[must_use]
    pub const fn norm_squared(&self) -> T {
        self.norm_squared
    }

    /// The mean of ‖φ(xᵢ) − μ‖² over the points: how far they scatter.
    #[must_use]
    pub const fn spread(&self) -> T {
        self.spread
    }

    /// μ·φ(x) = (1/m)·Σ k(xᵢ, x): with a Gaussian kernel a density estimate, up to its scale.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn value(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        self.expansion.value(sample)
    }

    /// ‖φ(x) − μ‖² = k(x, x) − 2·μ·φ(x) + ‖μ‖².
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn distance_squared(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        let (value, norm) = self.expansion.products(sample)?;
        Ok(distance_squared(norm, value, self.norm_squared))
    }

    /// ‖φ(x) − μ‖² in units of the [`spread`](Self::spread): one for a typical point, more for an outlier.
    ///
    /// Where the points do not scatter, a sample at their place scores zero and every other the largest number; so does every
    /// sample while the window is empty.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        let (value, norm) = self.expansion.products(sample)?;
        let distance = distance_squared(norm, value, self.norm_squared);
        // Differences of numbers of this size know nothing below it.
        let noise = T::from_usize(4 * WINDOW) * T::EPSILON;
        Ok(if self.spread > noise * self.norm_squared {
            (distance / self.spread).min(T::MAX)
        } else if distance <= noise * norm {
            T::ZERO
        } else {
            T::MAX
        })
    }
}

impl<T: Scalar, K: PreimageKernel<T, DIM>, const DIM: usize, const WINDOW: usize> KernelMean<'_, T, K, DIM, WINDOW> {
    /// The sample whose features are nearest to the mean, sought from the first point: where the window is densest.
    ///
    /// ```
    /// use eigenstream::kernel::{Gaussian, GramWindow, KernelMean, PreimageSettings};
    /// let mut window = GramWindow::<f32, _, 1, 4>::new(Gaussian::DEFAULT);
    /// for value in [1.0, 1.1, 0.9] {
    ///     window.push(&[value])?;
    /// }
    /// let typical = KernelMean::of(&window).preimage(PreimageSettings::DEFAULT);
    /// assert!((typical.sample[0] - 1.0).abs() < 1e-5);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    #[must_use]
    pub fn preimage(&self, settings: PreimageSettings<T>) -> Preimage<T, DIM> {
        self.expansion.preimage(settings)
    }

    /// As [`preimage`](Self::preimage), searched from `start`: the dense place that it leads to.
    ///
    /// # Errors
    /// [`SampleError`]: a channel of `start` is NaN or infinite, or `start` is too large.
    ///
    /// ```
    /// use eigenstream::kernel::{Gaussian, GramWindow, KernelMean, PreimageSettings};
    /// let mut window = GramWindow::<f32, _, 1, 4>::new(Gaussian::DEFAULT);
    /// for value in [1.0, 1.1, 7.0, 7.2] {
    ///     window.push(&[value])?;
    /// }
    /// let upper = KernelMean::of(&window).preimage_from(&[6.5], PreimageSettings::DEFAULT)?;
    /// assert!((upper.sample[0] - 7.1).abs() < 1e-5);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn preimage_from(
        &self,
        start: &[T; DIM],
        settings: PreimageSettings<T>,
    ) -> Result<Preimage<T, DIM>, SampleError> {
        self.expansion.preimage_from(start, settings)
    }
}
