//! Kernel PCA through the Cholesky factor, [C15]: the points as ordinary vectors.
//! In: a Gram matrix K = CᵀC that is positive definite. Out: the columns of C, which have K's inner products as φ(xᵢ) have, and
//! their coordinates MᵀC in the leading eigenvectors M of CCᵀ: ordinary PCA of the columns, uncentered.
//! Method: \[C15\]. CCᵀ has K's eigenvalues. Points that repeat, and a centred K always, have no such C.
//! Cost: WINDOW³/6 for C, WINDOW³/6 for CCᵀ, (2/3)·WINDOW³ for its eigenvalues, multiply-adds. Scratch:
//! KEEP·WINDOW numbers, and what is handed in.

use super::{GramEigen, GramWindow, Kernel};
use crate::spectrum::vector::dot;
use crate::spectrum::{Cholesky, Convergence};
use crate::{MatrixError, Scalar};
use nalgebra::SMatrix;

/// Coordinates of the points of a full window along the `KEEP` directions of largest variance, one point a column.
///
/// They are the scores that [`KernelPca`](super::KernelPca) gives the points, up to sign; `factor` holds C afterwards and
/// `room` the eigenvalues. Rows beyond the number of points are zero.
///
/// # Errors
/// [`MatrixError::NotPositiveDefinite`] if a slot is empty, or a point depends on the others to within rounding.
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
pub fn cholesky_coordinates<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const WINDOW: usize, const KEEP: usize>(
    window: &GramWindow<T, K, DIM, WINDOW>,
    factor: &mut Cholesky<T, WINDOW>,
    room: &mut GramEigen<T, WINDOW>,
    coordinates: &mut SMatrix<T, KEEP, WINDOW>,
) -> Result<Convergence, MatrixError> {
    factor.decompose_with(|row, column| window.entry(row, column))?;
    let values = room.decompose_rows(factor.factor());
    let mut directions = [[T::ZERO; WINDOW]; KEEP];
    let (vectors, _) = room.leading(&mut directions);
    for (target, point) in coordinates.data.0.iter_mut().zip(&factor.factor().data.0) {
        for (coordinate, direction) in target.iter_mut().zip(&directions) {
            *coordinate = dot(direction, point);
        }
    }
    Ok(values.and(vectors))
}
