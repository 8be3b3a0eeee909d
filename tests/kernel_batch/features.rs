//! Kernel methods with the linear or a quadratic kernel agree with the linear learners on explicit features.

use super::{close, filled, fitted, samples};
use eigenstream::kernel::{Gaussian, GramWindow, Kernel, KernelMean, KernelRidge, Linear, Polynomial, RidgeSettings};
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::BatchPca;
use eigenstream::spectrum::Cholesky;
use eigenstream::{Centering, Scalar};

/// The limit of errors.
fn tolerance<T: Scalar>() -> f64 {
    8.0 * T::EPSILON.to_f64()
}

/// Compares kernel PCA with batch PCA of the explicit features.
fn agree<T: Scalar, K: Kernel<T, DIM> + Clone, const DIM: usize, const FEATURES: usize, const KEEP: usize>(
    kernel: K,
    features: impl Fn(&[T; DIM]) -> [T; FEATURES],
    centering: Centering,
) {
    let points = samples::<T, DIM>(1, 15);
    let window = filled::<T, _, DIM, 18>(kernel, &points);
    let kernel_pca = fitted::<T, _, DIM, KEEP, 18>(&window, centering);
    let mut linear_pca = BatchPca::<T, FEATURES, KEEP>::new(centering);
    for point in &points {
        linear_pca.learn(&features(point)).unwrap();
    }
    let _ = linear_pca.fit();

    let largest = linear_pca.eigenvalues()[0].to_f64();
    let check = |what, got: T, wanted: T| close(what, got, wanted.to_f64(), largest, tolerance::<T>());
    for (&got, &wanted) in kernel_pca.eigenvalues().iter().zip(linear_pca.eigenvalues().iter()) {
        check("eigenvalue", got, wanted);
    }
    let variances = kernel_pca.explained_variance().into_iter();
    for (got, wanted) in variances.zip(linear_pca.explained_variance()) {
        check("variance", got, wanted);
    }
    let ratios = kernel_pca.explained_variance_ratio().into_iter();
    for (got, wanted) in ratios.zip(linear_pca.explained_variance_ratio()) {
        check("ratio", got, wanted);
    }
    check("loss", kernel_pca.loss(), linear_pca.loss());
    for sample in &samples::<T, DIM>(2, 20) {
        let vector = features(sample);
        check(
            "score",
            kernel_pca.score(sample).unwrap(),
            linear_pca.score(&vector).unwrap(),
        );
        let codes = kernel_pca.transform(sample).unwrap().into_iter();
        for (got, wanted) in codes.zip(linear_pca.transform(&vector).unwrap()) {
            // The signs of the directions can differ.
            check("coordinate", got.abs(), wanted.abs());
        }
    }
}

fn linear_and_quadratic<T: Scalar>(centering: Centering) {
    let root = T::TWO.sqrt();
    agree::<T, _, 4, 4, 2>(Linear, |x| *x, centering);
    agree::<T, _, 4, 4, 4>(Linear, |x| *x, centering);
    let square = Polynomial::new(T::ZERO, 2).unwrap();
    agree::<T, _, 2, 3, 2>(square, |&[a, b]| [a * a, root * a * b, b * b], centering);
    let quadratic = Polynomial::new(T::ONE, 2).unwrap();
    let products = |&[a, b]: &[T; 2]| [T::ONE, root * a, root * b, a * a, root * a * b, b * b];
    agree::<T, _, 2, 6, 3>(quadratic, products, centering);
}

#[test]
fn kernel_pca_equals_pca_of_the_features() {
    for centering in [Centering::Centered, Centering::Uncentered] {
        linear_and_quadratic::<f64>(centering);
        linear_and_quadratic::<f32>(centering);
    }
}

