//! Tests of the eigensolvers on random and extreme matrices, compared with Jacobi rotations.
#![expect(clippy::unwrap_used, reason = "a failed property is a failed test")]

use eigenstream::Scalar;
use eigenstream::nalgebra::{SMatrix, SVector};
use eigenstream::spectrum::{Convergence, Eigen, PartialEigen, RankOne, orthogonality_error, orthonormalize};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Limits of errors in units of N·ε·‖A‖, for a matrix A of N rows and machine epsilon ε.
mod tolerance {
    /// The limit for eigenvalues and residuals.
    pub(super) const DECOMPOSITION: f64 = 8.0;
    /// The limit for the entries of |VᵀV − I|, V the eigenvectors, in units of N·ε.
    pub(super) const ORTHOGONALITY: f64 = 17.0;
    /// The limit for errors of the eigenvalues from Jacobi rotations, with the ε of `f64`.
    pub(super) const REFERENCE: f64 = 16.0;
}

/// The eigenvalues by cyclic Jacobi rotations, in descending order.
fn jacobi<const N: usize>(matrix: &SMatrix<f64, N, N>) -> [f64; N] {
    let mut a = *matrix;
    for _ in 0..30 {
        for p in 0..N {
            for q in p + 1..N {
                if a[(p, q)] == 0.0 {
                    continue;
                }
                let theta = (a[(q, q)] - a[(p, p)]) / (2.0 * a[(p, q)]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let t = if theta == 0.0 { 1.0 } else { t };
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..N {
                    let (x, y) = (a[(k, p)], a[(k, q)]);
                    a[(k, p)] = c * x - s * y;
                    a[(k, q)] = s * x + c * y;
                }
                for k in 0..N {
                    let (x, y) = (a[(p, k)], a[(q, k)]);
                    a[(p, k)] = c * x - s * y;
                    a[(q, k)] = s * x + c * y;
                }
            }
        }
    }
    let mut values: [f64; N] = core::array::from_fn(|i| a[(i, i)]);
    values.sort_by(|left, right| right.total_cmp(left));
    values
}

/// Returns the matrix times `scale`, rounded to `T`, and this rounded matrix divided by `scale`.
fn both<T: Scalar, const N: usize>(matrix: &SMatrix<f64, N, N>, scale: f64) -> (SMatrix<T, N, N>, SMatrix<f64, N, N>) {
    let rounded = matrix.map(|entry| T::from_f64(entry * scale));
    (rounded, rounded.map(|entry| entry.to_f64() / scale))
}

fn check<T: Scalar, const N: usize>(name: &str, matrix: &SMatrix<f64, N, N>, scale: f64) {
    let (a, reference) = both::<T, N>(matrix, scale);
    let wanted = jacobi(&reference);
    let size = wanted.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
    let unit = N as f64 * (tolerance::DECOMPOSITION * T::EPSILON.to_f64() + tolerance::REFERENCE * f64::EPSILON) * size;

    let mut eigen = Eigen::<T, N>::new();
    assert_eq!(eigen.decompose(&a), Ok(Convergence::Reached), "{name}");
    let vectors = eigen.vectors();
    let values = eigen.values().map(|value| value.to_f64() / scale);
    for (i, (&value, &wanted)) in values.iter().zip(&wanted).enumerate() {
        assert!(
            (value - wanted).abs() <= unit,
            "{name}, value {i}: {value}, not {wanted}"
        );
    }
    let v = vectors.map(|entry| entry.to_f64());
    let residual = (reference * v - v * SMatrix::from_diagonal(&values)).abs().max();
    assert!(residual <= unit, "{name}: residual {residual} above {unit}");
    let error = orthogonality_error(vectors, N).to_f64();
    let allowed = tolerance::ORTHOGONALITY * N as f64 * T::EPSILON.to_f64();
    assert!(error <= allowed, "{name}: orthogonality error {error} above {allowed}");

    if N >= 3 {
        let mut partial = PartialEigen::<T, N>::new();
        assert_eq!(partial.decompose(&a), Ok(Convergence::Reached), "{name}");
        assert_eq!(partial.values(), eigen.values());
        let chosen = [N - 1, 0, N / 2];
        let mut few = SMatrix::<T, N, N>::repeat(T::ZERO);
        assert_eq!(partial.vectors(&chosen, &mut few), Convergence::Reached, "{name}");
        assert!(orthogonality_error(&few, 3).to_f64() <= allowed, "{name}");
        for (column, &position) in chosen.iter().enumerate() {
            let x = few.column(column).map(|entry| entry.to_f64());
            let residual = (reference * x - x * values[position]).abs().max();
            assert!(
                residual <= unit,
                "{name}: chosen vector {position} has residual {residual}"
            );
        }
    }
}

fn difficult<const N: usize>() -> Vec<(String, SMatrix<f64, N, N>)> {
    let n = N as f64;
    let index = |i: usize| i as f64;
    let named: [(&str, SMatrix<f64, N, N>); 12] = [
        ("zero", SMatrix::zeros()),
        ("identity", SMatrix::identity()),
        ("ones", SMatrix::repeat(1.0)),
        ("minus ones", SMatrix::repeat(-1.0)),
        ("rank two", SMatrix::from_fn(|i, j| 1.0 + index(i) * index(j) / n)),
        ("graded", SMatrix::from_fn(|i, j| 2.0_f64.powi(-3 * (i.max(j) as i32)))),
        (
            "graded upwards",
            SMatrix::from_fn(|i, j| 2.0_f64.powi(-3 * ((N - 1 - i.min(j)) as i32))),
        ),
        (
            "clustered",
            SMatrix::from_fn(|i, j| if i == j { 1.0 + 1e-7 * index(i) } else { 1e-8 }),
        ),
        ("hilbert", SMatrix::from_fn(|i, j| 1.0 / (index(i) + index(j) + 1.0))),
        (
            "wilkinson",
            SMatrix::from_fn(|i, j| match i.abs_diff(j) {
                0 => (index(i) - (n - 1.0) / 2.0).abs(),
                1 => 1.0,
                _ => 0.0,
            }),
        ),
        (
            "duplicated points",
            SMatrix::from_fn(|i, j| (-(index(i / 3) - index(j / 3)).powi(2)).exp()),
        ),
        (
            "constant diagonal",
            SMatrix::from_fn(|i, j| if i.abs_diff(j) == 1 { 1.0 } else { 0.0 }),
        ),
    ];
    named
        .map(|(name, matrix)| (format!("{name}, n = {N}"), matrix))
        .to_vec()
}

fn check_difficult<const N: usize>() {
    for (name, matrix) in difficult::<N>() {
        for exponent in [0, -90, 90] {
            check::<f32, N>(&format!("{name}, f32, 2^{exponent}"), &matrix, 2.0_f64.powi(exponent));
        }
        for exponent in [0, -900, 900] {
            check::<f64, N>(&format!("{name}, f64, 2^{exponent}"), &matrix, 2.0_f64.powi(exponent));
        }
    }
}

#[test]
fn difficult_matrices_are_decomposed_at_every_size_and_scale() {
    check_difficult::<1>();
    check_difficult::<2>();
    check_difficult::<3>();
    check_difficult::<4>();
    check_difficult::<7>();
    check_difficult::<16>();
    check_difficult::<20>();
    check_difficult::<33>();
}

fn runner(cases: u32) -> TestRunner {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]))
}

