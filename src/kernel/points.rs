//! The points of a window or of a fitted model, with which a sample is compared.
//! In: a sample. Out: k(x, x), checked, and k(xᵢ, x), limited to the range of an inner product.
//! Cost: one kernel call for each point, and one k(x, x).

use super::Kernel;
use super::functions::feature_energy;
use crate::learner::refusal;
use crate::{SampleError, Scalar, logging};

/// Borrowed points with their kernel.
#[derive(Debug)]
pub(crate) struct Points<'a, T, K, const DIM: usize, const WINDOW: usize> {
    pub(crate) kernel: &'a K,
    /// The points of the slots in use.
    pub(crate) points: &'a [[T; DIM]],
    /// k(xᵢ, xᵢ) by slot; zero in unused slots.
    pub(crate) norms: &'a [T; WINDOW],
}

// `derive` would require `Clone` and `Copy` of `T` and `K`.
impl<T, K, const DIM: usize, const WINDOW: usize> Clone for Points<'_, T, K, DIM, WINDOW> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, K, const DIM: usize, const WINDOW: usize> Copy for Points<'_, T, K, DIM, WINDOW> {}

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const WINDOW: usize> Points<'_, T, K, DIM, WINDOW> {
    /// Writes the kernel values by slot, zero for unused slots, and returns k(x, x).
    pub(crate) fn row(&self, sample: &[T; DIM], row: &mut [T; WINDOW]) -> Result<T, SampleError> {
        let norm = checked_norm::<_, _, DIM, WINDOW>(self.kernel, sample)?;
        self.compare(sample, norm, row);
        Ok(norm)
    }

    /// [`row`](Self::row) for a sample with k(x, x) = `norm`.
    pub(crate) fn compare(&self, sample: &[T; DIM], norm: T, row: &mut [T; WINDOW]) {
        row.fill(T::ZERO);
        for (entry, (point, &point_norm)) in row.iter_mut().zip(self.points.iter().zip(self.norms)) {
            *entry = bounded(self.kernel.value(point, sample), norm, point_norm);
        }
    }

    /// Σ |wᵢ|·‖φ(xᵢ)‖ with w = `weights`, an upper bound of ‖Σ wᵢφ(xᵢ)‖.
    pub(crate) fn reach(&self, weights: &[T; WINDOW]) -> T {
        let mut sum = T::ZERO;
        for (weight, norm) in weights.iter().zip(self.norms) {
            sum += weight.abs() * norm.sqrt();
        }
        sum
    }

    /// Whether ‖v‖², v·φ(x) and ‖φ(x) − v‖² of v = Σ wᵢφ(xᵢ) are certain to be finite for every sample that is not
    /// refused. The factor 4 is for ‖φ(x) − v‖², a sum of up to four such products.
    pub(crate) fn can_hold(&self, weights: &[T; WINDOW]) -> bool {
        let reach = self.reach(weights);
        (T::from_f64(4.0) * reach * reach).is_finite()
    }
}

/// k(x, x), zero if negative; refused if it is too large for sums over `WINDOW` points.
pub(crate) fn checked_norm<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const WINDOW: usize>(
    kernel: &K,
    sample: &[T; DIM],
) -> Result<T, SampleError> {
    let norm = feature_energy(kernel, sample)?;
    // The factor 4 is a margin.
    if (norm * T::from_usize(4 * WINDOW)).is_finite() {
        Ok(norm)
    } else {
        Err(logging::refused(refusal(sample)))
    }
}

/// Limits k(x, y) to ±√(k(x, x)·k(y, y)), up to rounding and underflow; NaN becomes zero.
pub(crate) fn bounded<T: Scalar>(value: T, left_norm: T, right_norm: T) -> T {
    // A comparison of squares usually saves the two roots. The product of the norms can overflow, so its root is
    // computed as the product of their roots.
    let square = value * value;
    if square.is_finite() && square <= left_norm * right_norm {
        return value;
    }
    let most = left_norm.sqrt() * right_norm.sqrt();
    if value > most {
        most
    } else if value < -most {
        -most
    } else if value.abs() <= most {
        value
    } else {
        T::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::bounded;

    #[test]
    fn no_value_is_larger_than_an_inner_product_can_be() {
        // In the last case k(x, x)·k(y, y) overflows, but `most`, its root, does not.
        for (left, right, most) in [
            (1.0, 1.0, 1.0_f32),
            (1.0, 0.25, 0.5),
            (0.25, 1.0, 0.5),
            (1.0, 4.0, 2.0),
            (1e30, 1e30, 1e30),
        ] {
            for sign in [1.0, -1.0] {
                let near = |value: f32, wanted: f32| (value - wanted).abs() <= 2.0 * f32::EPSILON * wanted.abs();
                assert!(near(bounded(sign * 0.75 * most, left, right), sign * 0.75 * most));
                assert!(near(bounded(sign * 1.5 * most, left, right), sign * most));
                assert!(near(bounded(sign * f32::INFINITY, left, right), sign * most));
            }
            assert_eq!(bounded(f32::NAN, left, right), 0.0);
        }
    }
}
