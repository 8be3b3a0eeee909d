//! All logging of the crate. With the feature `defmt`, on a chip, these events write a line:
//! - A solver of `spectrum` stopped before it reached its accuracy.
//! - An input, usually a sample, was refused by a check of its energy.
//! - An output or a coefficient of a Hebbian learner with a kernel was refused.
//!
//! Some other checks, for example `Moments::check`, refuse a sample without a line. Without the feature, and on the host, no
//! logging code is compiled.

use crate::SampleError;

/// Logs that a solver of `spectrum` stopped before it reached its accuracy, for example at its limit of passes. The result is
/// finite, but less accurate.
#[cold]
pub(crate) fn bound_hit() {
    #[cfg(all(feature = "defmt", target_os = "none"))]
    defmt::warn!("eigenstream: a solver stopped at its bound");
}

/// Logs that an input, for example a sample, was refused. Returns the reason.
#[cold]
pub(crate) fn refused(reason: SampleError) -> SampleError {
    #[cfg(all(feature = "defmt", target_os = "none"))]
    defmt::warn!("eigenstream: sample refused, {}", reason);
    reason
}
