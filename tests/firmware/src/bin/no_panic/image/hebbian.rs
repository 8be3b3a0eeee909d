//! The Hebbian learners.

use core::hint::black_box;

use eigenstream::hebbian::{
    Apex, ApexSettings, Deflation, Eviction, FeatureVectors, Gha, GhaSettings, KernelApex, KernelGha, Norm,
    PointBudget, RateSettings, Vectors,
};
use eigenstream::kernel::Gaussian;
use eigenstream::nalgebra::SMatrix;
use eigenstream::{ScaleSettings, SettingsError};

use super::Number;
use super::codec::save;

/// The Hebbian learners without a kernel.
#[inline(never)]
pub(super) fn hebbian<const N: usize>() {
    let sample = black_box::<[Number; N]>([0.5; N]);
    let Ok((settings, chained)) = hebbian_settings() else {
        return;
    };
    let mut gha = black_box(Gha::<Number, N, 3>::new(settings));
    let _ = black_box(gha.start_at(&sample));
    let _ = black_box(gha.step(&sample));
    let _ = black_box(gha.learn(&sample));
    let _ = black_box((gha.score(&sample), gha.residual(&sample), gha.transform(&sample)));
    let _ = black_box(gha.inverse_transform(&black_box([0.5; 3])));
    black_box((gha.components(), gha.samples_seen()));
    save(&gha);
    gha.reset();
    black_box(gha);

    let mut apex = black_box(Apex::<Number, N, 3>::new(chained));
    if let Ok(vectors) = Vectors::from_columns(&black_box(SMatrix::<Number, N, 1>::from_element(0.5))) {
        black_box(vectors.columns());
        apex.replace(vectors);
    }
    let _ = black_box(apex.start_at(&sample));
    let _ = black_box(apex.step(&sample));
    let _ = black_box(apex.learn(&sample));
    let _ = black_box((apex.score(&sample), apex.residual(&sample), apex.transform(&sample)));
    let _ = black_box(apex.inverse_transform(&black_box([0.5; 3])));
    apex.finish();
    black_box((apex.components(), apex.weights(), apex.feedback(black_box(1))));
    black_box((apex.finished(), apex.samples_seen()));
    save(&apex);
    apex.reset();
    black_box(apex);
}

/// The Hebbian learners with a kernel, with `N` channels and at most `N` stored points.
#[inline(never)]
pub(super) fn hebbian_kernels<const N: usize>() {
    let sample = black_box::<[Number; N]>([0.5; N]);
    let Ok((settings, chained)) = hebbian_settings() else {
        return;
    };
    let (kernel, memory) = black_box((
        Gaussian::DEFAULT,
        PointBudget::new(Eviction::LeastContribution, Norm::Preserved),
    ));
    let mut gha = black_box(KernelGha::<Number, _, N, 2, N>::new(kernel, settings, memory));
    let _ = black_box(gha.start_at(&sample));
    let _ = black_box(gha.step(&sample));
    let _ = black_box(gha.learn(&sample));
    let _ = black_box((gha.score(&sample), gha.residual(&sample), gha.transform(&sample)));
    let components = black_box(gha.expansion());
    black_box((components.points(), components.coefficients(black_box(1))));
    black_box((components.norms_squared(), gha.samples_seen()));
    save(&gha);
    gha.reset();
    black_box(gha);

    let mut apex = black_box(KernelApex::<Number, _, N, 2, N>::new(kernel, chained, memory));
    let mut component = black_box(FeatureVectors::new(kernel, memory));
    let _ = black_box(component.push(&sample, black_box([0.5])));
    apex.replace(component);
    let _ = black_box(apex.start_at(&sample));
    let _ = black_box(apex.step(&sample));
    let _ = black_box(apex.learn(&sample));
    let _ = black_box((apex.score(&sample), apex.residual(&sample), apex.transform(&sample)));
    black_box((apex.weights(), apex.feedback(black_box(1))));
    save(&apex);
    apex.reset();
    black_box(apex);
}

fn hebbian_settings() -> Result<(GhaSettings<Number>, ApexSettings<Number>), SettingsError> {
    let rate = match black_box(0) {
        0 => RateSettings::constant(black_box(0.5))?,
        1 => RateSettings::falling(black_box(0.5))?,
        _ => RateSettings::new(black_box(0.5))?,
    };
    let rate = rate.with_scale(black_box(ScaleSettings::DEFAULT));
    let settings = GhaSettings::unscaled(black_box(0.5))?
        .with_rate(rate)
        .with_deflation(black_box(Deflation::GradientAscent))
        .with_deflation_factor(black_box(1.5))?;
    let chained = ApexSettings::unscaled(black_box(0.5))?
        .with_rate(rate)
        .with_span(black_box(9));
    Ok((settings, chained))
}
