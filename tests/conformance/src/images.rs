//! The image of each learner, and the image of the learner restored from it.
//! The functions hold one small learner at a time, so that a chip with 16 kB of RAM holds the learner, its image and
//! its copy.

use eigenstream::bounds::RegretMeter;
use eigenstream::hebbian::{Apex, ApexSettings, Gha, GhaSettings, KernelApex, KernelGha, Oja, PointBudget};
use eigenstream::kernel::{
    Gaussian, GramEigen, GramWindow, KernelPca, KernelRidge, OnlineKernelPca, OnlineKernelSettings, Polynomial,
    RidgeSettings,
};
use eigenstream::monitor::{Lagged, Standardizer, StandardizerSettings};
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{
    AverageDensity, BatchPca, CenteredPca, CenteredSettings, DensityPca, DensitySettings, TrackingPca,
    TrackingSettings, VarianceMinimizer, VarianceSettings,
};
use eigenstream::spectrum::Cholesky;
use eigenstream::weights::{FollowTheLeader, Hedge, HedgeSettings};
use eigenstream::{Centering, Codec, EnergyScale, Learner, ScaleSettings};

use crate::digest::Digest;
use crate::note::Number;
use crate::stream::{DIM, KEEP, samples};

/// Number of points of a window; small, because the learner, its image and its copy are in memory together.
const WINDOW: usize = 5;

/// Bytes for the largest image here, in `f64`.
const ROOM: usize = 2_560;

/// Notes the image of the learner, and the image of the restored learner; both must be equal.
#[inline(never)]
fn note_image<L: Codec>(digest: &mut Digest, learner: &L) {
    let mut image = [0; ROOM];
    let saved = learner.encode(&mut image);
    let mut first = Digest::new();
    first.note(image.as_slice());
    let restored = L::decode(&image).and_then(|restored| {
        image.fill(0);
        restored.encode(&mut image)
    });
    let mut second = Digest::new();
    second.note(image.as_slice());
    debug_assert!(
        saved.is_ok() && restored == saved && second == first,
        "{saved:?}, {restored:?}"
    );
    digest.note(&(saved, first.value(), restored, second.value()));
}

/// Notes the image of a learner after the stream.
#[inline(never)]
fn learned<T: Number, L: Learner<T, DIM> + Codec>(digest: &mut Digest, mut learner: L) {
    for sample in samples() {
        let _ = learner.learn(&sample);
    }
    note_image(digest, &learner);
}

pub(crate) fn linear_images<T: Number>(digest: &mut Digest) {
    learned(digest, TrackingPca::<T, DIM, KEEP, DIM>::new(TrackingSettings::DEFAULT));
    learned(digest, CenteredPca::<T, DIM, KEEP>::new(CenteredSettings::DEFAULT));
    learned(digest, DensityPca::<T, DIM, KEEP>::new(DensitySettings::DEFAULT));
    learned(digest, BatchPca::<T, DIM, KEEP>::new(Centering::Centered));
    let mut minimizer = VarianceMinimizer::<T, DIM>::new(VarianceSettings::DEFAULT);
    for sample in samples::<T>() {
        let _ = minimizer.learn(&SMatrix::from_fn(|row, column| sample[row] * sample[column]));
    }
    note_image(digest, &minimizer);
    note_image(digest, &AverageDensity::<T, DIM, KEEP>::new());
}

pub(crate) fn hebbian_images<T: Number>(digest: &mut Digest) {
    let memory = PointBudget::DEFAULT;
    learned(digest, Oja::<T, DIM>::new(GhaSettings::DEFAULT));
    learned(digest, Gha::<T, DIM, KEEP>::new(GhaSettings::DEFAULT));
    learned(digest, Apex::<T, DIM, KEEP>::new(ApexSettings::DEFAULT));
    learned(
        digest,
        KernelGha::<T, _, DIM, KEEP, WINDOW>::new(Gaussian::DEFAULT, GhaSettings::DEFAULT, memory),
    );
    if let Ok(kernel) = Polynomial::new(T::ONE, 2) {
        learned(
            digest,
            KernelApex::<T, _, DIM, KEEP, WINDOW>::new(kernel, ApexSettings::DEFAULT, memory),
        );
    }
}

pub(crate) fn kernel_images<T: Number>(digest: &mut Digest) {
    let mut window = GramWindow::<T, _, DIM, WINDOW>::new(Gaussian::DEFAULT);
    for sample in samples() {
        let _ = window.push(&sample);
    }
    note_image(digest, &window);
    let mut pca = KernelPca::<T, _, DIM, KEEP, WINDOW>::new(Gaussian::DEFAULT, Centering::Centered);
    let _ = pca.fit(&window, &mut GramEigen::new());
    note_image(digest, &pca);
    if let Ok(settings) = RidgeSettings::new(T::HALF) {
        let mut ridge = KernelRidge::<T, _, DIM, WINDOW>::new(Gaussian::DEFAULT, settings);
        let targets = core::array::from_fn(T::from_usize);
        let _ = ridge.fit(&window, &targets, &mut Cholesky::new());
        note_image(digest, &ridge);
    }
    learned(
        digest,
        OnlineKernelPca::<T, _, DIM, KEEP, WINDOW, WINDOW>::new(Gaussian::DEFAULT, OnlineKernelSettings::DEFAULT),
    );
}

pub(crate) fn other_images<T: Number>(digest: &mut Digest) {
    let mut scale = Standardizer::<T, DIM>::new(StandardizerSettings::DEFAULT);
    let mut leaders = FollowTheLeader::<T, DIM>::new();
    for sample in samples() {
        let _ = (scale.learn(&sample), leaders.learn(&sample));
    }
    note_image(digest, &scale);
    note_image(digest, &leaders);
    note_image(digest, &EnergyScale::<T>::new(ScaleSettings::DEFAULT));
    note_image(digest, &RegretMeter::<T>::new());
    if let Ok(settings) = HedgeSettings::new(T::HALF) {
        note_image(digest, &Hedge::<T, DIM>::new(settings));
    }
    let gha = Gha::<T, { 2 * DIM }, KEEP>::new(GhaSettings::DEFAULT);
    learned(digest, Lagged::<T, _, DIM, 2, { 2 * DIM }>::new(gha));
}
