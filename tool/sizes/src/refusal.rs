//! Why something was not done.

use std::fmt;

use eigenstream::{CodecError, MergeError, SampleError};

/// Why a call was refused; nothing has changed then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refusal {
    /// The sample.
    Sample(SampleError),
    /// The image.
    Image(CodecError),
    /// The other learner.
    Merge(MergeError),
    /// A slice of another length.
    Length {
        /// Numbers that are needed.
        needed: usize,
        /// Numbers that were given.
        found: usize,
    },
    /// This learner cannot do it.
    Verb,
    /// The table has no such size.
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

impl From<SampleError> for Refusal {
    fn from(error: SampleError) -> Self {
        Self::Sample(error)
    }
}

impl From<CodecError> for Refusal {
    fn from(error: CodecError) -> Self {
        Self::Image(error)
    }
}

impl From<MergeError> for Refusal {
    fn from(error: MergeError) -> Self {
        Self::Merge(error)
    }
}
