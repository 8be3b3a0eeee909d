//! The names of phases, states and channel conditions: the constants of the header in small letters without prefix.

use core::ffi::{CStr, c_char};

/// For a number that is no constant of the header.
const NOTHING: &CStr = c"no value of eigenstream";

/// The name of an `eig_phase`.
#[unsafe(export_name = "eig_phase_name")]
pub extern "C" fn phase_name(phase: u8) -> *const c_char {
    let name = match phase {
        0 => c"warmup",
        1 => c"standstill",
        2 => c"calibrating",
        3 => c"unsettled",
        4 => c"watching",
        5 => c"frozen",
        _ => NOTHING,
    };
    name.as_ptr()
}

/// The name of an `eig_state`.
#[unsafe(export_name = "eig_state_name")]
pub extern "C" fn state_name(state: u8) -> *const c_char {
    let name = match state {
        0 => c"learning",
        1 => c"normal",
        2 => c"second normal",
        3 => c"unusual",
        4 => c"moving",
        5 => c"steady",
        6 => c"stuck",
        _ => NOTHING,
    };
    name.as_ptr()
}

/// The name of an `eig_channel`.
#[unsafe(export_name = "eig_channel_name")]
pub extern "C" fn channel_name(condition: u8) -> *const c_char {
    let name = match condition {
        0 => c"good",
        1 => c"unknown",
        2 => c"stuck",
        3 => c"missing",
        4 => c"quantised",
        _ => NOTHING,
    };
    name.as_ptr()
}