#[test]
fn linear_kernel_ridge_equals_ridge_regression() {
    // The weights of ridge regression are (XᵀX + ρI)⁻¹Xᵀy: points in the rows of X, targets y, ρ = `rho`.
    let points = samples::<f64, 3>(3, 12);
    let targets: [f64; 12] = samples::<f64, 12>(4, 1)[0];
    let rho = 0.25;
    let mut normal = SMatrix::<f64, 3, 3>::from_diagonal_element(rho);
    let mut weights = [0.0; 3];
    for (point, target) in points.iter().zip(targets) {
        for i in 0..3 {
            weights[i] += point[i] * target;
            for j in 0..3 {
                normal[(i, j)] += point[i] * point[j];
            }
        }
    }
    let mut cholesky = Cholesky::new();
    cholesky.decompose(&normal).unwrap();
    cholesky.solve(&mut weights);

    let window = filled::<f64, _, 3, 12>(Linear, &points);
    let mut ridge = KernelRidge::new(Linear, RidgeSettings::new(rho).unwrap());
    ridge.fit(&window, &targets, &mut Cholesky::new()).unwrap();
    for sample in &samples::<f64, 3>(5, 10) {
        let wanted: f64 = sample.iter().zip(weights).map(|(x, w)| x * w).sum();
        close("prediction", ridge.predict(sample).unwrap(), wanted, 1.0, 1e-13);
    }
}

#[test]
fn the_linear_kernel_mean_is_the_mean_of_the_samples() {
    let points = samples::<f64, 3>(6, 9);
    let mean: [f64; 3] = core::array::from_fn(|i| points.iter().map(|point| point[i]).sum::<f64>() / 9.0);
    let distance = |x: &[f64; 3]| (0..3).map(|i| (x[i] - mean[i]).powi(2)).sum::<f64>();
    let spread = points.iter().map(distance).sum::<f64>() / 9.0;
    let window = filled::<f64, _, 3, 16>(Linear, &points);
    let kernel_mean = KernelMean::of(&window);
    close("spread", kernel_mean.spread(), spread, 1.0, 1e-14);
    for sample in &samples::<f64, 3>(7, 10) {
        close(
            "distance",
            kernel_mean.distance_squared(sample).unwrap(),
            distance(sample),
            1.0,
            1e-13,
        );
        close(
            "score",
            kernel_mean.score(sample).unwrap(),
            distance(sample) / spread,
            1.0,
            1e-13,
        );
    }
}

#[test]
fn free_slots_and_the_order_of_slots_change_nothing() {
    let points = samples::<f64, 2>(8, 10);
    let tight = filled::<f64, _, 2, 10>(Gaussian::DEFAULT, &points);
    let roomy = filled::<f64, _, 2, 13>(Gaussian::DEFAULT, &points);
    // Seven samples are pushed first, so that the ten points get other slots.
    let mut turned: GramWindow<f64, _, 2, 10> = filled(Gaussian::DEFAULT, &samples::<f64, 2>(9, 7));
    for point in &points {
        turned.push(point).unwrap();
    }
    for centering in [Centering::Centered, Centering::Uncentered] {
        let wanted = fitted::<f64, _, 2, 4, 10>(&tight, centering);
        let roomy = fitted::<f64, _, 2, 4, 13>(&roomy, centering);
        let turned = fitted::<f64, _, 2, 4, 10>(&turned, centering);
        for sample in &samples::<f64, 2>(10, 10) {
            let score = wanted.score(sample).unwrap();
            close("roomy", roomy.score(sample).unwrap(), score, 1.0, 1e-13);
            close("turned", turned.score(sample).unwrap(), score, 1.0, 1e-13);
        }
    }
}

#[test]
fn the_scores_of_the_fitted_points_sum_to_the_loss() {
    let points = samples::<f64, 3>(11, 14);
    let window = filled::<f64, _, 3, 14>(Gaussian::new(2.0).unwrap(), &points);
    for centering in [Centering::Centered, Centering::Uncentered] {
        let pca = fitted::<f64, _, 3, 5, 14>(&window, centering);
        let total: f64 = points.iter().map(|point| pca.score(point).unwrap()).sum();
        close("loss", pca.loss(), total, 1.0, 1e-12);
        for sample in &samples::<f64, 3>(12, 5) {
            let projection = pca.expansion(&pca.transform(sample).unwrap()).unwrap();
            let distance = projection.distance_squared(sample).unwrap();
            close("distance", distance, pca.score(sample).unwrap(), 1.0, 1e-12);
        }
    }
}
