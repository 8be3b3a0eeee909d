//! Tests of all settings: defaults, ranges, and error messages.

use eigenstream::bounds::Bounds;
use eigenstream::hebbian::{ApexSettings, GhaSettings, PointBudget, RateSettings};
use eigenstream::kernel::{
    Gaussian, KernelRidge, Laplacian, OnlineKernelSettings, Polynomial, PreimageSettings, RidgeSettings,
};
use eigenstream::monitor::stages::Histogram;
use eigenstream::monitor::{Counts, DecisionSettings, MonitorSettings, Schedule, StandardizerSettings, Threshold};
use eigenstream::pca::{
    AdditiveSettings, Center, CenteredSettings, DensitySettings, MahalanobisSettings, PairedSettings, Share,
    TrackingSettings, VarianceSettings,
};
use eigenstream::regression::LeastSquaresSettings;
use eigenstream::weights::HedgeSettings;
use eigenstream::{Forgetting, ScaleSettings, SettingsError, constant};

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
        TrackingSettings: 3.0,
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
    assert_eq!(Ok(Polynomial::<f32>::default()), Polynomial::new(1.0, 3));
    assert_eq!(PreimageSettings::<f32>::default(), PreimageSettings::DEFAULT);
    assert_eq!(MonitorSettings::<f32>::default(), MonitorSettings::DEFAULT);
    assert_eq!(StandardizerSettings::<f32>::default(), StandardizerSettings::DEFAULT);
    assert_eq!(DecisionSettings::<f32>::default(), DecisionSettings::DEFAULT);
    assert_eq!(Threshold::<f32>::default(), Threshold::DEFAULT);
    assert_eq!(Schedule::default(), Schedule::DEFAULT);
    assert_eq!(PointBudget::default(), PointBudget::DEFAULT);
}

#[test]
fn unscaled_settings_differ_from_the_default_only_in_the_scale() {
    let unscaled = TrackingSettings::unscaled(3.0_f32).map(|settings| settings.with_scale(ScaleSettings::DEFAULT));
    assert_eq!(unscaled, Ok(TrackingSettings::DEFAULT));
    assert_ne!(CenteredSettings::unscaled(1.0_f32), Ok(CenteredSettings::DEFAULT));
    let constant = RateSettings::constant(0.5_f32).map(|rate| GhaSettings::DEFAULT.with_rate(rate));
    assert_eq!(GhaSettings::unscaled(0.5), constant);
    assert_ne!(ApexSettings::unscaled(0.5_f32), ApexSettings::new(0.5));
}

fn refusal<S>(outcome: Result<S, SettingsError>) -> Option<SettingsError> {
    outcome.err()
}

#[test]
fn setters_refuse_negative_numbers_and_nan() {
    for wrong in [-1.0, f32::NAN] {
        let center = CenteredSettings::DEFAULT.with_center(Center::Weighted(wrong));
        let uniform = DensitySettings::DEFAULT.with_share(Share::Uniform(wrong));
        let past = DensitySettings::DEFAULT.with_share(Share::PastAverage(wrong));
        for (found, expected) in [
            (refusal(center), SettingsError::CenterRate),
            (refusal(uniform), SettingsError::Share),
            (refusal(past), SettingsError::Share),
            (
                refusal(HedgeSettings::DEFAULT.with_share(Share::PastAverage(wrong))),
                SettingsError::Share,
            ),
            (
                refusal(TrackingSettings::DEFAULT.with_share(Share::Uniform(wrong))),
                SettingsError::Share,
            ),
            (
                refusal(TrackingSettings::DEFAULT.with_ceiling(wrong)),
                SettingsError::Ceiling,
            ),
            (
                refusal(DensitySettings::DEFAULT.with_ceiling(wrong)),
                SettingsError::Ceiling,
            ),
            (
                refusal(OnlineKernelSettings::DEFAULT.with_novelty(wrong)),
                SettingsError::Novelty,
            ),
            (
                refusal(PreimageSettings::DEFAULT.with_tolerance(wrong)),
                SettingsError::Tolerance,
            ),
            (
                refusal(StandardizerSettings::DEFAULT.with_smallest_spread(wrong)),
                SettingsError::Spread,
            ),
            (
                refusal(StandardizerSettings::DEFAULT.with_limit(wrong)),
                SettingsError::Limit,
            ),
            (refusal(Threshold::DEFAULT.with_factor(wrong)), SettingsError::Threshold),
            (refusal(Threshold::DEFAULT.with_floor(wrong)), SettingsError::Threshold),
            (
                refusal(Bounds::new(20, 2).with_norm_bound(wrong)),
                SettingsError::NormBound,
            ),
        ] {
            assert_eq!(found, Some(expected), "{wrong}");
        }
    }
}