fn entries(count: usize) -> impl Strategy<Value = Vec<f64>> {
    // Small whole numbers often give equal eigenvalues or a low rank.
    prop_oneof![
        proptest::collection::vec(-1.0..1.0, count),
        proptest::collection::vec((-2..3_i32).prop_map(f64::from), count),
        proptest::collection::vec(
            (-1.0..1.0, -20..1_i32).prop_map(|(m, e): (f64, i32)| m * 10.0_f64.powi(e)),
            count
        ),
    ]
}

fn symmetric<const N: usize>(entries: &[f64]) -> SMatrix<f64, N, N> {
    SMatrix::from_fn(|i, j| entries[i.min(j) * N + i.max(j)])
}

fn check_random<const N: usize>(cases: u32) {
    runner(cases)
        .run(&entries(N * N), |entries| {
            let matrix = symmetric::<N>(&entries);
            check::<f32, N>("random f32", &matrix, 1.0);
            check::<f64, N>("random f64", &matrix, 1.0);
            Ok(())
        })
        .unwrap();
}

#[test]
fn random_matrices_are_decomposed() {
    check_random::<2>(300);
    check_random::<3>(300);
    check_random::<5>(200);
    check_random::<12>(40);
    check_random::<24>(8);
}

fn check_rank_one<T: Scalar, const N: usize>(diagonal: &[f64], direction: &[f64], weight: f64) {
    let d: [T; N] = core::array::from_fn(|i| T::from_f64(diagonal[i]));
    let z: [T; N] = core::array::from_fn(|i| T::from_f64(direction[i]));
    let rho = T::from_f64(weight);
    let z64 = SVector::<f64, N>::from(z.map(Scalar::to_f64));
    let reference =
        SMatrix::from_diagonal(&SVector::<f64, N>::from(d.map(Scalar::to_f64))) + z64 * z64.transpose() * rho.to_f64();
    let wanted = jacobi(&reference);
    // `d` and rho·z·zᵀ can cancel, so errors are relative to the sum of their sizes.
    let largest = d.iter().fold(0.0_f64, |size, value| size.max(value.to_f64().abs()));
    let size = largest + rho.to_f64().abs() * z64.dot(&z64);
    let unit = N as f64 * (tolerance::DECOMPOSITION * T::EPSILON.to_f64() + tolerance::REFERENCE * f64::EPSILON) * size
        + T::MIN_POSITIVE.to_f64();

    let mut update = RankOne::<T, N>::new();
    assert_eq!(update.update(&d, &z, rho), Ok(Convergence::Reached));
    let values = update.values().map(Scalar::to_f64);
    for (&value, &wanted) in values.iter().zip(&wanted) {
        assert!(
            (value - wanted).abs() <= unit,
            "{values} not {wanted:?}, d {d:?} z {z:?} rho {rho}"
        );
    }
    let v = update.vectors().map(Scalar::to_f64);
    assert!(
        update.values().as_slice().is_sorted_by(|above, below| above >= below),
        "{values} does not descend: d {d:?} z {z:?} rho {rho}"
    );
    let residual = (reference * v - v * SMatrix::from_diagonal(&values)).abs().max();
    assert!(
        residual <= unit,
        "residual {residual} above {unit}: d {d:?} z {z:?} rho {rho}"
    );
    let error = orthogonality_error(update.vectors(), N).to_f64();
    let allowed = tolerance::ORTHOGONALITY * N as f64 * T::EPSILON.to_f64();
    assert!(error <= allowed, "orthogonality {error}: d {d:?} z {z:?} rho {rho}");
}

