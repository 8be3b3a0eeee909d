//! Matrices on which an eigensolver is likely to fail, built from a seed.

use crate::support::{rng, symmetric};
use eigenstream::nalgebra::SMatrix;
use rand_xoshiro::Xoshiro128PlusPlus;

type Matrix<const N: usize> = SMatrix<f64, N, N>;

/// QDQᵀ for a random orthogonal Q, the product of N reflections I − 2uuᵀ.
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

pub(crate) fn collection<const N: usize>(seed: u64) -> Vec<(String, Matrix<N>)> {
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
    // The columns of Kahan's matrix are nearly dependent.
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
