//! The Hebbian learners.

use eigenstream::Scalar;
use eigenstream::hebbian::{Apex, ApexSettings, Gha, GhaSettings, RateSettings};

use crate::{Generator, Listener, Outcome, Steps, Subject, good};

/// The default rate for the choice 0, a constant rate for 1, and a falling rate for 2.
pub(crate) fn rate<T: Scalar>(choice: usize) -> RateSettings<T> {
    let default = RateSettings::DEFAULT;
    match choice % 3 {
        0 => default,
        1 => good(RateSettings::constant(T::from_f64(0.3)), default),
        _ => good(RateSettings::falling(T::ONE), default),
    }
}

macro_rules! hebbian_subject {
    ([$($sizes:tt)*] $learner:ty, $choice:ident => $fresh:expr) => {
        impl<T: Scalar, $($sizes)*> Steps<DIM> for $learner {
            type Number = T;

            #[inline(always)]
            fn fresh($choice: usize) -> Self {
                $fresh
            }

            #[inline(always)]
            fn trial(&mut self, sample: &[T; DIM], _: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
                listener.hear(self.step(sample)?);
                Ok(())
            }
        }

        impl<T: Scalar, $($sizes)*> Subject<DIM> for $learner {
            fn look(&self, sample: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
                listener.hear(self.transform(sample)?);
                listener.hear(self.residual(sample)?);
                listener.hear(self.score(sample)?);
                Ok(())
            }

            forget_by_reset!();
        }
    };
}

pub(crate) use hebbian_subject;

hebbian_subject!(
    [const DIM: usize, const KEEP: usize] Gha<T, DIM, KEEP>,
    choice => Self::new(GhaSettings::DEFAULT.with_rate(rate(choice)))
);
hebbian_subject!(
    [const DIM: usize, const KEEP: usize] Apex<T, DIM, KEEP>,
    choice => Self::new(match choice % 4 {
        0 => ApexSettings::DEFAULT,
        _ => ApexSettings::DEFAULT.with_rate(rate(choice)).with_span(30),
    })
);
