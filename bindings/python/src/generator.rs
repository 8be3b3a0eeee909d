//! The random generator of the examples and of the conformance program, for `step`.

use std::sync::{Mutex, MutexGuard};

use eigenstream::rand_core::{Rng, SeedableRng};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use rand_xoshiro::Xoshiro128PlusPlus;

use crate::refusal::free;

/// The random generator of `step`.
pub(crate) type Generator = Xoshiro128PlusPlus;

/// A class, the arguments of its constructor, and a state.
type Reduced<'py> = (Bound<'py, PyType>, (u64,), Bound<'py, PyBytes>);

/// Xoshiro128++ from a seed. The numbers are identical on every machine. A copy and a pickle continue with the same numbers.
#[pyclass(module = "eigenstream._native", frozen)]
pub(crate) struct Random {
    /// A call is refused while another thread uses the generator; it does not wait.
    generator: Mutex<Generator>,
}

impl Random {
    /// The generator, to draw from it.
    pub(crate) fn write(&self) -> PyResult<MutexGuard<'_, Generator>> {
        free("generator", self.generator.try_lock())
    }
}

#[pymethods]
impl Random {
    #[new]
    fn new(seed: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = seed.py();
        let kind = seed.get_type().name()?;
        // `bool_` is numpy 1's truth value, which counts as a whole number there.
        let is_truth_value = kind == "bool" || kind == "bool_";
        let number = match seed.extract::<u64>() {
            Ok(number) if !is_truth_value => number,
            Err(error) if error.is_instance_of::<PyOverflowError>(py) => {
                let words = format!("a seed is a whole number from 0 to {}, not {}", u64::MAX, seed.repr()?);
                return Err(PyValueError::new_err(words));
            }
            _ => {
                return Err(PyTypeError::new_err(format!(
                    "a seed is a whole number, not {}",
                    seed.repr()?
                )));
            }
        };
        Ok(Self {
            generator: Mutex::new(Generator::seed_from_u64(number)),
        })
    }

    /// The next 32 random bits.
    fn next_u32(&self) -> PyResult<u32> {
        Ok(self.write()?.next_u32())
    }

    /// The next 64 random bits.
    fn next_u64(&self) -> PyResult<u64> {
        Ok(self.write()?.next_u64())
    }

    /// For `pickle` and `copy`: the class, arguments, and the state.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let state = PyBytes::new(slf.py(), &slf.get().write()?.state());
        Ok((slf.get_type(), (0,), state))
    }

    /// Sets the state to 16 bytes from `__reduce__`.
    fn __setstate__(&self, state: [u8; 16]) -> PyResult<()> {
        *self.write()? = Generator::from_seed(state);
        Ok(())
    }
}
