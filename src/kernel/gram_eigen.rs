//! The eigenvalues of a window's Gram matrix.
//! In: a window. Out: the eigenvalues of K, and the leading eigenvectors.
//! Method: [`PartialEigen`]. `KernelPca` divides the vectors by the roots of small eigenvalues, so the vectors are
//! refined to the accuracy of K.
//! Cost: (2/3)·WINDOW³ multiply-adds for the values; the leading vectors about 27·(WINDOW − KEEP)·WINDOW² +
//! 12.5·KEEP·(KEEP + 1)·WINDOW² operations. Kept: 2·WINDOW² + 4·WINDOW + 1 numbers.

use super::gram::{centred, in_range};
use super::{GramWindow, Kernel};
use crate::spectrum::symmetric::{add_outer, clear};
use crate::spectrum::{Convergence, PartialEigen, every_position, refine_each};
use crate::{Centering, Scalar};
use nalgebra::{ArrayStorage, SMatrix, SVector};

/// Memory to decompose the Gram matrix of a window; a fitted model does not need this memory.
///
/// ```
/// use eigenstream::Centering;
/// use eigenstream::kernel::{GramEigen, GramWindow, Linear};
///
/// let mut window = GramWindow::<f32, _, 2, 4>::new(Linear);
/// window.push(&[3.0, 0.0])?;
/// window.push(&[0.0, 1.0])?;
/// let mut eigen = GramEigen::new();
/// let _ = eigen.decompose(&window, Centering::Uncentered);
/// assert!((eigen.eigenvalues()[0] - 9.0).abs() < 1e-5 && (eigen.eigenvalues()[1] - 1.0).abs() < 1e-5);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct GramEigen<T, const WINDOW: usize> {
    /// The matrix of the last decomposition.
    matrix: SMatrix<T, WINDOW, WINDOW>,
    eigen: PartialEigen<T, WINDOW>,
}

impl<T: Scalar, const WINDOW: usize> GramEigen<T, WINDOW> {
    /// Creates the memory; all eigenvalues are zero before a decomposition.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(WINDOW > 0, "a window has at least one slot: WINDOW >= 1") };
        Self {
            matrix: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; WINDOW]; WINDOW])),
            eigen: PartialEigen::new(),
        }
    }

    /// Computes the eigenvalues of the window's Gram matrix.
    ///
    /// [`Convergence::BoundHit`] says that the errors can be larger than rounding errors.
    pub fn decompose<K: Kernel<T, DIM>, const DIM: usize>(
        &mut self,
        window: &GramWindow<T, K, DIM, WINDOW>,
        centering: Centering,
    ) -> Convergence {
        self.decompose_about(window, centering).0
    }

    /// [`decompose`](Self::decompose), which also returns the mean of each row of K before centring, and of all
    /// entries; zeros if uncentered.
    pub(super) fn decompose_about<K: Kernel<T, DIM>, const DIM: usize>(
        &mut self,
        window: &GramWindow<T, K, DIM, WINDOW>,
        centering: Centering,
    ) -> (Convergence, [T; WINDOW], T) {
        window.gram(&mut self.matrix);
        let (mut means, mut mean) = ([T::ZERO; WINDOW], T::ZERO);
        if centering == Centering::Centered {
            mean = window.row_means(&mut means);
            self.center(&means, mean, window.len());
        }
        // `decompose` returns no error here, because the matrix of a window is finite.
        let convergence = self.eigen.decompose(&self.matrix).unwrap_or(Convergence::BoundHit);
        (convergence, means, mean)
    }

    /// Decomposes CCᵀ; column i of C = `columns` has the coordinates of point i.
    pub(super) fn decompose_rows(&mut self, columns: &SMatrix<T, WINDOW, WINDOW>) -> Convergence {
        clear(&mut self.matrix);
        for column in &columns.data.0 {
            add_outer(&mut self.matrix, T::ONE, column);
        }
        self.eigen.decompose(&self.matrix).unwrap_or(Convergence::BoundHit)
    }

    /// Centres the rows and columns of K for the first `len` slots.
    fn center(&mut self, means: &[T; WINDOW], mean: T, len: usize) {
        for (column, &column_mean) in self.matrix.data.0.iter_mut().zip(means).take(len) {
            for (entry, &row_mean) in column.iter_mut().zip(means).take(len) {
                *entry = centred(*entry, row_mean, column_mean, mean);
            }
        }
    }

    /// The eigenvalues of the last decomposition, descending; rounding can make a zero slightly negative.
    #[must_use]
    pub fn eigenvalues(&self) -> &SVector<T, WINDOW> {
        self.eigen.values()
    }

    /// Writes the leading eigenvectors, with zeros from the slot `used` on, and returns their eigenvalues. For an
    /// eigenvalue outside the numerical range both are zero.
    pub(super) fn leading<const KEEP: usize>(
        &self,
        used: usize,
        vectors: &mut [[T; WINDOW]; KEEP],
    ) -> (Convergence, [T; KEEP]) {
        let convergence = self.eigen.vectors_into(&const { every_position::<WINDOW>() }, vectors);
        let mut values = [T::ZERO; KEEP];
        for (target, &value) in values.iter_mut().zip(self.eigen.values().iter()) {
            *target = value;
        }
        if let (Some(vectors), Some(values)) = (vectors.get_mut(..KEEP.min(WINDOW)), values.get_mut(..KEEP.min(WINDOW)))
        {
            refine_each(&self.matrix, &self.eigen, vectors, values, used);
        }
        let count = in_range(&values);
        for (value, vector) in values.iter_mut().zip(vectors).skip(count) {
            *value = T::ZERO;
            vector.fill(T::ZERO);
        }
        (convergence, values)
    }
}

impl<T: Scalar, const WINDOW: usize> Default for GramEigen<T, WINDOW> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Linear;

    #[test]
    fn centred_rows_sum_to_zero_and_unused_slots_stay_empty() {
        let mut window = GramWindow::<f64, _, 2, 5>::new(Linear);
        for sample in [[1.0, 2.0], [3.0, -1.0], [0.5, 4.0]] {
            assert!(window.push(&sample).is_ok());
        }
        let mut eigen = GramEigen::new();
        let (_, means, mean) = eigen.decompose_about(&window, Centering::Centered);
        for column in eigen.matrix.column_iter() {
            assert!(column.sum().abs() < 1e-14);
        }
        assert!((3..5).all(|row| eigen.matrix.row(row).iter().all(|&entry| entry == 0.0)));
        // The mean of a row of K is the inner product of its sample with the mean (1.5, 5/3) of the samples.
        assert!((means[0] - (1.5 + 10.0 / 3.0)).abs() < 1e-14 && means[4] == 0.0);
        assert!((mean - (2.25 + 25.0 / 9.0)).abs() < 1e-14);
    }

    #[test]
    fn memory_is_the_sum_of_its_parts() {
        const WINDOW: usize = 32;
        let words = WINDOW * WINDOW // Gram matrix
            + WINDOW * WINDOW + 4 * WINDOW + 1; // eigen
        assert_eq!(size_of::<GramEigen<f32, WINDOW>>(), 4 * words);
    }
}
