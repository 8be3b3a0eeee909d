//! Lines that `tune` prints, each in a `static`.

pub(super) mod mahalanobis_1 {
use eigenstream::constant;
use eigenstream::monitor::{DecisionSettings, Learning, MonitorSettings, NewLevel, Score, SensorMonitor, Threshold};

const SETTINGS: MonitorSettings<f32> = MonitorSettings::DEFAULT
    .with_training(2048)
    .with_score(Score::Relative)
    .with_threshold(constant!(constant!(Threshold::quantile(0.99)).with_factor(2.0)))
    .with_decision(DecisionSettings::DEFAULT.with_hold_off(3))
    .with_learning(Learning::Frozen)
    .with_new_level(NewLevel::Never);
const MONITOR: SensorMonitor<f32, 6> = SensorMonitor::standard(SETTINGS);
pub(in crate::tune) static KEPT: SensorMonitor<f32, 6> = MONITOR;
}

pub(super) mod tracking_1 {
use eigenstream::constant;
use eigenstream::monitor::{DecisionSettings, Learning, Monitor, MonitorSettings, NewLevel, Score, Threshold};
use eigenstream::pca::{TrackingPca, TrackingSettings};

const SETTINGS: MonitorSettings<f32> = MonitorSettings::DEFAULT
    .with_training(2048)
    .with_score(Score::Relative)
    .with_threshold(constant!(constant!(Threshold::quantile(0.99)).with_factor(2.0)))
    .with_decision(DecisionSettings::DEFAULT.with_hold_off(3))
    .with_learning(Learning::Frozen)
    .with_new_level(NewLevel::Never);
const MONITOR: Monitor<f32, TrackingPca<f32, 6, 2, 6>, 6> = Monitor::new(SETTINGS, TrackingPca::new(constant!(TrackingSettings::new(1.0))));
pub(in crate::tune) static KEPT: Monitor<f32, TrackingPca<f32, 6, 2, 6>, 6> = MONITOR;
}

pub(super) mod tracking_3 {
use eigenstream::constant;
use eigenstream::monitor::{DecisionSettings, Lagged, Learning, Monitor, MonitorSettings, NewLevel, Score, Threshold};
use eigenstream::pca::{TrackingPca, TrackingSettings};

const SETTINGS: MonitorSettings<f32> = MonitorSettings::DEFAULT
    .with_training(2048)
    .with_score(Score::Relative)
    .with_threshold(constant!(constant!(Threshold::quantile(0.99)).with_factor(2.0)))
    .with_decision(DecisionSettings::DEFAULT.with_hold_off(3))
    .with_learning(Learning::Frozen)
    .with_new_level(NewLevel::Never);
const MONITOR: Monitor<f32, Lagged<f32, TrackingPca<f32, 18, 2, 6>, 6, 3, 18>, 6> = Monitor::new(SETTINGS, Lagged::new(TrackingPca::new(constant!(TrackingSettings::new(1.0)))));
pub(in crate::tune) static KEPT: Monitor<f32, Lagged<f32, TrackingPca<f32, 18, 2, 6>, 6, 3, 18>, 6> = MONITOR;
}

pub(super) mod centered_1 {
use eigenstream::constant;
use eigenstream::monitor::{DecisionSettings, Learning, Monitor, MonitorSettings, NewLevel, Score, Threshold};
use eigenstream::pca::{CenteredPca, CenteredSettings};

const SETTINGS: MonitorSettings<f32> = MonitorSettings::DEFAULT
    .with_training(2048)
    .with_score(Score::Relative)
    .with_threshold(constant!(constant!(Threshold::quantile(0.99)).with_factor(2.0)))
    .with_decision(DecisionSettings::DEFAULT.with_hold_off(3))
    .with_learning(Learning::Frozen)
    .with_new_level(NewLevel::Never);
const MONITOR: Monitor<f32, CenteredPca<f32, 6, 2>, 6> = Monitor::new(SETTINGS, CenteredPca::new(constant!(CenteredSettings::new(1.0))));
pub(in crate::tune) static KEPT: Monitor<f32, CenteredPca<f32, 6, 2>, 6> = MONITOR;
}

pub(super) mod centered_3 {
use eigenstream::constant;
use eigenstream::monitor::{DecisionSettings, Lagged, Learning, Monitor, MonitorSettings, NewLevel, Score, Threshold};
use eigenstream::pca::{CenteredPca, CenteredSettings};

const SETTINGS: MonitorSettings<f32> = MonitorSettings::DEFAULT
    .with_training(2048)
    .with_score(Score::Relative)
    .with_threshold(constant!(constant!(Threshold::quantile(0.99)).with_factor(2.0)))
    .with_decision(DecisionSettings::DEFAULT.with_hold_off(3))
    .with_learning(Learning::Frozen)
    .with_new_level(NewLevel::Never);
const MONITOR: Monitor<f32, Lagged<f32, CenteredPca<f32, 18, 2>, 6, 3, 18>, 6> = Monitor::new(SETTINGS, Lagged::new(CenteredPca::new(constant!(CenteredSettings::new(1.0)))));
pub(in crate::tune) static KEPT: Monitor<f32, Lagged<f32, CenteredPca<f32, 18, 2>, 6, 3, 18>, 6> = MONITOR;
}

