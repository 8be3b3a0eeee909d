//! Weights, and the numbers that stand beside a learner.

use eigenstream::Scalar;
use eigenstream::bounds::RegretMeter;
use eigenstream::pca::{EnergyScale, ScaleSettings};
use eigenstream::weights::{FollowTheLeader, Hedge, HedgeSettings};
use rand_xoshiro::Xoshiro128PlusPlus;

use super::{DIM, Life, Said, bits, good, of_type};

impl<T: Scalar> Life for EnergyScale<T> {
    fn fresh(choice: usize) -> Self {
        Self::new(
            [
                ScaleSettings::OFF,
                good(ScaleSettings::bound(T::TWO)),
                ScaleSettings::DEFAULT,
            ][choice % 3],
        )
    }

    fn live(&mut self, sample: &[f64; DIM], _: &mut Xoshiro128PlusPlus) -> Said {
        self.observe(T::from_f64(sample[0] * sample[0]));
        Ok(bits([self.factor()]))
    }

    fn look(&self, _: &[f64; DIM]) -> Said {
        Ok(bits([self.factor()]))
    }
}

impl<T: Scalar> Life for Hedge<T, DIM> {
    fn fresh(choice: usize) -> Self {
        Self::new(good(
            HedgeSettings::new(T::HALF).and_then(|settings| settings.with_set_size(choice % 5 + 1)),
        ))
    }

    fn live(&mut self, sample: &[f64; DIM], _: &mut Xoshiro128PlusPlus) -> Said {
        let loss = self.step(&of_type(sample))?;
        Ok(bits(self.weights().into_iter().chain([loss])))
    }

    fn look(&self, _: &[f64; DIM]) -> Said {
        Ok(bits(self.weights()))
    }
}

impl<T: Scalar> Life for FollowTheLeader<T, DIM> {
    fn fresh(_: usize) -> Self {
        Self::new()
    }

    fn live(&mut self, sample: &[f64; DIM], _: &mut Xoshiro128PlusPlus) -> Said {
        self.learn(&of_type(sample))?;
        Ok(self.leaders(2).iter().map(|leader| leader as u64).collect())
    }

    fn look(&self, _: &[f64; DIM]) -> Said {
        Ok(bits(*self.cumulative_losses()))
    }
}

impl<T: Scalar> Life for RegretMeter<T> {
    fn fresh(_: usize) -> Self {
        Self::new()
    }

    fn live(&mut self, sample: &[f64; DIM], _: &mut Xoshiro128PlusPlus) -> Said {
        self.record(T::from_f64(sample[0] * sample[0]));
        Ok(bits([self.total_loss()]))
    }

    fn look(&self, _: &[f64; DIM]) -> Said {
        Ok(bits([self.total_loss(), self.regret(T::ONE)]))
    }
}
