//! Kernel mean, [C15]: the mean of the points of a window in feature space.
//! In: a window of m points. Out: ‖μ‖², inner products and pre-image of μ = (1/m)·Σ φ(xᵢ), and distances to μ.
//! φ(x) are the features of x; the kernel is k(x, y) = φ(x)·φ(y).
//! Method: \[C15\]. The squared distance of a sample to μ, divided by the mean squared distance of the points to μ, is a simple
//! nonlinear outlier score. The score needs no fit, and the kernel is the only setting.
//! Cost: WINDOW²/2 multiply-adds to compute ‖μ‖² once, then m kernel calls and one k(x, x) per sample x. Kept: `WINDOW` + 2
//! numbers and three references.

use super::expansion::{Expansion, distance_squared};
use super::{GramWindow, Kernel, Preimage, PreimageKernel, PreimageSettings};
use crate::{SampleError, Scalar};

/// The mean μ = (1/m)·Σ φ(xᵢ) of the features φ(xᵢ) of the m points in a window; an empty window has the mean zero.
///
/// To merge two means, merge their windows with [`GramWindow::merge`] and compute the mean of the merged window.
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
    /// ‖μ‖² of the mean μ.
    norm_squared: T,
    /// The mean of ‖φ(xᵢ) − μ‖² over the points.
    spread: T,
}

impl<'a, T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const WINDOW: usize> KernelMean<'a, T, K, DIM, WINDOW> {
    /// Computes the mean of the points that are in the window now.
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

    /// The squared length of the mean, ‖μ‖² = (1/m²)·Σᵢⱼ k(xᵢ, xⱼ) over the m points; zero for an empty window.
    #[must_use]
    pub const fn norm_squared(&self) -> T {
        self.norm_squared
    }

    /// The mean of ‖φ(xᵢ) − μ‖² over the points: their variance in feature space. Zero for an empty window.
    #[must_use]
    pub const fn spread(&self) -> T {
        self.spread
    }

    /// Returns μ·φ(x) = (1/m)·Σ k(xᵢ, x), with the mean μ over the m points xᵢ; zero for an empty window. With a Gaussian kernel
    /// this value is a density estimate, up to a constant factor.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn value(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        self.expansion.value(sample)
    }

    /// Returns ‖φ(x) − μ‖² = k(x, x) − 2·μ·φ(x) + ‖μ‖², the squared distance of the features of a sample from the mean μ.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn distance_squared(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        let (value, norm) = self.expansion.products(sample)?;
        Ok(distance_squared(norm, value, self.norm_squared))
    }

    /// Returns ‖φ(x) − μ‖², the squared distance from the mean μ, divided by the [`spread`](Self::spread); at most the largest
    /// finite number. Up to rounding, the average score of the points is 1; an outlier has a larger score.
    ///
    /// A spread of at most 4·WINDOW·ε·‖μ‖² counts as rounding error (ε: the machine epsilon); so does the zero spread of an empty
    /// window. With such a spread there is no division: the score is 0 if ‖φ(x) − μ‖² ≤ 4·WINDOW·ε·k(x, x), otherwise the largest
    /// finite number.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        let (value, norm) = self.expansion.products(sample)?;
        let distance = distance_squared(norm, value, self.norm_squared);
        // `spread` and `distance` are differences of larger numbers. A `spread` up to `noise`·‖μ‖² counts as rounding error. Only
        // then, a `distance` up to `noise`·k(x, x) also counts as rounding error.
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
    /// Searches for the sample whose features are nearest to the mean. With a Gaussian kernel this is a place of high density.
    /// The search starts at the point in the first slot, or at zero if the window is empty.
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

    /// Like [`preimage`](Self::preimage), but the search starts at `start`. With a Gaussian kernel the result is usually a place
    /// of high density near `start`.
    ///
    /// # Errors
    /// [`SampleError`]: a channel of `start` is NaN or infinite, or the energy of `start` overflows.
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
