//! Tests of PCA on the full density matrix, in `f32` and `f64`.
#![expect(clippy::unwrap_used, reason = "a failed property is a failed test")]

mod equalities;
mod hostile;
mod past;
#[expect(dead_code, reason = "only the generator is used here")]
#[path = "../support/mod.rs"]
mod support;
mod verbs;

use eigenstream::nalgebra::{SMatrix, SVector};
use eigenstream::pca::{DensityPca, DensitySettings, Share, exponentiated_gradient};
use eigenstream::spectrum::{Eigen, matrix_exp, orthogonality_error};
use eigenstream::weights::{Hedge, HedgeSettings};
use eigenstream::{Learner, MatrixError, SampleError, Scalar, Trial};
use rand_xoshiro::Xoshiro128PlusPlus;
use support::rng;

/// Limits of errors, in units of the machine epsilon ε.
mod tolerance {
    /// The limit for errors of sums, of eigenvalues, of the density matrix and of VᵀV, with the directions V.
    pub(super) const SUM: f64 = 64.0;
    /// The limit for errors after up to 50 trials.
    pub(super) const TRIALS: f64 = 64.0;
}

/// A sample of a stream in which two of three samples are near one of two axes. With three or more channels, this pair
/// of axes changes every 40 trials.
fn sample<T: Scalar, const DIM: usize>(rng: &mut Xoshiro128PlusPlus, trial: usize) -> [T; DIM] {
    let mut sample: [f64; DIM] = core::array::from_fn(|_| 2.0 * f64::uniform(rng) - 1.0);
    if !trial.is_multiple_of(3) {
        sample = sample.map(|value| 0.1 * value);
        sample[(trial + trial / 40) % DIM.min(3)] += 1.0;
    }
    let length = sample.iter().map(|value| value * value).sum::<f64>().sqrt();
    sample.map(|value| T::from_f64(value / length.max(1.0)))
}

/// A symmetric matrix with eigenvalues in [0, 1].
fn instance<T: Scalar, const DIM: usize>(rng: &mut Xoshiro128PlusPlus, trial: usize) -> SMatrix<T, DIM, DIM> {
    let mut sum = SMatrix::<f64, DIM, DIM>::zeros();
    for part in 0..3 {
        let x = SVector::from(sample::<f64, DIM>(rng, trial + part));
        sum += x * x.transpose() / 3.0;
    }
    sum.map(T::from_f64)
}

fn scatter<T: Scalar, const DIM: usize>(samples: &[[T; DIM]]) -> SMatrix<f64, DIM, DIM> {
    let mut sum = SMatrix::zeros();
    for sample in samples {
        let x = SVector::from(sample.map(|value| value.to_f64()));
        sum += x * x.transpose();
    }
    sum
}

fn learner<T: Scalar, const DIM: usize, const KEEP: usize>(learning_rate: f64) -> DensityPca<T, DIM, KEEP> {
    DensityPca::new(DensitySettings::new(T::from_f64(learning_rate)).unwrap())
}

fn density<T: Scalar, const DIM: usize, const KEEP: usize>(pca: &DensityPca<T, DIM, KEEP>) -> SMatrix<f64, DIM, DIM> {
    let mut density = SMatrix::repeat(T::ZERO);
    pca.density(&mut density);
    density.map(|entry| entry.to_f64())
}

fn close(got: f64, want: f64, tolerance: f64, what: &str) {
    assert!(
        (got - want).abs() <= tolerance,
        "{what}: {got} and {want} differ by more than {tolerance}"
    );
}

fn check_invariants<T: Scalar, const DIM: usize, const KEEP: usize>(pca: &DensityPca<T, DIM, KEEP>) {
    let rounding = tolerance::SUM * T::EPSILON.to_f64();
    let probabilities = pca.keep_probabilities().map(|p| p.to_f64());
    close(probabilities.iter().sum(), KEEP as f64, rounding, "sum of p");
    assert!(probabilities.iter().all(|p| (0.0..=1.0).contains(p)));
    assert!(probabilities.is_sorted_by(|left, right| left >= right));
    // Evidence above this limit could overflow when it is summed.
    let largest = T::MAX / T::from_usize(4 * DIM);
    assert!(pca.evidence().iter().all(|&g| g >= T::ZERO && g <= largest));

    let w = density(pca);
    assert_eq!(w, w.transpose());
    close(w.trace(), 1.0, rounding, "trace of W");
    let mut eigen = Eigen::new();
    let _ = eigen.decompose(&w).unwrap();
    let cap = 1.0 / (DIM - KEEP) as f64;
    assert!(
        eigen.values()[0] <= cap + rounding,
        "{} is above {cap}",
        eigen.values()[0]
    );
    assert!(eigen.values()[DIM - 1] >= -rounding);
    assert!(orthogonality_error(&pca.components(), KEEP).to_f64() <= rounding);
}
