//! Hebbian learners: they lose without chance.

use eigenstream::Scalar;
use eigenstream::hebbian::{
    Apex, ApexSettings, Eviction, Gha, GhaSettings, KernelApex, KernelGha, Norm, PointBudget, RateSettings, Response,
};
use eigenstream::kernel::{Gaussian, Polynomial};
use rand_xoshiro::Xoshiro128PlusPlus;

use super::{DIM, Life, Said, bits, good, of_type, read};

/// A Hebbian learner: it loses without chance.
macro_rules! hebbian_life {
    ($learner:ty, $settings:ident => $new:expr) => {
        impl<T: Scalar> Life for $learner {
            fn fresh(choice: usize) -> Self {
                let rate = [
                    RateSettings::DEFAULT,
                    good(RateSettings::constant(T::from_f64(0.3))),
                    good(RateSettings::falling(T::ONE)),
                ][choice % 3];
                let $settings = rate;
                $new
            }

            fn live(&mut self, sample: &[f64; DIM], _: &mut Xoshiro128PlusPlus) -> Said {
                let Response { code, loss } = self.step(&of_type(sample))?;
                Ok(bits(code.into_iter().chain([loss])))
            }

            fn look(&self, sample: &[f64; DIM]) -> Said {
                let sample = of_type(sample);
                read(self, &sample, self.transform(&sample)?)
            }
        }
    };
}

hebbian_life!(Gha<T, DIM, 2>, rate => Self::new(GhaSettings::DEFAULT.with_rate(rate)));
hebbian_life!(Apex<T, DIM, 2>, rate => Self::new(ApexSettings::DEFAULT.with_rate(rate).with_span(30)));
hebbian_life!(
    KernelGha<T, Gaussian<T>, DIM, 2, 6>,
    rate => Self::new(good(Gaussian::new(T::HALF)), GhaSettings::DEFAULT.with_rate(rate), PointBudget::DEFAULT)
);
hebbian_life!(
    KernelApex<T, Polynomial<T>, DIM, 2, 6>,
    rate => Self::new(
        good(Polynomial::new(T::ONE, 2)),
        ApexSettings::DEFAULT.with_rate(rate).with_span(30),
        PointBudget::new(Eviction::Fifo, Norm::Reduced)
    )
);
