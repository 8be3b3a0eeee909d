//! The monitor and its stages.

use core::hint::black_box;

use eigenstream::monitor::stages::{
    Decision, ExponentialMean, Histogram, LagEmbedding, Level, RunningMedian, Scorer, Settling, Stillness, impute,
};
use eigenstream::monitor::{
    Counts, DecisionSettings, Health, Lagged, Learning, Missing, Monitor, MonitorSettings, NewLevel, Phase, Schedule,
    Score, SensorMonitor, Standardizer, StandardizerSettings, Threshold, Verdict, sign_extended,
};
use eigenstream::pca::{BatchPca, CenteredPca, CenteredSettings, TrackingPca, TrackingSettings};
use eigenstream::{Centering, Forgetting, Learner, SettingsError};

use super::Number;
use super::codec::save;

#[inline(never)]
pub(super) fn stages<const N: usize>() {
    let sample = black_box::<[Number; N]>([0.5; N]);
    let value = black_box::<Number>(0.5);
    if let Ok(counts) = Counts::new(black_box::<[Number; N]>([0.5; N]), black_box([1; N])) {
        black_box(counts.convert(&black_box([3_i16; N])));
        black_box(counts.convert(&black_box([sign_extended(black_box(3), black_box(24)); N])));
    }
    let mut standardizer = black_box(Standardizer::<Number, N>::new(StandardizerSettings::DEFAULT));
    let _ = black_box((standardizer.learn(&sample), standardizer.standardize(&sample)));
    black_box((standardizer.mean(), standardizer.spread(), standardizer.samples_seen()));
    save(&standardizer);
    let other = black_box(standardizer.clone());
    let _ = black_box(standardizer.merge(&other));
    standardizer.reset();
    let mut mean = black_box(ExponentialMean::<Number, N>::new(black_box(8)));
    black_box(mean.push(&sample));
    black_box((mean.mean(), mean.after(&sample)));
    mean.reset();
    let mut median = black_box(RunningMedian::<Number, 5>::new());
    black_box((median.push(value), median.median()));
    median.reset();
    let mut histogram = black_box(Histogram::around(value));
    histogram.push(value);
    black_box((
        histogram.quantile(value),
        histogram.scores(),
        histogram.middle(),
        histogram.is_useless(),
    ));
    let mut settling = black_box(Settling::<Number, N>::new(black_box(8)));
    settling.push(&sample);
    black_box(settling.is_done());
    let mut level = black_box(Level::<Number, N>::new(black_box(8)));
    level.begin(&settling.scale());
    level.widen(&sample, value, value);
    level.follow(&level.deviations(&sample, value), value, value);
    black_box((
        level.is_unknown(),
        level.moved(black_box(1)),
        level.center(),
        level.spread(),
        level.memory(),
    ));
    let mut stillness = black_box(Stillness::<Number, N>::default());
    stillness.learn(&sample);
    stillness.push(&sample);
    black_box((
        stillness.stuck(),
        stillness.is_stuck(black_box(1)),
        Stillness::is_missing(&stillness, black_box(1)),
        stillness.step(),
    ));
    let mut decision = black_box(Decision::new(DecisionSettings::DEFAULT));
    black_box((decision.decide(value, value), decision.is_alarm()));
    decision.reset();
    let mut pca = black_box(CenteredPca::<Number, N, 2>::new(CenteredSettings::DEFAULT));
    let _ = black_box((pca.energy(&sample), pca.leverage(&sample)));
    let _ = black_box((Learner::pass(&mut pca, &sample), Learner::is_ready(&pca)));
    Learner::interrupt(&mut pca);
    let batch = black_box(BatchPca::<Number, N, 2>::new(Centering::Centered));
    let _ = black_box((batch.energy(&sample), batch.leverage(&sample)));
    let mut scorer = black_box(Scorer::new(black_box(Score::Combined), black_box(8)));
    let _ = black_box((scorer.contributions(&pca, &sample), scorer.learn(&pca, &sample)));
    let mut holey = sample;
    let _ = black_box(impute(&pca, &mut holey, &black_box([true; N])));
    black_box((standardizer, mean, median, decision, scorer, pca, holey));
}

/// The monitor with every setting.
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
    black_box(Verdict::normal(sample));
    monitor.interrupt();
    monitor.set_learning(black_box(Learning::Always));
    monitor.recalibrate();
    black_box(monitor.acknowledge());
    let _ = black_box(monitor.set_settings(black_box(MonitorSettings::DEFAULT)));
    black_box((
        monitor.phase(),
        monitor.threshold(),
        monitor.contribution(),
        monitor.learner(),
        monitor.level(),
        monitor.settings(),
        Health::alarm_rate(&monitor.health()),
        Phase::is_watching(monitor.phase()),
    ));
    let _ = black_box(monitor.score(&sample));
    let mut standard = black_box(SensorMonitor::<Number, N>::standard(
        MonitorSettings::DEFAULT.with_training(black_box(100)),
    ));
    let _ = black_box(standard.observe(&sample));
    save(&monitor);
    black_box(monitor.relearn(fresh()));
    black_box(monitor.around(fresh()));
}

fn every_monitor_setting() -> Result<MonitorSettings<Number>, SettingsError> {
    let standardizer = StandardizerSettings::<Number>::DEFAULT
        .with_forgetting(Forgetting::memory(black_box(100.0))?)
        .with_smallest_spread(black_box(0.1))?
        .with_limit(black_box(50.0))?;
    black_box(standardizer);
    let threshold = if black_box(true) {
        Threshold::quantile(black_box(0.99))?
            .with_factor(black_box(1.5))?
            .with_floor(black_box(0.1))?
    } else if black_box(true) {
        Threshold::false_alarms(black_box(0.001))?
    } else {
        Threshold::fixed(black_box(2.0))?
    };
    black_box(threshold.level(&black_box(Histogram::around(1.0))));
    let schedule = Schedule::new(black_box(4), black_box(5), black_box(6))?;
    black_box((schedule.warmup(), schedule.total(), Schedule::training(black_box(100))));
    Ok(MonitorSettings::DEFAULT
        .with_schedule(schedule)
        .with_level_memory(black_box(200))
        .with_new_level(black_box(NewLevel::Ask(30)))
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

/// A learner on pairs of successive samples; `WIDE` = 2·`N`.
#[inline(never)]
pub(super) fn lagged<const N: usize, const WIDE: usize>() {
    let sample = black_box::<[Number; N]>([0.5; N]);
    let mut lags = black_box(LagEmbedding::<Number, N, 2, WIDE>::new());
    black_box((lags.embed(&sample), lags.is_ready()));
    lags.push(&sample);
    lags.reset();
    let pca = TrackingPca::<Number, WIDE, 1, 3>::new(TrackingSettings::DEFAULT);
    let mut lagged = black_box(Lagged::<Number, _, N, 2, WIDE>::new(pca));
    let _ = black_box((lagged.score(&sample), lagged.residual(&sample), lagged.learn(&sample)));
    let _ = black_box((lagged.energy(&sample), lagged.leverage(&sample), lagged.pass(&sample)));
    save(&lagged);
    lagged.interrupt();
    black_box((lagged.learner(), lags));
    black_box(lagged.around(TrackingPca::<Number, WIDE, 1, 3>::new(TrackingSettings::DEFAULT)));
}
