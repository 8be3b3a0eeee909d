//! The monitor and its stages.

use core::hint::black_box;

use eigenstream::monitor::{
    Counts, Decision, DecisionSettings, ExponentialMean, LagEmbedding, Lagged, Learning, Missing, Monitor,
    MonitorSettings, Quantile, RunningMedian, Scaling, Schedule, Score, Scorer, Standardizer, StandardizerSettings,
    Threshold, Verdict, impute,
};
use eigenstream::pca::{BatchPca, CenteredPca, CenteredSettings, TrackingPca, TrackingSettings};
use eigenstream::{Centering, Forgetting, Learner, SettingsError};

use super::Number;
use super::codec::save;

/// The stages of the monitor, each alone.
#[inline(never)]
pub(super) fn stages<const N: usize>() {
    let sample = black_box::<[Number; N]>([0.5; N]);
    let value = black_box::<Number>(0.5);
    if let Ok(counts) = Counts::new(black_box::<[Number; N]>([0.5; N]), black_box([1; N])) {
        black_box(counts.convert(&black_box([3; N])));
    }
    let mut standardizer = black_box(Standardizer::<Number, N>::new(StandardizerSettings::DEFAULT));
    let _ = black_box((standardizer.learn(&sample), standardizer.standardize(&sample)));
    black_box((standardizer.mean(), standardizer.spread(), standardizer.samples_seen()));
    save(&standardizer);
    standardizer.reset();
    let mut mean = black_box(ExponentialMean::<Number, N>::new(black_box(8)));
    black_box(mean.push(&sample));
    black_box((mean.mean(), mean.after(&sample)));
    mean.reset();
    let mut median = black_box(RunningMedian::<Number, 5>::new());
    black_box((median.push(value), median.median()));
    median.reset();
    if let Ok(quantile) = Quantile::new(value) {
        let mut quantile = black_box(quantile);
        quantile.push(value);
        black_box((quantile.value(), quantile.values_seen()));
        quantile.reset();
    }
    let mut decision = black_box(Decision::new(DecisionSettings::DEFAULT));
    black_box((decision.decide(value, value), decision.is_alarm()));
    decision.reset();
    let mut pca = black_box(CenteredPca::<Number, N, 2>::new(CenteredSettings::DEFAULT));
    let _ = black_box((pca.energy(&sample), pca.leverage(&sample)));
    let _ = black_box((Learner::pass(&mut pca, &sample), Learner::interrupt(&mut pca)));
    let batch = black_box(BatchPca::<Number, N, 2>::new(Centering::Centered));
    let _ = black_box((batch.energy(&sample), batch.leverage(&sample)));
    let mut scorer = black_box(Scorer::new(black_box(Score::Combined), black_box(8)));
    let _ = black_box((scorer.contributions(&pca, &sample), scorer.learn(&pca, &sample)));
    let mut holey = sample;
    let _ = black_box(impute(&pca, &mut holey, &black_box([true; N])));
    black_box((standardizer, mean, median, decision, scorer, pca, holey));
}

/// The monitor with everything switched on.
#[inline(never)]
pub(super) fn monitor<const N: usize>() {
    let sample = black_box::<[Number; N]>([0.5; N]);
    let Ok(settings) = every_monitor_setting() else {
        return;
    };
    let fresh = || CenteredPca::<Number, N, 2>::new(CenteredSettings::DEFAULT);
    let mut monitor = black_box(Monitor::<Number, CenteredPca<Number, N, 2>, N, 3>::new(
        settings,
        fresh(),
    ));
    if let Ok(verdict) = monitor.observe(&sample) {
        black_box(Verdict::guilty(&verdict));
    }
    monitor.interrupt();
    monitor.set_learning(black_box(Learning::Always));
    monitor.recalibrate();
    black_box((
        monitor.phase(),
        monitor.threshold(),
        monitor.learner(),
        monitor.standardizer(),
    ));
    save(&monitor);
    black_box(monitor.relearn(fresh()));
}

fn every_monitor_setting() -> Result<MonitorSettings<Number>, SettingsError> {
    let standardizer = StandardizerSettings::DEFAULT
        .with_forgetting(Forgetting::memory(black_box(100.0))?)
        .with_smallest_spread(black_box(0.1))?
        .with_limit(black_box(50.0))?;
    let threshold = if black_box(true) {
        Threshold::quantile(black_box(0.99))?
            .with_factor(black_box(1.5))?
            .with_floor(black_box(0.1))?
    } else {
        Threshold::fixed(black_box(2.0))?
    };
    black_box(threshold.level(black_box(1.0)));
    let schedule = Schedule::new(black_box(4), black_box(5), black_box(6))?;
    black_box(schedule.warmup());
    Ok(MonitorSettings::DEFAULT
        .with_schedule(schedule)
        .with_standardizer(standardizer)
        .with_scaling(black_box(Scaling::Following))
        .with_score(black_box(Score::Combined))
        .with_input_smoothing(black_box(2))
        .with_smoothing(black_box(8))
        .with_threshold(threshold)
        .with_decision(
            DecisionSettings::new(black_box(0.8))?
                .with_confirm(black_box(2))
                .with_hold_off(black_box(3)),
        )
        .with_learning(black_box(Learning::WhileNormal))
        .with_missing(black_box(Missing::Impute)))
}

/// Two samples in a row, `WIDE` = 2·`N`.
#[inline(never)]
pub(super) fn lagged<const N: usize, const WIDE: usize>() {
    let sample = black_box::<[Number; N]>([0.5; N]);
    let mut lags = black_box(LagEmbedding::<Number, N, 2, WIDE>::new());
    black_box((lags.embed(&sample), lags.is_ready()));
    lags.push(&sample);
    lags.clear();
    let pca = TrackingPca::<Number, WIDE, 1, 3>::new(TrackingSettings::DEFAULT);
    let mut lagged = black_box(Lagged::<Number, _, N, 2, WIDE>::new(pca));
    let _ = black_box((lagged.score(&sample), lagged.residual(&sample), lagged.learn(&sample)));
    let _ = black_box((lagged.energy(&sample), lagged.leverage(&sample), lagged.pass(&sample)));
    save(&lagged);
    lagged.interrupt();
    black_box((lagged.learner(), lags));
}
