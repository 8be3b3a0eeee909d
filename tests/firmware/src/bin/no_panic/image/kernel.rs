//! Kernels, windows and the learners on them.

use core::hint::black_box;

use eigenstream::kernel::{
    Ambient, Cosine, Expansion, FittedKernelPca, Gaussian, GramEigen, GramWindow, Kernel, KernelMean, KernelPca,
    KernelRidge, Laplacian, Linear, OnlineKernelPca, OnlineKernelSettings, Polynomial, PreimageKernel,
    PreimageSettings, RidgeSettings, cholesky_coordinates,
};
use eigenstream::nalgebra::SMatrix;
use eigenstream::rand_core::SeedableRng;
use eigenstream::spectrum::Cholesky;
use eigenstream::{Centering, SettingsError};
use rand_xoshiro::Xoshiro128PlusPlus;

use super::Number;
use super::codec::save;

/// Every kernel, on samples that the compiler does not know.
#[inline(never)]
pub(super) fn kernels<const N: usize>() {
    fn call<const N: usize>(kernel: Result<impl Kernel<Number, N>, SettingsError>) {
        if let Ok(kernel) = black_box(kernel) {
            let (left, right) = (black_box([0.5; N]), black_box([0.25; N]));
            black_box((
                kernel.value(&left, &right),
                kernel.norm_squared(&left),
                kernel.norm_bound(),
            ));
        }
    }
    let gamma = black_box(0.5);
    call::<N>(Ok(Linear));
    call::<N>(Polynomial::new(gamma, black_box(2)));
    call::<N>(Gaussian::new(gamma));
    call::<N>(Gaussian::from_sigma(gamma));
    call::<N>(Laplacian::new(gamma));
    call::<N>(Ok(Cosine));
    black_box(black_box(Gaussian::<Number>::DEFAULT).gamma());
    black_box(black_box(Laplacian::<Number>::DEFAULT).gamma());
    let polynomial = black_box(Polynomial::<Number>::DEFAULT);
    black_box((polynomial.coef0(), polynomial.degree()));
}

/// A window of `N` points of three channels.
#[inline(never)]
pub(super) fn window<const N: usize>() {
    let mut window = black_box(GramWindow::<Number, Gaussian<Number>, 3, N>::new(Gaussian::DEFAULT));
    let sample = black_box([0.5; 3]);
    let _ = black_box(window.push(&sample));
    let _ = black_box(window.row(&sample, &mut black_box([0.0; N])));
    window.gram(&mut black_box(SMatrix::zeros()));
    black_box((window.len(), window.is_empty(), window.is_full(), window.points()));
    for point in window.oldest_first() {
        black_box(point);
    }
    black_box((window.norms(), window.kernel()));
    let other = black_box(window.clone());
    let _ = black_box(window.merge(&other));
    save(&window);
    window.clear();
    black_box(window);
}

/// Batch kernel PCA: fit, transform, pre-image, and the conversion to `FittedKernelPca` and back.
#[inline(never)]
pub(super) fn kernel_pca<const N: usize>() {
    let sample = black_box::<[Number; 3]>([0.5; 3]);
    let mut window = black_box(GramWindow::<Number, _, 3, N>::new(Gaussian::DEFAULT));
    let _ = black_box(window.push(&sample));
    let mut room = black_box(GramEigen::<Number, N>::new());
    let _ = black_box(room.decompose(&window, black_box(Centering::Centered)));
    black_box(room.eigenvalues());
    let centering = black_box(Centering::Centered);
    let mut pca = black_box(KernelPca::<Number, _, 3, 2, N>::new(Gaussian::DEFAULT, centering));
    let _ = black_box(pca.fit(&window, &mut room));
    save(&pca);
    let _ = black_box((pca.transform(&sample), pca.score(&sample), pca.energy(&sample)));
    let settings = black_box(PreimageSettings::DEFAULT);
    let _ = black_box(pca.denoise(&sample, settings));
    if let Ok(vector) = black_box(pca.expansion(&black_box([0.5; 2]))) {
        black_box((vector.weights(), vector.norm_squared()));
        let _ = black_box((vector.value(&sample), vector.distance_squared(&sample)));
        black_box(vector.preimage(settings));
        let _ = black_box(vector.preimage_from(&sample, settings));
    }
    black_box((
        pca.eigenvalues(),
        pca.explained_variance(),
        pca.explained_variance_ratio(),
    ));
    black_box((pca.loss(), pca.kernel()));
    black_box(FittedKernelPca::cast::<Number>(pca.fitted()));
    let _ = black_box(KernelPca::from_fitted(Gaussian::DEFAULT, black_box(pca.fitted())));

    let mut factor = black_box(Cholesky::<Number, N>::new());
    let mut coordinates = black_box(SMatrix::<Number, 2, N>::from_element(0.0));
    let _ = black_box(cholesky_coordinates(&window, &mut factor, &mut room, &mut coordinates));
    black_box((window, pca, room, factor, coordinates));
}