#[test]
fn a_rank_one_update_of_weight_zero_keeps_the_diagonal() {
    let mut update = RankOne::<f32, 2>::new();
    for (diagonal, direction, weight) in [
        ([0.0, 0.0], [4.0, 1.0], 0.0),
        ([0.0, 0.0], [1e30, 1.0], 0.0),
        ([2.0, 1e-20], [1e30, 1e15], 0.0),
        ([1e-38, 0.0], [4.0, 1.0], 1e-45),
        ([0.0, 0.0], [f32::MAX, 1.0], 0.0),
    ] {
        assert_eq!(update.update(&diagonal, &direction, weight), Ok(Convergence::Reached));
        for (value, entry) in update.values().iter().zip(diagonal) {
            assert!((value - entry).abs() <= 1e-6 * entry + 1e-43, "{value} not {entry}");
        }
        assert!(orthogonality_error(update.vectors(), 2) <= 1e-6);
    }
}

#[test]
fn a_rank_one_update_keeps_small_eigenvalues() {
    let mut update = RankOne::<f32, 4>::new();
    for small in [0.0, 1e-30, 1e-20, 1e-13, 1e-9] {
        let diagonal = [1.0, 2.0 * small, small, small];
        assert_eq!(
            update.update(&diagonal, &[1.0, 0.0, 0.0, 0.0], 1.0),
            Ok(Convergence::Reached)
        );
        assert_eq!(update.values().as_slice(), &[2.0, 2.0 * small, small, small]);
    }
}

