//! Used by the command `cargo harness` and by the proofs: how cargo is started, and the demo.

#[doc(hidden)]
pub mod cargo;
#[doc(hidden)]
pub mod demo;
#[doc(hidden)]
pub mod hand_over;
