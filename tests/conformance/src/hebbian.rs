//! The Hebbian learners, on vectors and on expansions.

use eigenstream::hebbian::{
    Apex, ApexSettings, Deflation, Eviction, Gha, GhaSettings, KernelApex, KernelGha, Norm, Oja, PointBudget,
    RateSettings,
};
use eigenstream::kernel::{Gaussian, Polynomial};
use eigenstream::{Codec, Learner, SettingsError};

use crate::digest::Digest;
use crate::note::Number;
use crate::stream::{DIM, KEEP, samples};

/// Largest number of points of an expansion; smaller than the number of samples, so that some points are dropped.
const POINTS: usize = 8;

/// Bytes for the largest image here, in `f64`.
const ROOM: usize = 2_048;

/// Scores and learns every sample, then notes the state.
fn observe<T: Number>(digest: &mut Digest, mut learner: impl Learner<T, DIM> + Codec) {
    for sample in samples() {
        digest.note(&(
            learner.score(&sample),
            learner.residual(&sample),
            learner.learn(&sample),
        ));
    }
    digest.note_image::<ROOM>(&learner);
}

pub(crate) fn oja<T: Number>(digest: &mut Digest) {
    observe(digest, Oja::<T, DIM>::new(GhaSettings::DEFAULT));
}

pub(crate) fn gha<T: Number>(digest: &mut Digest) {
    observe(digest, Gha::<T, DIM, KEEP>::new(GhaSettings::DEFAULT));
    let settings = RateSettings::falling(T::HALF)
        .and_then(|rate| Ok(GhaSettings::unscaled(T::HALF)?.with_rate(rate)))
        .map(|settings| settings.with_deflation(Deflation::GradientAscent));
    digest.note(&settings.is_ok());
    if let Ok(settings) = settings {
        observe(digest, Gha::<T, DIM, KEEP>::new(settings));
    }
}

pub(crate) fn apex<T: Number>(digest: &mut Digest) {
    if let Ok(settings) = chained() {
        observe(digest, Apex::<T, DIM, KEEP>::new(settings));
    }
}

/// Settings in which the second component starts in the middle of the stream.
fn chained<T: Number>() -> Result<ApexSettings<T>, SettingsError> {
    Ok(ApexSettings::unscaled(T::from_f64(0.1))?.with_span(30))
}

pub(crate) fn kernel_gha<T: Number>(digest: &mut Digest) {
    let memory = PointBudget::new(Eviction::LeastContribution, Norm::Preserved);
    observe(
        digest,
        KernelGha::<T, _, DIM, KEEP, POINTS>::new(Gaussian::DEFAULT, GhaSettings::DEFAULT, memory),
    );
}

pub(crate) fn kernel_apex<T: Number>(digest: &mut Digest) {
    let memory = PointBudget::new(Eviction::LeastContribution, Norm::Preserved);
    if let (Ok(kernel), Ok(settings)) = (Polynomial::new(T::ONE, 2), chained()) {
        observe(
            digest,
            KernelApex::<T, _, DIM, KEEP, POINTS>::new(kernel, settings, memory),
        );
    }
}
