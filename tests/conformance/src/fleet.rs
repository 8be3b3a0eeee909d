//! Learners with a given start, and merged learners.

use eigenstream::Centering;
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{
    BatchPca, Center, CenteredPca, CenteredSettings, TrackingPca, TrackingSettings, VarianceMinimizer, VarianceSettings,
};
use eigenstream::spectrum::Eigen;
use eigenstream::weights::{Hedge, HedgeSettings};

use crate::digest::Digest;
use crate::note::Number;
use crate::stream::{DIM, KEEP, LENGTH, samples};

/// Number of stored directions; fewer than DIM, so that the limit on stored directions is tested.
const RANK: usize = 4;
/// Bytes for the largest image here, in `f64`.
const ROOM: usize = 1_024;

/// Learns the two halves of the stream apart, merges the learners, and starts a learner from the merged batch.
pub(crate) fn factory<T: Number>(digest: &mut Digest) {
    let mut parts = [(); 2].map(|()| BatchPca::<T, DIM, KEEP>::new(Centering::Uncentered));
    let mut trackers = [(); 2].map(|()| TrackingPca::<T, DIM, KEEP, RANK>::new(TrackingSettings::DEFAULT));
    for (step, sample) in samples().enumerate() {
        let part = 2 * step / LENGTH;
        digest.note(&parts[part].learn(&sample));
        digest.note(&trackers[part].learn(&sample));
    }
    let [mut batch, other] = parts;
    digest.note(&batch.merge(&other).is_ok());
    digest.note(&batch.fit());
    digest.note(&batch.eigenvalues());
    let [mut pca, other] = trackers;
    digest.note(&pca.merge(&other).is_ok());
    digest.note_image::<ROOM>(&pca);
    digest.note(&pca.start_from_batch(&batch).is_ok());
    for sample in samples().take(LENGTH / 2) {
        digest.note(&(pca.score(&sample), pca.learn(&sample)));
    }
    digest.note_image::<ROOM>(&pca);
}

/// Merges centered learners, also with a weighted center.
pub(crate) fn merged_centered<T: Number>(digest: &mut Digest) {
    let weighted = CenteredSettings::DEFAULT.with_center(Center::Weighted(T::TWO));
    for settings in [Ok(CenteredSettings::DEFAULT), weighted] {
        let Ok(settings) = settings else { return };
        let mut parts = [(); 2].map(|()| CenteredPca::<T, DIM, KEEP>::new(settings));
        for (step, sample) in samples().enumerate() {
            digest.note(&parts[step % 2].learn(&sample));
        }
        let [mut pca, other] = parts;
        digest.note(&pca.merge(&other).is_ok());
        digest.note_image::<ROOM>(&pca);
    }
}

/// Starts learners from directions and probabilities, from weights and from a density matrix.
pub(crate) fn starts<T: Number>(digest: &mut Digest) {
    let axes = SMatrix::<T, DIM, KEEP>::from_fn(|row, column| if row == column { T::ONE } else { T::ZERO });
    for probabilities in [[0.9, 0.6], [0.1, 0.9], [1.0, 0.5]] {
        let probabilities = probabilities.map(T::from_f64);
        let mut pca = TrackingPca::<T, DIM, KEEP, DIM>::new(TrackingSettings::DEFAULT);
        digest.note(&pca.start_from(&axes, &probabilities).is_ok());
        for sample in samples().take(LENGTH / 2) {
            digest.note(&(pca.score(&sample), pca.learn(&sample)));
        }
        digest.note_image::<ROOM>(&pca);
        let Ok(settings) = CenteredSettings::unscaled(T::HALF) else {
            return;
        };
        let mut pca = CenteredPca::<T, DIM, KEEP>::new(settings);
        digest.note(&pca.start_from(&axes, &probabilities).is_ok());
        digest.note_image::<ROOM>(&pca);
    }
    let weights = core::array::from_fn(|place| T::from_usize(place + 1) / T::from_usize(DIM * (DIM + 1) / 2));
    let mut hedge = Hedge::<T, DIM>::new(HedgeSettings::DEFAULT);
    digest.note(&hedge.start_from(&weights).is_ok());
    digest.note(&hedge.step(&weights));
    digest.note_image::<ROOM>(&hedge);
    let density = SMatrix::from_fn(|row, column| if row == column { weights[row] } else { T::ZERO });
    let mut minimizer = VarianceMinimizer::<T, DIM>::new(VarianceSettings::DEFAULT);
    digest.note(&minimizer.start_from(&density, &mut Eigen::new()).is_ok());
    digest.note(&minimizer.learn(&density).is_ok());
    digest.note_image::<ROOM>(&minimizer);
}
