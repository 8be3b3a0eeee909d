//! Eigenvalues and eigenvectors of matrices with equal, almost equal, huge and zero entries.

use super::*;
use crate::spectrum::symmetric::add_outer;
use crate::spectrum::{every_position, orthogonality_error};

#[test]
fn a_non_finite_entry_is_named_and_nothing_changes() {
    let mut eigen = PartialEigen::<f32, 3>::new();
    let _ = eigen.decompose(&SMatrix::identity());
    let mut broken = SMatrix::<f32, 3, 3>::identity();
    broken[(1, 2)] = f32::NEG_INFINITY;
    assert_eq!(
        eigen.decompose(&broken),
        Err(MatrixError::NotANumber { row: 1, column: 2 })
    );
    assert_eq!(eigen.values().as_slice(), [1.0; 3]);
}

#[test]
fn entries_near_the_largest_number_do_not_overflow() {
    let mut eigen = PartialEigen::<f32, 4>::new();
    let size = f32::MAX / 8.0;
    let outcome = eigen.decompose(&SMatrix::repeat(size));
    assert_eq!(outcome, Ok(Convergence::Reached));
    assert!((eigen.values()[0] / size - 4.0).abs() < 1e-5);
}

#[test]
fn an_eigenvalue_beyond_the_largest_number_is_the_largest_number() {
    let mut eigen = PartialEigen::<f32, 4>::new();
    assert_eq!(eigen.decompose(&SMatrix::repeat(f32::MAX)), Ok(Convergence::Reached));
    assert_eq!(eigen.values()[0], f32::MAX);
    assert_eq!(eigen.decompose(&SMatrix::repeat(-f32::MAX)), Ok(Convergence::Reached));
    assert_eq!(eigen.values()[3], -f32::MAX);
}

/// Checks the eigenvectors of a matrix of two blocks: a diagonal one with `entries`, in units of ε above one, and
/// `block`.
fn almost_equal_entries_have_an_axis_each<T: Scalar>(entries: [f64; 4], block: [[f64; 2]; 2]) {
    let mut matrix = SMatrix::from_array_storage(ArrayStorage([[T::ZERO; 6]; 6]));
    for (i, &entry) in entries.iter().enumerate() {
        matrix[(i, i)] = T::ONE + T::from_f64(entry) * T::EPSILON;
    }
    for (row, entries) in block.iter().enumerate() {
        for (column, &entry) in entries.iter().enumerate() {
            matrix[(4 + row, 4 + column)] = T::from_f64(entry);
        }
    }
    let mut eigen = PartialEigen::new();
    assert_eq!(eigen.decompose(&matrix), Ok(Convergence::Reached));
    let mut vectors = SMatrix::<T, 6, 6>::from_array_storage(ArrayStorage([[T::ZERO; 6]; 6]));
    assert_eq!(
        eigen.vectors(&every_position::<6>(), &mut vectors),
        Convergence::Reached
    );
    let tolerance = T::from_f64(32.0) * T::EPSILON;
    assert!(orthogonality_error(&vectors, 6) < tolerance, "{entries:?}: {vectors:?}");
    for (&value, vector) in eigen.values().iter().zip(&vectors.data.0) {
        for row in 0..6 {
            let mut image = -value * vector[row];
            for column in 0..6 {
                image += matrix[(row, column)] * vector[column];
            }
            assert!(image.abs() < tolerance, "{entries:?}: {vectors:?}");
        }
    }
}

#[test]
fn a_value_does_not_take_the_axis_of_an_almost_equal_value() {
    // With `Search::First` the largest value takes the row of the second, the second that of the third, and so on,
    // until a value finds no row within 4ε·‖T‖.
    for entries in [[4.0, 1.0, -12.0, 6.0], [8.0, -12.0, 7.0, 12.0], [6.0, -6.0, 3.0, 8.0]] {
        for block in [
            [[1.0, 0.0], [0.0, 1.0]],
            [[0.5, 0.0], [0.0, 0.25]],
            [[0.5, 0.25], [0.25, 0.125]],
        ] {
            almost_equal_entries_have_an_axis_each::<f32>(entries, block);
            almost_equal_entries_have_an_axis_each::<f64>(entries, block);
        }
    }
}

/// The Gram matrix of a window in which three points are equal and the others are far apart: the eigenvalue 1 occurs
/// five times.
#[test]
fn equal_and_distant_points_have_eigenvectors() {
    let mut matrix = SMatrix::<f64, 8, 8>::identity();
    for (row, column) in [(1, 2), (1, 3), (2, 3)] {
        matrix[(row, column)] = 1.0;
        matrix[(column, row)] = 1.0;
    }
    let mut eigen = PartialEigen::new();
    assert_eq!(eigen.decompose(&matrix), Ok(Convergence::Reached));
    let mut vectors = SMatrix::<f64, 8, 8>::zeros();
    assert_eq!(
        eigen.vectors(&every_position::<8>(), &mut vectors),
        Convergence::Reached
    );
    assert!(orthogonality_error(&vectors, 8) < 32.0 * f64::EPSILON);
    let residual = matrix * vectors - vectors * SMatrix::from_diagonal(eigen.values());
    assert!(residual.iter().all(|entry| entry.abs() < 1e-14), "{residual}");
}

