//! The eigensolver converges on a collection of difficult matrices, with errors near the rounding error.
#![expect(clippy::unwrap_used, reason = "a failed property is a failed test")]

#[path = "support/mod.rs"]
#[allow(dead_code, reason = "only the generator is used here")]
mod support;

use eigenstream::Scalar;
use eigenstream::nalgebra::SMatrix;
use eigenstream::spectrum::{Convergence, Eigen, orthogonality_error};
use rand_xoshiro::Xoshiro128PlusPlus;
use support::{rng, symmetric};

/// The limit of ‖A·v − λ·v‖ for eigenvalue λ and eigenvector v of a matrix A, in units of N·ε·max |λ| (N rows, machine
/// epsilon ε).
const RESIDUAL: f64 = 4.0;

/// The limit of the entries of |VᵀV − I| for the eigenvectors V, in units of N·ε.
const ORTHOGONALITY: f64 = 8.0;

type Matrix<const N: usize> = SMatrix<f64, N, N>;

/// Returns QDQᵀ: D is `diagonal`, and Q is the product of N random reflections I − 2uuᵀ.
fn rotated<const N: usize>(diagonal: [f64; N], rng: &mut Xoshiro128PlusPlus) -> Matrix<N> {
    let mut a = Matrix::<N>::from_diagonal(&diagonal.into());
    for _ in 0..N {
        let mut u: [f64; N] = std::array::from_fn(|_| symmetric(rng));
        let length = u.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-3);
        u.iter_mut().for_each(|x| *x /= length);
        let p: [f64; N] = std::array::from_fn(|i| (0..N).map(|j| a[(i, j)] * u[j]).sum());
        let along: f64 = (0..N).map(|i| u[i] * p[i]).sum();
        for i in 0..N {
            for j in 0..N {
                a[(i, j)] -= 2.0 * (u[i] * p[j] + p[i] * u[j]) - 4.0 * along * u[i] * u[j];
            }
        }
    }
    a
}

fn tridiagonal<const N: usize>(diagonal: impl Fn(usize) -> f64, coupling: impl Fn(usize) -> f64) -> Matrix<N> {
    Matrix::from_fn(|i, j| match i.abs_diff(j) {
        0 => diagonal(i),
        1 => coupling(i.min(j)),
        _ => 0.0,
    })
}

fn collection<const N: usize>(seed: u64) -> Vec<(String, Matrix<N>)> {
    let rng = &mut rng(seed);
    let n = N as f64;
    let negative = 1 + seed as usize % (N - 1);
    let signs: [f64; N] = std::array::from_fn(|i| if i < negative { -1.0 } else { 1.0 });
    let near = 10.0_f64.powi(-(3 + seed as i32 % 12));
    let disturbed = signs.map(|sign| sign * (1.0 + near * symmetric(rng)));
    let clusters = std::array::from_fn(|i| (i % 3) as f64 - 0.5 + near * (i as f64 / n));
    let projection = signs.map(|sign| 0.5 * (1.0 + sign));
    let one_apart = std::array::from_fn(|i| if i == 0 { 1.0 } else { near });
    let tiny = 10.0_f64.powi(-(4 + seed as i32 % 14));
    let couplings: [f64; N] = std::array::from_fn(|_| tiny * (1.0 + symmetric(rng)));
    let steps: [f64; N] = std::array::from_fn(|_| (4.0 * symmetric(rng)).round());
    let (sine, cosine) = (0.1 + 0.08 * (seed % 10) as f64).sin_cos();
    let kahan = Matrix::<N>::from_fn(|i, j| {
        let row = sine.powi(i as i32);
        match i.cmp(&j) {
            std::cmp::Ordering::Less => -cosine * row,
            std::cmp::Ordering::Equal => row,
            std::cmp::Ordering::Greater => 0.0,
        }
    });
    let gram = Matrix::from_fn(|i, j| (0..N).map(|k| kahan[(k, i)] * kahan[(k, j)]).sum());
    let named = [
        ("reflection", rotated(signs, rng)),
        ("near a reflection", rotated(disturbed, rng)),
        ("projection", rotated(projection, rng)),
        ("three clusters", rotated(clusters, rng)),
        ("one apart from a cluster", rotated(one_apart, rng)),
        ("tiny couplings, equal rows", tridiagonal(|_| 1.0, |i| couplings[i])),
        (
            "tiny couplings, few values",
            tridiagonal(|i| steps[i], |i| couplings[i]),
        ),
        (
            "signs in turn, tiny couplings",
            tridiagonal(|i| if i % 2 == 0 { 1.0 } else { -1.0 }, |i| couplings[i]),
        ),
        (
            "Wilkinson",
            tridiagonal(|i| (i as f64 - (n - 1.0) / 2.0).abs(), |_| 1.0),
        ),
        (
            "Wilkinson, glued",
            tridiagonal(
                |i| (i as f64 % 7.0 - 3.0).abs(),
                |i| if i % 7 == 6 { tiny } else { 1.0 },
            ),
        ),
        ("Kahan", gram),
    ];
    named
        .map(|(name, matrix)| (format!("{name}, n = {N}, seed {seed}"), matrix))
        .to_vec()
}

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
