//! Pre-image, [C15]: the sample that belongs to a feature vector, for the Gaussian, the polynomial and the linear kernel.
//! In: points xᵢ, weights γᵢ and a start. Out: a sample x whose features φ(x) are as near to Σ γᵢφ(xᵢ) as the search finds.
//! Method: \[C15\]. For the Gaussian kernel the nearest x satisfies x = Σ γᵢk(xᵢ, x)·xᵢ / Σ γᵢk(xᵢ, x). This equation is
//! iterated: each pass computes the right side with the last x; the result, a weighted mean of the points, is the next x. The
//! file `polynomial` has the pass of the polynomial kernel. For the linear kernel the sample is Σ γᵢxᵢ. Most feature vectors have
//! no exact pre-image; the result of the search is then only an approximation.
//! Cost: one kernel call and DIM multiply-adds for each point and pass (Gaussian kernel), at most
//! [`PreimageSettings::iterations`] passes. Scratch: 2·DIM numbers.

use super::functions::power;
use super::points::Points;
use super::{Gaussian, Kernel, Linear, Polynomial};
use crate::learner::default_is_constant;
use crate::scalar::constant::of_number;
use crate::spectrum::vector::{add_scaled, dot};
use crate::{Scalar, SettingsError};

/// The maximum number of passes of a search for a pre-image, and the tolerance of the search.
///
/// ```
/// use eigenstream::kernel::PreimageSettings;
/// let settings = PreimageSettings::<f32>::DEFAULT.with_iterations(20)?.with_tolerance(1e-3)?;
/// assert_ne!(settings, PreimageSettings::DEFAULT);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct PreimageSettings<T> {
    pub(super) iterations: usize,
    /// `None`: 16 times the machine epsilon of the number type.
    tolerance: Option<T>,
}

impl<T: Scalar> PreimageSettings<T> {
    /// At most 100 passes, and a tolerance of 16 times the machine epsilon.
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

    /// Sets the tolerance. The search stops after a pass that moves no channel by more than tolerance·(1 + max|x|), with x the
    /// new sample.
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

    pub(super) fn tolerance(&self) -> T {
        // 16 times the machine epsilon: a pass sums over all points, so rounding can prevent a closer agreement of two passes.
        self.tolerance.unwrap_or(T::from_f64(16.0) * T::EPSILON)
    }
}

default_is_constant!(PreimageSettings);

/// The result of a search for the pre-image of a feature vector.
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
    /// The sample of the last pass that returned a sample, or the start if no pass returned a sample. Finite with the kernels
    /// of this crate; with a user's own kernel, finite if its [`pass`](PreimageKernel::pass) returns finite samples.
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
    /// The last pass moved no channel by more than tolerance·(1 + max|x|), with x the new sample.
    Settled,
    /// The search reached the maximum number of passes before it settled.
    BoundHit,
    /// The search ended at a sample x, because the next sample cannot be computed from x. Possible causes:
    /// - Gaussian kernel: the sum of the terms γᵢk(xᵢ, x) is zero, subnormal, or only rounding error because the terms cancel.
    /// - Polynomial kernel: x·x + coef0 is zero or subnormal.
    /// - Gaussian, polynomial and linear kernel: a number overflows.
    /// - A user's own kernel: [`pass`](PreimageKernel::pass) returns `None`.
    Vanished,
}

/// A kernel for which a sample can be computed from a feature vector.
///
/// [`Gaussian`], [`Polynomial`](crate::kernel::Polynomial) and [`Linear`] implement this trait. For a user's own kernel,
/// implement one pass of the search.
pub trait PreimageKernel<T: Scalar, const DIM: usize>: Kernel<T, DIM> {
    /// One pass of the search for a sample with the features Σ γᵢφ(xᵢ), over the `points` xᵢ with the `weights` γᵢ. Returns the
    /// sample that follows `sample` in the search, or `None` if the pass has no result. `weights` has one entry for
    /// each point. The returned sample must have a finite energy.
    fn pass(&self, points: &[[T; DIM]], weights: &[T], sample: &[T; DIM]) -> Option<[T; DIM]>;
}

