//! Agreement with scikit-learn. `tests/data/scikit_learn/make.py` writes the vectors.

use super::{close, filled, fitted};
use eigenstream::kernel::{Cosine, Gaussian, Kernel, KernelRidge, Laplacian, Linear, Polynomial, RidgeSettings};
use eigenstream::spectrum::Cholesky;
use eigenstream::{Centering, Scalar};

const POINTS: usize = 20;
const TESTS: usize = 5;
const KEEP: usize = 3;
const KERNELS: usize = 5;
const REGULARIZATION: f64 = 0.5;

/// Samples, and the models that scikit-learn fits to them.
struct Vectors<const DIM: usize> {
    train: [[f64; DIM]; POINTS],
    test: [[f64; DIM]; TESTS],
    targets: [f64; POINTS],
    models: [Model; KERNELS],
}

struct Model {
    kernel: &'static str,
    eigenvalues: [f64; KEEP],
    scores: [[f64; KEEP]; TESTS],
    coefficients: [f64; POINTS],
    predictions: [f64; TESTS],
}

mod vectors {
    use super::{Model, Vectors};
    include!("../data/scikit_learn/vectors.rs");
}

/// The limit of errors in `f64`.
const DOUBLE: f64 = 5e-14;
/// The limit of errors in `f32`.
const SINGLE: f64 = 1e-5;

#[test]
fn kernel_pca_and_ridge_agree_with_scikit_learn() {
    every_kernel::<f64, 2>(&vectors::CIRCLES, DOUBLE);
    every_kernel::<f64, 4>(&vectors::IRIS, DOUBLE);
    every_kernel::<f32, 2>(&vectors::CIRCLES, SINGLE);
    every_kernel::<f32, 4>(&vectors::IRIS, SINGLE);
}

fn every_kernel<T: Scalar, const DIM: usize>(vectors: &Vectors<DIM>, tolerance: f64) {
    let (half, one) = (T::HALF, T::ONE);
    for model in &vectors.models {
        match model.kernel {
            "Linear" => compare::<T, _, DIM>(Linear, vectors, model, tolerance),
            "Polynomial" => compare::<T, _, DIM>(Polynomial::new(one, 3).unwrap(), vectors, model, tolerance),
            "Gaussian" => compare::<T, _, DIM>(Gaussian::new(half).unwrap(), vectors, model, tolerance),
            "Cosine" => compare::<T, _, DIM>(Cosine, vectors, model, tolerance),
            "Laplacian" => compare::<T, _, DIM>(Laplacian::new(half).unwrap(), vectors, model, tolerance),
            other => unreachable!("no test for the kernel {other}"),
        }
    }
}

fn compare<T: Scalar, K: Kernel<T, DIM> + Clone, const DIM: usize>(
    kernel: K,
    vectors: &Vectors<DIM>,
    model: &Model,
    tolerance: f64,
) {
    let name = model.kernel;
    let train = vectors.train.map(|sample| sample.map(T::from_f64));
    let window = filled::<T, _, DIM, POINTS>(kernel.clone(), &train);
    let pca = fitted::<T, _, DIM, KEEP, POINTS>(&window, Centering::Centered);
    let largest = model.eigenvalues[0];
    for (&value, wanted) in pca.eigenvalues().iter().zip(model.eigenvalues) {
        close(&format!("eigenvalue, {name}"), value, wanted, largest, tolerance);
    }

    let settings = RidgeSettings::new(T::from_f64(REGULARIZATION)).unwrap();
    let mut ridge = KernelRidge::<T, K, DIM, POINTS>::new(kernel, settings);
    let targets = vectors.targets.map(T::from_f64);
    ridge.fit(&window, &targets, &mut Cholesky::new()).unwrap();
    let largest = size(&model.coefficients);
    for (&value, wanted) in ridge.coefficients().iter().zip(model.coefficients) {
        close(&format!("coefficient, {name}"), value, wanted, largest, tolerance);
    }

    for (position, sample) in vectors.test.iter().enumerate() {
        let sample = sample.map(T::from_f64);
        let wanted = model.scores[position];
        for (score, wanted) in pca.transform(&sample).unwrap().into_iter().zip(wanted) {
            close(
                &format!("score, {name}"),
                score,
                wanted,
                size(&model.scores.concat()),
                tolerance,
            );
        }
        let prediction = ridge.predict(&sample).unwrap();
        let wanted = model.predictions[position];
        close(
            &format!("prediction, {name}"),
            prediction,
            wanted,
            size(&model.predictions),
            tolerance,
        );
    }
}

fn size(values: &[f64]) -> f64 {
    values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()))
}
