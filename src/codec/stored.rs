//! How numbers, arrays and structs become bytes and numbers again.
//! In: a value, and the part of an image that is still free. Out: the same value from the same bytes, or why they are none.
//! Method: little-endian, field by field, no padding. [`stored!`] lists the fields of a struct once, for the length, for writing
//! and for reading; a field that is left out does not compile.
//! Cost: one pass; a value that is read is built on the stack.

use crate::{CodecError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

/// What can be part of an image.
pub trait Stored: Sized {
    /// Bytes that it takes.
    const LENGTH: usize;

    /// Writes it to the front of what is free.
    fn store(&self, image: &mut Writer<'_>);

    /// Reads it from the front of what is left.
    fn load(image: &mut Reader<'_>) -> Result<Self, CodecError>;
}

/// A kernel that can be part of an image; a function or closure of the user's cannot.
pub trait StoredKernel: Stored + Copy {
    /// A number that stands for the same kernel for good; 0 is none.
    const NUMBER: u8;
}

/// The part of an image that is still free.
#[derive(Debug)]
pub struct Writer<'image> {
    pub(super) free: &'image mut [u8],
}

impl Writer<'_> {
    /// Writes bytes. Where there is no room nothing is written; who makes the image has seen to it that there is.
    pub(crate) fn write<const N: usize>(&mut self, bytes: [u8; N]) {
        if let Some((first, rest)) = core::mem::take(&mut self.free).split_first_chunk_mut() {
            *first = bytes;
            self.free = rest;
        }
    }
}

/// The part of an image that is still to be read.
#[derive(Debug)]
pub struct Reader<'image> {
    pub(super) left: &'image [u8],
}

impl Reader<'_> {
    /// The next bytes.
    pub(crate) fn read<const N: usize>(&mut self) -> Result<[u8; N], CodecError> {
        let torn = CodecError::Torn {
            needed: N,
            found: self.left.len(),
        };
        let (&first, rest) = self.left.split_first_chunk().ok_or(torn)?;
        self.left = rest;
        Ok(first)
    }

    /// Leaves the next bytes out.
    fn skip(&mut self, count: usize) {
        self.left = self.left.get(count..).unwrap_or_default();
    }
}

/// Numbers, as they are; what is not finite is refused.
macro_rules! stored_numbers {
    ($($number:ident, $finite:expr;)+) => {$(
        impl Stored for $number {
            const LENGTH: usize = size_of::<Self>();

            fn store(&self, image: &mut Writer<'_>) {
                image.write(self.to_le_bytes());
            }

            fn load(image: &mut Reader<'_>) -> Result<Self, CodecError> {
                let number = Self::from_le_bytes(image.read()?);
                if $finite(number) { Ok(number) } else { Err(CodecError::NotANumber) }
            }
        }
    )+};
}

stored_numbers! {
    u8, |_| true;
    u16, |_| true;
    u32, |_| true;
    u64, |_| true;
    f32, f32::is_finite;
    f64, f64::is_finite;
}

/// A count: four bytes on every machine. Beyond 2³² it stops.
impl Stored for usize {
    const LENGTH: usize = u32::LENGTH;

    fn store(&self, image: &mut Writer<'_>) {
        u32::try_from(*self).unwrap_or(u32::MAX).store(image);
    }

    fn load(image: &mut Reader<'_>) -> Result<Self, CodecError> {
        Self::try_from(u32::load(image)?).map_err(|_| CodecError::Count)
    }
}

/// The same again and again. The first one fills all places until the others come: there is no other value to begin with.
impl<S: Stored + Copy, const N: usize> Stored for [S; N] {
    const LENGTH: usize = N * S::LENGTH;

    fn store(&self, image: &mut Writer<'_>) {
        for part in self {
            part.store(image);
        }
    }

    fn load(image: &mut Reader<'_>) -> Result<Self, CodecError> {
        const { assert!(N > 0, "a learner has no arrays of nothing") };
        let mut parts = [S::load(image)?; N];
        for part in parts.iter_mut().skip(1) {
            *part = S::load(image)?;
        }
        Ok(parts)
    }
}

impl<T: Scalar, const ROWS: usize, const COLUMNS: usize> Stored for SMatrix<T, ROWS, COLUMNS> {
    const LENGTH: usize = <[[T; ROWS]; COLUMNS]>::LENGTH;