pub(super) mod hebbian_1 {
use eigenstream::constant;
use eigenstream::monitor::{DecisionSettings, Learning, Monitor, MonitorSettings, NewLevel, Score, Threshold};
use eigenstream::hebbian::{Gha, GhaSettings};

const SETTINGS: MonitorSettings<f32> = MonitorSettings::DEFAULT
    .with_training(2048)
    .with_score(Score::Relative)
    .with_threshold(constant!(constant!(Threshold::quantile(0.99)).with_factor(2.0)))
    .with_decision(DecisionSettings::DEFAULT.with_hold_off(3))
    .with_learning(Learning::Frozen)
    .with_new_level(NewLevel::Never);
const MONITOR: Monitor<f32, Gha<f32, 6, 2>, 6> = Monitor::new(SETTINGS, Gha::new(constant!(GhaSettings::new(0.03125))));
pub(in crate::tune) static KEPT: Monitor<f32, Gha<f32, 6, 2>, 6> = MONITOR;
}

pub(super) mod hebbian_3 {
use eigenstream::constant;
use eigenstream::monitor::{DecisionSettings, Lagged, Learning, Monitor, MonitorSettings, NewLevel, Score, Threshold};
use eigenstream::hebbian::{Gha, GhaSettings};

const SETTINGS: MonitorSettings<f32> = MonitorSettings::DEFAULT
    .with_training(2048)
    .with_score(Score::Relative)
    .with_threshold(constant!(constant!(Threshold::quantile(0.99)).with_factor(2.0)))
    .with_decision(DecisionSettings::DEFAULT.with_hold_off(3))
    .with_learning(Learning::Frozen)
    .with_new_level(NewLevel::Never);
const MONITOR: Monitor<f32, Lagged<f32, Gha<f32, 18, 2>, 6, 3, 18>, 6> = Monitor::new(SETTINGS, Lagged::new(Gha::new(constant!(GhaSettings::new(0.03125)))));
pub(in crate::tune) static KEPT: Monitor<f32, Lagged<f32, Gha<f32, 18, 2>, 6, 3, 18>, 6> = MONITOR;
}

pub(super) mod kernel_1 {
use eigenstream::constant;
use eigenstream::monitor::{DecisionSettings, Learning, Monitor, MonitorSettings, NewLevel, Score, Threshold};
use eigenstream::Centering;
use eigenstream::kernel::{Gaussian, OnlineKernelPca, OnlineKernelSettings};

const SETTINGS: MonitorSettings<f32> = MonitorSettings::DEFAULT
    .with_training(2048)
    .with_score(Score::Relative)
    .with_threshold(constant!(constant!(Threshold::quantile(0.99)).with_factor(2.0)))
    .with_decision(DecisionSettings::DEFAULT.with_hold_off(3))
    .with_learning(Learning::Frozen)
    .with_new_level(NewLevel::Never);
const MONITOR: Monitor<f32, OnlineKernelPca<f32, Gaussian<f32>, 6, 2, 32, 6>, 6> = Monitor::new(SETTINGS, OnlineKernelPca::new(
    constant!(Gaussian::new(0.0006510417)),
    constant!(constant!(OnlineKernelSettings::new(153.6)).with_stride(4)).with_centering(Centering::Centered),
));
pub(in crate::tune) static KEPT: Monitor<f32, OnlineKernelPca<f32, Gaussian<f32>, 6, 2, 32, 6>, 6> = MONITOR;
}

pub(super) mod kernel_3 {
use eigenstream::constant;
use eigenstream::monitor::{DecisionSettings, Lagged, Learning, Monitor, MonitorSettings, NewLevel, Score, Threshold};
use eigenstream::Centering;
use eigenstream::kernel::{Gaussian, OnlineKernelPca, OnlineKernelSettings};

const SETTINGS: MonitorSettings<f32> = MonitorSettings::DEFAULT
    .with_training(2048)
    .with_score(Score::Relative)
    .with_threshold(constant!(constant!(Threshold::quantile(0.99)).with_factor(2.0)))
    .with_decision(DecisionSettings::DEFAULT.with_hold_off(3))
    .with_learning(Learning::Frozen)
    .with_new_level(NewLevel::Never);
const MONITOR: Monitor<f32, Lagged<f32, OnlineKernelPca<f32, Gaussian<f32>, 18, 2, 32, 6>, 6, 3, 18>, 6> = Monitor::new(SETTINGS, Lagged::new(OnlineKernelPca::new(
    constant!(Gaussian::new(0.00021701389)),
    constant!(constant!(OnlineKernelSettings::new(153.6)).with_stride(4)).with_centering(Centering::Centered),
)));
pub(in crate::tune) static KEPT: Monitor<f32, Lagged<f32, OnlineKernelPca<f32, Gaussian<f32>, 18, 2, 32, 6>, 6, 3, 18>, 6> = MONITOR;
}
