//! Converts refusals to Python exceptions.

use std::sync::{TryLockError, TryLockResult};

use eigenstream::SampleError;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;

use crate::model::Refusal;

/// The exception of a refusal: a class of `eigenstream._errors`.
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

/// The guard of a lock, or the exception that another thread has the lock. After a panic the guarded value can be used again.
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
