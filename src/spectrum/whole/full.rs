//! Full eigendecomposition of a symmetric matrix: [`PartialEigen`] with all eigenvectors chosen.
//! Cost: (5/3)·N³ multiply-adds and about 56·N² operations; 4·N more for each pair of values that differ by at most
//! ‖A‖/8.
//! Kept: 2·N² + 4·N + 1 numbers. Scratch: 5·N numbers.

use crate::codec::stored;
use crate::spectrum::{Convergence, PartialEigen};
use crate::{MatrixError, Scalar};
use nalgebra::{ArrayStorage, SMatrix, SVector};

/// All eigenvalues and eigenvectors of a symmetric matrix.
///
/// ```
/// use eigenstream::{nalgebra::SMatrix, spectrum::Eigen};
///
/// let matrix = SMatrix::<f32, 2, 2>::new(2.0, 1.0, 1.0, 2.0);
/// let mut eigen = Eigen::new();
/// let _ = eigen.decompose(&matrix)?;
/// assert!((eigen.values()[0] - 3.0).abs() < 1e-6);
/// assert!((eigen.vectors()[(0, 0)] - 0.707_106_77).abs() < 1e-6);
/// # Ok::<(), eigenstream::MatrixError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Eigen<T, const N: usize> {
    partial: PartialEigen<T, N>,
    vectors: SMatrix<T, N, N>,
}

impl<T: Scalar, const N: usize> Eigen<T, N> {
    /// Memory for a decomposition, all zero before the first [`decompose`](Self::decompose).
    ///
    /// A matrix without rows does not compile:
    ///
    /// ```compile_fail,E0080
    /// use eigenstream::spectrum::Eigen;
    /// let eigen = Eigen::<f32, 0>::new();
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self {
            partial: PartialEigen::new(),
            vectors: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; N]; N])),
        }
    }

    /// Decomposes the symmetric matrix whose upper triangle is that of `matrix`.
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] with the first entry of the upper triangle, column by column, that is not finite; nothing
    /// changes.
    pub fn decompose(&mut self, matrix: &SMatrix<T, N, N>) -> Result<Convergence, MatrixError> {
        let values = self.partial.decompose(matrix)?;
        let vectors = self
            .partial
            .vectors(&const { every_position::<N>() }, &mut self.vectors);
        Ok(values.and(vectors))
    }

    /// The eigenvalues, descending.
    pub fn values(&self) -> &SVector<T, N> {
        self.partial.values()
    }

    /// The eigenvectors as columns, in the order of the values.
    ///
    /// The first entry of largest magnitude of each is positive.
    pub fn vectors(&self) -> &SMatrix<T, N, N> {
        &self.vectors
    }
}

stored!([T: Scalar, const N: usize] Eigen<T, N> { partial, vectors });

impl<T: Scalar, const N: usize> Default for Eigen<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

/// 0, 1, … N − 1.
pub(crate) const fn every_position<const N: usize>() -> [usize; N] {
    let mut positions = [0; N];
    let mut i = 0;
    while i < N {
        positions[i] = i;
        i += 1;
    }
    positions
}
