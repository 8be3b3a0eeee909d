//! Pre-image, [C15]: the sample that belongs to a feature vector, for the Gaussian, the polynomial and the linear kernel.
//! In: points xᵢ, weights γᵢ and a start. Out: a sample x whose features φ(x) are as near to Σ γᵢφ(xᵢ) as the search finds.
//! Method: \[C15\]. For the Gaussian kernel the nearest x satisfies x = Σ γᵢk(xᵢ, x)·xᵢ / Σ γᵢk(xᵢ, x). This equation is
//! iterated: each pass computes the right side with the last x; the result, a weighted mean of the points, is the next x. The
//! file `polynomial` has the pass of the polynomial kernel. For the linear kernel the sample is Σ γᵢxᵢ. Most feature vectors have
//! no exact pre-image; the result of the search is then only an approximation.
//! Cost: one kernel call and DIM multiply-adds for each point and pass (Gaussian kernel), at most
//! [`PreimageSettings::iterations`] passes. Scratch: 2·DIM numbers.

mod polynomial;
mod settings;

pub use settings::PreimageSettings;

use super::points::Points;
use super::{Gaussian, Kernel, Linear};
use crate::Scalar;
use crate::spectrum::vector::{add_scaled, dot};

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
