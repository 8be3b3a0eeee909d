//! The sample that belongs to a feature vector, for the Gaussian, the polynomial and the linear kernel.
//! In: points, weights γᵢ and a start. Out: a sample whose features are as near to Σ γᵢφ(xᵢ) as the search finds;
//! usually there is no exact pre-image, except for the linear kernel.
//! Method: \[C15\], the fixed point of x = Σ γᵢk(xᵢ, x)·xᵢ / Σ γᵢk(xᵢ, x) (Gaussian); for the polynomial see
//! `guide::mathematics`, "The two lengths of a polynomial step".
//! Cost for each point and pass: one kernel call (Gaussian); at least three kernel calls, an inner product and a power
//! (polynomial).

use super::functions::power;
use super::points::Points;
use super::{Gaussian, Kernel, Linear, Polynomial};
use crate::learner::default_is_constant;
use crate::scalar::constant::of_number;
use crate::spectrum::vector::{add_scaled, dot};
use crate::{Scalar, SettingsError};

/// The maximum number of passes of a search for a pre-image, and its tolerance.
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
    /// The tolerance; `None` means 16ε.
    tolerance: Option<T>,
}

impl<T: Scalar> PreimageSettings<T> {
    /// At most 100 passes, and the tolerance 16ε.
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

    /// Sets the tolerance: the search stops after a pass that moves no channel by more than tolerance·(1 + max|x|).
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
        // A pass sums over all points, so rounding can prevent a closer agreement of two passes.
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
    /// The last sample that a pass returned, or the start.
    ///
    /// It is finite, unless the [`pass`](PreimageKernel::pass) of a user's own kernel returns a sample that is not
    /// finite.
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
    /// The last pass moved no channel by more than [`PreimageSettings::with_tolerance`] allows.
    Settled,
    /// The maximum number of passes was reached.
    BoundHit,
    /// The next sample cannot be computed:
    /// - Gaussian: the sum of γᵢk(xᵢ, x) is zero, subnormal, or only rounding error.
    /// - Polynomial: x·x + coef0 is zero or subnormal.
    /// - A number overflows.
    /// - The [`pass`](PreimageKernel::pass) of a user's own kernel returns `None`.
    Vanished,
}

/// A kernel for which a sample can be computed from a feature vector.
///
/// For a kernel of your own, implement one pass of the search.
pub trait PreimageKernel<T: Scalar, const DIM: usize>: Kernel<T, DIM> {
    /// The sample that follows `sample` in the search for the pre-image of Σ γᵢφ(xᵢ); `None` ends the search.
    ///
    /// `weights` has one γᵢ for each of `points`. A returned sample must have a finite energy.
    fn pass(&self, points: &[[T; DIM]], weights: &[T], sample: &[T; DIM]) -> Option<[T; DIM]>;
}

/// Searches for the pre-image of Σ γᵢφ(xᵢ) from a finite `start`.
pub(super) fn preimage<T: Scalar, K: PreimageKernel<T, DIM>, const DIM: usize, const WINDOW: usize>(
    points: Points<'_, T, K, DIM, WINDOW>,
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
        let used = weights.get(..points.points.len()).unwrap_or_default();
        let Some(next) = points.kernel.pass(points.points, used, &found.sample) else {
            found.ending = Ending::Vanished;
            break;
        };
        let (mut moved, mut largest) = (T::ZERO, T::ZERO);
        for (&new, &old) in next.iter().zip(&found.sample) {
            moved = moved.max((new - old).abs());
            largest = largest.max(new.abs());
        }
        found.sample = next;
        found.iterations = found.iterations.saturating_add(1);
        if moved <= settings.tolerance() * (T::ONE + largest) {
            found.ending = Ending::Settled;
            break;
        }
    }
    found
}

/// The first point of largest weight; zero without points.
pub(super) fn heaviest<T: Scalar, K: PreimageKernel<T, DIM>, const DIM: usize, const WINDOW: usize>(
    points: Points<'_, T, K, DIM, WINDOW>,
    weights: &[T; WINDOW],
) -> [T; DIM] {
    let mut pairs = points.points.iter().zip(weights);
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
        // A `sum` of at most `noise` counts as rounding error; a subnormal `sum` has too few digits.
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

/// The number of lengths tried for the shorter step, each half of the one before. The last factor 2⁻³⁹ is below the
/// rounding error of `f32`, and small in `f64`.
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
        // Every length that was tried increases the distance, so the sample counts as a minimum.
        before.is_finite().then_some(*sample)
    }
}

/// The part k(x, x) − 2·Σ γᵢk(xᵢ, x) of the squared distance that depends on x, and an estimate of its rounding error.
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
    // The error of a power of high degree can be larger.
    (sum, T::from_f64(4.0) * T::EPSILON * size)
}

/// The end of the full step; `None` if x·x + coef0 is zero or subnormal, or the energy of the result overflows.
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

/// The sample `from` + `part`·(`to` − `from`).
fn between<T: Scalar, const DIM: usize>(from: &[T; DIM], to: &[T; DIM], part: T) -> [T; DIM] {
    let mut between = *from;
    for (entry, &to) in between.iter_mut().zip(to) {
        *entry += part * (to - *entry);
    }
    between
}
