//! The list of all learners, for the tests and measurements: name, type, sizes, and how to run one.
//!
//! In: a macro of the caller and the sizes. Out: one call of that macro for each learner.
//!
//! The list is used by the conformance program, the codec tests, the fuzz targets, the no-panic image, the soak test,
//! the measurements of flash and size, and `inspect`. A new learner needs one line in [`learners!`] and its [`Subject`]
//! here; to measure or soak it, add a line to [`timed_by_channels!`], [`timed_by_window!`], [`timed_beside!`] or
//! [`long_lives!`].
#![no_std]

/// Implements [`Subject::forget`] for a learner with a method `reset`.
macro_rules! forget_by_reset {
    () => {
        fn forget(&mut self) -> bool {
            self.reset();
            true
        }
    };
}

/// Implements [`Subject::join`] for a learner with a method `merge`.
macro_rules! join_by_merge {
    () => {
        fn join(&mut self, other: &Self) -> Outcome {
            Ok(self.merge(other)?)
        }
    };
}

mod hebbian;
mod kernel;
mod listener;
mod lists;
mod monitor;
mod pca;
mod regression;
mod weights;

pub use kernel::{Predicted, Refitted};
pub use listener::{Discard, Listener, Loss, Spoken};
pub use lists::WITHOUT_RESET;

/// Every type that the lists name.
pub mod types {
    pub use eigenstream::bounds::*;
    pub use eigenstream::hebbian::*;
    pub use eigenstream::kernel::*;
    pub use eigenstream::monitor::*;
    pub use eigenstream::pca::*;
    pub use eigenstream::regression::*;
    pub use eigenstream::weights::*;
    pub use eigenstream::{Centering, EnergyScale, Forgetting, ScaleSettings, Trial};

    pub use crate::{Predicted, Refitted};
}

use eigenstream::{Codec, FitError, MatrixError, MergeError, RidgeError, SampleError, Scalar, WeightsError};

/// The codec tests and the digests run [`Steps::fresh`] with each choice below this number.
pub const CHOICES: usize = 5;

/// The call was refused, and it changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused;

macro_rules! refused_from {
    ($($error:ty),+) => { $(
        impl From<$error> for Refused {
            fn from(_: $error) -> Self {
                Self
            }
        }
    )+ };
}

refused_from!(SampleError, MatrixError, FitError, MergeError, RidgeError, WeightsError);

/// The random generator of a trial.
pub type Generator = rand_xoshiro::Xoshiro128PlusPlus;

/// Result of a call that may be refused.
pub type Outcome = Result<(), Refused>;

/// Something that learns samples, trial by trial.
pub trait Steps<const DIM: usize> {
    /// The number type.
    type Number: Scalar;

    /// A new learner; `choice` selects its settings, 0 the default of most learners.
    fn fresh(choice: usize) -> Self;

    /// One trial, as it is measured: most learners learn the sample and pass the answer to the listener.
    ///
    /// # Errors
    /// [`Refused`] if the sample is refused; nothing has changed then.
    fn trial(
        &mut self,
        sample: &[Self::Number; DIM],
        rng: &mut Generator,
        listener: &mut impl Listener<Self::Number>,
    ) -> Outcome;
}

/// A learner that the tests run.
pub trait Subject<const DIM: usize>: Steps<DIM> + Codec + Clone {
    /// A variant of [`Steps::trial`] that may use other methods or postpone work, so that the tests and images cover
    /// these methods too.
    ///
    /// # Errors
    /// [`Refused`] if the sample is refused; nothing has changed then.
    fn live(
        &mut self,
        sample: &[Self::Number; DIM],
        rng: &mut Generator,
        listener: &mut impl Listener<Self::Number>,
    ) -> Outcome {
        self.trial(sample, rng, listener)
    }

    /// Passes on the outputs that the learner gives without learning the sample.
    ///
    /// # Errors
    /// [`Refused`] if the sample is refused.
    fn look(&self, sample: &[Self::Number; DIM], listener: &mut impl Listener<Self::Number>) -> Outcome;

    /// Resets the learner; returns false if it has no such method.
    fn forget(&mut self) -> bool {
        false
    }

    /// Merges another learner of the same type, if the learner supports it.
    ///
    /// # Errors
    /// [`Refused`] if the two cannot be merged; nothing has changed then.
    fn join(&mut self, other: &Self) -> Outcome {
        let _ = other;
        Ok(())
    }

    /// Starts over from a start that is made of a sample, if the learner supports it.
    ///
    /// # Errors
    /// [`Refused`] if the sample makes no valid start; nothing has changed then.
    fn start(&mut self, sample: &[Self::Number; DIM]) -> Outcome {
        let _ = sample;
        Ok(())
    }

    /// The error ‖VᵀV − I‖ of the matrix V of components; `None` without components, or if they become orthonormal only
    /// in the limit.
    fn orthogonality_error(&self) -> Option<Self::Number> {
        None
    }

    /// The difference of the sum of the probabilities from its right value; `None` for a learner without probabilities.
    fn probability_sum_error(&self) -> Option<f64> {
        None
    }
}

/// Settings that are always accepted; `otherwise` only avoids a panic.
fn good<S, E>(settings: Result<S, E>, otherwise: S) -> S {
    settings.unwrap_or(otherwise)
}
