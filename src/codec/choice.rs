//! Enums in images: the macro that stores a choice, the variant with its payload.
//! In: the variants of an enum, each with its code, and the payload. Out: `Stored` for the enum.
//! Method: one byte for the variant, then the payload. A payload that a variant does not have is stored as a fixed value, so that
//! every choice has exactly one image; an image with other bytes is refused.
//! Cost: one comparison for each byte.

/// Makes an enum part of an image: one byte for the variant, which never changes, then the payload.
///
/// ```text
/// stored_choice!([generics] Type { 0 = Variant, 1 = Variant });
/// stored_choice!([T: Scalar] Rate<T>: [value: T = T::ONE] { 0 = Off, 1 = On(value), 2 = Slow { by: value } } if checked);
/// ```
/// For each part of the payload the list gives a value. This value is in the image if a variant does not have the part; any
/// other value is refused there. `checked` names a method `fn(self) -> Result<Self, _>`; it is optional.
macro_rules! stored_choice {
    (
        [$($generics:tt)*] $choice:ty $(: [$($part:ident: $type:ty = $absent:expr),+])? { $($variants:tt)+ } $(if $checked:ident)?
    ) => {
        $crate::codec::stored_choice!(
            @ [$($generics)*] $choice: [$($($part: $type = $absent),+)?] ($($($part,)+)?) { $($variants)+ } $(if $checked)?
        );
    };
    (
        @ [$($generics:tt)*] $choice:ty: [$($part:ident: $type:ty = $absent:expr),*] $parts:tt
        { $($code:literal = $variant:ident $(($($tuple:tt)+))? $({ $($named:tt)+ })?),+ $(,)? } $(if $checked:ident)?
    ) => {
        impl<$($generics)*> $crate::codec::Stored for $choice {
            const CONTENT: $crate::codec::Layout = $crate::codec::Layout::Choice {
                variants: &[$(($code, stringify!($variant))),+],
                payload: &[$($crate::codec::Field {
                    name: stringify!($part),
                    layout: <$type as $crate::codec::Stored>::CONTENT,
                }),*],
            };

            fn store(&self, image: &mut $crate::codec::Writer<'_>) {
                // A variant that has the part shadows this variable.
                $(let $part: $type = $absent;)*
                let (code, $parts) = match *self {
                    $(Self::$variant $(($($tuple)+))? $({ $($named)+ })? => ($code, $parts),)+
                };
                image.write([code]);
                $($crate::codec::Stored::store(&$part, image);)*
            }

            fn load(image: &mut $crate::codec::Reader<'_>) -> Result<Self, $crate::CodecError> {
                let start = image.left;
                let [code] = image.read()?;
                $(let $part = <$type as $crate::codec::Stored>::load(image)?;)*
                let choice = match code {
                    $($code => Self::$variant $(($($tuple)+))? $({ $($named)+ })?,)+
                    _ => return Err($crate::CodecError::Choice),
                };
                $(let choice = choice.$checked()?;)?
                $crate::codec::must_begin_with(start, &choice)?;
                Ok(choice)
            }

            #[allow(unused_variables, unused_mut, reason = "a choice may have no payload")]
            fn replace(&mut self, image: &mut $crate::codec::Exchange<'_>) {
                $(let $part: $type = $absent;)*
                let (code, $parts) = match *self {
                    $(Self::$variant $(($($tuple)+))? $({ $($named)+ })? => ($code, $parts),)+
                };
                let start = image.place();
                let mut code = [code];
                $(let mut $part = $part;)*
                image.next(&mut code);
                $($crate::codec::Stored::replace(&mut $part, image);)*
                let read = || {
                    let choice = match code {
                        $([$code] => Self::$variant $(($($tuple)+))? $({ $($named)+ })?,)+
                        _ => return Err($crate::CodecError::Choice),
                    };
                    $(let choice = choice.$checked()?;)?
                    // One spelling, as in `load`: code and payload are those that `store` writes, bit for bit.
                    let found = $parts;
                    $(let $part: $type = $absent;)*
                    let (spelled_code, spelled) = match choice {
                        $(Self::$variant $(($($tuple)+))? $({ $($named)+ })? => ([$code], $parts),)+
                    };
                    $crate::codec::must_be_same(&code, &spelled_code)?;
                    $($crate::codec::must_be_same(
                        &{ let $parts = found; $part },
                        &{ let $parts = spelled; $part },
                    )?;)*
                    Ok(choice)
                };
                match read() {
                    Ok(choice) => *self = choice,
                    Err(error) => {
                        image.take_back_from(start, &mut code, error);
                        $($crate::codec::Stored::replace(&mut $part, image);)*
                    }
                }
            }
        }
    };
}

pub(crate) use stored_choice;
