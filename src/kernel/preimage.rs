//! Pre-image, [C15]: the sample that belongs to a feature vector, for the Gaussian, the polynomial and the linear kernel.
//! In: points xᵢ, weights γᵢ and a start. Out: a sample x whose φ(x) is as near as possible to Σ γᵢφ(xᵢ).
//! Method: \[C15\]. For the Gaussian kernel the nearest x satisfies x = Σ γᵢk(xᵢ, x)·xᵢ / Σ γᵢk(xᵢ, x). This equation is
//! iterated: each pass computes a mean of the points, weighted by their nearness to the last x. The file `polynomial` has the
//! pass of the polynomial kernel. For the linear kernel the sample is Σ γᵢxᵢ. Most feature vectors have no exact pre-image; the
//! result is the nearest sample found.
//! Cost: one kernel call and DIM multiply-adds for each point and pass, at most [`PreimageSettings::iterations`] passes. Scratch:
//! 2·DIM numbers.

mod polynomial;

use super::points::Points;
use super::{Gaussian, Kernel, Linear};
use crate::learner::default_is_constant;
use crate::scalar::constant::of_number;
use crate::spectrum::vector::{add_scaled, dot};
use crate::{Scalar, SettingsError};

/// The maximum number of passes of a search for a pre-image, and its tolerance.
///
/// ```
/// use eigenstream::kernel::PreimageSettings;
/// let settings = PreimageSettings::<f32>::DEFAULT.with_iterations(20)?.with_tolerance(1e-3)?;
/// assert_eq!(settings.iterations(), 20);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct PreimageSettings<T> {
    iterations: usize,
    /// `None`: 16 times the rounding ε of the number type.
    tolerance: Option<T>,
}

impl<T: Scalar> PreimageSettings<T> {
    /// At most 100 passes, and the smallest tolerance that the number type allows.
    pub const DEFAULT: Self = Self {
        iterations: 100,
        tolerance: None,
    };

    /// Sets the maximum number of passes.
    ///
    /// # Errors
    /// [`SettingsError::Iterations`] if `iterations` is zero.
    pub const fn with_iterations(mut self, iterations: usize) -> Result<Self, SettingsError> {
        if iterations == 0 {
            return Err(SettingsError::Iterations);
        }
        self.iterations = iterations;
        Ok(self)
    }

    /// Sets the tolerance. The search stops after a pass that moves no channel by more than tolerance·(1 + max|x|).
    ///
    /// # Errors
    /// [`SettingsError::Tolerance`] if `tolerance` is negative or not finite.
    pub const fn with_tolerance(mut self, tolerance: T) -> Result<Self, SettingsError> {
        if !of_number!(tolerance => tolerance >= 0.0 && tolerance.is_finite()) {
            return Err(SettingsError::Tolerance);
        }
        self.tolerance = Some(tolerance);
        Ok(self)
    }

    /// The maximum number of passes.
    #[must_use]
    pub const fn iterations(&self) -> usize {
        self.iterations
    }

    fn tolerance(&self) -> T {
        // 16·ε: a pass sums over all points, so two passes cannot agree more exactly.
        self.tolerance.unwrap_or(T::from_f64(16.0) * T::EPSILON)
    }
}

default_is_constant!(PreimageSettings);

/// A sample that was found for a feature vector.
///
/// ```
/// use eigenstream::kernel::{Ending, Gaussian, GramWindow, KernelMean, PreimageSettings};
///
/// let mut window = GramWindow::<f32, _, 1, 2>::new(Gaussian::DEFAULT);
/// window.push(&[1.0])?;
/// window.push(&[2.0])?;
/// let middle = KernelMean::of(&window).preimage(PreimageSettings::DEFAULT);
/// assert_eq!(middle.ending, Ending::Settled);
/// assert!((middle.sample[0] - 1.5).abs() < 1e-3);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Preimage<T, const DIM: usize> {
    /// The sample after the last pass; always finite.
    pub sample: [T; DIM],
    /// How the search ended.
    pub ending: Ending,
    /// The number of passes that returned a sample.
    pub iterations: usize,
}

