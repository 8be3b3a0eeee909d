//! The kernel learners, on a window of the stream.

use eigenstream::Centering;
use eigenstream::kernel::{
    Gaussian, GramEigen, GramWindow, Kernel, KernelMean, KernelPca, KernelRidge, OnlineKernelPca, OnlineKernelSettings,
    Polynomial, PreimageSettings, RidgeSettings,
};
use eigenstream::spectrum::Cholesky;

use crate::digest::Digest;
use crate::note::Number;
use crate::stream::{DIM, KEEP, generator, samples};

const WINDOW: usize = 10;

/// Bytes for the largest image here, in `f64`.
const ROOM: usize = 4_096;

fn window<T: Number>() -> GramWindow<T, Gaussian<T>, DIM, WINDOW> {
    window_of(Gaussian::DEFAULT)
}

fn window_of<T: Number, K: Kernel<T, DIM>>(kernel: K) -> GramWindow<T, K, DIM, WINDOW> {
    let mut window = GramWindow::new(kernel);
    for sample in samples() {
        let _ = window.push(&sample);
    }
    window
}

pub(crate) fn kernel_pca<T: Number>(digest: &mut Digest) {
    let window = window();
    let mut room = GramEigen::<T, WINDOW>::new();
    for centering in [Centering::Centered, Centering::Uncentered] {
        let mut pca = KernelPca::<T, _, DIM, KEEP, WINDOW>::new(Gaussian::DEFAULT, centering);
        digest.note(&pca.fit(&window, &mut room));
        for sample in samples() {
            digest.note(&(pca.transform(&sample), pca.score(&sample)));
            digest.note(&pca.denoise(&sample, PreimageSettings::DEFAULT));
        }
        digest.note(&(pca.eigenvalues(), pca.explained_variance(), pca.loss()));
        digest.note_image::<ROOM>(&pca);
    }
}

pub(crate) fn kernel_mean<T: Number>(digest: &mut Digest) {
    let window = window::<T>();
    let mean = KernelMean::of(&window);
    for sample in samples() {
        digest.note(&(mean.value(&sample), mean.distance_squared(&sample), mean.score(&sample)));
    }
    digest.note(&(mean.norm_squared(), mean.preimage(PreimageSettings::DEFAULT)));
}

/// Pre-images for a polynomial kernel and for online kernel PCA.
pub(crate) fn preimages<T: Number>(digest: &mut Digest) {
    let window = window_of::<T, _>(Polynomial::DEFAULT);
    let mut pca = KernelPca::<T, _, DIM, KEEP, WINDOW>::new(Polynomial::DEFAULT, Centering::Centered);
    digest.note(&pca.fit(&window, &mut GramEigen::new()));
    let settings = OnlineKernelSettings::DEFAULT.with_centering(Centering::Centered);
    let mut online = OnlineKernelPca::<T, _, DIM, KEEP, WINDOW, WINDOW>::new(Gaussian::DEFAULT, settings);
    for sample in samples() {
        digest.note(&pca.denoise(&sample, PreimageSettings::DEFAULT));
        digest.note(&online.learn(&sample));
        digest.note(&online.denoise(&sample, PreimageSettings::DEFAULT));
    }
}

pub(crate) fn kernel_ridge<T: Number>(digest: &mut Digest) {
    let window = window::<T>();
    let Ok(settings) = RidgeSettings::new(T::from_f64(0.1)) else {
        return;
    };
    let mut ridge = KernelRidge::<T, _, DIM, WINDOW>::new(Gaussian::DEFAULT, settings);
    let targets = core::array::from_fn(|i| T::from_usize(i % 3));
    digest.note(&ridge.fit(&window, &targets, &mut Cholesky::new()));
    for sample in samples() {
        digest.note(&ridge.predict(&sample));
    }
    digest.note_image::<ROOM>(&ridge);
}

pub(crate) fn online_kernel_pca<T: Number>(digest: &mut Digest) {
    let mut pca =
        OnlineKernelPca::<T, _, DIM, KEEP, WINDOW, WINDOW>::new(Gaussian::DEFAULT, OnlineKernelSettings::DEFAULT);
    let mut rng = generator(12);
    for sample in samples() {
        digest.note(&(pca.score(&sample), pca.transform(&sample)));
        digest.note(&pca.step(&sample, &mut rng));
        digest.note(&(pca.keep_probabilities(), pca.eigenvalues()));
    }
    digest.note_image::<ROOM>(&pca);
}
