//! The points of a window or of a fitted model, with which a sample is compared.
//! In: points xᵢ, their norms k(xᵢ, xᵢ) and a kernel, all borrowed. Out: k(x, x) of a sample x, checked, and the values k(xᵢ, x),
//! limited to ±√(k(xᵢ, xᵢ)·k(x, x)), with zero for NaN. φ(x) are the features of x: k(x, y) = φ(x)·φ(y).
//! Cost: one kernel call for each point, and one for k(x, x).

use super::Kernel;
use super::functions::feature_energy;
use crate::learner::refusal;
use crate::{SampleError, Scalar, logging};

/// The points of a window or of a fitted model, with their norms and the kernel.
#[derive(Debug)]
pub(crate) struct Points<'a, T, K, const DIM: usize, const WINDOW: usize> {
    pub(crate) kernel: &'a K,
    /// The points of the slots in use.
    pub(crate) points: &'a [[T; DIM]],
    /// k(xᵢ, xᵢ) of each slot; zero in unused slots.
    pub(crate) norms: &'a [T; WINDOW],
}

// `Clone` and `Copy` are implemented by hand: `derive` would require them of `T` and `K`, which are only borrowed.
impl<T, K, const DIM: usize, const WINDOW: usize> Clone for Points<'_, T, K, DIM, WINDOW> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, K, const DIM: usize, const WINDOW: usize> Copy for Points<'_, T, K, DIM, WINDOW> {}

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const WINDOW: usize> Points<'_, T, K, DIM, WINDOW> {
    /// Writes k(xᵢ, x), limited by `bounded`, for each slot; zero for unused slots. Returns k(x, x), or the error of
    /// `checked_norm`.
    pub(crate) fn row(&self, sample: &[T; DIM], row: &mut [T; WINDOW]) -> Result<T, SampleError> {
        let norm = checked_norm::<_, _, DIM, WINDOW>(self.kernel, sample)?;
        self.compare(sample, norm, row);
        Ok(norm)
    }

    /// Writes k(xᵢ, x), limited by `bounded`, for each slot; zero for unused slots. `norm` is k(x, x) of the sample x.
    pub(crate) fn compare(&self, sample: &[T; DIM], norm: T, row: &mut [T; WINDOW]) {
        row.fill(T::ZERO);
        for (entry, (point, &point_norm)) in row.iter_mut().zip(self.points.iter().zip(self.norms)) {
            *entry = bounded(self.kernel.value(point, sample), norm, point_norm);
        }
    }

    /// Returns Σ |wᵢ|·‖φ(xᵢ)‖ with w = `weights`: an upper bound of ‖v‖ for v = Σ wᵢφ(xᵢ).
    pub(crate) fn reach(&self, weights: &[T; WINDOW]) -> T {
        let mut sum = T::ZERO;
        for (weight, norm) in weights.iter().zip(self.norms) {
            sum += weight.abs() * norm.sqrt();
        }
        sum
    }

    /// Whether v = Σ wᵢφ(xᵢ), with w = `weights`, is so short that three numbers stay finite for every sample x that is not
    /// refused: ‖v‖², v·φ(x) and ‖φ(x) − v‖². Tests `reach`, an upper bound of ‖v‖. The factor 4 leaves room for a sum of four
    /// terms of the size of ‖v‖².
    pub(crate) fn can_hold(&self, weights: &[T; WINDOW]) -> bool {
        let reach = self.reach(weights);
        (T::from_f64(4.0) * reach * reach).is_finite()
    }
}

/// Returns k(x, x), or an error if ‖x‖² or k(x, x) is not finite, or if k(x, x) is too large for sums over `WINDOW` points. A
/// negative k(x, x) becomes zero.
pub(crate) fn checked_norm<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const WINDOW: usize>(
    kernel: &K,
    sample: &[T; DIM],
) -> Result<T, SampleError> {
    let norm = feature_energy(kernel, sample)?;
    // Sums over the window, for example an eigenvalue, must not overflow. The factor 4 is a margin.
    if (norm * T::from_usize(4 * WINDOW)).is_finite() {
        Ok(norm)
    } else {
        Err(logging::refused(refusal(sample)))
    }
}

/// Limits `value` = k(x, y) to the range of an inner product: |k(x, y)|² ≤ k(x, x)·k(y, y), up to rounding and underflow of the
/// squares. Returns zero for NaN.
pub(crate) fn bounded<T: Scalar>(value: T, left_norm: T, right_norm: T) -> T {
    // Compares the squares first, which usually saves two square roots. The roots are computed in two cases: `square` is larger
    // than the product of the norms, or `square` is not finite (an overflow or NaN). There are two roots instead of the root of
    // the product, because the product of the norms can overflow.
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
        // `most` is √(k(x, x)·k(y, y)). In the last case the product k(x, x)·k(y, y) overflows, but `most` does not.
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
