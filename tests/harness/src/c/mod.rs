//! Checks of the folder that `eigenstream c` writes: equal bits in C and Rust, and builds with the usual compilers.

mod digest;
mod proof;

pub(crate) use digest::same_bits;
pub(crate) use proof::{VALGRIND, every_core, host_tests_under_valgrind};
