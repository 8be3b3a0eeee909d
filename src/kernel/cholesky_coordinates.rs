//! Kernel PCA through the Cholesky factor: represents the points as ordinary vectors.
//! In: a window. Out: coordinates of its points.
//! Method: \[C15\], K = CᵀC with the Cholesky factor C, and the eigenvectors of CCᵀ by `gram_eigen`. If K is singular,
//! C comes from the eigenvectors of K, and its triangular form from a QR decomposition.
//! Cost: about WINDOW³ multiply-adds and the cost of `gram_eigen`; for a singular K about 12.5·WINDOW⁴ operations more.
//! Scratch: `factor`, `room`, and at least KEEP·WINDOW numbers.

use super::gram::in_range;
use super::{GramEigen, GramWindow, Kernel};
use crate::spectrum::vector::dot;
use crate::spectrum::{Cholesky, Convergence};
use crate::{Centering, MatrixError, Scalar};
use nalgebra::SMatrix;

/// The coordinates of the points of a window along the `KEEP` directions of largest mean square.
///
/// `coordinates` gets a row for each direction and a column for each slot. If the eigenvalues differ, the columns are
/// the codes of an uncentered [`KernelPca`](super::KernelPca), up to rounding and the sign of a row. The row of an
/// eigenvalue outside the [numerical range](crate::kernel) is zero, and the column of an empty slot is zero up to
/// rounding.
///
/// Afterwards `factor` has the Cholesky factor of K, without the eigenvalues outside the numerical range if K is
/// singular, and `room` has the eigenvalues. [`Convergence::BoundHit`] says that the results can be inaccurate.
///
/// # Errors
/// [`MatrixError::NotPositiveDefinite`] if K has an eigenvalue that is more negative than rounding explains: the
/// function is not positive semi-definite. [`MatrixError::Overflow`] if K is singular and its factor overflows.
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

/// The factor of a singular K from its eigenvectors. Refuses an eigenvalue that is more negative than rounding
/// explains.
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
    // `in_range` is 2 if `most` and −`least` are both in the numerical range, and 0 if `most` is not above the smallest
    // normal number.
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

    /// The largest |entry| of CᵀC − K, and the largest difference between the magnitudes of a coordinate here and in
    /// kernel PCA.
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
        // A sensor with three levels, and noise far below their distances.
        let noise = |index: usize| 1e-4 * (index * index % 17) as f32;
        let levels = beside_kernel_pca::<24>(|index| [0.0, 0.75, 2.0][index % 3] + noise(index))?;
        // Points in a short interval: K has about six eigenvalues above the rounding of `f32`.
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
