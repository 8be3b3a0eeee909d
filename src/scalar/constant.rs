//! Arithmetic on a generic number inside a `const fn`, so that the compiler can check settings that are constants.
//! In: a number of type `T` and an expression of it. Out: the value of the expression.
//! Method: a `const fn` cannot call the operators of a trait, but it can call those of `f32` and `f64`. So
//! [`of_number!`] and [`number!`] expand the expression once for each of these types; a safe cast reads the bytes of
//! the number.
//! Cost: none for constants.

use super::Scalar;

/// A number with its concrete type.
#[derive(Clone, Copy)]
pub(crate) enum Float {
    Single(f32),
    Double(f64),
}

impl Float {
    #[inline(always)]
    pub(crate) const fn of<T: Scalar>(value: T) -> Self {
        match *bytemuck::must_cast_slice::<T, u32>(core::slice::from_ref(&value)) {
            [bits] => Self::Single(f32::from_bits(bits)),
            [first, second] => {
                let low_first = cfg!(target_endian = "little");
                let (low, high) = if low_first { (first, second) } else { (second, first) };
                Self::Double(f64::from_bits(((high as u64) << 32) | low as u64))
            }
            // This arm is never reached: a `Scalar` has one or two words of 32 bits.
            _ => Self::Double(f64::NAN),
        }
    }

    /// The number as `T`; 0 if the number has another type.
    #[inline(always)]
    pub(crate) const fn to<T: Scalar>(self) -> T {
        let bits = match self {
            // The cast reads the first four bytes: with the bits in both halves the byte order does not matter.
            Self::Single(value) if size_of::<T>() == size_of::<f32>() => {
                let bits = value.to_bits() as u64;
                (bits << 32) | bits
            }
            Self::Double(value) if size_of::<T>() == size_of::<f64>() => value.to_bits(),
            Self::Single(_) | Self::Double(_) => 0,
        };
        match bytemuck::must_cast_slice::<u64, T>(core::slice::from_ref(&bits)) {
            &[value, ..] => value,
            [] => T::ZERO,
        }
    }
}

/// Evaluates an expression of a generic number in a `const fn`: `of_number!(rate => rate > 0.0)`. In the expression,
/// `Real` is the type of the number.
macro_rules! of_number {
    ($value:ident => $expression:expr) => {
        match $crate::scalar::constant::Float::of($value) {
            $crate::scalar::constant::Float::Single($value) => {
                #[allow(dead_code, reason = "most expressions need no constant of the type")]
                type Real = f32;
                $expression
            }
            $crate::scalar::constant::Float::Double($value) => {
                #[allow(dead_code, reason = "most expressions need no constant of the type")]
                type Real = f64;
                $expression
            }
        }
    };
}

/// Like [`of_number!`], for a result that is converted back to `T`: `number!(sigma => 0.5 / (sigma * sigma))`.
macro_rules! number {
    ($value:ident => $expression:expr) => {
        match $crate::scalar::constant::Float::of($value) {
            $crate::scalar::constant::Float::Single($value) => {
                #[allow(dead_code, reason = "most expressions need no constant of the type")]
                type Real = f32;
                $crate::scalar::constant::Float::Single($expression).to()
            }
            $crate::scalar::constant::Float::Double($value) => {
                #[allow(dead_code, reason = "most expressions need no constant of the type")]
                type Real = f64;
                $crate::scalar::constant::Float::Double($expression).to()
            }
        }
    };
}

/// The operator `?` for a `const fn`.
macro_rules! tried {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(error) => return Err(error),
        }
    };
}

pub(crate) use {number, of_number, tried};

#[cfg(test)]
mod tests {
    use super::*;

    const fn halved<T: Scalar>(value: T) -> T {
        number!(value => 0.5 * value)
    }

    const SINGLE: f32 = halved(3.0_f32);
    const DOUBLE: f64 = halved(3.0_f64);

    #[test]
    fn a_constant_has_the_bits_of_the_number_type() {
        assert_eq!((SINGLE, DOUBLE), (1.5, 1.5));
        for bits in [
            0,
            1,
            0x8000_0000,
            0x7f7f_ffff,
            0x7f80_0000,
            0xffc0_0001,
            0x3f80_0000_u32,
        ] {
            assert_eq!(Float::of(f32::from_bits(bits)).to::<f32>().to_bits(), bits);
            let wide = (u64::from(bits) << 32) | u64::from(!bits);
            assert_eq!(Float::of(f64::from_bits(wide)).to::<f64>().to_bits(), wide);
        }
        assert!(matches!(Float::of(0.1_f32), Float::Single(0.1)));
        assert!(matches!(Float::of(0.1_f64), Float::Double(0.1)));
    }
}
