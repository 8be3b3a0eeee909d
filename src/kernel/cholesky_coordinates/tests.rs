//! Tests of single functions of `cholesky_coordinates.rs`.

use super::*;
use crate::kernel::{Gaussian, KernelPca};

/// Compares the coordinates of `WINDOW` points with the codes of kernel PCA. Returns the largest |entry| of CᵀC − K and the
/// largest difference between the magnitudes of a coordinate and its code.
fn beside_kernel_pca<const WINDOW: usize>(point: impl Fn(usize) -> f32) -> Result<(f32, f32), MatrixError> {
    let kernel = Gaussian::DEFAULT;
    let mut window = GramWindow::<f32, _, 1, WINDOW>::new(kernel);
    for index in 0..WINDOW {
        assert!(window.push(&[point(index)]).is_ok());
    }
    let (mut factor, mut room) = (Cholesky::new(), GramEigen::new());
    let mut coordinates = SMatrix::<f32, 2, WINDOW>::zeros();
    let _ = cholesky_coordinates(&window, &mut factor, &mut room, &mut coordinates)?;
    let gram = SMatrix::<f32, WINDOW, WINDOW>::from_fn(|row, column| window.entry(row, column));
    let factor_error = (factor.factor().transpose() * factor.factor() - gram).abs().max();
    let mut pca = KernelPca::<f32, _, 1, 2, WINDOW>::new(kernel, Centering::Uncentered);
    let _ = pca.fit(&window, &mut room);
    let mut score_error = 0.0_f32;
    for (index, column) in coordinates.column_iter().enumerate() {
        let score = pca.transform(&[point(index)]).unwrap_or([f32::NAN; 2]);
        for (coordinate, score) in column.iter().zip(score) {
            score_error = score_error.max((coordinate.abs() - score.abs()).abs());
        }
    }
    Ok((factor_error, score_error))
}

#[test]
fn points_that_repeat_have_coordinates() -> Result<(), MatrixError> {
    let (factor_error, score_error) = beside_kernel_pca::<8>(|index| [0.0, 0.75][index % 2])?;
    assert!(
        factor_error < 2e-6 && score_error < 1e-5,
        "{factor_error:e}, {score_error:e}"
    );
    Ok(())
}

#[test]
fn points_that_nearly_repeat_have_coordinates() -> Result<(), MatrixError> {
    // A sensor that switches between three levels, with noise far below the distances of the levels.
    let noise = |index: usize| 1e-4 * (index * index % 17) as f32;
    let levels = beside_kernel_pca::<24>(|index| [0.0, 0.75, 2.0][index % 3] + noise(index))?;
    // Fifty points in a short interval: K has about six eigenvalues above the rounding of `f32`.
    let interval = beside_kernel_pca::<50>(|index| 0.02 * index as f32)?;
    for (factor_error, score_error) in [levels, interval] {
        // The limit is 1e-6·λ₁, with λ₁ up to 50.
        assert!(
            factor_error < 5e-5 && score_error < 5e-5,
            "{factor_error:e}, {score_error:e}"
        );
    }
    Ok(())
}

#[test]
fn a_kernel_that_is_none_is_refused() {
    // Three points, each nearly opposite to both other points: the eigenvalues are 1.9, 1.9 and −0.8.
    let none = |left: &[f32; 1], right: &[f32; 1]| if left == right { 1.0 } else { -0.9 };
    let mut window = GramWindow::<f32, _, 1, 3>::new(none);
    assert!([0.0, 1.0, 2.0].iter().all(|&point| window.push(&[point]).is_ok()));
    let (mut factor, mut room) = (Cholesky::new(), GramEigen::new());
    let mut coordinates = SMatrix::<f32, 1, 3>::zeros();
    let refused = cholesky_coordinates(&window, &mut factor, &mut room, &mut coordinates);
    assert_eq!(refused, Err(MatrixError::NotPositiveDefinite));
}

#[test]
fn an_empty_slot_has_no_coordinates() -> Result<(), MatrixError> {
    let mut window = GramWindow::<f32, _, 1, 3>::new(Gaussian::DEFAULT);
    assert!(window.push(&[0.5]).is_ok());
    let (mut factor, mut room) = (Cholesky::new(), GramEigen::new());
    let mut coordinates = SMatrix::<f32, 2, 3>::zeros();
    let _ = cholesky_coordinates(&window, &mut factor, &mut room, &mut coordinates)?;
    assert!((coordinates[(0, 0)].abs() - 1.0).abs() < 1e-6);
    assert!(
        coordinates
            .columns(1, 2)
            .iter()
            .all(|coordinate| coordinate.abs() < 1e-6)
    );
    Ok(())
}
