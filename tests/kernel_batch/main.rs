//! Tests of the batch kernel methods, in `f32` and `f64`.
#![expect(clippy::unwrap_used, reason = "a failed property is a failed test")]

mod export;
mod features;
mod hostile;
#[path = "../support/precisions.rs"]
mod precisions;
mod preimage;
mod scikit_learn;

use eigenstream::kernel::{GramEigen, GramWindow, Kernel, KernelPca};
use eigenstream::rand_core::SeedableRng;
use eigenstream::spectrum::Convergence;
use eigenstream::{Centering, Scalar};
use rand_xoshiro::Xoshiro256PlusPlus;

use precisions::in_both_precisions;

fn filled<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const WINDOW: usize>(
    kernel: K,
    samples: &[[T; DIM]],
) -> GramWindow<T, K, DIM, WINDOW> {
    let mut window = GramWindow::new(kernel);
    for sample in samples {
        window.push(sample).unwrap();
    }
    window
}

fn fitted<T: Scalar, K: Kernel<T, DIM> + Clone, const DIM: usize, const KEEP: usize, const WINDOW: usize>(
    window: &GramWindow<T, K, DIM, WINDOW>,
    centering: Centering,
) -> KernelPca<T, K, DIM, KEEP, WINDOW> {
    let mut pca = KernelPca::new(window.kernel().clone(), centering);
    assert_eq!(pca.fit(window, &mut GramEigen::new()), Convergence::Reached);
    pca
}

/// Random samples with channels in [−1, 1), exact in `f32`.
fn samples<T: Scalar, const DIM: usize>(seed: u64, count: usize) -> Vec<[T; DIM]> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut channel = || T::from_f64((f64::uniform(&mut rng) * 2048.0).floor() / 1024.0 - 1.0);
    (0..count).map(|_| core::array::from_fn(|_| channel())).collect()
}

/// Checks that `got` differs from `wanted` by at most `tolerance` times the larger of one and `scale`.
#[track_caller]
fn close<T: Scalar>(what: &str, got: T, wanted: f64, scale: f64, tolerance: f64) {
    let error = (got.to_f64() - wanted).abs();
    let allowed = tolerance * scale.max(1.0);
    assert!(
        error <= allowed,
        "{what}: {got} where {wanted} was expected, {error:e} > {allowed:e}"
    );
}