#[test]
fn setters_refuse_the_first_number_beyond_their_range() {
    let kernel = OnlineKernelSettings::<f32>::DEFAULT;
    assert_eq!(kernel.with_stride(0), Err(SettingsError::Stride));
    assert_eq!(kernel.with_novelty(1.0), Err(SettingsError::Novelty));
    let preimage = PreimageSettings::<f32>::DEFAULT;
    assert_eq!(preimage.with_iterations(0), Err(SettingsError::Iterations));
    assert_eq!(
        StandardizerSettings::<f32>::DEFAULT.with_limit(0.5),
        Err(SettingsError::Limit)
    );
    assert_eq!(
        Bounds::new(20, 2).with_norm_bound(0.0_f32),
        Err(SettingsError::NormBound)
    );
    assert_eq!(
        TrackingSettings::DEFAULT.with_share(Share::Uniform(1.5_f32)),
        Err(SettingsError::Share)
    );
    assert_eq!(
        TrackingSettings::DEFAULT.with_ceiling(0.0_f32),
        Err(SettingsError::Ceiling)
    );
}

/// One variant of `SettingsError` can stand for several conditions.
#[test]
fn a_message_names_the_condition_that_the_number_breaks() {
    for (found, condition) in [
        (refusal(Threshold::false_alarms(0.0_f32)), "rate of false alarms"),
        (refusal(Forgetting::memory(f32::INFINITY)), "memory finite"),
        (refusal(LeastSquaresSettings::new(0.0_f32)), "least squares above zero"),
        (refusal(Gaussian::from_sigma(1e30_f32)), "width sigma"),
        (
            refusal(ScaleSettings::bound(1e-30_f32)),
            "not below the smallest normal",
        ),
        (refusal(Counts::new([1e30_f32], [0])), "2^32 counts"),
        (refusal(Schedule::new(1 << 31, 1, 1)), "at most 2^31"),
        (
            refusal(TrackingSettings::<f32>::DEFAULT.with_share(Share::PastAverage(0.1))),
            "learner or bound must support",
        ),
        (
            refusal(Bounds::<f32>::dimension_free(2).with_share(0.1, 10, 1)),
            "learner or bound must support",
        ),
    ] {
        let message = found.map(SettingsError::message);
        assert!(
            message.is_some_and(|message| message.contains(condition)),
            "{found:?}: {message:?}"
        );
    }
}

#[test]
fn the_defaults_have_the_documented_numbers() -> Result<(), SettingsError> {
    assert_eq!(
        DensitySettings::DEFAULT.with_ceiling(14.0_f32)?.without_ceiling(),
        DensitySettings::DEFAULT
    );
    assert_eq!(Forgetting::factor(1.0_f32)?, Forgetting::NONE);
    assert_eq!(
        PreimageSettings::<f32>::DEFAULT.with_iterations(100)?,
        PreimageSettings::DEFAULT
    );
    let (laplacian, polynomial) = (Laplacian::new(0.25_f32)?, Polynomial::new(2.0_f32, 5)?);
    assert_eq!(
        (laplacian.gamma(), polynomial.coef0(), polynomial.degree()),
        (0.25, 2.0, 5)
    );
    let ridge = KernelRidge::<f32, _, 1, 2>::new(laplacian, RidgeSettings::DEFAULT);
    assert_eq!(*ridge.kernel(), laplacian);
    let mut scores = Histogram::around(1.0_f32);
    (0..1_000).for_each(|i| scores.push(1.0 + i as f32 / 1_000.0));
    assert_eq!(
        Threshold::DEFAULT.level(&scores),
        Threshold::false_alarms(1e-7)?.level(&scores)
    );
    assert_eq!(Threshold::DEFAULT.with_floor(1e3)?.level(&scores), 1e3);
    assert_eq!(
        (Schedule::DEFAULT.warmup(), Schedule::new(4, 3, 4)?.warmup()),
        (1_434, 7)
    );
    assert_eq!(Schedule::DEFAULT.total(), 2_048);
    let monitor = MonitorSettings::<f32>::DEFAULT
        .with_schedule(Schedule::DEFAULT)
        .with_smoothing(5)
        .with_level_memory(300);
    assert_eq!(monitor, MonitorSettings::DEFAULT);
    assert_eq!(monitor.with_training(2_048), MonitorSettings::DEFAULT);
    Ok(())
}

