//! Shared parts of the programs in `bin`, which run on the emulated board; on the host all but the demo are empty.
#![cfg_attr(target_os = "none", no_std)]

pub mod hostile;
#[cfg(all(target_os = "none", target_arch = "arm"))]
pub mod measure;
pub mod motor;
pub mod peers;
#[cfg(all(target_os = "none", target_arch = "arm"))]
pub mod report;
pub mod streams;
#[cfg(all(target_os = "none", target_arch = "arm"))]
pub mod trackers;
#[cfg(all(target_os = "none", target_arch = "arm"))]
pub mod trials;
pub mod workload;