/// Mean, expansion and ridge regression on a window.
#[inline(never)]
pub(super) fn kernel_models<const N: usize>() {
    let sample = black_box::<[Number; 3]>([0.5; 3]);
    let mut window = black_box(GramWindow::<Number, _, 3, N>::new(Gaussian::DEFAULT));
    let _ = black_box(window.push(&sample));
    let settings = PreimageSettings::DEFAULT
        .with_iterations(black_box(10))
        .and_then(|settings| settings.with_tolerance(black_box(0.5)))
        .unwrap_or_default();
    let mean = KernelMean::of(&window);
    black_box((mean.expansion(), mean.norm_squared(), mean.spread()));
    let _ = black_box((mean.value(&sample), mean.distance_squared(&sample), mean.score(&sample)));
    black_box(mean.preimage(settings));
    let _ = black_box(mean.preimage_from(&sample, settings));
    if let Ok(expansion) = black_box(Expansion::new(&window, &black_box([0.5; N]))) {
        black_box(expansion.weights());
    }
    let mut powers = black_box(GramWindow::<Number, _, 3, N>::new(Polynomial::DEFAULT));
    let _ = black_box(powers.push(&sample));
    black_box(KernelMean::of(&powers).preimage(settings));
    let points = black_box([[0.5; 3]; N]);
    black_box(Linear.pass(&points, &black_box([0.5; N]), &sample));

    let settings = RidgeSettings::new(black_box(0.5)).unwrap_or_default();
    let mut ridge = black_box(KernelRidge::<Number, _, 3, N>::new(Gaussian::DEFAULT, settings));
    let mut factor = black_box(Cholesky::<Number, N>::new());
    let _ = black_box(ridge.fit(&window, &black_box([0.5; N]), &mut factor));
    let _ = black_box(ridge.predict(&sample));
    let _ = black_box(ridge.variance(&sample, &factor));
    black_box((ridge.coefficients(), ridge.kernel()));
    save(&ridge);
    let _ = black_box(factor.decompose(&black_box(SMatrix::from_element(0.5))));
    factor.solve(&mut black_box([0.5; N]));
    black_box((factor.factor(), &ridge));
}

/// Online kernel PCA over `N` points, with RANK = `N` and RANK = 3.
#[inline(never)]
pub(super) fn online_kernel<const N: usize>() {
    fn call<const N: usize, const RANK: usize>(settings: OnlineKernelSettings<Number>) {
        let kernel = black_box(Gaussian::DEFAULT);
        let mut pca = black_box(OnlineKernelPca::<Number, _, 3, 1, N, RANK>::new(
            kernel,
            black_box(settings),
        ));
        let mut rng = black_box(Xoshiro128PlusPlus::seed_from_u64(1));
        let sample = black_box([0.5; 3]);
        let _ = black_box(pca.step(&sample, &mut rng));
        let _ = black_box(pca.step_with_corners(&sample, &mut rng));
        let _ = black_box(pca.learn(&sample));
        let _ = black_box(pca.push(&sample));
        pca.refresh();
        let _ = black_box(pca.score(&sample));
        let _ = black_box(pca.residual(&sample));
        let _ = black_box(pca.transform(&sample));
        let _ = black_box(pca.expansion(&black_box([0.5])));
        let _ = black_box(pca.denoise(&sample, black_box(PreimageSettings::DEFAULT)));
        black_box((pca.components(), pca.keep_probabilities(), pca.outside_probability()));
        black_box((pca.eigenvalues(), pca.window(), pca.samples_seen()));
        black_box((pca.spectrum(), pca.excess()));
        save(&pca);
        pca.reset();
        black_box(pca);
    }
    let settings = black_box(OnlineKernelSettings::new(black_box::<Number>(1.0)))
        .and_then(|settings| settings.with_stride(black_box(2)))
        .and_then(|settings| settings.with_novelty(black_box(0.1)));
    if let Ok(settings) = settings {
        let settings = settings
            .with_ambient(black_box(Ambient::Finite(3)))
            .with_centering(black_box(Centering::Centered));
        call::<N, N>(settings);
        call::<N, 3>(settings);
    }
}
