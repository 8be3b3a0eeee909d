//! Long runs: learners beside a twin in `f64`, a monitor for many days, the hunt for a broken bound, the long
//! experiments of `cargo harness figures`, and adversaries.

pub mod adversary;
pub mod cone;
pub mod driver;
pub mod faces;
pub mod hunt;
pub mod learners;
pub mod life;
pub mod stream;
