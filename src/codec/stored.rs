//! Converts numbers, arrays and structs to bytes and back.
//! In: a value, or bytes. Out: its bytes, or the value, or an error if the bytes are not valid.
//! Method: field by field. [`stored!`] lists the fields of a struct once, for layout, writing and reading; a list
//! without one of the fields does not compile.
//! Cost: one pass. `load` builds the value on the stack.

use super::exchange::Exchange;
use super::layout::{Field, ImageLayout, Layout};
use super::validate;
use crate::error::CodecError;
use crate::scalar::Scalar;
use nalgebra::{ArrayStorage, SMatrix};

/// A type whose values can be part of an image.
pub trait Stored: Sized {
    /// The layout of the bytes.
    const CONTENT: Layout;

    /// The length of the value in bytes.
    const LENGTH: usize = Self::CONTENT.length();

    /// Writes the value.
    fn store(&self, image: &mut Writer<'_>);

    /// Reads a value.
    fn load(image: &mut Reader<'_>) -> Result<Self, CodecError>;

    /// Swaps the value with the next bytes of an image, and checks the new value; see [`Exchange`].
    fn replace(&mut self, image: &mut Exchange<'_>) {
        replace_part(self, image);
    }
}

/// A learner that can be encoded as an image.
pub trait Learned: Stored {
    /// Kind, name, sizes and layout of the image.
    const IMAGE: ImageLayout;
}

/// A scratch field. It becomes `FRESH` before the check of its struct runs.
pub(crate) trait Renewed: Sized {
    const FRESH: Self;

    /// Sets the field to `FRESH` in place, because a large value must not be on the stack.
    fn renew(&mut self);
}

impl<T: Scalar, const N: usize> Renewed for [T; N] {
    const FRESH: Self = [T::ZERO; N];

    fn renew(&mut self) {
        self.fill(T::ZERO);
    }
}

impl<T: Scalar, const ROWS: usize, const COLUMNS: usize> Renewed for SMatrix<T, ROWS, COLUMNS> {
    const FRESH: Self = Self::from_array_storage(ArrayStorage([[T::ZERO; ROWS]; COLUMNS]));

    fn renew(&mut self) {
        self.data.0.as_flattened_mut().fill(T::ZERO);
    }
}

/// A kernel of this crate, which can be part of an image.
pub trait StoredKernel: Stored + Copy {
    /// The number of this kernel, which never changes; 0 means no kernel.
    const NUMBER: u8;
}

/// Receives the bytes of an image in several calls.
pub(crate) trait Sink {
    fn put(&mut self, bytes: &[u8]);
}

/// A sink in memory. Bytes for which `free` has no room are ignored; the callers check the length before.
pub(super) struct Slice<'image> {
    pub(super) free: &'image mut [u8],
}

impl Sink for Slice<'_> {
    #[cfg_attr(optimize_for_size, inline(never))]
    fn put(&mut self, bytes: &[u8]) {
        if let Some((first, rest)) = core::mem::take(&mut self.free).split_at_mut_checked(bytes.len()) {
            // The bytes are copied one by one, because `copy_from_slice` keeps a panic about lengths in code that is
            // optimised for size.
            for (place, &byte) in first.iter_mut().zip(bytes) {
                *place = byte;
            }
            self.free = rest;
        }
    }
}

/// Compares the bytes that it receives with an image; `left` is the part not yet compared.
struct Comparison<'image> {
    left: &'image [u8],
    same: bool,
}

impl Sink for Comparison<'_> {
    fn put(&mut self, bytes: &[u8]) {
        match self.left.split_at_checked(bytes.len()) {
            Some((first, rest)) if first == bytes => self.left = rest,
            _ => self.same = false,
        }
    }
}

/// Refuses `image` if `value`, which was read from it, would be stored as other bytes.
///
/// This gives each value of an enum exactly one encoding. Bytes are compared, because a comparison of numbers takes −0
/// for 0.
pub(crate) fn must_begin_with<S: Stored>(image: &[u8], value: &S) -> Result<(), CodecError> {
    let mut comparison = Comparison {
        left: image,
        same: true,
    };
    value.store(&mut Writer { sink: &mut comparison });
    validate::accept(comparison.same, CodecError::Choice)
}

/// Refuses a value whose bytes differ from those that `store` would write.
pub(crate) fn must_be_same<P: bytemuck::Pod>(found: &P, spelled: &P) -> Result<(), CodecError> {
    validate::accept(
        bytemuck::bytes_of(found) == bytemuck::bytes_of(spelled),
        CodecError::Choice,
    )
}

/// Writes an image.
pub struct Writer<'image> {
    pub(crate) sink: &'image mut dyn Sink,
}

