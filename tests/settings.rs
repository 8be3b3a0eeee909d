//! One way to say a setting: `new(rate)` is `DEFAULT` with that rate, and `default()` is `DEFAULT`.

use eigenstream::hebbian::{ApexSettings, GhaSettings, PointBudget, RateSettings};
use eigenstream::kernel::{Gaussian, Laplacian, OnlineKernelSettings, PreimageSettings, RidgeSettings};
use eigenstream::monitor::{DecisionSettings, MonitorSettings, Schedule, StandardizerSettings, Threshold};
use eigenstream::pca::{CenteredSettings, DensitySettings, ScaleSettings, TrackingSettings, VarianceSettings};
use eigenstream::weights::HedgeSettings;

#[test]
fn new_with_the_rate_of_the_default_is_the_default() {
    macro_rules! check {
        ($($settings:ident: $number:expr),+ $(,)?) => { $(
            assert_eq!($settings::new($number), Ok($settings::<f32>::DEFAULT));
            assert_eq!($settings::<f32>::default(), $settings::DEFAULT);
            assert_ne!($settings::new(0.25 * $number), Ok($settings::DEFAULT));
        )+ };
    }
    check! {
        TrackingSettings: 1.0,
        CenteredSettings: 1.0,
        DensitySettings: 1.0,
        VarianceSettings: 1.0,
        OnlineKernelSettings: 1.0,
        HedgeSettings: 1.0,
        RateSettings: 1.0 / 32.0,
        GhaSettings: 1.0 / 32.0,
        ApexSettings: 1.0 / 32.0,
        RidgeSettings: 1.0,
        Gaussian: 1.0,
        Laplacian: 1.0,
    }
}

#[test]
fn every_constant_default_is_the_default() {
    assert_eq!(ScaleSettings::<f32>::default(), ScaleSettings::DEFAULT);
    assert_eq!(PreimageSettings::<f32>::default(), PreimageSettings::DEFAULT);
    assert_eq!(MonitorSettings::<f32>::default(), MonitorSettings::DEFAULT);
    assert_eq!(StandardizerSettings::<f32>::default(), StandardizerSettings::DEFAULT);
    assert_eq!(DecisionSettings::<f32>::default(), DecisionSettings::DEFAULT);
    assert_eq!(Threshold::<f32>::default(), Threshold::DEFAULT);
    assert_eq!(Schedule::default(), Schedule::DEFAULT);
    assert_eq!(PointBudget::default(), PointBudget::DEFAULT);
}

#[test]
fn the_form_of_the_papers_has_its_own_name() {
    let unscaled = TrackingSettings::unscaled(1.0_f32).map(|settings| settings.with_scale(ScaleSettings::DEFAULT));
    assert_eq!(unscaled, Ok(TrackingSettings::DEFAULT));
    assert_ne!(CenteredSettings::unscaled(1.0_f32), Ok(CenteredSettings::DEFAULT));
    let constant = RateSettings::constant(0.5_f32).map(|rate| GhaSettings::DEFAULT.with_rate(rate));
    assert_eq!(GhaSettings::unscaled(0.5), constant);
    assert_ne!(ApexSettings::unscaled(0.5_f32), ApexSettings::new(0.5));
}
