//! The layout of an image (the encoded bytes of a learner): the type, the order and the name of each field.
//! In: the fields that `stored!` and `stored_choice!` list. Out: constants. With these constants a program can read an image
//! without having the type of the learner.
//! Cost: no flash for a program that does not use the constants.

use super::header::{Kind, Tag};
use super::{Learned, Stored};

/// The layout of a part of an image.
///
/// ```
/// use eigenstream::{Codec, codec::Layout, pca::BatchPca};
///
/// let image = BatchPca::<f32, 4, 2>::LAYOUT;
/// assert_eq!((image.name, image.sizes), ("BatchPca", [("DIM", 4), ("KEEP", 2)].as_slice()));
/// let Layout::Group(fields) = image.content else {
///     unreachable!("the image of a learner is a group of fields")
/// };
/// assert_eq!([fields[0].name, fields[1].name], ["centering", "moments"]);
/// // One byte for the variant of `Centering`.
/// let variants = &[(0, "Centered"), (1, "Uncentered")];
/// assert_eq!(fields[0].layout, Layout::Choice { variants, payload: &[] });
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A floating-point number.
    Number {
        /// 4 or 8, the precision in the header.
        bytes: usize,
    },
    /// An unsigned integer.
    Count {
        /// 2, 4 or 8.
        bytes: usize,
    },
    /// An enum: one byte for the variant, then the payload (the fields of all variants).
    Choice {
        /// The byte and the name of each variant.
        variants: &'static [(u8, &'static str)],
        /// The fields of the payload. Their bytes exist for every variant. If a variant does not have a field, the field
        /// contains a fixed value, not always zero.
        payload: &'static [Field],
    },
    /// One byte, 1 for a value and 0 for `None`, then the bytes of the value, all zero for `None`.
    Optional(&'static Self),
    /// Several values of one layout. A matrix is stored as columns of numbers.
    Repeated {
        /// The number of values.
        times: usize,
        /// The layout of one value.
        each: &'static Self,
    },
    /// The fields of a struct.
    Group(&'static [Field]),
    /// The parameters of a kernel.
    Kernel {
        /// The number of the kernel in the header.
        number: u8,
        /// The name of the kernel's type.
        name: &'static str,
        /// The parameters of the kernel.
        parameters: &'static [Field],
    },
    /// An inner learner (a field that is a learner): the bytes of its header from kind to sizes, then settings and state.
    Learner(&'static ImageLayout),
}

/// A part of an image and its name. The example is at [`Layout`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The identifier in the source code.
    pub name: &'static str,
    /// The layout of the field.
    pub layout: Layout,
}

/// The layout of a learner's image. The example is at [`Layout`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageLayout {
    /// Which learner.
    pub kind: Kind,
    /// The name of the learner's type.
    pub name: &'static str,
    /// The names and values of the learner's sizes, in the order of the header.
    pub sizes: &'static [(&'static str, usize)],
    /// Bytes of a number: 4 or 8.
    pub precision: u8,
    /// The number of the kernel, or 0 for a learner without kernel.
    pub kernel: u8,
    /// Settings and state.
    pub content: Layout,
}

impl Layout {
    /// Returns the length in bytes.
    pub(super) const fn length(&self) -> usize {
        match *self {
            Self::Number { bytes } | Self::Count { bytes } => bytes,
            Self::Choice { payload, .. } => 1 + Self::Group(payload).length(),
            Self::Optional(value) => 1 + value.length(),
            Self::Repeated { times, each } => times * each.length(),
            Self::Group(fields) | Self::Kernel { parameters: fields, .. } => {
                let (mut length, mut index) = (0, 0);
                while index < fields.len() {
                    length += fields[index].layout.length();
                    index += 1;
                }
                length
            }
            Self::Learner(image) => Tag::LENGTH + image.content.length(),
        }
    }

    /// Returns the number of bytes before the tag of the inner learner (the field that is a learner), and the layout of the inner
    /// learner. The tag is the header bytes from kind to sizes. Returns `None` if no field is a learner.
    #[cfg(feature = "storage")]
    pub(super) const fn learner_inside(&self) -> Option<(usize, &'static ImageLayout)> {
        let Self::Group(fields) = *self else { return None };
        let (mut before, mut index) = (0, 0);
        while index < fields.len() {
            if let Self::Learner(image) = fields[index].layout {
                return Some((before, image));
            }
            before += fields[index].layout.length();
            index += 1;
        }
        None
    }

    /// Turns the layout of a struct with a single field into the layout of this field. Other layouts are unchanged.
    pub(crate) const fn wrapper(self) -> Self {
        match self {
            Self::Group([only]) => only.layout,
            other => other,
        }
    }

    /// Turns the layout of a struct into the layout of a kernel.
    pub(crate) const fn kernel(self, number: u8, name: &'static str) -> Self {
        match self {
            Self::Group(parameters) => Self::Kernel {
                number,
                name,
                parameters,
            },
            other => other,
        }
    }
}

impl Field {
    /// Describes a field. The function in the second argument is never called: the compiler infers the type `Part` of the field
    /// from it.
    pub(crate) const fn of<Whole, Part: Stored>(name: &'static str, _: fn(&Whole) -> &Part) -> Self {
        let layout = Part::CONTENT;
        Self { name, layout }
    }

    /// Describes a field that is a learner. The function in the second argument is never called: the compiler infers the type `L`
    /// of the field from it.
    pub(crate) const fn of_learner<Whole, L: Learned>(name: &'static str, _: fn(&Whole) -> &L) -> Self {
        let layout = Layout::Learner(const { &L::IMAGE });
        Self { name, layout }
    }
}

/// Returns the last word of a path, without the parameters of the type: `Hedge` for `Hedge<T, N>`, `POINTS` for `W::POINTS`.
pub(crate) const fn last_word(path: &'static str) -> &'static str {
    let (mut start, mut end) = (0, 0);
    while end < path.len() && path.as_bytes()[end] != b'<' {
        end += 1;
        if path.as_bytes()[end - 1] == b':' {
            start = end;
        }
    }
    path.split_at(end).0.split_at(start).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_is_without_parameters() {
        assert_eq!(last_word("Hedge<T, N>"), "Hedge");
        assert_eq!(last_word("W::POINTS"), "POINTS");
    }
}
