//! Long lives of the learners, each beside a twin in `f64` on the same stream: what `cargo harness soak` runs,
//! the life of a monitor, the hunt for a stream that breaks a bound, the experiments of `cargo harness figures` that take as long, and adversaries of any learner.

pub mod adversary;
pub mod cone;
pub mod driver;
pub mod faces;
pub mod hunt;
pub mod learners;
pub mod life;
pub mod stream;