#[test]
fn memory_is_the_sum_of_its_parts() {
    const N: usize = 20;
    let words = N * N // reflectors
        + 2 * N // diagonal and coupling
        + N // scaled values
        + N // values
        + 1; // norm
    assert_eq!(size_of::<PartialEigen<f32, N>>(), 4 * words);
    assert_eq!(size_of::<PartialEigen<f64, N>>(), 8 * words);
}

/// Decomposes a sum of `RANK` outer products with all eigenvectors, and compares it with the sum of its eigenpairs.
fn low_rank_is_found_by_few_reflections<T: Scalar, const RANK: usize>(size: f64) {
    const N: usize = 20;
    let mut matrix = SMatrix::from_array_storage(ArrayStorage([[T::ZERO; N]; N]));
    for number in 0..RANK {
        // Numbers that do not repeat: (k²·φ modulo one) − ½ with φ = 0.618…, where k counts all entries of all vectors.
        let vector = core::array::from_fn(|i| {
            let k = (number * N + i + 1) as f64;
            T::from_f64((k * k * 0.618_033_988_749_895).fract() - 0.5)
        });
        add_outer(&mut matrix, T::from_f64(size), &vector);
    }
    let norm = (N * RANK) as f64 * size / 4.0;
    let mut eigen = PartialEigen::new();
    assert_eq!(eigen.decompose(&matrix), Ok(Convergence::Reached));
    // The columns that are left after RANK + 1 reflections are rounding errors. A few of them can be a little too large
    // to be neglected.
    let reflections = (0..N).filter(|&i| eigen.reflectors[(i, i)] != T::ZERO).count();
    assert!(reflections <= RANK + 3, "{reflections} reflections for rank {RANK}");
    let mut vectors = SMatrix::<T, N, N>::from_array_storage(ArrayStorage([[T::ZERO; N]; N]));
    assert_eq!(
        eigen.vectors(&every_position::<N>(), &mut vectors),
        Convergence::Reached
    );
    // The factor 32 is RESIDUAL/NEAR of `inverse_iteration`.
    assert!(orthogonality_error(&vectors, N) < T::from_f64(32.0) * T::EPSILON);
    let tolerance = 4.0 * T::EPSILON.to_f64() * norm;
    for column in 0..N {
        for row in 0..=column {
            let pairs = eigen.values().iter().zip(&vectors.data.0);
            let sum: f64 = pairs
                .map(|(value, vector)| (*value * vector[row] * vector[column]).to_f64())
                .sum();
            let off = (sum - matrix[(row, column)].to_f64()).abs();
            assert!(off < tolerance, "rank {RANK}, entry {row}, {column}: {off:e} of {norm}");
        }
    }
}

#[test]
fn axes_complete_the_eigenvectors_of_a_matrix_of_low_rank() {
    for size in [1.0, 1e-9, 3e8] {
        low_rank_is_found_by_few_reflections::<f32, 1>(size);
        low_rank_is_found_by_few_reflections::<f32, 4>(size);
        low_rank_is_found_by_few_reflections::<f64, 1>(size);
        low_rank_is_found_by_few_reflections::<f64, 4>(size);
    }
    let mut eigen = PartialEigen::<f32, 3>::new();
    assert_eq!(eigen.decompose(&SMatrix::zeros()), Ok(Convergence::Reached));
    let mut axes = SMatrix::<f32, 3, 3>::zeros();
    assert_eq!(eigen.vectors(&[0, 1, 2], &mut axes), Convergence::Reached);
    assert_eq!(axes, SMatrix::<f32, 3, 3>::identity());
}

#[test]
fn a_step_aside_does_not_land_on_the_value_beside() {
    // The second eigenvalue plus `aside` of `inverse_iteration` rounds to the first.
    let mut matrix = SMatrix::<f32, 4, 4>::from_diagonal(&[0.0, 0.499_999_88, 0.500_000_1, 0.0].into());
    matrix[(0, 1)] = 1.016_966_1e-7;
    matrix[(2, 3)] = 6.607_702e-8;
    let mut eigen = PartialEigen::new();
    assert_eq!(eigen.decompose(&matrix), Ok(Convergence::Reached));
    let mut vectors = SMatrix::<f32, 4, 4>::zeros();
    assert_eq!(eigen.vectors(&[0, 1, 2, 3], &mut vectors), Convergence::Reached);
    assert!(orthogonality_error(&vectors, 4) < 1e-6, "{vectors}");
}
