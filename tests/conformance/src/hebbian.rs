//! The Hebbian learners, on vectors and on expansions.

use core::fmt::Debug;

use eigenstream::hebbian::{
    Apex, ApexSettings, Deflation, Eviction, Gha, GhaSettings, KernelApex, KernelGha, Memory, Norm, Oja, RateSettings,
};
use eigenstream::kernel::{Gaussian, Polynomial};
use eigenstream::{Learner, Scalar, SettingsError};

use crate::digest::Digest;
use crate::stream::{DIM, KEEP, samples};

/// Points of an expansion: fewer than samples, so that some have to go.
const POINTS: usize = 8;

/// Scores and learns every sample; in the end notes the state.
fn observe<T: Scalar>(digest: &mut Digest, mut learner: impl Learner<T, DIM> + Debug) {
    for sample in samples() {
        digest.note(&(
            learner.score(&sample),
            learner.residual(&sample),
            learner.learn(&sample),
        ));
    }
    digest.note(&learner);
}

pub(crate) fn oja<T: Scalar>(digest: &mut Digest) {
    observe(digest, Oja::<T, DIM>::new(GhaSettings::DEFAULT));
}

pub(crate) fn gha<T: Scalar>(digest: &mut Digest) {
    observe(digest, Gha::<T, DIM, KEEP>::new(GhaSettings::DEFAULT));
    let settings = RateSettings::falling(T::HALF)
        .and_then(|rate| Ok(GhaSettings::new(T::HALF)?.with_rate(rate)))
        .map(|settings| settings.with_deflation(Deflation::GradientAscent));
    digest.note(&settings);
    if let Ok(settings) = settings {
        observe(digest, Gha::<T, DIM, KEEP>::new(settings));
    }
}

pub(crate) fn apex<T: Scalar>(digest: &mut Digest) {
    if let Ok(settings) = chained() {
        observe(digest, Apex::<T, DIM, KEEP>::new(settings));
    }
}

/// The second component begins in the middle of the stream.
fn chained<T: Scalar>() -> Result<ApexSettings<T>, SettingsError> {
    Ok(ApexSettings::new(T::from_f64(0.1))?.with_span(30))
}

pub(crate) fn kernel_gha<T: Scalar>(digest: &mut Digest) {
    let memory = Memory::new(Eviction::LeastContribution, Norm::Preserved);
    observe(
        digest,
        KernelGha::<T, _, DIM, KEEP, POINTS>::new(Gaussian::DEFAULT, GhaSettings::DEFAULT, memory),
    );
}

pub(crate) fn kernel_apex<T: Scalar>(digest: &mut Digest) {
    let memory = Memory::new(Eviction::LeastContribution, Norm::Preserved);
    if let (Ok(kernel), Ok(settings)) = (Polynomial::new(T::ONE, 2), chained()) {
        observe(
            digest,
            KernelApex::<T, _, DIM, KEEP, POINTS>::new(kernel, settings, memory),
        );
    }
}
