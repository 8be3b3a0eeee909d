//! The monitor around two learners, with every stage in use.

use eigenstream::monitor::stages::impute;
use eigenstream::monitor::{Lagged, Learning, Missing, Monitor, MonitorSettings, NewLevel, Schedule, Score};
use eigenstream::pca::{Mahalanobis, MahalanobisSettings, TrackingPca, TrackingSettings};
use eigenstream::{Codec, Learner};

use crate::digest::Digest;
use crate::note::Number;
use crate::stream::{DIM, KEEP, samples};

/// Bytes for the larger of the two images, in `f64`.
const ROOM: usize = 4_096;

const WIDE: usize = 2 * DIM;

pub(crate) fn monitor<T: Number>(digest: &mut Digest) {
    let learner = Mahalanobis::<T, DIM>::new(MahalanobisSettings::DEFAULT);
    let settings = MonitorSettings::DEFAULT
        .with_level_memory(20)
        .with_new_level(NewLevel::Accept(20));
    watch(digest, settings, learner);
}

pub(crate) fn monitor_with_lags<T: Number>(digest: &mut Digest) {
    let settings = MonitorSettings::DEFAULT
        .with_level_memory(20)
        .with_score(Score::Combined)
        .with_input_smoothing(2)
        .with_smoothing(3)
        .with_learning(Learning::Always)
        .with_missing(Missing::Impute);
    let pca = TrackingPca::<T, WIDE, KEEP, 5>::new(TrackingSettings::DEFAULT);
    watch(digest, settings, Lagged::<T, _, DIM, 2, WIDE>::new(pca));
}

/// Imputes one missing channel, then one more in each round, until all channels are missing.
pub(crate) fn missing_channels<T: Number>(digest: &mut Digest) {
    let mut pca = TrackingPca::<T, DIM, KEEP, DIM>::new(TrackingSettings::DEFAULT);
    for sample in samples() {
        digest.note(&pca.learn(&sample));
    }
    let mut missing = [false; DIM];
    for (channel, mut sample) in samples::<T>().take(DIM).enumerate() {
        missing[channel] = true;
        digest.note(&impute(&pca, &mut sample, &missing));
        digest.note(&sample);
    }
}

/// Runs a monitor with short phases, so that the stream reaches the last phase.
fn watch<T: Number, L: Learner<T, DIM> + Codec>(digest: &mut Digest, settings: MonitorSettings<T>, learner: L) {
    let schedule = Schedule::new(8, 16, 16);
    digest.note(&schedule.is_ok());
    let Ok(schedule) = schedule else { return };
    let mut monitor = Monitor::<T, L, DIM, 3>::new(settings.with_schedule(schedule), learner);
    for sample in samples() {
        let verdict = monitor.observe(&sample);
        digest.note(&verdict);
        if let Ok(verdict) = verdict {
            digest.note(&verdict.guilty());
        }
    }
    digest.note_image::<ROOM>(&monitor);
}
