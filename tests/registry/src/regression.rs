//! The learner that predicts a value.

use eigenstream::regression::{LeastSquaresSettings, Prediction, RecursiveLeastSquares};
use eigenstream::{Forgetting, Scalar};

use crate::{Generator, Listener, Outcome, Steps, Subject, good};

/// The target of a sample: one plus half of the sum of its channels.
fn value_of<T: Scalar, const DIM: usize>(sample: &[T; DIM]) -> T {
    let mut value = T::ONE;
    for &channel in sample {
        value += T::HALF * channel;
    }
    value
}

/// The prediction and its deviation; the deviation is zero while it is unknown.
fn numbers<T: Scalar>(prediction: Prediction<T>) -> [T; 2] {
    [prediction.value, prediction.deviation.unwrap_or(T::ZERO)]
}

impl<T: Scalar, const DIM: usize> Steps<DIM> for RecursiveLeastSquares<T, DIM> {
    type Number = T;

    #[inline(always)]
    fn fresh(choice: usize) -> Self {
        let default = LeastSquaresSettings::DEFAULT;
        let forgetting = good(Forgetting::memory(T::from_f64(50.0)), Forgetting::NONE);
        Self::new(match choice % 3 {
            0 => default.with_forgetting(forgetting),
            1 => default,
            _ => good(LeastSquaresSettings::new(T::HALF), default),
        })
    }

    #[inline(always)]
    fn trial(&mut self, sample: &[T; DIM], _: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
        listener.hear(numbers(self.step(sample, value_of(sample))?));
        Ok(())
    }
}

impl<T: Scalar, const DIM: usize> Subject<DIM> for RecursiveLeastSquares<T, DIM> {
    fn look(&self, sample: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
        listener.hear(numbers(self.predict(sample)?));
        listener.hear(self.weights());
        listener.hear([self.noise().unwrap_or(T::ZERO), self.weight()]);
        Ok(())
    }

    forget_by_reset!();
}
