//! Proofs of the folder that the tool's verb `c` writes: the program prints the bits of the program in Rust, and every customer's
//! build takes the folder.

mod digest;
mod proof;

pub(crate) use digest::same_bits;
pub(crate) use proof::{VALGRIND, every_core, host_tests_under_valgrind};
