//! Sums and products with their rounding errors: twice the digits, without a wider type or a fused multiply-add.
//! In: numbers. Out: a rounded result and its exact error, or a scalar product as accurate as with twice the digits.
//! Method: Knuth's sum, Dekker's product, and the scalar product of Ogita, Rump and Oishi (2005).
//! Cost: 6 operations for a sum, 17 for a product, 25 per term of a scalar product.

use crate::scalar::Scalar;
use crate::scalar::sum::two_sum;

/// The rounded product and its exact rounding error, if both factors and the product are below MAX·ε and nothing
/// underflows.
#[inline]
fn two_product<T: Scalar>(left: T, right: T, splitter: T) -> (T, T) {
    let product = left * right;
    let (left_high, left_low) = split(left, splitter);
    let (right_high, right_low) = split(right, splitter);
    let error =
        ((left_high * right_high - product) + left_high * right_low + left_low * right_high) + left_low * right_low;
    (product, error)
}

/// Splits `value` into two numbers with half of its digits each; their sum is `value`.
#[inline]
fn split<T: Scalar>(value: T, splitter: T) -> (T, T) {
    let scaled = splitter * value;
    let high = scaled - (scaled - value);
    (high, value - high)
}

/// The `splitter` of [`split`]: 2¹² + 1 for the 24 binary digits of `f32`, 2²⁷ + 1 for the 53 of `f64`.
fn splitter<T: Scalar>() -> T {
    let half = T::TWO / T::EPSILON.sqrt();
    half.power_of_two() + T::ONE
}

/// Σ aᵢ·bᵢ, as accurate as with twice the digits if nothing underflows; NaN or infinite if a step overflows.
pub(crate) fn dot_compensated<T: Scalar>(pairs: impl Iterator<Item = (T, T)>) -> T {
    let splitter = splitter();
    let mut sum = T::ZERO;
    let mut rest = T::ZERO;
    for (left, right) in pairs {
        let (product, product_error) = two_product(left, right, splitter);
        let (next, sum_error) = two_sum(sum, product);
        sum = next;
        rest += product_error + sum_error;
    }
    sum + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_and_its_error_are_exact() {
        // (1 + 2⁻²³)² = 1 + 2⁻²² + 2⁻⁴⁶: the last term is the error.
        let next = 1.0 + f32::EPSILON;
        assert_eq!((splitter::<f32>(), splitter::<f64>()), (4_097.0, 134_217_729.0));
        assert_eq!(
            two_product(next, next, splitter()),
            (1.0 + 2.0 * f32::EPSILON, f32::EPSILON * f32::EPSILON)
        );
        let next = 1.0 + f64::EPSILON;
        assert_eq!(
            two_product(next, next, splitter()),
            (1.0 + 2.0 * f64::EPSILON, f64::EPSILON * f64::EPSILON)
        );
    }

    #[test]
    fn a_product_is_exact_at_any_size_of_its_factors() {
        // The product of two `f32` is exact in `f64`, and so is the sum of `product` and `error`.
        let factors = [1.234_567_8_f32, -0.1, 3.3e-9, 7.7e8];
        for left in factors {
            for right in factors {
                let (product, error) = two_product(left, right, splitter());
                assert_eq!(
                    f64::from(product) + f64::from(error),
                    f64::from(left) * f64::from(right)
                );
            }
        }
    }

    #[test]
    fn what_cancels_to_nothing_in_plain_numbers_survives() {
        // (1 + ε)² − (1 + 2ε) = ε².
        let next = 1.0 + f32::EPSILON;
        let difference = dot_compensated([(next, next), (-1.0, 1.0 + 2.0 * f32::EPSILON)].into_iter());
        assert_eq!(difference, f32::EPSILON * f32::EPSILON);
    }
}
