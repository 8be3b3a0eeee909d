//! Every learner once: its name, its type, its sizes, and how a proof makes it work.
//! In: a macro of the caller and the sizes that it wants. Out: one call of that macro for each learner.
//! Read by the conformance program, the codec tests, the fuzz targets, the no-panic image, the soak, the flash and size measurements
//! and `inspect`. A new learner is one line in [`learners!`], its [`Subject`] here, and where it is measured or soaked one line in
//! [`timed_by_channels!`], [`timed_by_window!`], [`timed_beside!`] or [`long_lives!`].
#![no_std]

mod hebbian;
mod kernel;
mod listener;
mod lists;
mod monitor;
mod pca;
mod regression;
mod weights;

pub use kernel::{Predicted, Refitted};
pub use listener::{Listener, Loss, Nobody, Spoken};
pub use lists::WITHOUT_RESET;

/// The names that the lists use: every type of the crate.
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

/// Settings that [`Steps::fresh`] chooses among, at most.
pub const CHOICES: usize = 5;

/// The sample was refused, and the learner is as before.
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

/// The random generator of every proof.
pub type Generator = rand_xoshiro::Xoshiro128PlusPlus;

/// How a call ends that may refuse a sample.
pub type Outcome = Result<(), Refused>;

/// Something that a sample can be shown to, trial by trial.
pub trait Steps<const DIM: usize> {
    /// The number type.
    type Number: Scalar;

    /// One that has learned nothing. `choice` chooses among its settings; 0 is the default.
    fn fresh(choice: usize) -> Self;

    /// One trial, as it is measured: the learner learns the sample, and the listener hears its answer.
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

/// A learner that the proofs run.
pub trait Subject<const DIM: usize>: Steps<DIM> + Codec + Clone {
    /// A trial in which work may be left for later, so that images are taken in between.
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

    /// Everything that it can say of itself and of a sample without learning it.
    ///
    /// # Errors
    /// [`Refused`] if the sample is refused.
    fn look(&self, sample: &[Self::Number; DIM], listener: &mut impl Listener<Self::Number>) -> Outcome;

    /// Forgets everything but the settings. False if the learner has no such call.
    fn forget(&mut self) -> bool {
        false
    }

    /// Takes in another one of its kind, where the learner can.
    ///
    /// # Errors
    /// [`Refused`] if the two do not belong together; nothing has changed then.
    fn join(&mut self, other: &Self) -> Outcome {
        let _ = other;
        Ok(())
    }

    /// Starts over from what is made of a sample, where the learner can.
    ///
    /// # Errors
    /// [`Refused`] if nothing can be made of it; nothing has changed then.
    fn start(&mut self, sample: &[Self::Number; DIM]) -> Outcome {
        let _ = sample;
        Ok(())
    }

    /// ‖VᵀV − I‖ of the components; none where they are orthonormal in the limit alone.
    fn orthogonality_error(&self) -> Option<Self::Number> {
        None
    }

    /// |Σp − KEEP|; none for a learner without probabilities.
    fn probability_sum_error(&self) -> Option<f64> {
        None
    }
}

/// Settings that are known to be accepted; the default stands in where that is a mistake.
fn good<S, E>(settings: Result<S, E>, otherwise: S) -> S {
    settings.unwrap_or(otherwise)
}
