//! The square root of an `f32`, with a quarter of the flash of `libm`, for code compiled for size.
//! In: any number x. Out: its root, correctly rounded, so bit for bit that of `libm`; a NaN for x < 0 and for NaN.
//! Method: one binary digit after the other. q is the root so far and r the value of the next digit; this digit is one
//! if 2·q·r + r² ≤ x − q².
//! Cost: 25 rounds of about 8 instructions, no table.

/// The number of bits of a mantissa after the binary point.
const MANTISSA: u32 = 23;
/// 1.0 as an integer mantissa; also the lowest bit of the exponent.
const ONE: u32 = 1 << MANTISSA;

pub(crate) fn square_root(number: f32) -> f32 {
    let bits = number.to_bits();
    // As integers, the bits of positive finite numbers are above 0 and below those of infinity.
    if bits.wrapping_sub(1) >= f32::INFINITY.to_bits() - 1 {
        return if number < 0.0 { f32::NAN } else { number };
    }
    // x = m·2ᵉ with an even e and 1 ≤ m < 4, and √x = √m·2^(e/2). `stored` is the exponent of x plus 127.
    let (mut mantissa, mut stored) = (bits & (ONE - 1), bits >> MANTISSA);
    if stored == 0 {
        // The first digit of a subnormal number moves to `ONE`.
        let shift = mantissa.leading_zeros() - ONE.leading_zeros();
        mantissa <<= shift;
        stored = 1_u32.wrapping_sub(shift);
    }
    let mut rest = (mantissa | ONE) << (2 - (stored & 1));
    let exponent = stored.wrapping_add(127) >> 1;
    // Computes 24 digits of √m and one more for rounding. `root` is q, `doubled` 2·q, `rest` (m − q²)/r.
    let (mut root, mut doubled) = (0_u32, 0_u32);
    let mut digit = 2 * ONE;
    while digit > 0 {
        let square = digit.wrapping_add(doubled);
        if square <= rest {
            rest -= square;
            doubled = digit.wrapping_mul(2).wrapping_add(doubled);
            root = digit.wrapping_add(root);
        }
        rest <<= 1;
        digit >>= 1;
    }
    // A root is never half way between two neighbouring numbers, so the extra digit decides how to round.
    root = root.wrapping_add(root & 1);
    f32::from_bits((root >> 1).wrapping_sub(ONE).wrapping_add(exponent << MANTISSA))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_are_those_of_libm() {
        // The test takes every 997th bit pattern. 997 is a prime, so many different mantissas of every exponent are
        // tested.
        for bits in (0..f32::INFINITY.to_bits())
            .step_by(997)
            .chain([1, 0x007f_ffff, 0x7f7f_ffff])
        {
            let number = f32::from_bits(bits);
            assert_eq!(
                square_root(number).to_bits(),
                libm::sqrtf(number).to_bits(),
                "bits {bits:#x}"
            );
        }
    }

    #[test]
    fn what_has_no_root_is_as_in_libm() {
        assert_eq!(square_root(-0.0).to_bits(), (-0.0_f32).to_bits());
        assert_eq!(square_root(f32::INFINITY), f32::INFINITY);
        for number in [-1.0, -f32::MIN_POSITIVE, f32::NEG_INFINITY, f32::NAN] {
            assert!(square_root(number).is_nan());
        }
    }
}
