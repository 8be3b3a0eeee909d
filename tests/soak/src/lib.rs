//! Long lives of the learners, each beside a twin in `f64` on the same stream: what `cargo harness soak` runs.

pub mod driver;
pub mod learners;
pub mod stream;
