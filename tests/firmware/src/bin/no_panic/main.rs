//! Calls every public function of the crate at sizes 3, 20, 33 and 64, prints nothing and has a bare panic handler, so
//! that the symbols of the image prove that none of these calls can panic (`cargo harness test`).
//! In `f32`; in `f64` where the variable NO_PANIC_WIDE is set when it is compiled.
//! Arguments and results pass through `black_box`: the compiler knows neither, and can leave nothing out.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod image;

#[cfg(not(target_os = "none"))]
fn main() {}