    fn store(&self, image: &mut Writer<'_>) {
        self.data.0.store(image);
    }

    fn load(image: &mut Reader<'_>) -> Result<Self, CodecError> {
        Ok(Self::from_array_storage(ArrayStorage(Stored::load(image)?)))
    }
}

/// A choice and the number that comes with it.
impl<First: Stored, Second: Stored> Stored for (First, Second) {
    const LENGTH: usize = First::LENGTH + Second::LENGTH;

    fn store(&self, image: &mut Writer<'_>) {
        self.0.store(image);
        self.1.store(image);
    }

    fn load(image: &mut Reader<'_>) -> Result<Self, CodecError> {
        Ok((First::load(image)?, Second::load(image)?))
    }
}

/// What may not be there yet: a byte that says so, and room for it all the same.
impl<S: Stored> Stored for Option<S> {
    const LENGTH: usize = u8::LENGTH + S::LENGTH;

    fn store(&self, image: &mut Writer<'_>) {
        u8::from(self.is_some()).store(image);
        match self {
            Some(value) => value.store(image),
            None => (0..S::LENGTH).for_each(|_| 0_u8.store(image)),
        }
    }

    fn load(image: &mut Reader<'_>) -> Result<Self, CodecError> {
        match u8::load(image)? {
            0 => {
                image.skip(S::LENGTH);
                Ok(None)
            }
            1 => S::load(image).map(Some),
            _ => Err(CodecError::Choice),
        }
    }
}

/// The length of a field, by the function that finds it.
pub(crate) const fn length_of<Whole, Field: Stored>(_: fn(&Whole) -> &Field) -> usize {
    Field::LENGTH
}

/// Makes a struct part of an image: its fields in the order of the image, the learner inside, what is not kept and begins
/// anew, and what has to be true of the whole.
///
/// ```text
/// stored!([T: Scalar, const N: usize] Evidence<T, N> { directions, values } renewed { scratch: [T::ZERO; N] } if validate);
/// stored!([T: Scalar, L: Learned] Monitor<T, L> { settings, threshold } around learner);
/// ```
/// `sound` names a method `fn(&self) -> Result<(), CodecError>`; all but the fields may be left out.
macro_rules! stored {
    (
        [$($generics:tt)*] $whole:ty { $($field:ident),+ $(,)? }
        $(around $inner:ident)? $(renewed { $($scratch:ident: $fresh:expr),+ $(,)? })? $(if $validate:ident)?
    ) => {
        impl<$($generics)*> $crate::codec::Stored for $whole {
            const LENGTH: usize = 0 $(+ $crate::codec::length_of(|whole: &Self| &whole.$field))+
                $(+ $crate::codec::Inner::length_of(|whole: &Self| &whole.$inner))?;

            fn store(&self, image: &mut $crate::codec::Writer<'_>) {
                $($crate::codec::Stored::store(&self.$field, image);)+
                $($crate::codec::Inner::store(&self.$inner, image);)?
            }

            fn load(image: &mut $crate::codec::Reader<'_>) -> Result<Self, $crate::CodecError> {
                let whole = Self {
                    $($field: $crate::codec::Stored::load(image)?,)+
                    $($inner: $crate::codec::Inner::load(image)?,)?
                    $($($scratch: $fresh,)+)?
                };
                $(whole.$validate()?;)?
                Ok(whole)
            }
        }
    };
}

/// Makes a choice without further numbers part of an image: one byte for each variant, for good.
macro_rules! stored_choice {
    ($choice:ty { $($code:literal = $variant:ident),+ $(,)? }) => {
        impl $crate::codec::Stored for $choice {
            const LENGTH: usize = 1;

            fn store(&self, image: &mut $crate::codec::Writer<'_>) {
                image.write([match self { $(Self::$variant => $code,)+ }]);
            }

            fn load(image: &mut $crate::codec::Reader<'_>) -> Result<Self, $crate::CodecError> {
                match image.read()? {
                    $([$code] => Ok(Self::$variant),)+
                    _ => Err($crate::CodecError::Choice),
                }
            }
        }
    };
}

pub(crate) use {stored, stored_choice};