#[test]
fn a_rank_one_update_keeps_equal_eigenvalues() {
    let mut update = RankOne::<f32, 64>::new();
    let mut direction = [0.0; 64];
    direction[7] = 1.0;
    assert_eq!(update.update(&[14.0; 64], &direction, 1e-6), Ok(Convergence::Reached));
    assert!(
        update.values().iter().all(|&value| (value - 14.0).abs() <= 2e-6),
        "{}",
        update.values()
    );
}

fn check_rank_one_random<const N: usize>(cases: u32) {
    let weights = prop_oneof![-2.0..2.0, Just(0.0), Just(1.0), Just(1e-9), Just(1e9)];
    runner(cases)
        .run(&(entries(N), entries(N), weights), |(diagonal, direction, weight)| {
            check_rank_one::<f32, N>(&diagonal, &direction, weight);
            check_rank_one::<f64, N>(&diagonal, &direction, weight);
            Ok(())
        })
        .unwrap();
}

#[test]
fn rank_one_updates_agree_with_the_full_matrix() {
    check_rank_one_random::<1>(200);
    check_rank_one_random::<2>(400);
    check_rank_one_random::<4>(400);
    check_rank_one_random::<7>(300);
    check_rank_one_random::<20>(40);
}

#[test]
fn rank_one_updates_are_right_with_equal_and_nearly_equal_entries() {
    let direction = [1.0, 0.5, 0.25, 0.125];
    check_rank_one::<f32, 4>(&[1.0; 4], &direction, 1.0);
    check_rank_one::<f32, 4>(&[0.0; 4], &direction, 1.0);
    check_rank_one::<f32, 4>(&[1.0; 4], &[0.0; 4], 1.0);
    for gap in [1e-3, 1e-5, 1e-6, 1e-7, 1e-8] {
        check_rank_one::<f32, 4>(&[1.0 + gap, 1.0, 1.0 - gap, 0.5], &direction, 1.0);
        check_rank_one::<f32, 4>(&[1.0 + gap, 1.0, 1.0 - gap, 0.5], &direction, -1.0);
        check_rank_one::<f64, 4>(&[1.0 + gap * gap, 1.0, 1.0 - gap * gap, 0.5], &direction, 1.0);
        check_rank_one::<f32, 4>(&[1.0 + gap, 1.0, 0.0, 0.0], &[1.0, gap, gap, gap * gap], 1.0);
    }
}

#[test]
fn rank_one_updates_are_right_at_every_scale() {
    for exponent in [-60, -30, 0, 30, 60] {
        let scale = 2.0_f64.powi(exponent);
        let diagonal = [3.0, 2.0, 2.0, -1.0].map(|value: f64| value * scale);
        check_rank_one::<f32, 4>(&diagonal, &[0.5, 0.25, 1.0, 0.5], scale);
    }
}

#[test]
fn any_columns_become_orthonormal() {
    runner(300)
        .run(&entries(6 * 4), |entries| {
            let mut columns = SMatrix::<f32, 6, 4>::from_fn(|i, j| entries[6 * j + i] as f32);
            orthonormalize(&mut columns, 4);
            prop_assert!(orthogonality_error(&columns, 4) <= 8.0 * f32::EPSILON);
            Ok(())
        })
        .unwrap();
}

#[test]
fn no_bit_pattern_causes_a_panic_or_nan() {
    let any = proptest::collection::vec(any::<u32>().prop_map(f32::from_bits), 25);
    runner(2_000)
        .run(&any, |entries| {
            let matrix = SMatrix::<f32, 5, 5>::from_fn(|i, j| entries[i.min(j) * 5 + i.max(j)]);
            let mut eigen = Eigen::new();
            if eigen.decompose(&matrix).is_ok() {
                prop_assert!(orthogonality_error(eigen.vectors(), 5) <= 17.0 * 5.0 * f32::EPSILON);
                prop_assert!(eigen.values().iter().all(|value| value.is_finite()));
            }
            let mut update = RankOne::<f32, 5>::new();
            if update.update(&entries[..5], &entries[5..10], entries[10]).is_ok() {
                prop_assert!(orthogonality_error(update.vectors(), 5) <= 17.0 * 5.0 * f32::EPSILON);
                prop_assert!(update.values().iter().all(|value| value.is_finite()));
            }
            Ok(())
        })
        .unwrap();
}
