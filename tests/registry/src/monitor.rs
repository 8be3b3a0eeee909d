//! The monitor and its stages.

use eigenstream::monitor::{
    DecisionSettings, Lagged, Learning, Missing, Monitor, MonitorSettings, NewLevel, Schedule, Score, Standardizer,
    StandardizerSettings, State, Threshold,
};
use eigenstream::pca::TrackingPca;
use eigenstream::{Forgetting, Learner, Scalar};

use crate::{Generator, Listener, Outcome, Steps, Subject, good};

impl<T: Scalar, const DIM: usize> Steps<DIM> for Standardizer<T, DIM> {
    type Number = T;

    #[inline(always)]
    fn fresh(choice: usize) -> Self {
        let default = StandardizerSettings::DEFAULT;
        let forgetting = good(Forgetting::memory(T::from_f64(50.0)), Forgetting::NONE);
        Self::new(match choice % 2 {
            0 => default,
            _ => good(default.with_limit(T::TWO), default).with_forgetting(forgetting),
        })
    }

    fn trial(&mut self, sample: &[T; DIM], _: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
        self.learn(sample)?;
        listener.hear(self.standardize(sample)?);
        Ok(())
    }
}

impl<T: Scalar, const DIM: usize> Subject<DIM> for Standardizer<T, DIM> {
    fn look(&self, sample: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
        listener.hear(self.standardize(sample)?);
        listener.hear(self.spread());
        listener.hear(*self.mean());
        Ok(())
    }

    join_by_merge!();

    forget_by_reset!();
}

/// A low-rank learner of `LAGS` samples in a row.
type Rows<T, const DIM: usize, const KEEP: usize, const RANK: usize, const LAGS: usize, const WIDE: usize> =
    Lagged<T, TrackingPca<T, WIDE, KEEP, RANK>, DIM, LAGS, WIDE>;

impl<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize, const LAGS: usize, const WIDE: usize> Steps<DIM>
    for Rows<T, DIM, KEEP, RANK, LAGS, WIDE>
{
    type Number = T;

    #[inline(always)]
    fn fresh(choice: usize) -> Self {
        Self::new(TrackingPca::fresh(choice))
    }

    fn trial(&mut self, sample: &[T; DIM], _: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
        let residual = self.residual(sample)?;
        self.learn(sample)?;
        listener.hear(residual);
        Ok(())
    }
}

impl<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize, const LAGS: usize, const WIDE: usize>
    Subject<DIM> for Rows<T, DIM, KEEP, RANK, LAGS, WIDE>
{
    fn look(&self, sample: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
        listener.hear(self.residual(sample)?);
        listener.hear([self.score(sample)?, self.energy(sample)?]);
        Ok(())
    }
}

/// Settings of a monitor; 0 is the default, the others have short phases.
fn monitor_settings<T: Scalar>(choice: usize) -> MonitorSettings<T> {
    let default = MonitorSettings::DEFAULT;
    let decision = good(DecisionSettings::new(T::HALF), DecisionSettings::DEFAULT);
    let short = default
        .with_schedule(good(Schedule::new(10, 40, 50), Schedule::DEFAULT))
        .with_decision(decision.with_confirm(2).with_hold_off(5));
    match choice % 5 {
        0 => default,
        1 => short.with_score(Score::Combined).with_learning(Learning::Always),
        2 => short
            .with_threshold(good(Threshold::fixed(T::ONE), Threshold::DEFAULT))
            .with_level_memory(20)
            .with_new_level(NewLevel::Accept(40)),
        3 => short
            .with_threshold(good(Threshold::quantile(T::HALF), Threshold::DEFAULT))
            .with_new_level(NewLevel::Ask(40))
            .with_missing(Missing::Impute),
        _ => short
            .with_threshold(good(Threshold::false_alarms(T::from_f64(0.01)), Threshold::DEFAULT))
            .with_new_level(NewLevel::Never),
    }
}

impl<T: Scalar, L: Steps<DIM, Number = T> + Learner<T, DIM>, const DIM: usize, const MEDIAN: usize> Steps<DIM>
    for Monitor<T, L, DIM, MEDIAN>
{
    type Number = T;

    #[inline(always)]
    fn fresh(choice: usize) -> Self {
        Self::new(monitor_settings(choice), L::fresh(0))
    }

    #[inline(always)]
    fn trial(&mut self, sample: &[T; DIM], _: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
        let verdict = self.observe(sample)?;
        if verdict.state == State::Steady {
            self.acknowledge();
        }
        listener.hear(verdict);
        Ok(())
    }
}

/// The learner inside reports the errors of its directions and probabilities.
impl<T: Scalar, L: Subject<DIM, Number = T> + Learner<T, DIM>, const DIM: usize, const MEDIAN: usize> Subject<DIM>
    for Monitor<T, L, DIM, MEDIAN>
where
    Self: eigenstream::Codec,
{
    fn look(&self, sample: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
        listener.hear(self.score(sample)?);
        listener.hear(self.threshold());
        let health = self.health();
        listener.hear(health.moved);
        listener.hear([health.usual_score, health.alarm_rate()]);
        if let Some(explained) = health.explained {
            listener.hear(explained);
        }
        Ok(())
    }

    fn orthogonality_error(&self) -> Option<T> {
        self.learner().orthogonality_error()
    }

    fn probability_sum_error(&self) -> Option<f64> {
        self.learner().probability_sum_error()
    }
}
