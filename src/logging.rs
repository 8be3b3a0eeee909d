//! All logging of the crate. With the feature `defmt`, on a chip, a line says that a solver stopped before its
//! accuracy was reached, or that an input was refused. Otherwise no logging code is compiled.

use crate::error::SampleError;

/// Logs that a solver of `spectrum` stopped before it reached its accuracy; the result is finite, but less accurate.
#[cold]
pub(crate) fn bound_hit() {
    #[cfg(all(feature = "defmt", target_os = "none"))]
    defmt::warn!("eigenstream: a solver stopped at its bound");
}

/// Logs that an input was refused, and returns the reason.
#[cold]
pub(crate) fn refused(reason: SampleError) -> SampleError {
    #[cfg(all(feature = "defmt", target_os = "none"))]
    defmt::warn!("eigenstream: sample refused, {}", reason);
    reason
}
