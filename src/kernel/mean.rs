//! The mean of the points of a window in feature space.
//! In: a window of m points. Out: ‖μ‖², inner products, distances and pre-image of μ = (1/m)·Σ φ(xᵢ).
//! Method: \[C15\]. The squared distance to μ, divided by its mean over the points, is a nonlinear outlier score
//! without a fit.
//! Cost: WINDOW²/2 multiply-adds once, then m kernel calls and one k(x, x) for each sample. Kept: `WINDOW` + 2 numbers
//! and three references.

use super::expansion::{Expansion, distance_squared};
use super::{GramWindow, Kernel, Preimage, PreimageKernel, PreimageSettings};
use crate::{SampleError, Scalar};

/// The mean μ of the features of the points in a window; zero for an empty window.
///
/// To merge two means, merge their windows with [`GramWindow::merge`].
///
/// ```
/// use eigenstream::kernel::{Gaussian, GramWindow, KernelMean};
///
/// let mut window = GramWindow::<f32, _, 2, 8>::new(Gaussian::DEFAULT);
/// for sample in [[0.0, 0.1], [0.2, 0.0], [0.1, 0.2], [-0.1, 0.1]] {
///     window.push(&sample)?;
/// }
/// let mean = KernelMean::of(&window);
/// // The average score of the points is 1.
/// assert!(mean.score(&[0.1, 0.1])? < 1.0);
/// assert!(mean.score(&[2.0, 2.0])? > 10.0);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct KernelMean<'a, T, K, const DIM: usize, const WINDOW: usize> {
    expansion: Expansion<'a, T, K, DIM, WINDOW>,
    norm_squared: T,
    /// The mean of ‖φ(xᵢ) − μ‖².
    spread: T,
}

impl<'a, T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const WINDOW: usize> KernelMean<'a, T, K, DIM, WINDOW> {
    /// The mean of the present points.
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

    /// The mean as a weighted sum over the points.
    #[must_use]
    pub const fn expansion(&self) -> &Expansion<'a, T, K, DIM, WINDOW> {
        &self.expansion
    }

    /// The squared length ‖μ‖² = (1/m²)·Σᵢⱼ k(xᵢ, xⱼ); zero for an empty window.
    #[must_use]
    pub const fn norm_squared(&self) -> T {
        self.norm_squared
    }

    /// The mean of ‖φ(xᵢ) − μ‖² over the points, their variance in feature space.
    ///
    /// The spread is zero for an empty window.
    #[must_use]
    pub const fn spread(&self) -> T {
        self.spread
    }

    /// μ·φ(x) = (1/m)·Σ k(xᵢ, x); with a Gaussian kernel a density estimate, up to a factor.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn value(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        self.expansion.value(sample)
    }

    /// ‖φ(x) − μ‖², the squared distance of a sample from the mean.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn distance_squared(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        let (value, norm) = self.expansion.products(sample)?;
        Ok(distance_squared(norm, value, self.norm_squared))
    }

    /// The squared distance divided by the [`spread`](Self::spread); the average over the points is 1, up to rounding.
    ///
    /// A spread of at most 4·WINDOW·ε·‖μ‖² counts as rounding error. Then the score is 0 if ‖φ(x) − μ‖² ≤
    /// 4·WINDOW·ε·k(x, x), else the largest finite number.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        let (value, norm) = self.expansion.products(sample)?;
        let distance = distance_squared(norm, value, self.norm_squared);
        // `distance` and `spread` are differences of larger numbers, so each can be rounding error alone.
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
    /// Searches for the sample whose features are nearest to the mean; with a Gaussian kernel this sample is a place of
    /// high density.
    ///
    /// The search starts at the point in the first slot, or at zero without points.
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

    /// [`preimage`](Self::preimage) with another start of the search; with a Gaussian kernel the result is usually a
    /// place of high density near the start.
    ///
    /// # Errors
    /// [`SampleError`]: a channel of `start` is NaN or infinite, or its energy overflows.
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
