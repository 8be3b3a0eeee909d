//! Points that a sample is compared with, wherever they are kept.
//! In: points, their norms and a kernel, all borrowed. Out: the row k(xᵢ, x) of a sample, checked.
//! Cost: one kernel call a point.

use super::Kernel;
use super::functions::feature_energy;
use crate::learner::refusal;
use crate::{SampleError, Scalar, logging};

/// The points of a window or of a fitted model, with what compares them.
#[derive(Debug)]
pub(crate) struct Points<'a, T, K, const DIM: usize, const WINDOW: usize> {
    pub(crate) kernel: &'a K,
    /// The slots in use.
    pub(crate) points: &'a [[T; DIM]],
    /// k(xᵢ, xᵢ) of each slot.
    pub(crate) norms: &'a [T; WINDOW],
}

// By hand: what is borrowed need not be `Copy` for the borrow to be.
impl<T, K, const DIM: usize, const WINDOW: usize> Clone for Points<'_, T, K, DIM, WINDOW> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, K, const DIM: usize, const WINDOW: usize> Copy for Points<'_, T, K, DIM, WINDOW> {}

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const WINDOW: usize> Points<'_, T, K, DIM, WINDOW> {
    /// Writes k(xᵢ, x) for each slot, zero for those not in use, and returns k(x, x).
    pub(crate) fn row(&self, sample: &[T; DIM], row: &mut [T; WINDOW]) -> Result<T, SampleError> {
        let norm = checked_norm::<_, _, DIM, WINDOW>(self.kernel, sample)?;
        self.compare(sample, norm, row);
        Ok(norm)
    }

    /// Compares a sample whose k(x, x) is known with every point.
    pub(crate) fn compare(&self, sample: &[T; DIM], norm: T, row: &mut [T; WINDOW]) {
        row.fill(T::ZERO);
        for (entry, (point, &point_norm)) in row.iter_mut().zip(self.points.iter().zip(self.norms)) {
            *entry = bounded(self.kernel.value(point, sample), norm, point_norm);
        }
    }

    /// Σ |wᵢ|·‖φ(xᵢ)‖, which no inner product with Σ wᵢφ(xᵢ) exceeds for features of length one.
    pub(crate) fn reach(&self, weights: &[T; WINDOW]) -> T {
        let mut sum = T::ZERO;
        for (weight, norm) in weights.iter().zip(self.norms) {
            sum += weight.abs() * norm.sqrt();
        }
        sum
    }

    /// Whether inner products, norms and distances of Σ wᵢφ(xᵢ) are all numbers: (reach)² with room for a sum of four.
    pub(crate) fn can_hold(&self, weights: &[T; WINDOW]) -> bool {
        let reach = self.reach(weights);
        (T::from_f64(4.0) * reach * reach).is_finite()
    }
}

/// k(x, x) of a sample that a window of `WINDOW` points can take, or why it cannot.
pub(crate) fn checked_norm<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const WINDOW: usize>(
    kernel: &K,
    sample: &[T; DIM],
) -> Result<T, SampleError> {
    let norm = feature_energy(kernel, sample)?;
    // Room for sums over the window, of which an eigenvalue is one.
    if (norm * T::from_usize(4 * WINDOW)).is_finite() {
        Ok(norm)
    } else {
        Err(logging::refused(refusal(sample)))
    }
}

/// k(x, y) as an inner product can be: a number, and |k(x, y)|² ≤ k(x, x)·k(y, y).
pub(crate) fn bounded<T: Scalar>(value: T, left_norm: T, right_norm: T) -> T {
    // The squares alone decide nearly always, and save two roots; not where the square overflows, for the product may as well.
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
        // √(k(x, x)·k(y, y)), of which the last overflows before the root.
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
