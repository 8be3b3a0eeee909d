//! The eigensolver converges on a collection of difficult matrices, with errors near the rounding error.
#![expect(clippy::unwrap_used, reason = "a failed property is a failed test")]

mod matrices;
#[path = "../support/mod.rs"]
#[allow(dead_code, reason = "only the generator is used here")]
mod support;

use eigenstream::Scalar;
use eigenstream::nalgebra::SMatrix;
use eigenstream::spectrum::{Convergence, Eigen, orthogonality_error};
use matrices::collection;

/// Limit of ‖A·v − λ·v‖ in units of N·ε·max |λ|; the largest measured value is 2.7.
const RESIDUAL: f64 = 4.0;

/// Limit of |VᵀV − I| in units of N·ε; the largest measured value is 5.6.
const ORTHOGONALITY: f64 = 8.0;

fn check<T: Scalar, const N: usize>(name: &str, matrix: &SMatrix<f64, N, N>) {
    let a = matrix.map(T::from_f64);
    let mut eigen = Box::new(Eigen::<T, N>::new());
    assert_eq!(eigen.decompose(&a), Ok(Convergence::Reached), "{name}");
    let rounding = N as f64 * T::EPSILON.to_f64();
    let size = eigen
        .values()
        .iter()
        .fold(0.0, |size: f64, value| size.max(value.to_f64().abs()));
    let v = eigen.vectors().map(|entry| entry.to_f64());
    let image = a.map(|entry| entry.to_f64()) * v;
    for (i, value) in eigen.values().iter().enumerate() {
        let rest = image.column(i) - v.column(i) * value.to_f64();
        let residual = rest.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!(residual <= RESIDUAL * rounding * size, "{name}: residual {residual:e}");
    }
    let error = orthogonality_error(eigen.vectors(), N).to_f64();
    assert!(
        error <= ORTHOGONALITY * rounding,
        "{name}: orthogonality error {error:e}"
    );
}

fn check_size<const N: usize>(seeds: u64) {
    for seed in 0..seeds {
        for (name, matrix) in collection::<N>(seed) {
            check::<f32, N>(&format!("{name}, f32"), &matrix);
            check::<f64, N>(&format!("{name}, f64"), &matrix);
        }
    }
}

#[test]
fn the_solver_converges_on_small_matrices() {
    const SEEDS: u64 = 24;
    check_size::<2>(SEEDS);
    check_size::<3>(SEEDS);
    check_size::<4>(SEEDS);
    check_size::<5>(SEEDS);
    check_size::<6>(SEEDS);
    check_size::<7>(SEEDS);
    check_size::<8>(SEEDS);
    check_size::<9>(SEEDS);
    check_size::<12>(SEEDS);
    check_size::<16>(SEEDS);
    check_size::<20>(SEEDS);
}

/// Without shifts, 10 of 25 reflections with 64 rows did not converge in `f64`.
#[test]
fn the_solver_converges_on_large_matrices() {
    on_a_large_stack(|| {
        check_size::<24>(14);
        check_size::<32>(14);
        check_size::<48>(6);
        check_size::<64>(6);
    });
}

fn on_a_large_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(test);
    thread.unwrap().join().unwrap();
}

/// With 24 rows the start vectors of inverse iteration nearly repeat after three vectors.
#[test]
fn the_solver_converges_on_the_identity_of_every_size() {
    on_a_large_stack(identities);
}

fn identities() {
    macro_rules! sizes { ($($n:literal)*) => { $(
        check::<f32, $n>(concat!("identity, n = ", $n), &SMatrix::identity());
        check::<f64, $n>(concat!("identity, n = ", $n), &SMatrix::identity());
    )* } }
    sizes!(2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);
    sizes!(33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64);
}
