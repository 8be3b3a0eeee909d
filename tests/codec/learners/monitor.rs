//! The monitor and what it is made of.

use eigenstream::monitor::{
    DecisionSettings, Lagged, Learning, Missing, Monitor, MonitorSettings, Scaling, Schedule, Score, Standardizer,
    StandardizerSettings, Threshold,
};
use eigenstream::pca::{Forgetting, TrackingPca, TrackingSettings};
use eigenstream::{Learner, Scalar};
use rand_xoshiro::Xoshiro128PlusPlus;

use super::{DIM, Life, Said, bits, good, of_type};

impl<T: Scalar> Life for Standardizer<T, DIM> {
    fn fresh(choice: usize) -> Self {
        let settings = StandardizerSettings::DEFAULT;
        Self::new(match choice % 2 {
            0 => settings,
            _ => good(settings.with_limit(T::TWO)).with_forgetting(good(Forgetting::memory(T::from_f64(50.0)))),
        })
    }

    fn live(&mut self, sample: &[f64; DIM], _: &mut Xoshiro128PlusPlus) -> Said {
        self.learn(&of_type(sample))?;
        Ok(bits(self.standardize(&of_type(sample))?))
    }

    fn look(&self, sample: &[f64; DIM]) -> Said {
        let standard = self.standardize(&of_type(sample))?;
        Ok(bits(standard.into_iter().chain(self.spread()).chain(*self.mean())))
    }
}

/// A learner of three samples in a row.
pub(super) type Rows<T> = Lagged<T, TrackingPca<T, 12, 2, 6>, DIM, 3, 12>;

impl<T: Scalar> Life for Rows<T> {
    fn fresh(_: usize) -> Self {
        Self::new(TrackingPca::new(TrackingSettings::DEFAULT))
    }

    fn live(&mut self, sample: &[f64; DIM], _: &mut Xoshiro128PlusPlus) -> Said {
        let said = bits(self.residual(&of_type(sample))?);
        self.learn(&of_type(sample))?;
        Ok(said)
    }

    fn look(&self, sample: &[f64; DIM]) -> Said {
        let sample = of_type(sample);
        let residual = self.residual(&sample)?;
        Ok(bits(
            residual
                .into_iter()
                .chain([self.score(&sample)?, self.energy(&sample)?]),
        ))
    }
}

/// Every stage of a monitor, around a learner inside another.
impl<T: Scalar, const MEDIAN: usize> Life for Monitor<T, Rows<T>, DIM, MEDIAN> {
    fn fresh(choice: usize) -> Self {
        let settings = MonitorSettings::DEFAULT
            .with_schedule(good(Schedule::new(10, 40, 50)))
            .with_decision(good(DecisionSettings::new(T::HALF)).with_confirm(2).with_hold_off(5));
        let settings = match choice % 4 {
            0 => settings,
            1 => settings.with_score(Score::Combined).with_learning(Learning::Always),
            2 => (settings.with_threshold(good(Threshold::fixed(T::ONE)))).with_scaling(Scaling::Following),
            _ => (settings.with_threshold(good(Threshold::quantile(T::HALF)))).with_missing(Missing::Impute),
        };
        Self::new(settings, Rows::fresh(0))
    }

    fn live(&mut self, sample: &[f64; DIM], _: &mut Xoshiro128PlusPlus) -> Said {
        let verdict = self.observe(&of_type(sample))?;
        let said = bits(
            verdict
                .contribution
                .into_iter()
                .chain([verdict.score, verdict.threshold]),
        );
        Ok(said.into_iter().chain([u64::from(verdict.alarm)]).collect())
    }

    fn look(&self, sample: &[f64; DIM]) -> Said {
        let known = self.standardizer().look(sample)?;
        Ok(known.into_iter().chain(bits([self.threshold()])).collect())
    }
}
