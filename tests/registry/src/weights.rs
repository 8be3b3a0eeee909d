//! Weights, and the numbers that stand beside a learner.

use eigenstream::Scalar;
use eigenstream::bounds::RegretMeter;
use eigenstream::weights::{FollowTheLeader, Hedge, HedgeSettings};

use crate::{Generator, Listener, Outcome, Steps, Subject, good};

impl<T: Scalar, const DIM: usize> Steps<DIM> for Hedge<T, DIM> {
    type Number = T;

    fn fresh(choice: usize) -> Self {
        let default = HedgeSettings::DEFAULT;
        Self::new(match choice % 5 {
            0 => default,
            set_size => good(
                HedgeSettings::new(T::HALF).and_then(|it| it.with_set_size(set_size)),
                default,
            ),
        })
    }

    fn trial(&mut self, sample: &[T; DIM], _: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
        listener.hear(self.step(sample)?);
        Ok(())
    }
}

impl<T: Scalar, const DIM: usize> Subject<DIM> for Hedge<T, DIM> {
    fn look(&self, _: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
        listener.hear(self.weights());
        Ok(())
    }

    fn forget(&mut self) -> bool {
        self.reset();
        true
    }
}

impl<T: Scalar, const DIM: usize> Steps<DIM> for FollowTheLeader<T, DIM> {
    type Number = T;

    fn fresh(_: usize) -> Self {
        Self::new()
    }

    fn trial(&mut self, sample: &[T; DIM], _: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
        self.learn(sample)?;
        for leader in self.leaders(2).iter() {
            listener.hear(T::from_usize(leader));
        }
        Ok(())
    }
}

impl<T: Scalar, const DIM: usize> Subject<DIM> for FollowTheLeader<T, DIM> {
    fn look(&self, _: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
        listener.hear(*self.cumulative_losses());
        Ok(())
    }

    fn forget(&mut self) -> bool {
        self.reset();
        true
    }
}

impl<T: Scalar, const DIM: usize> Steps<DIM> for RegretMeter<T> {
    type Number = T;

    fn fresh(_: usize) -> Self {
        Self::new()
    }

    fn trial(&mut self, sample: &[T; DIM], _: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
        let first = sample.first().copied().unwrap_or(T::ZERO);
        self.record(first * first);
        listener.hear(self.total_loss());
        Ok(())
    }
}

impl<T: Scalar, const DIM: usize> Subject<DIM> for RegretMeter<T> {
    fn look(&self, _: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
        listener.hear([self.total_loss(), self.regret(T::ONE)]);
        Ok(())
    }
}