#[test]
fn settings_can_be_constants_in_both_precisions() {
    macro_rules! check {
        ($T:ident: $($settings:ident: $value:expr;)+) => { $({
            const CONSTANT: $settings<$T> = constant!($value);
            let at_run_time: Result<$settings<$T>, SettingsError> = $value;
            assert_eq!(at_run_time, Ok(CONSTANT));
        })+ };
    }
    macro_rules! check_all {
        ($($T:ident),+) => { $(check! { $T:
            TrackingSettings: TrackingSettings::new(0.3);
            TrackingSettings: TrackingSettings::unscaled(0.3);
            TrackingSettings: TrackingSettings::DEFAULT.with_ceiling(9.0);
            TrackingSettings: TrackingSettings::DEFAULT.with_ceiling($T::INFINITY);
            TrackingSettings: TrackingSettings::DEFAULT.with_share(Share::Uniform(1e-3));
            CenteredSettings: CenteredSettings::new(0.3);
            CenteredSettings: CenteredSettings::unscaled(0.3);
            CenteredSettings: CenteredSettings::DEFAULT.with_center(Center::Weighted(3.0));
            AdditiveSettings: AdditiveSettings::new(0.3);
            AdditiveSettings: AdditiveSettings::unscaled(0.3);
            PairedSettings: PairedSettings::new(0.3);
            PairedSettings: PairedSettings::unscaled(0.3);
            DensitySettings: DensitySettings::new(0.3);
            DensitySettings: DensitySettings::DEFAULT.with_share(Share::PastAverage(0.1));
            DensitySettings: DensitySettings::DEFAULT.with_ceiling(14.0);
            VarianceSettings: VarianceSettings::new(0.3);
            MahalanobisSettings: MahalanobisSettings::new(0.01);
            HedgeSettings: HedgeSettings::new(0.3);
            OnlineKernelSettings: OnlineKernelSettings::new(0.3);
            OnlineKernelSettings: OnlineKernelSettings::DEFAULT.with_stride(3);
            OnlineKernelSettings: OnlineKernelSettings::DEFAULT.with_novelty(0.1);
            RateSettings: RateSettings::new(0.3);
            RateSettings: RateSettings::constant(0.3);
            RateSettings: RateSettings::falling(0.3);
            GhaSettings: GhaSettings::new(0.3);
            GhaSettings: GhaSettings::unscaled(0.3);
            ApexSettings: ApexSettings::new(0.3);
            ApexSettings: ApexSettings::unscaled(0.3);
            Polynomial: Polynomial::new(0.5, 2);
            Gaussian: Gaussian::new(0.3);
            Gaussian: Gaussian::from_sigma(0.3);
            Laplacian: Laplacian::new(0.3);
            PreimageSettings: PreimageSettings::DEFAULT.with_tolerance(1e-3);
            RidgeSettings: RidgeSettings::new(0.3);
            Threshold: Threshold::fixed(0.3);
            Threshold: Threshold::quantile(0.3);
            Threshold: Threshold::false_alarms(0.3);
            Threshold: Threshold::DEFAULT.with_factor(0.3);
            Threshold: Threshold::DEFAULT.with_floor(0.3);
            DecisionSettings: DecisionSettings::new(0.3);
            StandardizerSettings: StandardizerSettings::DEFAULT.with_smallest_spread(0.3);
            StandardizerSettings: StandardizerSettings::DEFAULT.with_limit(3.0);
            Forgetting: Forgetting::factor(0.3);
            Forgetting: Forgetting::memory(300.0);
            ScaleSettings: ScaleSettings::bound(0.3);
        })+ };
    }
    check_all!(f32, f64);
}

#[test]
fn a_constant_is_computed_in_its_own_precision() {
    const SINGLE: Gaussian<f32> = constant!(Gaussian::from_sigma(0.3));
    const DOUBLE: Gaussian<f64> = constant!(Gaussian::from_sigma(0.3));
    assert_eq!(SINGLE.gamma(), 0.5_f32 / (0.3 * 0.3));
    assert_eq!(DOUBLE.gamma(), 0.5_f64 / (0.3 * 0.3));
    assert_ne!(f64::from(SINGLE.gamma()), DOUBLE.gamma());
}
