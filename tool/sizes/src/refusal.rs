//! The reasons for refusing a call.

use std::fmt;

use eigenstream::{CodecError, MergeError, SampleError};

/// Why a call was refused; a refused call changes nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refusal {
    /// The sample was refused.
    Sample(SampleError),
    /// The image was refused.
    Image(CodecError),
    /// The learners cannot be merged.
    Merge(MergeError),
    /// A slice has the wrong length.
    Length {
        /// Numbers that are needed.
        needed: usize,
        /// Numbers that were given.
        found: usize,
    },
    /// This learner does not have the operation.
    Verb,
    /// The table does not have this size.
    Size,
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sample(error) => error.fmt(formatter),
            Self::Image(error) => error.fmt(formatter),
            Self::Merge(error) => error.fmt(formatter),
            Self::Length { needed, found } => write!(formatter, "{needed} numbers are needed, and there are {found}"),
            Self::Verb => formatter.write_str("this learner cannot do that"),
            Self::Size => formatter.write_str("the table has no learner of this kind and size"),
        }
    }
}

impl std::error::Error for Refusal {}

/// The refusal of an error of the crate.
macro_rules! of_error {
    ($($variant:ident($error:ty))*) => {
        $(impl From<$error> for Refusal {
            fn from(error: $error) -> Self {
                Self::$variant(error)
            }
        })*
    };
}

of_error!(Sample(SampleError) Image(CodecError) Merge(MergeError));
