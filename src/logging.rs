//! The only place that logs. With the feature `defmt`, on the chip, two things are worth a line: a solver that stopped at its
//! bound and a sample that was refused. Without the feature, and on the host, nothing is compiled in.

use crate::SampleError;

/// A solver stopped at its bound; its answer is finite and orthonormal, but less accurate.
#[cold]
pub(crate) fn bound_hit() {
    #[cfg(all(feature = "defmt", target_os = "none"))]
    defmt::warn!("eigenstream: a solver stopped at its bound");
}

/// A sample was refused; the learner is as it was.
#[cold]
pub(crate) fn refused(reason: SampleError) -> SampleError {
    #[cfg(all(feature = "defmt", target_os = "none"))]
    defmt::warn!("eigenstream: sample refused, {}", reason);
    reason
}
