//! Calls every public function at 3, 20, 33 and 64 channels; its symbols prove that none of them can panic (`cargo
//! harness test`).
//! The number type is `f32`, or `f64` if NO_PANIC_WIDE is set at compile time; if NO_PANIC_ENDS is set, 20 and 33
//! channels are left out. The learners of the registry have fewer sizes (`image/mod.rs`). Arguments and results pass
//! through `black_box`, so that the compiler knows no value and drops no call.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod image;

#[cfg(not(target_os = "none"))]
fn main() {}
