//! The reasons for refusing a call, and their Python exceptions.

use std::fmt;
use std::sync::{TryLockError, TryLockResult};

use eigenstream::{CodecError, FitError, MergeError, SampleError, SettingsError};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;

/// The learner is unchanged then.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// With its row in the batch.
    Sample(usize, SampleError),
    /// An image was refused.
    Image(CodecError),
    /// The crate refused a setting.
    Settings(SettingsError),
    /// A setting has the wrong type or is unknown.
    Option(String),
    /// Two learners cannot be merged.
    Merge(MergeError),
    /// The batch model of `start_from` was not fitted.
    Fit(FitError),
    /// The size was not compiled.
    Size(String),
    /// Two objects have different types.
    Type(String),
    /// This learner does not have the call.
    Absent(&'static str),
    /// With the exception of the handler: Ctrl-C stops with `KeyboardInterrupt`.
    Stopped(PyErr),
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sample(row, error) => write!(formatter, "row {row}: {error}"),
            Self::Image(error) => error.fmt(formatter),
            Self::Settings(error) => error.fmt(formatter),
            Self::Option(text) | Self::Size(text) | Self::Type(text) => formatter.write_str(text),
            Self::Merge(error) => error.fmt(formatter),
            Self::Fit(error) => error.fmt(formatter),
            Self::Stopped(error) => error.fmt(formatter),
            Self::Absent(call) => write!(formatter, "this learner has no `{call}`"),
        }
    }
}

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

of_error!(Image(CodecError) Settings(SettingsError) Fit(FitError) Merge(MergeError));

/// A single sample is row 0.
impl From<SampleError> for Refusal {
    fn from(error: SampleError) -> Self {
        Self::Sample(0, error)
    }
}

/// A class of `eigenstream._errors`.
pub(crate) fn exception(py: Python<'_>, refusal: &Refusal) -> PyErr {
    let class = match refusal {
        Refusal::Sample(..) => "SampleError",
        Refusal::Image(_) => "ImageError",
        Refusal::Settings(_) | Refusal::Option(_) => "SettingsError",
        Refusal::Merge(_) => "MergeError",
        Refusal::Fit(_) => "FitError",
        Refusal::Size(_) => "SizeError",
        Refusal::Type(text) => return PyTypeError::new_err(text.clone()),
        Refusal::Stopped(error) => return error.clone_ref(py),
        Refusal::Absent(_) => return PyRuntimeError::new_err(refusal.to_string()),
    };
    let text = refusal.to_string();
    let made = py.import("eigenstream._errors").and_then(|module| {
        let class = module.getattr(class)?;
        match refusal {
            Refusal::Sample(row, error) => class.call1((text, *row, channel_of(*error))),
            _ => class.call1((text,)),
        }
    });
    made.map_or_else(|error| error, PyErr::from_value)
}

/// An exception if another thread has the lock. After a panic the value can be used again.
pub(crate) fn free<Guard>(noun: &str, locked: TryLockResult<Guard>) -> PyResult<Guard> {
    match locked {
        Ok(guard) => Ok(guard),
        Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(format!(
            "the {noun} is busy with a batch in another thread"
        ))),
    }
}

fn channel_of(error: SampleError) -> Option<usize> {
    match error {
        SampleError::NotANumber { channel } | SampleError::TooLarge { channel } => Some(channel),
        _ => None,
    }
}
