//! The macro that stores an enum: one byte for the code, then the payload. A field that the variant does not have holds
//! a fixed value, so every value of the enum has exactly one encoding; other bytes are refused.

/// Implements `Stored` for an enum. The code of a variant never changes.
///
/// ```text
/// stored_choice!([generics] Type { 0 = Variant, 1 = Variant });
/// stored_choice!([T: Scalar] Rate<T>: [value: T = T::ONE] { 0 = Off, 1 = On(value), 2 = Slow { by: value } } if checked);
/// ```
/// The brackets give name, type and fixed value of each field of the payload. `checked` is the name of a method
/// `fn(self) -> Result<Self, _>` that refuses wrong values.
macro_rules! stored_choice {
    // An enum without fields is stored as one byte.
    ([$($generics:tt)*] $choice:ty { $($code:literal = $variant:ident),+ $(,)? }) => {
        impl<$($generics)*> $crate::codec::Stored for $choice {
            const CONTENT: $crate::codec::Layout = $crate::codec::Layout::Choice {
                variants: &[$(($code, stringify!($variant))),+],
                payload: &[],
            };

            fn store(&self, image: &mut $crate::codec::Writer<'_>) {
                let code = match self {
                    $(Self::$variant => $code,)+
                };
                image.write([code]);
            }

            fn load(image: &mut $crate::codec::Reader<'_>) -> Result<Self, $crate::CodecError> {
                match image.read()? {
                    $([$code] => Ok(Self::$variant),)+
                    _ => Err($crate::CodecError::Choice),
                }
            }

            fn replace(&mut self, image: &mut $crate::codec::Exchange<'_>) {
                const CODES: &[u8] = &[$($code),+];
                const { assert!(0 $(+ (1 << $code))+ == (1_u64 << CODES.len()) - 1, "the codes are 0, 1, 2, …") };
                let code = match self {
                    $(Self::$variant => $code,)+
                };
                match image.code(code, CODES.len() as u8) {
                    $($code => *self = Self::$variant,)+
                    _ => (),
                }
            }
        }
    };
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
                // In the arm of a variant with this field, the name means the field, not the fixed value.
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
                    // As in `load`, the bytes must be those that `store` writes for this choice.
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
