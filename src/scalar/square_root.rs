//! The square root of an `f32` in a quarter of the flash.
//! In: any number. Out: its root, correctly rounded, which are the bits of `libm` and of every floating-point unit.
//! Method: digit by digit, as on paper. With the digits q of the root so far, the next one, r, belongs to it if (q + r)² is
//! not above the number: if 2·q·r + r² is not above what q² leaves of it.
//! Cost: 25 rounds of some 8 instructions, no table. For code that is compiled for size.

/// Bits behind the point.
const MANTISSA: u32 = 23;
/// The lowest bit of the exponent, which is also the one before the point.
const ONE: u32 = 1 << MANTISSA;

/// √x.
pub(crate) fn square_root(number: f32) -> f32 {
    let bits = number.to_bits();
    // Looked at as bits, everything that is not above zero and finite is above infinity, but for zero itself.
    if bits.wrapping_sub(1) >= f32::INFINITY.to_bits() - 1 {
        return if number < 0.0 { f32::NAN } else { number };
    }
    // m·2ᵉ with an even e, of which the root has half; the exponent is stored as e + 127.
    let (mut mantissa, mut stored) = (bits & (ONE - 1), bits >> MANTISSA);
    if stored == 0 {
        // A subnormal number has its first digit further down.
        let shift = mantissa.leading_zeros() - ONE.leading_zeros();
        mantissa <<= shift;
        stored = 1_u32.wrapping_sub(shift);
    }
    let mut rest = (mantissa | ONE) << (2 - (stored & 1));
    let exponent = stored.wrapping_add(127) >> 1;
    // √m in 24 digits and one to round by; `doubled` is 2·q.
    let (mut root, mut doubled) = (0, 0);
    let mut digit = 2 * ONE;
    while digit > 0 {
        let square = doubled + digit;
        if square <= rest {
            rest -= square;
            doubled += 2 * digit;
            root += digit;
        }
        rest <<= 1;
        digit >>= 1;
    }
    // No root lies half way between two numbers: where the last digit is one, there is more behind it.
    root += root & 1;
    f32::from_bits((root >> 1) - ONE + (exponent << MANTISSA))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_are_those_of_libm() {
        // Every 997th number, a prime: all exponents, and all kinds of digits in each.
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
