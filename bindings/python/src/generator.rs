//! The random generator of the examples and of the conformance program, for `step`.

use eigenstream::rand_core::{Rng, SeedableRng};
use pyo3::prelude::*;
use rand_xoshiro::Xoshiro128PlusPlus;

/// The random generator of `step`.
pub(crate) type Generator = Xoshiro128PlusPlus;

/// Xoshiro128++ from a seed. The numbers are identical on every machine.
#[pyclass(module = "eigenstream._native")]
pub(crate) struct Random {
    pub(crate) generator: Generator,
}

#[pymethods]
impl Random {
    #[new]
    fn new(seed: u64) -> Self {
        Self {
            generator: Generator::seed_from_u64(seed),
        }
    }

    /// The next 32 random bits.
    fn next_u32(&mut self) -> u32 {
        self.generator.next_u32()
    }

    /// The next 64 random bits.
    fn next_u64(&mut self) -> u64 {
        self.generator.next_u64()
    }
}
