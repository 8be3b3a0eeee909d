//! Tests of single functions of `lanczos.rs`.

use super::*;
use crate::spectrum::PartialEigen;
use crate::spectrum::symmetric::{add_diagonal, add_outer};

/// A matrix with eigenvalues near 9.9, 2.4, 1.1 and 0.4, whose eigenvectors are not axes. The other eigenvalues are
/// 1/16.
fn scatter() -> SMatrix<f64, 16, 16> {
    let mut matrix = SMatrix::zeros();
    add_diagonal(&mut matrix, 1.0 / 16.0);
    for (position, strength) in [8.0, 4.0, 1.0, 0.5].into_iter().enumerate() {
        let mut direction: [f64; 16] = core::array::from_fn(|i| if (i * (position + 1)) % 7 < 3 { 1.0 } else { -0.5 });
        assert!(project(&mut direction, &[]));
        add_outer(&mut matrix, strength, &direction);
    }
    matrix
}

#[test]
fn leading_pairs_agree_with_those_of_the_whole_matrix_and_nothing_exceeds_the_bound() {
    let matrix = scatter();
    let mut eigen = PartialEigen::new();
    assert_eq!(eigen.decompose(&matrix), Ok(Convergence::Reached));
    let mut exact = SMatrix::<f64, 16, 2>::zeros();
    let _ = eigen.vectors(&[0, 1], &mut exact);
    let mut guesses = exact.data.0;
    for guess in &mut guesses {
        guess[3] += 1e-3;
    }
    let mut room = [[0.0; 16]; 12];
    room[..2].copy_from_slice(&guesses);
    let mut lanczos = Lanczos::<_, 16, 12>::new(&matrix, &mut room, 2);
    let mut steps = 0;
    let mut bound = f64::INFINITY;
    while lanczos.grow() {
        steps += 1;
        let values = lanczos.solve();
        for (position, &value) in values.iter().enumerate().take(steps) {
            assert!(value <= eigen.values()[position] + 1e-12);
        }
        bound = lanczos.bound_beyond(2);
        if lanczos.replace_with_vectors(2) {
            break;
        }
    }
    // The matrix is a multiple of the identity plus four directions, so at most about five steps are needed.
    assert!((3..=6).contains(&steps), "{steps} steps");
    for (found, exact) in room.iter().zip(&exact.data.0) {
        for (found, exact) in found.iter().zip(exact) {
            assert!((found - exact).abs() < 1e-13);
        }
    }
    assert!(eigen.values()[2] <= bound + 1e-12 && bound < 3.0, "{bound}");
}

#[test]
fn a_direction_that_no_guess_leads_to_is_within_the_bound() {
    // The matrix is diagonal and the guess is an axis: the basis contains only this axis.
    let mut matrix = SMatrix::<f32, 14, 14>::zeros();
    matrix[(0, 0)] = 2.0;
    matrix[(1, 1)] = 5.0;
    let mut guess = [0.0; 14];
    guess[0] = 1.0;
    let mut room = [[0.0; 14]; 12];
    room[0] = guess;
    let mut lanczos = Lanczos::<_, 14, 12>::new(&matrix, &mut room, 1);
    assert!(lanczos.grow() && !lanczos.grow());
    assert_eq!(lanczos.solve()[0], 2.0);
    assert!(lanczos.bound_beyond(1) >= 5.0);
}

#[test]
fn many_small_values_are_bounded_by_their_squares_where_the_trace_says_little() {
    // One eigenvalue is 8, fourteen are 1/4. Without the first eigenvalue the trace is 3.5 and the Frobenius norm is
    // √(14/16).
    let mut matrix = SMatrix::<f32, 15, 15>::zeros();
    add_diagonal(&mut matrix, 0.25);
    matrix[(0, 0)] = 8.0;
    let mut room = [[0.0; 15]; 4];
    room[0][0] = 1.0;
    let mut lanczos = Lanczos::<_, 15, 4>::new(&matrix, &mut room, 1);
    assert!(lanczos.grow());
    assert_eq!(lanczos.solve()[0], 8.0);
    assert!((lanczos.bound_beyond(1) - 3.5).abs() < 1e-3);
    lanczos.sum_squares();
    assert!((lanczos.bound_beyond(1) - 0.875_f32.sqrt()).abs() < 1e-2);
}

#[test]
fn the_bound_of_a_plane_of_which_one_axis_is_seen_is_its_largest_value() {
    // [5, 2; 2, 1] has the eigenvalues 3 ± √8. The basis is the first axis, with the diagonal entry 5; the trace
    // outside the basis is 1, and the off-diagonal entry is 2.
    let matrix = SMatrix::<f64, 2, 2>::new(5.0, 2.0, 2.0, 1.0);
    let mut room = [[1.0, 0.0]; 2];
    let mut lanczos = Lanczos::<_, 2, 2>::new(&matrix, &mut room, 1);
    assert!(lanczos.grow());
    assert_eq!(lanczos.solve()[0], 5.0);
    assert!((lanczos.bound_beyond(0) - (3.0 + 8.0_f64.sqrt())).abs() < 1e-13);
}

/// Calls [`combine`] with 0, 1, …, `COUNT` sums of `COUNT` columns of `N` rows, and compares with sums computed entry
/// by entry.
fn check<const N: usize, const COUNT: usize>() {
    for sums in 0..=COUNT {
        let mut columns: [[f32; N]; COUNT] = core::array::from_fn(|j| core::array::from_fn(|i| (i * 7 + j * 3) as f32));
        let weights: [[f32; 6]; COUNT] = core::array::from_fn(|j| core::array::from_fn(|i| (i * 2 + j) as f32 - 3.0));
        let before = columns;
        combine(&mut columns, &weights[..sums]);
        for (position, column) in columns.iter().enumerate() {
            for (row, &entry) in column.iter().enumerate() {
                let sum = (0..COUNT).map(|j| before[j][row] * weights[position][j]).sum();
                let wanted = if position < sums { sum } else { before[position][row] };
                assert_eq!(entry, wanted, "row {row} of column {position} of {sums}");
            }
        }
    }
}

#[test]
fn every_row_of_every_sum_is_what_it_is_taken_alone() {
    check::<8, 6>();
    check::<7, 5>();
    check::<3, 2>();
    check::<5, 1>();
}
