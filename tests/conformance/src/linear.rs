//! The linear learners.

use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{
    AverageDensity, BatchPca, Center, CenteredPca, CenteredSettings, DensityPca, DensitySettings, ReadOut, Share,
    TrackingPca, TrackingSettings, VarianceMinimizer, VarianceSettings, exponentiated_gradient,
};
use eigenstream::rand_core::Rng;
use eigenstream::spectrum::Eigen;
use eigenstream::{Centering, Codec, Forgetting, Learner, SampleError, ScaleSettings, Trial};
use rand_xoshiro::Xoshiro128PlusPlus;

use crate::digest::Digest;
use crate::note::Number;
use crate::stream::{DIM, KEEP, generator, samples};
#[cfg(feature = "registry")]
use crate::stream::{LENGTH, signal};

/// Number of stored directions, 2·KEEP + 2.
const RANK: usize = 6;

/// Bytes for the largest image here, in `f64`.
const ROOM: usize = 1_024;

/// Scores every sample, lets `trial` learn it, and at the end notes the state.
fn observe<T: Number, L: Learner<T, DIM> + Codec>(
    digest: &mut Digest,
    learner: &mut L,
    mut trial: impl FnMut(&mut L, &[T; DIM], &mut Digest),
) {
    for sample in samples() {
        digest.note(&learner.score(&sample));
        digest.note(&learner.residual(&sample));
        trial(learner, &sample, digest);
    }
    digest.note_image::<ROOM>(learner);
}

/// Notes the code of a sample and its inverse transform. This is a macro, because no trait has both methods.
macro_rules! note_code {
    ($digest:expr, $pca:expr, $sample:expr) => {{
        let code = $pca.transform($sample);
        $digest.note(&code);
        if let Ok(code) = code {
            $digest.note(&$pca.inverse_transform(&code));
        }
    }};
}

pub(crate) fn tracking<T: Number>(digest: &mut Digest) {
    track::<T>(digest, TrackingSettings::DEFAULT, TrackingPca::step);
}

/// Keeps three directions of a mixture of three signals. For up to three directions the learner has a closed form.
#[cfg(feature = "registry")]
pub(crate) fn tracking_of_three<T: Number>(digest: &mut Digest) {
    let mut pca = TrackingPca::<T, DIM, 3, RANK>::new(TrackingSettings::DEFAULT);
    let mut rng = generator(4);
    let mixture: [[T; DIM]; 3] = core::array::from_fn(|_| core::array::from_fn(|_| signal(&mut rng)));
    for _ in 0..2 * LENGTH {
        let mut sample: [T; DIM] = core::array::from_fn(|_| T::from_f64(0.1) * signal(&mut rng));
        for own in &mixture {
            let weight: T = signal(&mut rng);
            for (entry, &part) in sample.iter_mut().zip(own) {
                *entry += weight * part;
            }
        }
        digest.note(&pca.step(&sample, &mut rng));
    }
    digest.note_image::<ROOM>(&pca);
}

pub(crate) fn tracking_with_shares<T: Number>(digest: &mut Digest) {
    let settings =
        TrackingSettings::unscaled(T::from_f64(0.3)).and_then(|it| it.with_share(Share::Uniform(T::from_f64(0.01))));
    digest.note(&settings.is_ok());
    if let Ok(settings) = settings {
        track(digest, settings.without_ceiling(), TrackingPca::step_with_corners);
    }
}

type Step<T> =
    fn(&mut TrackingPca<T, DIM, KEEP, RANK>, &[T; DIM], &mut Xoshiro128PlusPlus) -> Result<Trial<T, KEEP>, SampleError>;

fn track<T: Number>(digest: &mut Digest, settings: TrackingSettings<T>, step: Step<T>) {
    let mut pca = TrackingPca::<T, DIM, KEEP, RANK>::new(settings);
    let mut rng = generator(1);
    observe(digest, &mut pca, |pca, sample, digest| {
        note_code!(digest, pca, sample);
        digest.note(&step(pca, sample, &mut rng));
        digest.note(&pca.keep_probabilities());
    });
    let mut density = zeros();
    pca.density(&mut density);
    digest.note(&(pca.components(), pca.evidence(), density, rng.next_u32()));
}

pub(crate) fn density<T: Number>(digest: &mut Digest) {
    let settings = DensitySettings::new(T::HALF)
        .and_then(|it| it.with_share(Share::PastAverage(T::from_f64(0.01))))
        .and_then(|it| it.with_ceiling(T::FOURTEEN));
    digest.note(&settings.is_ok());
    let Ok(settings) = settings else { return };
    let mut pca = DensityPca::<T, DIM, KEEP>::new(settings);
    let mut rng = generator(2);
    observe(digest, &mut pca, |pca, sample, digest| {
        note_code!(digest, pca, sample);
        digest.note(&pca.step(sample, &mut rng));
        digest.note(&pca.keep_probabilities());
    });
    digest.note(&(pca.components(), pca.evidence(), rng.next_u32()));
}