impl Writer<'_> {
    pub(crate) fn write<const N: usize>(&mut self, bytes: [u8; N]) {
        self.sink.put(&bytes);
    }
}

/// Reads an image; `left` is the part that is not read yet.
#[derive(Debug)]
pub struct Reader<'image> {
    pub(crate) left: &'image [u8],
}

impl Reader<'_> {
    pub(crate) fn read<const N: usize>(&mut self) -> Result<[u8; N], CodecError> {
        let torn = CodecError::Torn {
            needed: N,
            found: self.left.len(),
        };
        let (&first, rest) = self.left.split_first_chunk().ok_or(torn)?;
        self.left = rest;
        Ok(first)
    }
}

/// Implements [`Stored`] for numbers; NaN and infinite numbers are refused.
macro_rules! stored_numbers {
    ($($number:ident: $shape:ident, $finite:expr;)+) => {$(
        impl Stored for $number {
            const CONTENT: Layout = Layout::$shape { bytes: size_of::<Self>() };

            #[cfg_attr(optimize_for_size, inline(never))]
            fn store(&self, image: &mut Writer<'_>) {
                image.write(self.to_le_bytes());
            }

            fn load(image: &mut Reader<'_>) -> Result<Self, CodecError> {
                let number = Self::from_le_bytes(image.read()?);
                if $finite(number) { Ok(number) } else { Err(CodecError::NotANumber) }
            }

            #[cfg_attr(optimize_for_size, inline(never))]
            fn replace(&mut self, image: &mut Exchange<'_>) {
                let mut bytes = self.to_le_bytes();
                if image.next(&mut bytes) {
                    let number = Self::from_le_bytes(bytes);
                    if $finite(number) {
                        *self = number;
                    } else {
                        image.take_back(&mut bytes, CodecError::NotANumber);
                    }
                }
            }
        }
    )+};
}

stored_numbers! {
    u16: Count, |_| true;
    u32: Count, |_| true;
    u64: Count, |_| true;
    f32: Number, f32::is_finite;
    f64: Number, f64::is_finite;
}

/// A count takes four bytes on every machine. A count above `u32::MAX` becomes `u32::MAX`, also in a learner that
/// `replace` saves or swaps back.
impl Stored for usize {
    const CONTENT: Layout = u32::CONTENT;

    fn store(&self, image: &mut Writer<'_>) {
        u32::try_from(*self).unwrap_or(u32::MAX).store(image);
    }

    fn load(image: &mut Reader<'_>) -> Result<Self, CodecError> {
        Self::try_from(u32::load(image)?).map_err(|_| CodecError::Count)
    }

    fn replace(&mut self, image: &mut Exchange<'_>) {
        replace_count(self, image);
    }
}

/// The largest length in bytes of a value without its own `replace`.
const PART: usize = 32;

/// Swaps a value of at most [`PART`] bytes as a whole.
#[cfg_attr(optimize_for_size, inline(never))]
fn replace_part<S: Stored>(part: &mut S, image: &mut Exchange<'_>) {
    const { assert!(S::LENGTH <= PART, "a larger part is exchanged field by field") };
    let mut buffer = [0; PART];
    let Some(bytes) = buffer.get_mut(..S::LENGTH) else {
        return image.refuse(CodecError::Count);
    };
    part.store(&mut Writer {
        sink: &mut Slice { free: bytes },
    });
    if !image.next(bytes) {
        return;
    }
    match S::load(&mut Reader { left: bytes }) {
        Ok(read) => *part = read,
        Err(error) => image.take_back(bytes, error),
    }
}

/// Swaps a count. A count that does not fit into a `usize` of 16 bits is refused with [`CodecError::Count`].
fn replace_count<C: Copy + TryInto<u32> + TryFrom<u32>>(count: &mut C, image: &mut Exchange<'_>) {
    let mut stored = (*count).try_into().unwrap_or(u32::MAX);
    stored.replace(image);
    match C::try_from(stored) {
        Ok(found) => *count = found,
        Err(_) => image.take_back(&mut stored.to_le_bytes(), CodecError::Count),
    }
}

/// Swaps a value. If a part is refused, the whole value is swapped back.
fn replace_whole<S: Stored>(value: &mut S, image: &mut Exchange<'_>) -> Result<(), CodecError> {
    let (start, earlier, sound) = (image.at, image.refusal.take(), image.sound);
    image.sound = true;
    value.replace(image);
    let refusal = image.refusal.take();
    if refusal.is_some() {
        image.at = start;
        image.sound = true;
        value.replace(image);
    }
    (image.refusal, image.sound) = (earlier, sound);
    refusal.map_or(Ok(()), Err)
}