impl<T: Scalar, K: PreimageKernel<T, DIM>, const DIM: usize, const WINDOW: usize> Points<'_, T, K, DIM, WINDOW> {
    /// Searches for the pre-image of Σ γᵢφ(xᵢ), with the weights γᵢ of the points xᵢ. The search begins at `start`, which must be
    /// finite.
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
            found.iterations = found.iterations.wrapping_add(1);
            if moved <= settings.tolerance() * (T::ONE + largest) {
                found.ending = Ending::Settled;
                break;
            }
        }
        found
    }

    /// The default start of a search: the point of largest weight, or the first of these points if there are several; zero if
    /// there is no point.
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
        // If `sum` is below the rounding error of its terms, it has no correct digit. A subnormal `sum` has too few digits.
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

/// The maximum number of lengths that are tried for the second step, each half of the length before. The last length is the first
/// times 2⁻³⁹, about 2·10⁻¹²: below the rounding of an `f32`, and small in an `f64`.
const HALVINGS: usize = 40;

impl<T: Scalar, const DIM: usize> PreimageKernel<T, DIM> for Polynomial<T> {
    fn pass(&self, points: &[[T; DIM]], weights: &[T], sample: &[T; DIM]) -> Option<[T; DIM]> {
        let (before, noise) = distance(self, points, weights, sample);
        let target = target(self, points, weights, sample)?;
        let full = distance(self, points, weights, &target).0;
        let mut part = T::ONE / T::from_usize(self.degree as usize);
        for _ in 0..HALVINGS {
            let next = between(sample, &target, part);
            let after = distance(self, points, weights, &next).0;
            if full <= before + noise && (full <= after || !after.is_finite()) {
                return Some(target);
            }
            if after <= before + noise {
                return Some(next);
            }
            part *= T::HALF;
        }
        // F (the squared distance to the feature vector, up to a constant) grows with every step: the sample counts as a minimum.
        // If F of the sample is not finite, the pass has no result.
        before.is_finite().then_some(*sample)
    }
}

/// Returns F(x) = k(x, x) − 2·Σ γᵢk(xᵢ, x) with x = `sample`, and an estimate of its rounding error.
fn distance<T: Scalar, const DIM: usize>(
    kernel: &Polynomial<T>,
    points: &[[T; DIM]],
    weights: &[T],
    sample: &[T; DIM],
) -> (T, T) {
    let norm = kernel.norm_squared(sample);
    let (mut sum, mut size) = (norm, norm.abs());
    for (point, &weight) in points.iter().zip(weights) {
        let share = T::TWO * weight * kernel.value(point, sample);
        sum -= share;
        size += share.abs();
    }
    // `size` is the sum of the magnitudes of all terms. A power of degree p can have a relative rounding error of p/2 times
    // the machine epsilon or more. So for a high degree the rounding error can be larger than this estimate.
    (sum, T::from_f64(4.0) * T::EPSILON * size)
}

/// Returns the end of the full step, Σ γᵢrᵢᵖ⁻¹xᵢ with rᵢ = (xᵢ·x + c)/(x·x + c), p = `degree` and c = `coef0`. Returns `None`
/// if x·x + c is zero or subnormal, or if the energy of the result overflows.
fn target<T: Scalar, const DIM: usize>(
    kernel: &Polynomial<T>,
    points: &[[T; DIM]],
    weights: &[T],
    sample: &[T; DIM],
) -> Option<[T; DIM]> {
    let energy = dot(sample, sample) + kernel.coef0;
    if energy < T::MIN_POSITIVE {
        return None;
    }
    let mut target = [T::ZERO; DIM];
    for (point, &weight) in points.iter().zip(weights) {
        let ratio = (dot(point, sample) + kernel.coef0) / energy;
        add_scaled(
            &mut target,
            weight * power(ratio, kernel.degree.saturating_sub(1)),
            point,
        );
    }
    dot(&target, &target).is_finite().then_some(target)
}

/// Returns x + part·(y − x), with x = `from` and y = `to`.
fn between<T: Scalar, const DIM: usize>(from: &[T; DIM], to: &[T; DIM], part: T) -> [T; DIM] {
    let mut between = *from;
    for (entry, &to) in between.iter_mut().zip(to) {
        *entry += part * (to - *entry);
    }
    between
}
