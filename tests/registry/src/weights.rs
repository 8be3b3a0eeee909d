//! Learners over experts, and the regret meter.

use eigenstream::Scalar;
use eigenstream::bounds::RegretMeter;
use eigenstream::pca::Share;
use eigenstream::weights::{FollowTheLeader, Hedge, HedgeSettings, PerturbedLeader, SetExperts};

use crate::{Generator, Listener, Outcome, Steps, Subject, good};

/// The default settings for the choice 0, and sets of one to four experts for the choices 1 to 4.
fn settings<T: Scalar>(choice: usize) -> HedgeSettings<T> {
    let default = HedgeSettings::DEFAULT;
    match choice % 5 {
        0 => default,
        set_size => good(
            HedgeSettings::new(T::HALF).and_then(|it| it.with_set_size(set_size)),
            default,
        ),
    }
}

impl<T: Scalar, const DIM: usize> Steps<DIM> for SetExperts<T, DIM> {
    type Number = T;

    fn fresh(choice: usize) -> Self {
        Self::new(settings(choice))
    }

    fn trial(&mut self, sample: &[T; DIM], rng: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
        listener.hear(self.step(sample)?);
        for member in self.draw(rng).iter() {
            listener.hear(T::from_usize(member));
        }
        Ok(())
    }
}

impl<T: Scalar, const DIM: usize> Subject<DIM> for SetExperts<T, DIM> {
    fn look(&self, _: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
        listener.hear(self.marginals());
        listener.hear([self.loss_bound(T::ONE), self.tuned_loss_bound(T::ONE)]);
        Ok(())
    }

    forget_by_reset!();
}

impl<T: Scalar, const DIM: usize> Steps<DIM> for PerturbedLeader<T, DIM> {
    type Number = T;

    fn fresh(choice: usize) -> Self {
        Self::new(settings(choice))
    }

    fn trial(&mut self, sample: &[T; DIM], rng: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
        listener.hear(self.step(sample, rng)?);
        Ok(())
    }
}

impl<T: Scalar, const DIM: usize> Subject<DIM> for PerturbedLeader<T, DIM> {
    fn look(&self, _: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
        listener.hear(*self.cumulative_losses());
        Ok(())
    }

    forget_by_reset!();
}

impl<T: Scalar, const DIM: usize> Steps<DIM> for Hedge<T, DIM> {
    type Number = T;

    fn fresh(choice: usize) -> Self {
        let part = T::from_f64(0.01);
        let share = match choice % 4 {
            0 => Share::Nothing,
            1 => Share::Uniform(part),
            2 => Share::PastAverage(part),
            _ => Share::PastPosteriors(part),
        };
        let settings = settings(choice);
        Self::new(good(settings.with_share(share), settings))
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

    fn start(&mut self, sample: &[T; DIM]) -> Outcome {
        Ok(self.start_from(sample)?)
    }

    forget_by_reset!();
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

    forget_by_reset!();
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
