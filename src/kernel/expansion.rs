//! A feature vector as a weighted sum over points.
//! In: points and weights γᵢ. Out: inner products, length, distances and pre-image of v = Σ γᵢφ(xᵢ).
//! Method: \[C15\], the representer theorem.
//! Cost for m points: m kernel calls and one k(x, x) for an inner product, m·(m − 1)/2 calls for a length. Kept:
//! `WINDOW` numbers and three references.

use super::points::{Points, bounded};
use super::preimage::{Preimage, PreimageKernel, PreimageSettings, heaviest, preimage};
use super::{GramWindow, Kernel};
use crate::learner::energy_of;
use crate::spectrum::vector::dot;
use crate::{SampleError, Scalar, WeightsError};

/// A feature vector v = Σ γᵢφ(xᵢ) over the points of a window or of a fitted model.
///
/// ```
/// use eigenstream::kernel::{Expansion, GramWindow, Linear};
///
/// let mut window = GramWindow::<f32, _, 2, 4>::new(Linear);
/// window.push(&[1.0, 0.0])?;
/// window.push(&[0.0, 2.0])?;
/// // With the linear kernel the features are the samples: v = (3, 2).
/// let vector = Expansion::new(&window, &[3.0, 1.0, 0.0, 0.0])?;
/// assert_eq!(vector.norm_squared(), 13.0);
/// assert_eq!(vector.value(&[1.0, 1.0])?, 5.0);
/// assert_eq!(vector.distance_squared(&[3.0, 1.0])?, 1.0);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Expansion<'a, T, K, const DIM: usize, const WINDOW: usize> {
    points: Points<'a, T, K, DIM, WINDOW>,
    weights: [T; WINDOW],
}

impl<'a, T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const WINDOW: usize> Expansion<'a, T, K, DIM, WINDOW> {
    /// The sum over the points of a window, with one weight for each slot; the weights of unused slots are not read.
    ///
    /// # Errors
    /// [`WeightsError::NotANumber`] with the index of the first weight that is not finite, or of the largest one if
    /// inner products with the sum could overflow.
    pub fn new(window: &'a GramWindow<T, K, DIM, WINDOW>, weights: &[T; WINDOW]) -> Result<Self, WeightsError> {
        let mut used = [T::ZERO; WINDOW];
        let (mut largest, mut heaviest) = (T::ZERO, 0);
        for (index, (target, &weight)) in used.iter_mut().zip(weights).enumerate().take(window.len()) {
            if !weight.is_finite() {
                return Err(WeightsError::NotANumber { index });
            }
            if weight.abs() > largest {
                (largest, heaviest) = (weight.abs(), index);
            }
            *target = weight;
        }
        Self::over(window.as_points(), used).ok_or(WeightsError::NotANumber { index: heaviest })
    }

    /// The sum over any points; `None` if a weight is not finite or inner products could overflow. The weights of
    /// unused slots must be zero.
    pub(super) fn over(points: Points<'a, T, K, DIM, WINDOW>, weights: [T; WINDOW]) -> Option<Self> {
        points.can_hold(&weights).then_some(Self { points, weights })
    }

    /// The mean of n points, as a sum with the weight 1/n for each: inner products with it cannot overflow.
    pub(super) fn mean(window: &'a GramWindow<T, K, DIM, WINDOW>, weights: [T; WINDOW]) -> Self {
        Self {
            points: window.as_points(),
            weights,
        }
    }

    /// The weights by slot.
    #[must_use]
    pub const fn weights(&self) -> &[T; WINDOW] {
        &self.weights
    }

    /// v·φ(x) = Σ γᵢk(xᵢ, x).
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn value(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        Ok(self.products(sample)?.0)
    }

    /// ‖v‖² = Σᵢⱼ γᵢγⱼk(xᵢ, xⱼ), at least zero; every call computes the kernel for each pair of points.
    #[must_use]
    pub fn norm_squared(&self) -> T {
        let Points { kernel, points, norms } = self.points;
        let terms = || points.iter().zip(norms).zip(&self.weights);
        let mut sum = T::ZERO;
        for (count, ((point, &norm), &weight)) in terms().enumerate() {
            let mut before = T::ZERO;
            for ((other, &other_norm), &other_weight) in terms().take(count) {
                before += other_weight * bounded(kernel.value(other, point), norm, other_norm);
            }
            sum += weight * (T::TWO * before + norm * weight);
        }
        T::ZERO.max(sum)
    }

    /// ‖φ(x) − v‖², the squared distance of a sample; every call computes ‖v‖².
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn distance_squared(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        let (value, norm) = self.products(sample)?;
        Ok(distance_squared(norm, value, self.norm_squared()))
    }

    /// The inner product v·φ(x), and k(x, x).
    pub(super) fn products(&self, sample: &[T; DIM]) -> Result<(T, T), SampleError> {
        let mut row = [T::ZERO; WINDOW];
        let norm = self.points.row(sample, &mut row)?;
        Ok((dot(&self.weights, &row), norm))
    }
}

impl<T: Scalar, K: PreimageKernel<T, DIM>, const DIM: usize, const WINDOW: usize> Expansion<'_, T, K, DIM, WINDOW> {
    /// Searches for the pre-image of the sum: the sample whose features are nearest to the sum.
    ///
    /// The search starts at the point with the largest weight, or at zero without points.
    ///
    /// ```
    /// use eigenstream::kernel::{Expansion, Gaussian, GramWindow, PreimageSettings};
    /// let mut window = GramWindow::<f32, _, 1, 2>::new(Gaussian::DEFAULT);
    /// window.push(&[1.0])?;
    /// window.push(&[1.0])?;
    /// let vector = Expansion::new(&window, &[0.25, 0.5])?;
    /// assert_eq!(vector.preimage(PreimageSettings::DEFAULT).sample, [1.0]);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    #[must_use]
    pub fn preimage(&self, settings: PreimageSettings<T>) -> Preimage<T, DIM> {
        let start = heaviest(self.points, &self.weights);
        preimage(self.points, &self.weights, &start, settings)
    }

    /// [`preimage`](Self::preimage) with another start of the search.
    ///
    /// # Errors
    /// [`SampleError`]: a channel of `start` is NaN or infinite, or its energy overflows.
    ///
    /// ```
    /// use eigenstream::kernel::{Ending, Expansion, Gaussian, GramWindow, PreimageSettings};
    /// let mut window = GramWindow::<f32, _, 1, 1>::new(Gaussian::DEFAULT);
    /// window.push(&[1.0])?;
    /// // All weights are zero, so there is no pre-image: the result is the start.
    /// let nothing = Expansion::new(&window, &[0.0])?.preimage_from(&[0.5], PreimageSettings::DEFAULT)?;
    /// assert_eq!((nothing.sample, nothing.ending), ([0.5], Ending::Vanished));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn preimage_from(
        &self,
        start: &[T; DIM],
        settings: PreimageSettings<T>,
    ) -> Result<Preimage<T, DIM>, SampleError> {
        energy_of(start)?;
        Ok(preimage(self.points, &self.weights, start, settings))
    }
}

/// ‖φ(x) − v‖², at least zero, from k(x, x), v·φ(x) and ‖v‖².
pub(super) fn distance_squared<T: Scalar>(norm: T, product: T, other_norm: T) -> T {
    T::ZERO.max(norm - T::TWO * product + other_norm)
}