/// Learns matrices instead of samples, calls the update as one function, and starts from the result.
pub(crate) fn density_of_instances<T: Number>(digest: &mut Digest) {
    let settings = DensitySettings::DEFAULT.with_share(Share::PastPosteriors(T::from_f64(0.1)));
    let Ok(settings) = settings else { return };
    let mut pca = DensityPca::<T, DIM, KEEP>::new(settings);
    let mut eigen = Eigen::new();
    for sample in samples::<T>() {
        let instance = SMatrix::<T, DIM, DIM>::from_fn(|row, column| sample[row] * sample[column]);
        digest.note(&pca.score_instance(&instance));
        digest.note(&pca.learn_instance(&instance));
    }
    let mut density = zeros();
    pca.density(&mut density);
    digest.note_image::<ROOM>(&pca);
    let mut next = zeros();
    digest.note(&exponentiated_gradient::<T, DIM, KEEP>(
        &density,
        &density,
        T::HALF,
        &mut eigen,
        &mut next,
    ));
    digest.note(&pca.start_from(&next, &mut eigen));
    digest.note_image::<ROOM>(&pca);
    digest.note(&next);
}

pub(crate) fn centered<T: Number>(digest: &mut Digest) {
    center(
        digest,
        CenteredSettings::<T>::DEFAULT.with_scale(ScaleSettings::DEFAULT),
    );
}

pub(crate) fn centered_with_forgetting<T: Number>(digest: &mut Digest) {
    let settings = Forgetting::memory(T::from_f64(20.0)).and_then(|forgetting| {
        let settings = CenteredSettings::unscaled(T::TWO)?.with_center(Center::Weighted(T::TWO))?;
        Ok(settings
            .with_forgetting(forgetting)
            .with_read_out(ReadOut::Leader)
            .with_scale(ScaleSettings::running(forgetting)))
    });
    digest.note(&settings.is_ok());
    if let Ok(settings) = settings {
        center(digest, settings);
    }
}

fn center<T: Number>(digest: &mut Digest, settings: CenteredSettings<T>) {
    let mut pca = CenteredPca::<T, DIM, KEEP>::new(settings);
    let mut average = AverageDensity::<T, DIM, KEEP>::new();
    let mut rng = generator(3);
    observe(digest, &mut pca, |pca, sample, digest| {
        note_code!(digest, pca, sample);
        digest.note(&pca.step(sample, &mut rng));
        digest.note(&average.add(T::ZERO, pca.directions()));
        digest.note(&average.expected_loss(sample));
        digest.note(&(pca.mean(), pca.keep_probabilities()));
    });
    let mut matrix = zeros();
    pca.scatter(&mut matrix);
    digest.note(&matrix);
    pca.density(&mut matrix);
    digest.note(&average.add_density(&matrix));
    digest.note_image::<ROOM>(&average);
    digest.note(&(matrix, pca.components(), rng.next_u32()));
    digest.note(&(pca.explained_variance(), pca.explained_variance_ratio()));
}

pub(crate) fn batch<T: Number>(digest: &mut Digest) {
    for centering in [Centering::Centered, Centering::Uncentered] {
        let mut pca = BatchPca::<T, DIM, KEEP>::new(centering);
        observe(digest, &mut pca, |pca, sample, digest| digest.note(&pca.learn(sample)));
        digest.note(&pca.fit());
        for sample in samples() {
            digest.note(&(pca.score(&sample), pca.residual(&sample)));
            note_code!(digest, pca, &sample);
        }
        digest.note(&(pca.components(), pca.mean(), pca.eigenvalues(), pca.loss()));
        digest.note(&(pca.explained_variance(), pca.explained_variance_ratio()));
        digest.note_image::<ROOM>(&pca);
    }
}

pub(crate) fn variance<T: Number>(digest: &mut Digest) {
    let Ok(settings) = VarianceSettings::new(T::HALF) else {
        return;
    };
    let mut minimizer = VarianceMinimizer::<T, DIM>::new(settings);
    let mut rng = generator(4);
    for sample in samples::<T>() {
        let covariance = SMatrix::<T, DIM, DIM>::from_fn(|row, column| sample[row] * sample[column]);
        digest.note(&minimizer.expected_variance(&covariance));
        digest.note(&minimizer.step(&covariance, &mut rng));
        digest.note(&minimizer.weights());
    }
    digest.note(&(minimizer.best_variance(), rng.next_u32()));
    digest.note_image::<ROOM>(&minimizer);
}

fn zeros<T: Number>() -> SMatrix<T, DIM, DIM> {
    SMatrix::from_element(T::ZERO)
}