/// How the search for a pre-image ended.
///
/// ```
/// use eigenstream::kernel::{Ending, Gaussian, GramWindow, KernelMean, PreimageSettings};
///
/// let mut window = GramWindow::<f32, _, 1, 2>::new(Gaussian::DEFAULT);
/// window.push(&[1.0])?;
/// // The start is so far away that its kernel value with the point is zero. The result is the start, with `Vanished`.
/// let lost = KernelMean::of(&window).preimage_from(&[1e3], PreimageSettings::DEFAULT)?;
/// assert_eq!((lost.sample, lost.ending), ([1e3], Ending::Vanished));
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Ending {
    /// The last pass moved no channel by more than the tolerance.
    Settled,
    /// The search reached the maximum number of passes.
    BoundHit,
    /// The weights of all points cancelled or became zero, so that there is no next sample.
    Vanished,
}

/// A kernel for which a sample can be computed from a feature vector.
///
/// [`Gaussian`], [`Polynomial`](crate::kernel::Polynomial) and [`Linear`] implement this trait. For a user's own kernel,
/// implement one pass of the search.
pub trait PreimageKernel<T: Scalar, const DIM: usize>: Kernel<T, DIM> {
    /// One pass of the search for a sample with the features Σ γᵢφ(xᵢ). Returns the sample after `sample`, or `None` if the pass
    /// has no result. `points` and `weights` have equal lengths. The returned sample must have a finite energy.
    fn pass(&self, points: &[[T; DIM]], weights: &[T], sample: &[T; DIM]) -> Option<[T; DIM]>;
}

impl<T: Scalar, K: PreimageKernel<T, DIM>, const DIM: usize, const WINDOW: usize> Points<'_, T, K, DIM, WINDOW> {
    /// Returns the pre-image of Σ γᵢφ(xᵢ). The search begins at `start`, which must be finite.
    pub(super) fn preimage(
        &self,
        weights: &[T; WINDOW],
        start: &[T; DIM],
        settings: PreimageSettings<T>,
    ) -> Preimage<T, DIM> {
        let mut found = Preimage {
            sample: *start,
            ending: Ending::BoundHit,
            iterations: 0,
        };
        for _ in 0..settings.iterations {
            let used = weights.get(..self.points.len()).unwrap_or_default();
            let Some(next) = self.kernel.pass(self.points, used, &found.sample) else {
                found.ending = Ending::Vanished;
                break;
            };
            let (mut moved, mut largest) = (T::ZERO, T::ZERO);
            for (&new, &old) in next.iter().zip(&found.sample) {
                moved = moved.max((new - old).abs());
                largest = largest.max(new.abs());
            }
            found.sample = next;
            found.iterations += 1;
            if moved <= settings.tolerance() * (T::ONE + largest) {
                found.ending = Ending::Settled;
                break;
            }
        }
        found
    }

    /// The default start of a search: the point of largest weight, of equal weights the first; zero if there is no point.
    pub(super) fn heaviest(&self, weights: &[T; WINDOW]) -> [T; DIM] {
        let mut pairs = self.points.iter().zip(weights);
        let Some(mut heaviest) = pairs.next() else {
            return [T::ZERO; DIM];
        };
        for pair in pairs {
            if pair.1 > heaviest.1 {
                heaviest = pair;
            }
        }
        *heaviest.0
    }
}

impl<T: Scalar, const DIM: usize> PreimageKernel<T, DIM> for Gaussian<T> {
    fn pass(&self, points: &[[T; DIM]], weights: &[T], sample: &[T; DIM]) -> Option<[T; DIM]> {
        let mut mean = [T::ZERO; DIM];
        let (mut sum, mut size) = (T::ZERO, T::ZERO);
        for (point, &weight) in points.iter().zip(weights) {
            let share = weight * self.value(point, sample);
            sum += share;
            size += share.abs();
            add_scaled(&mut mean, share, point);
        }
        // If `sum` is below the rounding of its terms, it has no correct digit. If `sum` is subnormal, it has lost most digits.
        let noise = T::from_f64(8.0) * T::EPSILON * size;
        if !(sum.abs() > noise && sum.abs() >= T::MIN_POSITIVE) {
            return None;
        }
        let mut energy = T::ZERO;
        for channel in &mut mean {
            *channel /= sum;
            energy += *channel * *channel;
        }
        energy.is_finite().then_some(mean)
    }
}

impl<T: Scalar, const DIM: usize> PreimageKernel<T, DIM> for Linear {
    fn pass(&self, points: &[[T; DIM]], weights: &[T], _: &[T; DIM]) -> Option<[T; DIM]> {
        let mut sum = [T::ZERO; DIM];
        for (point, &weight) in points.iter().zip(weights) {
            add_scaled(&mut sum, weight, point);
        }
        dot(&sum, &sum).is_finite().then_some(sum)
    }
}
