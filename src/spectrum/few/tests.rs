//! Tests of single functions of `few.rs`.

use super::*;

/// Numbers between −1 and 1 that do not repeat: 2·(k²·φ modulo one) − 1 for k = 1, 2, … and φ = 0.618…
fn numbers() -> impl FnMut() -> f64 {
    let mut count = 0_u32;
    move || {
        count += 1;
        2.0 * (f64::from(count * count) * 0.618_033_988_749_895).fract() - 1.0
    }
}

/// The largest entry of |VᵀV − I|, with the first `COUNT` columns V of `vectors`.
fn lean<const COUNT: usize>(vectors: &Few<f64>) -> f64 {
    let columns: [[f64; FEW]; COUNT] = core::array::from_fn(|j| vectors.map(|row| row[j]));
    let mut worst: f64 = 0.0;
    for (i, left) in columns.iter().enumerate() {
        for (j, right) in columns.iter().enumerate() {
            let wanted = if i == j { 1.0 } else { 0.0 };
            worst = worst.max((dot(COUNT, left, right) - wanted).abs());
        }
    }
    worst
}

/// The largest error of the eigenpairs: of A·v = λ·v, of VᵀV = I (see [`lean`]), and of the descending order.
fn worst<const COUNT: usize>(matrix: &Few<f64>, pairs: &FewPairs<f64>) -> f64 {
    let mut worst = lean::<COUNT>(&pairs.vectors);
    for j in 0..COUNT {
        let column = pairs.vectors.map(|row| row[j]);
        for (row, own) in matrix.iter().zip(column).take(COUNT) {
            worst = worst.max((dot(COUNT, row, &column) - pairs.values[j] * own).abs());
        }
        if j > 0 {
            worst = worst.max(pairs.values[j] - pairs.values[j - 1]);
        }
    }
    worst
}

#[test]
fn eigenpairs_are_eigenpairs() {
    let mut next = numbers();
    for round in 0..2_000 {
        // The magnitudes of the entries outside the diagonal are below `size`, which ranges from 1e-11 to 1.
        let size = 10_f64.powi(-(round % 12));
        let mut matrix = identity();
        for i in 0..FEW {
            for j in 0..=i {
                let entry = if i == j {
                    6.0 - 2.5 * i as f64 + next()
                } else {
                    size * next()
                };
                (matrix[i][j], matrix[j][i]) = (entry, entry);
            }
        }
        let two = eigenpairs(2, &matrix, 0.0);
        assert!(two.is_some_and(|it| worst::<2>(&matrix, &it) < 2e-14));
        // Gershgorin: every eigenvalue is at least the minimum over the rows of (diagonal entry − Σ |other entries|).
        let below = (0..FEW).fold(f64::MAX, |least, i| {
            let others = (0..FEW).filter(|&j| j != i).map(|j| matrix[i][j].abs());
            least.min(matrix[i][i] - others.sum::<f64>())
        });
        match eigenpairs(3, &matrix, below) {
            Some(three) => assert!(worst::<3>(&matrix, &three) < 1e-13, "{matrix:?}"),
            None => assert!(size > 0.5, "{matrix:?}"),
        }
    }
}

#[test]
fn equal_and_swapped_values_are_no_exception() {
    for (first, side, second) in [
        (1.0, 0.0, 1.0),
        (1.0, 0.0, 2.0),
        (1.0, 1e-200, 1.0),
        (0.0, 0.0, 0.0),
        (1.0, -3.0, 1.0),
    ] {
        let matrix = [[first, side, 0.0], [side, second, 0.0], [0.0; 3]];
        let pairs = eigenpairs(2, &matrix, 0.0);
        assert!(pairs.is_some_and(|it| worst::<2>(&matrix, &it) < 1e-14), "{matrix:?}");
    }
    // All squares underflow. The larger value still belongs to the second axis.
    let tiny = [[1e-170, 0.0, 0.0], [0.0, 2e-170, 0.0], [0.0; 3]];
    let pairs = eigenpairs(2, &tiny, 0.0);
    assert!(pairs.is_some_and(|it| it.values[0] == 2e-170 && it.vectors[1][0].abs() == 1.0));
}

#[test]
fn rotations_find_equal_and_close_eigenvalues() {
    let mut next = numbers();
    for round in 0..2_000 {
        // The matrix is 14·I + 3·`direction`·`direction`ᵀ, up to `size`: two eigenvalues are equal up to about `size`.
        let size = 10_f64.powi(-(round % 18));
        let mut matrix = identity();
        let direction = [next(), next(), next()];
        for i in 0..FEW {
            for j in 0..=i {
                let entry = 3.0 * direction[i] * direction[j] + size * next() + if i == j { 14.0 } else { 0.0 };
                (matrix[i][j], matrix[j][i]) = (entry, entry);
            }
        }
        let pairs = close_pairs(3, &matrix);
        assert!(pairs.is_some_and(|it| worst::<3>(&matrix, &it) < 2e-14), "{matrix:?}");
        // In `f32` the eigenvectors are orthonormal up to the rounding of their entries, about ε.
        let pairs = close_pairs(3, &matrix.map(|row| row.map(|entry| entry as f32)));
        let vectors = pairs.map(|it| it.vectors.map(|row| row.map(f64::from)));
        assert!(
            vectors.is_some_and(|it| lean::<3>(&it) < 2.0 * f64::from(f32::EPSILON)),
            "{matrix:?}"
        );
    }
    // All squares of the first matrix underflow; the second matrix is NaN.
    let tiny = [[1e-170, 1e-171, 0.0], [1e-171, 2e-170, 0.0], [0.0; 3]];
    assert!(close_pairs(3, &tiny).is_none_or(|it| worst::<3>(&tiny, &it) < 1e-13));
    assert!(close_pairs(3, &[[f64::NAN; 3]; 3]).is_none());
}

#[test]
fn a_smallest_value_that_is_not_apart_is_refused() {
    let equal = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    assert!(eigenpairs(3, &equal, 0.5).is_none());
    let nan = [[f64::NAN; 3]; 3];
    assert!(eigenpairs(3, &nan, 0.0).is_none());
}
