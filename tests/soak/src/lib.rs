//! Long lives of the learners, each beside a twin in `f64` on the same stream: what `cargo harness soak` runs,
//! and the one experiment of `cargo harness figures` that takes as long.

pub mod cone;
pub mod driver;
pub mod learners;
pub mod stream;
