//! Kernel PCA through the Cholesky factor, [C15]: represents the points as ordinary vectors.
//! In: a Gram matrix K = CᵀC. Out: the columns of C; their inner products are the entries of K, like the inner products of the
//! features φ(xᵢ) of the points xᵢ. Also out: the coordinates MᵀC in the leading eigenvectors M of CCᵀ, the result of ordinary
//! uncentered PCA of the columns.
//! Method: \[C15\]. CCᵀ has the eigenvalues of K. If points repeat, K and C are singular up to rounding. Then C⁻¹ does not exist,
//! but the method does not need C⁻¹.
//! Cost: WINDOW³/2 multiply-adds for C, WINDOW³/2 for CCᵀ, (2/3)·WINDOW³ for the eigenvalues of CCᵀ; eigenvectors as in
//! `gram_eigen`. If K is singular, C is computed from all eigenvectors of K by a QR decomposition. Refining these eigenvectors
//! takes 25·WINDOW² operations for each of the WINDOW²/2 pairs of eigenvectors. So C then costs about 12.5·WINDOW⁴ operations.
//! Scratch: about (KEEP + 8)·WINDOW numbers, and the arguments `factor` and `room`.

use super::gram::in_range;
use super::{GramEigen, GramWindow, Kernel};
use crate::spectrum::vector::dot;
use crate::spectrum::{Cholesky, Convergence};
use crate::{Centering, MatrixError, Scalar};
use nalgebra::SMatrix;

/// Computes the coordinates of the points of a window along the `KEEP` directions of largest mean square. `coordinates` gets one
/// row for each direction and one column for each slot.
///
/// If the eigenvalues of the directions differ, the coordinates are the codes of the points in an uncentered
/// [`KernelPca`](super::KernelPca), up to rounding and the sign of each row. The column of an empty slot is zero up to rounding.
///
/// K is the Gram matrix of the window and λ₁ its largest eigenvalue. An eigenvalue of K is *small* if it is at most 1e-6·λ₁
/// (`f32`) or 1e-11·λ₁ (`f64`), or not above the smallest normal number. The row of a direction with a small eigenvalue is zero.
/// So rows beyond the number of points are zero.
///
/// Afterwards `factor` contains the Cholesky factor C of K = CᵀC, and `room` contains the eigenvalues of K, up to rounding. If
/// points repeat or slots are empty, C is singular, and CᵀC is K without its small eigenvalues.
///
/// Returns [`Convergence::BoundHit`] if the eigenvalues or the directions are less accurate than rounding allows.
///
/// # Errors
/// [`MatrixError::NotPositiveDefinite`] if K has a negative eigenvalue whose magnitude is above λ₁, or above both of these
/// numbers: 1e-6·λ₁ (`f32`) or 1e-11·λ₁ (`f64`), and the smallest normal number. Such a kernel function is not positive
/// semi-definite.
/// [`MatrixError::Overflow`] if K is singular and a number overflows. This needs entries of K near the largest finite number.
///
/// ```
/// use eigenstream::kernel::{GramEigen, GramWindow, Linear, cholesky_coordinates};
/// use eigenstream::{nalgebra::SMatrix, spectrum::Cholesky};
///
/// let mut window = GramWindow::<f32, _, 2, 2>::new(Linear);
/// window.push(&[3.0, 0.0])?;
/// window.push(&[0.0, 1.0])?;
/// let (mut factor, mut room, mut coordinates) = (Cholesky::new(), GramEigen::new(), SMatrix::<f32, 1, 2>::zeros());
/// let _ = cholesky_coordinates(&window, &mut factor, &mut room, &mut coordinates)?;
/// assert!((coordinates[0] - 3.0).abs() < 1e-5 && coordinates[1].abs() < 1e-5);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
pub fn cholesky_coordinates<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const KEEP: usize, const WINDOW: usize>(
    window: &GramWindow<T, K, DIM, WINDOW>,
    factor: &mut Cholesky<T, WINDOW>,
    room: &mut GramEigen<T, WINDOW>,
    coordinates: &mut SMatrix<T, KEEP, WINDOW>,
) -> Result<Convergence, MatrixError> {
    let found = match factor.decompose_with(|row, column| window.entry(row, column)) {
        Err(MatrixError::NotPositiveDefinite) => singular(window, factor, room)?,
        definite => definite.map(|()| Convergence::Reached)?,
    };
    let values = room.decompose_rows(factor.factor());
    let mut directions = [[T::ZERO; WINDOW]; KEEP];
    let (vectors, _) = room.leading(WINDOW, &mut directions);
    for (target, point) in coordinates.data.0.iter_mut().zip(&factor.factor().data.0) {
        for (coordinate, direction) in target.iter_mut().zip(&directions) {
            *coordinate = dot(direction, point);
        }
    }
    Ok(found.and(values).and(vectors))
}

/// Computes the factor C of K = CᵀC from the eigenvectors of K, for a singular K. Refuses a K with a negative eigenvalue whose
/// magnitude is larger than rounding error.
fn singular<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const WINDOW: usize>(
    window: &GramWindow<T, K, DIM, WINDOW>,
    factor: &mut Cholesky<T, WINDOW>,
    room: &mut GramEigen<T, WINDOW>,
) -> Result<Convergence, MatrixError> {
    let mut convergence = room.decompose(window, Centering::Uncentered);
    let eigenvalues = room.eigenvalues().iter();
    let (least, most) = eigenvalues.fold((T::ZERO, T::ZERO), |(least, most), &value| {
        (value.min(least), value.max(most))
    });
    // `most` is the largest eigenvalue of K, but at least zero. `least` is the smallest eigenvalue, but at most zero. `in_range`
    // returns 2 if both numbers of the list are larger than rounding error. If `most` is not above the smallest normal number,
    // `in_range` returns 0; the second test is for this case.
    if in_range(&[most, -least]) > 1 || -least > most {
        return Err(MatrixError::NotPositiveDefinite);
    }
    factor.compose(|columns| {
        let (vectors, values) = room.leading(window.len(), columns);
        convergence = convergence.and(vectors);
        values
    })?;
    Ok(convergence)
}

#[cfg(test)]
mod tests {
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
}