/// One function for arrays of all lengths saves flash.
#[cfg_attr(optimize_for_size, inline(never))]
fn replace_all<S: Stored>(parts: &mut [S], image: &mut Exchange<'_>) {
    for part in parts {
        part.replace(image);
    }
}

#[cfg_attr(optimize_for_size, inline(never))]
fn store_all<S: Stored>(parts: &[S], image: &mut Writer<'_>) {
    for part in parts {
        part.store(image);
    }
}

impl<S: Stored + Copy, const N: usize> Stored for [S; N] {
    const CONTENT: Layout = Layout::Repeated {
        times: N,
        each: &S::CONTENT,
    };

    fn store(&self, image: &mut Writer<'_>) {
        store_all(self, image);
    }

    fn load(image: &mut Reader<'_>) -> Result<Self, CodecError> {
        const { assert!(N > 0, "a learner has no arrays of nothing") };
        let mut parts = [S::load(image)?; N];
        for part in parts.iter_mut().skip(1) {
            *part = S::load(image)?;
        }
        Ok(parts)
    }

    fn replace(&mut self, image: &mut Exchange<'_>) {
        replace_all(self, image);
    }
}

impl<T: Scalar, const ROWS: usize, const COLUMNS: usize> Stored for SMatrix<T, ROWS, COLUMNS> {
    const CONTENT: Layout = <[[T; ROWS]; COLUMNS]>::CONTENT;

    fn store(&self, image: &mut Writer<'_>) {
        store_all(self.data.0.as_flattened(), image);
    }

    fn load(image: &mut Reader<'_>) -> Result<Self, CodecError> {
        Ok(Self::from_array_storage(ArrayStorage(Stored::load(image)?)))
    }

    fn replace(&mut self, image: &mut Exchange<'_>) {
        replace_all(self.data.0.as_flattened_mut(), image);
    }
}

/// An `Option` is one byte that says whether the value exists, then the value. The default of `S` must be all zeros,
/// because `replace` writes it for `None`.
impl<S: Stored + Default> Stored for Option<S> {
    const CONTENT: Layout = Layout::Optional(&S::CONTENT);

    fn store(&self, image: &mut Writer<'_>) {
        image.write([u8::from(self.is_some())]);
        match self {
            Some(value) => value.store(image),
            None => (0..S::LENGTH).for_each(|_| image.write([0])),
        }
    }

    fn load(image: &mut Reader<'_>) -> Result<Self, CodecError> {
        match image.read()? {
            [0] => {
                for _ in 0..S::LENGTH {
                    let [zero] = image.read()?;
                    validate::accept(zero == 0, CodecError::Choice)?;
                }
                Ok(None)
            }
            [1] => S::load(image).map(Some),
            _ => Err(CodecError::Choice),
        }
    }

    fn replace(&mut self, image: &mut Exchange<'_>) {
        let mut presence = [u8::from(self.is_some())];
        let before = presence;
        if !image.next(&mut presence) {
            return;
        }
        let known = match presence {
            [0] => image.has_zeros(S::LENGTH),
            [presence] => presence == 1,
        };
        let mut value = self.take().unwrap_or_default();
        // A later pass that swaps back reads the presence byte first, so this byte must agree with the bytes that
        // follow.
        let outcome = if known {
            replace_whole(&mut value, image)
        } else {
            image.skip(S::LENGTH);
            Err(CodecError::Choice)
        };
        let now = match outcome {
            Ok(()) => presence,
            Err(error) => {
                image.take_back_before(&mut presence, S::LENGTH, error);
                before
            }
        };
        if now == [1] {
            *self = Some(value);
        }
    }
}

/// Describes a field. The given function is never called: the compiler infers the type `Part` from it.
pub(crate) const fn field<Whole, Part: Stored>(name: &'static str, _: fn(&Whole) -> &Part) -> Field {
    let layout = Part::CONTENT;
    Field { name, layout }
}

/// Describes a field that is a learner, like [`field`].
pub(crate) const fn learner_field<Whole, L: Learned>(name: &'static str, _: fn(&Whole) -> &L) -> Field {
    let layout = Layout::Learner(const { &L::IMAGE });
    Field { name, layout }
}

