//! One pass of the search for a pre-image with the polynomial kernel k(x, y) = (x·y + c)^p.
//! In: points xᵢ, weights γᵢ and the sample x of the pass before. Out: a sample whose features are, up to rounding, not farther
//! from v = Σ γᵢφ(xᵢ) than the features φ(x).
//! Method: F(x) = k(x, x) − 2·Σ γᵢk(xᵢ, x) is the squared distance from φ(x) to v, up to a constant. A minimum x of F with
//! x·x + c > 0 satisfies x = Σ γᵢrᵢᵖ⁻¹xᵢ with rᵢ = (xᵢ·x + c)/(x·x + c). Two steps are tried:
//! - The full step goes to the right side of this equation. Its end has nearly the right direction, but for p > 1 the full step
//!   changes the length of x too much: near the minimum, if c = 0, by about p times the right change.
//! - The second step goes only 1/p of the way, which gives nearly the right length.
//!
//! The pass takes the step with the smaller F. If F grows with both steps by more than rounding, the second step is halved, at
//! most 39 times, until F does not grow. If F still grows, x stays. The pass has no result if the full step cannot be computed,
//! or if no step is taken and F(x) is not finite.
//! If some x has exactly the features v, this x is a minimum of F. If p is even and c = 0, x and −x have equal features: the
//! start decides whether x or −x is found.
//! Cost for each point and pass, if no step is halved: 3 kernel calls, one more inner product and power, and DIM multiply-adds.
//! Scratch: 3·DIM numbers.

use super::PreimageKernel;
use crate::Scalar;
use crate::kernel::functions::power;
use crate::kernel::{Kernel, Polynomial};
use crate::spectrum::vector::{add_scaled, dot};

/// The maximum number of lengths that are tried for the second step, each half of the length before. The last length is the first
/// times 2⁻³⁹, about 2·10⁻¹²: below the rounding of an `f32`, and small in an `f64`.
const HALVINGS: usize = 40;

impl<T: Scalar, const DIM: usize> PreimageKernel<T, DIM> for Polynomial<T> {
    fn pass(&self, points: &[[T; DIM]], weights: &[T], sample: &[T; DIM]) -> Option<[T; DIM]> {
        let (before, noise) = self.distance(points, weights, sample);
        let target = self.target(points, weights, sample)?;
        let full = self.distance(points, weights, &target).0;
        let mut part = T::ONE / T::from_usize(self.degree as usize);
        for _ in 0..HALVINGS {
            let next = between(sample, &target, part);
            let after = self.distance(points, weights, &next).0;
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

impl<T: Scalar> Polynomial<T> {
    /// Returns F(x) = k(x, x) − 2·Σ γᵢk(xᵢ, x) with x = `sample`, and an estimate of its rounding error.
    fn distance<const DIM: usize>(&self, points: &[[T; DIM]], weights: &[T], sample: &[T; DIM]) -> (T, T) {
        let norm = self.norm_squared(sample);
        let (mut sum, mut size) = (norm, norm.abs());
        for (point, &weight) in points.iter().zip(weights) {
            let share = T::TWO * weight * self.value(point, sample);
            sum -= share;
            size += share.abs();
        }
        // `size` is the sum of the magnitudes of all terms. A power of degree p can have a relative rounding error of p/2 times
        // the machine epsilon or more. So for a high degree the rounding error can be larger than this estimate.
        (sum, T::from_f64(4.0) * T::EPSILON * size)
    }

    /// Returns the end of the full step, Σ γᵢrᵢᵖ⁻¹xᵢ with rᵢ = (xᵢ·x + c)/(x·x + c), p = `degree` and c = `coef0`. Returns `None`
    /// if x·x + c is zero or subnormal, or if the energy of the result overflows.
    fn target<const DIM: usize>(&self, points: &[[T; DIM]], weights: &[T], sample: &[T; DIM]) -> Option<[T; DIM]> {
        let energy = dot(sample, sample) + self.coef0;
        if energy < T::MIN_POSITIVE {
            return None;
        }
        let mut target = [T::ZERO; DIM];
        for (point, &weight) in points.iter().zip(weights) {
            let ratio = (dot(point, sample) + self.coef0) / energy;
            add_scaled(&mut target, weight * power(ratio, self.degree.saturating_sub(1)), point);
        }
        dot(&target, &target).is_finite().then_some(target)
    }
}

/// Returns x + part·(y − x), with x = `from` and y = `to`.
fn between<T: Scalar, const DIM: usize>(from: &[T; DIM], to: &[T; DIM], part: T) -> [T; DIM] {
    let mut between = *from;
    for (entry, &to) in between.iter_mut().zip(to) {
        *entry += part * (to - *entry);
    }
    between
}
