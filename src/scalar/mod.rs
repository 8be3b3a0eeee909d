//! The number type of every algorithm: `f32` on most chips, `f64` on the host or with an FPU for it.
//!
//! Transcendental functions are those of `libm`, and no operation is a fused multiply-add, so a program gives identical
//! bits on all machines with IEEE arithmetic.

pub(crate) mod constant;
pub(crate) mod sort;
mod square_root;
pub(crate) mod sum;

use crate::SMALL;
use core::fmt::{Display, LowerExp};
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use rand_core::Rng;
use square_root::square_root;

mod sealed {
    /// A number that can be encoded, and whose bytes a `const fn` can read.
    pub trait Sealed: crate::codec::Stored + bytemuck::Pod {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// A floating-point number that the algorithms can run on: `f32` or `f64`.
///
/// Other types cannot implement the trait, because bit-exactness and accuracy are tested only for these two.
///
/// ```
/// use eigenstream::Scalar;
///
/// fn length<T: Scalar>(sample: &[T]) -> T {
///     let mut energy = T::ZERO;
///     for &value in sample {
///         energy += value * value;
///     }
///     energy.sqrt()
/// }
/// assert_eq!(length(&[3.0_f32, 4.0]), 5.0);
/// assert_eq!(length(&[3.0_f64, 4.0]), 5.0);
/// ```
pub trait Scalar:
    sealed::Sealed
    + nalgebra::Scalar
    + Copy
    + Default
    + Display
    + LowerExp
    + PartialOrd
    + Send
    + Sync
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
{
    /// 0.
    const ZERO: Self;
    /// 1/2.
    const HALF: Self;
    /// 1.
    const ONE: Self;
    /// 2.
    const TWO: Self;
    /// 14, the default upper limit of the evidence in [`TrackingPca`](crate::pca::TrackingPca).
    const FOURTEEN: Self;
    /// e⁻¹⁴ ≈ 8.3e-7.
    const EXP_MINUS_FOURTEEN: Self;
    /// 1/32.
    const THIRTY_SECOND: Self;
    /// ε, the difference between one and the next larger number.
    const EPSILON: Self;
    /// The smallest positive number of full precision (not subnormal).
    const MIN_POSITIVE: Self;
    /// The largest finite number.
    const MAX: Self;
    /// +∞.
    const INFINITY: Self;

    /// The number nearest to `value`.
    fn from_f64(value: f64) -> Self;

    /// The number nearest to `count`.
    fn from_usize(count: usize) -> Self;

    /// Converts the number to `f64` without rounding.
    fn to_f64(self) -> f64;

    /// |x|.
    #[must_use]
    fn abs(self) -> Self;

    /// √x, correctly rounded.
    #[must_use]
    fn sqrt(self) -> Self;

    /// 1/√x for a positive normal x, with an error of at most 2.5 units in the last place.
    ///
    /// Below 2·[`MIN_POSITIVE`](Scalar::MIN_POSITIVE) the error is at most 3.5 units. On a Cortex-M4F an `f32` takes
    /// fewer instructions than a [`sqrt`](Scalar::sqrt) and a division. For any other x the result has no meaning.
    ///
    /// ```
    /// use eigenstream::Scalar;
    /// assert!((4.0_f32.inverse_sqrt() - 0.5).abs() < 1e-7);
    /// assert!((4.0_f64.inverse_sqrt() - 0.5).abs() < 1e-15);
    /// ```
    #[must_use]
    fn inverse_sqrt(self) -> Self;

    /// eˣ.
    #[must_use]
    fn exp(self) -> Self;

    /// eˣ − 1, accurate for small x.
    #[must_use]
    fn exp_m1(self) -> Self;

    /// The natural logarithm.
    #[must_use]
    fn ln(self) -> Self;

    /// The largest whole number that is at most x.
    #[must_use]
    fn floor(self) -> Self;

    /// Whether the number is neither infinite nor NaN.
    fn is_finite(self) -> bool;

    /// Whether `low` ≤ x ≤ `high`, for positive limits; false for NaN.
    ///
    /// Compares bits, which takes fewer instructions on a Cortex-M4F than two comparisons of numbers.
    ///
    /// ```
    /// use eigenstream::Scalar;
    /// assert!(2.0_f32.is_within(1.0, 2.0) && !2.1_f32.is_within(1.0, 2.0));
    /// assert!(!(-1.5_f32).is_within(1.0, 2.0) && !f32::NAN.is_within(1.0, 2.0));
    /// ```
    fn is_within(self, low: Self, high: Self) -> bool;

    /// The larger of the two numbers; `self` if one of them is NaN.
    #[must_use]
    fn max(self, other: Self) -> Self;

    /// The smaller of the two numbers; `self` if one of them is NaN.
    #[must_use]
    fn min(self, other: Self) -> Self;

    /// The largest power of two that is at most |x|, but at least [`Scalar::MIN_POSITIVE`].
    ///
    /// The result is +∞ for an infinite x and for NaN. Scaling by the result is exact, except for overflow and
    /// underflow.
    ///
    /// ```
    /// use eigenstream::Scalar;
    /// assert_eq!((-5.0_f32).power_of_two(), 4.0);
    /// assert_eq!(0.0_f32.power_of_two(), f32::MIN_POSITIVE);
    /// ```
    #[must_use]
    fn power_of_two(self) -> Self;

    /// One random number, uniform in [0, 1).
    ///
    /// An `f32` takes the top 24 bits of one `next_u32`, an `f64` the top 53 bits of one `next_u64`.
    ///
    /// ```
    /// use eigenstream::{Scalar, rand_core::SeedableRng};
    /// let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(1);
    /// let u = f32::uniform(&mut rng);
    /// assert!((0.0..1.0).contains(&u));
    /// ```
    fn uniform<R: Rng + ?Sized>(rng: &mut R) -> Self;
}

macro_rules! scalar {
    ($float:ident, $exponent_mask:expr, $sqrt:expr, $exp:ident, $exp_m1:ident, $ln:ident, $floor:ident, $inverse_sqrt:expr, $uniform:expr) => {
        impl Scalar for $float {
            const ZERO: Self = 0.0;
            const HALF: Self = 0.5;
            const ONE: Self = 1.0;
            const TWO: Self = 2.0;
            const FOURTEEN: Self = 14.0;
            const EXP_MINUS_FOURTEEN: Self = 8.315_287_191_035_679e-7_f64 as $float;
            const THIRTY_SECOND: Self = 0.03125;
            const EPSILON: Self = $float::EPSILON;
            const MIN_POSITIVE: Self = $float::MIN_POSITIVE;
            const MAX: Self = $float::MAX;
            const INFINITY: Self = $float::INFINITY;

            fn from_f64(value: f64) -> Self {
                value as $float
            }
            fn from_usize(count: usize) -> Self {
                count as $float
            }
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            fn abs(self) -> Self {
                $float::abs(self)
            }
            fn sqrt(self) -> Self {
                ($sqrt)(self)
            }
            #[cfg_attr(optimize_for_size, inline(never))]
            fn inverse_sqrt(self) -> Self {
                // Subtracting half of the bits from the constant negates and halves the exponent; the result is 1/√x up
                // to 3.5 %. Each Newton step doubles the correct digits.
                let half = 0.5 * self;
                let mut guess = $float::from_bits($inverse_sqrt.0.wrapping_sub(self.to_bits() >> 1));
                for _ in 0..$inverse_sqrt.1 {
                    guess *= 1.5 - half * guess * guess;
                }
                guess
            }
            fn exp(self) -> Self {
                libm::$exp(self)
            }
            fn exp_m1(self) -> Self {
                libm::$exp_m1(self)
            }
            // The function is not inlined, so that flash holds one copy for all callers.
            #[inline(never)]
            fn ln(self) -> Self {
                libm::$ln(self)
            }
            fn floor(self) -> Self {
                libm::$floor(self)
            }
            fn is_finite(self) -> bool {
                $float::is_finite(self)
            }
            fn is_within(self, low: Self, high: Self) -> bool {
                // The bits of positive numbers are ordered like the numbers; the bits of negative numbers and NaN are
                // larger. For a number below `low` the difference wraps around to a large one.
                let low = low.to_bits();
                self.to_bits().wrapping_sub(low) <= high.to_bits().wrapping_sub(low)
            }
            // `max` and `min` are comparisons, because the library functions are slower on a Cortex-M4F.
            fn max(self, other: Self) -> Self {
                if self < other { other } else { self }
            }
            fn min(self, other: Self) -> Self {
                if self > other { other } else { self }
            }
            fn power_of_two(self) -> Self {
                // The power is zero for zero and for subnormal numbers.
                let power = $float::from_bits(self.to_bits() & $exponent_mask);
                if power == 0.0 { $float::MIN_POSITIVE } else { power }
            }
            fn uniform<R: Rng + ?Sized>(rng: &mut R) -> Self {
                $uniform(rng)
            }
        }
    };
}

scalar!(
    f32,
    0x7f80_0000,
    if SMALL { square_root } else { libm::sqrtf },
    expf,
    expm1f,
    logf,
    floorf,
    (0x5f37_59df_u32, 3),
    |rng: &mut R| (rng.next_u32() >> 8) as f32 * (1.0 / 16_777_216.0)
);
scalar!(
    f64,
    0x7ff0_0000_0000_0000,
    libm::sqrt,
    exp,
    expm1,
    log,
    floor,
    (0x5fe6_eb50_c7b5_37a9_u64, 4),
    |rng: &mut R| (rng.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constant_is_the_exponential_to_the_last_bit() {
        assert_eq!(f32::EXP_MINUS_FOURTEEN.to_bits(), Scalar::exp(-f32::FOURTEEN).to_bits());
        assert_eq!(f64::EXP_MINUS_FOURTEEN.to_bits(), Scalar::exp(-f64::FOURTEEN).to_bits());
    }
}
