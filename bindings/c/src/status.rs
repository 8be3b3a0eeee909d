//! The result of a call, and its sentence.

use crate::Field;
use core::ffi::{CStr, c_char};
use eigenstream::{CodecError, SampleError};

/// The result of a call: `eig_status` in C.
///
/// A call that does not return `Ok` has changed neither monitor nor image.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Done.
    Ok = 0,
    /// A pointer is null.
    NullPointer = 1,
    /// A pointer is not aligned for its type.
    Misaligned = 2,
    /// `init` was not called, or bytes around the monitor were overwritten.
    NotInitialised = 3,
    /// The first field of the settings is not their size: another version of the header.
    SettingsSize = 4,
    /// A setting is out of its range.
    BadSetting = 5,
    /// A channel of the sample is NaN or infinite.
    NotANumber = 6,
    /// The energy of the sample overflows.
    TooLarge = 7,
    /// The buffer is too short for an image.
    ShortBuffer = 8,
    /// The bytes are not an image, or the image is damaged.
    BadImage = 9,
    /// Of another learner, number of channels or version.
    OtherImage = 10,
    /// Fewer than 16 samples of alarm.
    NothingToAcknowledge = 11,
}

impl Status {
    /// A function that is not inlined returns a `Status`, which takes less code than a `Result`.
    #[inline(always)]
    pub(crate) fn done(self) -> Result<(), Self> {
        match self {
            Self::Ok => Ok(()),
            refused => Err(refused),
        }
    }

    /// Also for a number that is not a status.
    const fn sentence(code: i32) -> &'static CStr {
        match code {
            0 => c"done",
            1 => c"a pointer is null",
            2 => c"a pointer is not aligned",
            3 => c"the storage holds no monitor, or bytes around the monitor were overwritten: call init",
            4 => c"the settings belong to another version of the header: use eig_settings_default()",
            5 => c"a setting is out of its range: bad_setting() names the field",
            6 => c"a channel is NaN or infinite",
            7 => c"the sample is too large",
            8 => c"the buffer is too short for an image",
            9 => c"the bytes are no image of a monitor, or a damaged one",
            10 => c"the image belongs to another learner, size or version",
            11 => c"there are fewer than 16 samples of alarm to acknowledge",
            _ => c"not a status of eigenstream",
        }
    }
}

/// The sentence of a status, for a log.
#[unsafe(export_name = "eig_strerror")]
pub extern "C" fn strerror(status: i32) -> *const c_char {
    Status::sentence(status).as_ptr()
}

impl From<Field> for Status {
    fn from(_: Field) -> Self {
        Self::BadSetting
    }
}

impl From<SampleError> for Status {
    fn from(error: SampleError) -> Self {
        match error {
            SampleError::TooLarge { .. } => Self::TooLarge,
            _ => Self::NotANumber,
        }
    }
}

impl From<CodecError> for Status {
    fn from(error: CodecError) -> Self {
        match error {
            CodecError::Buffer { .. } => Self::ShortBuffer,
            CodecError::Version { .. }
            | CodecError::Learner { .. }
            | CodecError::Precision { .. }
            | CodecError::Kernel { .. }
            | CodecError::Sizes { .. } => Self::OtherImage,
            _ => Self::BadImage,
        }
    }
}