/// Implements `Stored` for a struct, `Learned` for a learner, `StoredKernel` for a kernel, from the fields in their
/// order.
///
/// ```text
/// stored!(
///     [generics] Type { field, field, … }       a struct
///     [generics] Type as wrapper { field }      a struct that the layout shows as its only field
///     [generics] Type as kernel 3 { field, … }  a kernel and its number in the header
///     [generics] Type: Kind [SIZE, …] of T with (K::NUMBER) { field, … }
///                                               a learner: kind, sizes, number type and kernel of the header
///     [generics] Type as ("Name"): Kind …       a learner whose name differs from the name of its type
///
///     around learner                            the inner learner, stored after the fields
///     renewed { scratch, … }                    scratch fields, not in the image, which implement [`Renewed`]
///     if check                                  a method `fn(&self)` or `fn(&mut self)`, `-> Result<(), CodecError>`, that
///                                               refuses wrong numbers or computes the scratch fields
///     by new(field, …)                          a constructor that refuses wrong values of these fields
/// );
/// ```
/// The last four clauses are optional, and so is `with` for a learner without kernel.
macro_rules! stored {
    (
        [$($generics:tt)*] $whole:ty $(as ($name:expr))?: $kind:ident [$($size:expr),*] of $number:ident $(with ($kernel:expr))?
        { $($fields:tt)* } $($rest:tt)*
    ) => {
        impl<$($generics)*> $crate::codec::Learned for $whole {
            const IMAGE: $crate::codec::ImageLayout = $crate::codec::ImageLayout {
                kind: $crate::codec::Kind::$kind,
                name: [$($name,)? $crate::codec::last_word(stringify!($whole))][0],
                sizes: const { &[$(($crate::codec::last_word(stringify!($size)), $size)),*] },
                precision: <$number as $crate::codec::Stored>::LENGTH as u8,
                kernel: [$($kernel,)? 0][0],
                content: <Self as $crate::codec::Stored>::CONTENT,
            };
        }

        $crate::codec::stored!([$($generics)*] $whole { $($fields)* } $($rest)*);
    };
    ([$($generics:tt)*] $whole:ty as kernel $number:literal { $($fields:tt)* } $($rest:tt)*) => {
        impl<$($generics)*> $crate::codec::StoredKernel for $whole {
            const NUMBER: u8 = $number;
        }

        $crate::codec::stored!(
            [$($generics)*] $whole as kernel($number, $crate::codec::last_word(stringify!($whole))) { $($fields)* } $($rest)*
        );
    };
    (
        [$($generics:tt)*] $whole:ty $(as $form:ident $(($($argument:expr),+))?)? { $($field:ident),* $(,)? }
        $(around $inner:ident)? $(renewed { $($scratch:ident),+ $(,)? })?
        $(if $check:ident)? $(by $new:ident($($argument_of_new:ident),+))?
    ) => {
        #[allow(unused_variables, unused_mut, reason = "a kernel may have no fields, a check may change nothing")]
        impl<$($generics)*> $crate::codec::Stored for $whole {
            const CONTENT: $crate::codec::Layout = $crate::codec::Layout::Group(const { &[
                $($crate::codec::field(stringify!($field), |whole: &Self| &whole.$field),)*
                $($crate::codec::learner_field(stringify!($inner), |whole: &Self| &whole.$inner),)?
            ] }) $(.$form($($($argument),+)?))?;

            fn store(&self, image: &mut $crate::codec::Writer<'_>) {
                $($crate::codec::Stored::store(&self.$field, image);)*
                $($crate::codec::Inner::store(&self.$inner, image);)?
            }

            fn load(image: &mut $crate::codec::Reader<'_>) -> Result<Self, $crate::CodecError> {
                let mut whole = Self {
                    $($field: $crate::codec::Stored::load(image)?,)*
                    $($inner: $crate::codec::Inner::load(image)?,)?
                    $($($scratch: $crate::codec::Renewed::FRESH,)+)?
                };
                $(whole.$check()?;)?
                $(Self::$new($(whole.$argument_of_new),+)?;)?
                Ok(whole)
            }

            fn replace(&mut self, image: &mut $crate::codec::Exchange<'_>) {
                $($crate::codec::Stored::replace(&mut self.$field, image);)*
                $($crate::codec::Inner::replace(&mut self.$inner, image);)?
                $($($crate::codec::Renewed::renew(&mut self.$scratch);)+)?
                if image.is_sound() {
                    $(image.judge(self.$check());)?
                    $(image.judge(Self::$new($(self.$argument_of_new),+).map(|_| ()).map_err($crate::CodecError::from));)?
                }
            }
        }
    };
}

pub(crate) use stored;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::exchange::Direction;

    #[test]
    fn a_count_without_room_in_16_bits_is_refused_and_stays_in_the_image() {
        for (found, kept, refusal) in [(65_535_u32, 65_535, None), (65_536, 7, Some(CodecError::Count))] {
            let (mut count, mut image) = (7_u16, found.to_le_bytes());
            let mut medium = &mut image[..];
            let mut exchange = Exchange::new(&mut medium, Direction::Take);
            replace_count(&mut count, &mut exchange);
            assert_eq!((exchange.refusal, exchange.at, count), (refusal, 4, kept));
            let left = if refusal.is_none() { 7 } else { found };
            assert_eq!(image, left.to_le_bytes());
        }
    }
}
