//! Tests of single functions of `cholesky.rs`.

use super::*;

#[test]
fn the_factor_makes_the_matrix_and_solves_its_equations() -> Result<(), MatrixError> {
    // The Hilbert matrix of four rows has the condition number 1.6e4. The first column of its inverse is known.
    let hilbert = SMatrix::<f64, 4, 4>::from_fn(|i, j| 1.0 / (i + j + 1) as f64);
    let mut cholesky = Cholesky::new();
    cholesky.decompose(&hilbert)?;
    let product = cholesky.factor().transpose() * cholesky.factor();
    assert!((product - hilbert).abs().max() < 1e-15);
    let mut solution = [1.0, 0.0, 0.0, 0.0];
    cholesky.solve(&mut solution);
    for (value, wanted) in solution.into_iter().zip([16.0, -120.0, 240.0, -140.0]) {
        assert!((value - wanted).abs() < 1e-9, "{value}, not {wanted}");
    }
    Ok(())
}

#[test]
fn what_has_no_factor_is_refused_and_leaves_the_identity() -> Result<(), MatrixError> {
    let mut cholesky = Cholesky::<f32, 3>::new();
    let mut broken = SMatrix::<f32, 3, 3>::identity();
    broken[(1, 2)] = f32::NAN;
    // The last pivot of this matrix is 2ε: positive, but not larger than a rounding error.
    let mut nearly_alike = SMatrix::<f32, 3, 3>::identity();
    (nearly_alike[(1, 2)], nearly_alike[(2, 2)]) = (1.0, 1.0 + 2.0 * f32::EPSILON);
    let hostile: [(SMatrix<f32, 3, 3>, MatrixError); 6] = [
        (SMatrix::zeros(), MatrixError::NotPositiveDefinite),
        (-SMatrix::identity(), MatrixError::NotPositiveDefinite),
        (SMatrix::repeat(f32::MAX), MatrixError::NotPositiveDefinite),
        (SMatrix::repeat(1e-30), MatrixError::NotPositiveDefinite),
        (nearly_alike, MatrixError::NotPositiveDefinite),
        (broken, MatrixError::NotANumber { row: 1, column: 2 }),
    ];
    for (matrix, error) in hostile {
        cholesky.decompose(&SMatrix::from_diagonal_element(4.0))?;
        assert_eq!(cholesky.decompose(&matrix), Err(error));
        assert_eq!(cholesky.factor(), &SMatrix::<f32, 3, 3>::identity());
    }
    Ok(())
}

#[test]
fn a_composed_factor_is_that_of_the_matrix_also_where_it_is_singular() -> Result<(), MatrixError> {
    // Two orthonormal eigenvectors, with eigenvalues of a positive definite matrix and of singular matrices.
    let vectors = SMatrix::<f64, 2, 2>::new(0.6, -0.8, 0.8, 0.6);
    let (mut composed, mut recursive) = (Cholesky::<f64, 2>::new(), Cholesky::new());
    for values in [[9.0, 4.0], [9.0, 0.0], [0.0, 0.0], [9.0, -1e-16]] {
        composed.compose(|columns| {
            *columns = vectors.data.0;
            values
        })?;
        let matrix = vectors * SMatrix::from_diagonal(&values.map(|value| value.max(0.0)).into()) * vectors.transpose();
        let product = composed.factor().transpose() * composed.factor();
        assert!((product - matrix).abs().max() < 4e-15, "{product}");
        assert!(composed.factor().diagonal().min() >= 0.0 && composed.factor()[(1, 0)] == 0.0);
        if recursive.decompose(&matrix).is_ok() && values[1] > 0.0 {
            assert!((composed.factor() - recursive.factor()).abs().max() < 4e-15);
        }
    }
    // The last matrix is singular. The solution must still be finite.
    let mut vector = [0.36, 0.48];
    composed.solve(&mut vector);
    assert!(vector.iter().all(|value| value.is_finite()));
    Ok(())
}

#[test]
fn any_scale_is_the_same_matrix() -> Result<(), MatrixError> {
    let matrix = SMatrix::<f32, 2, 2>::new(4.0, 2.0, 2.0, 10.0);
    let mut cholesky = Cholesky::new();
    for scale in [1e-37, 1e-20, 1e20, 1e37] {
        cholesky.decompose(&(matrix * scale))?;
        let mut solution = [8.0 * scale, 22.0 * scale];
        cholesky.solve(&mut solution);
        assert!((solution[0] - 1.0).abs() < 1e-6 && (solution[1] - 2.0).abs() < 1e-6);
    }
    Ok(())
}

#[test]
fn memory_is_the_factor() {
    assert_eq!(size_of::<Cholesky<f32, 20>>(), 4 * 20 * 20);
}
