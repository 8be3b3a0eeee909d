//! Share updates of the density matrix, [WK08] section 8: the learner can return to earlier directions.
//! Method: uniform (in `evidence`): W ← (1−α)W + αI/DIM. Past: W ← (1−α)W + α·mean of earlier W, equation (20), in two
//! interpretations (`Share::PastAverage`, `Share::PastPosteriors`).
//! Cost: uniform, DIM `exp` and DIM `ln`; past, one more eigendecomposition and 5/2·DIM³ multiply-adds. The past needs
//! DIM² numbers and a counter.

use crate::codec::{stored, validate};
use crate::spectrum::symmetric::{approach, clear, quadratic_form};
use crate::spectrum::vector::{add_scaled, scale};
use crate::{CodecError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

/// The mean of (DIM − KEEP)·W over earlier trials.
#[derive(Clone, Debug)]
pub(super) struct Past<T, const DIM: usize> {
    /// The mean matrix; only the upper triangle is used.
    mean: SMatrix<T, DIM, DIM>,
    /// The number of matrices in the mean. It stops at `u32::MAX`: from then on a new matrix has the weight
    /// 1/`u32::MAX`.
    count: u32,
}

impl<T: Scalar, const DIM: usize> Past<T, DIM> {
    pub(super) const fn new() -> Self {
        Self {
            mean: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; DIM]; DIM])),
            count: 0,
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn clear(&mut self) {
        clear(&mut self.mean);
        self.count = 0;
    }

    /// Adds the matrix with these eigenvalues and eigenvectors to the mean.
    pub(super) fn update(&mut self, eigenvalues: &[T; DIM], vectors: &SMatrix<T, DIM, DIM>) {
        self.count = self.count.saturating_add(1);
        let weight = T::ONE / T::from_f64(f64::from(self.count));
        approach(&mut self.mean, weight, |place, column| {
            for (&eigenvalue, vector) in eigenvalues.iter().zip(&vectors.data.0) {
                if let Some(&entry) = vector.get(place) {
                    add_scaled(column, eigenvalue * entry, vector);
                }
            }
        });
    }

    /// Replaces the upper triangle of `matrix` by that of (1−α)·matrix + α·mean, with α = `part`.
    pub(super) fn mix_into(&self, matrix: &mut SMatrix<T, DIM, DIM>, part: T) {
        for (column, mean) in matrix.data.0.iter_mut().zip(&self.mean.data.0) {
            scale(column, T::ONE - part);
            add_scaled(column, part, mean);
        }
    }

    /// Returns vᵀ·mean·v for v = `direction`.
    pub(super) fn along(&self, direction: &[T; DIM]) -> T {
        quadratic_form(&self.mean, direction)
    }

    fn validate(&self) -> Result<(), CodecError> {
        // Eigenvalues are probabilities, so entries are within ±1; ±2 allows rounding.
        validate::within(T::TWO, self.mean.iter())
    }
}

stored!([T: Scalar, const DIM: usize] Past<T, DIM> { mean, count } if validate);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_matrix_counts_the_same_in_the_mean() {
        let axes = SMatrix::<f64, 2, 2>::identity();
        let mut past = Past::<f64, 2>::new();
        for size in [6.0, 0.0, 3.0] {
            past.update(&[size, 1.0], &axes);
        }
        // The mean of 6, 0 and 3 is 3. The mixture is 0.25·3 + 0.75·1 = 1.5.
        let mut matrix = axes;
        past.mix_into(&mut matrix, 0.25);
        assert!((matrix[(0, 0)] - 1.5).abs() < 1e-15 && (matrix[(1, 1)] - 1.0).abs() < 1e-15);
        assert!((past.along(&[0.6, 0.8]) - (0.36 * 3.0 + 0.64)).abs() < 1e-15);

        past.clear();
        past.update(&[8.0, 2.0], &axes);
        assert_eq!((past.along(&[1.0, 0.0]), past.along(&[0.0, 1.0])), (8.0, 2.0));
    }

    #[test]
    fn a_long_mean_of_matrices_that_are_alike_is_that_matrix() {
        let vectors = SMatrix::<f32, 2, 2>::new(0.6, -0.8, 0.8, 0.6);
        let mut past = Past::<f32, 2>::new();
        for _ in 0..300_000 {
            past.update(&[0.9, 0.1], &vectors);
        }
        let trace = past.along(&[1.0, 0.0]) + past.along(&[0.0, 1.0]);
        assert!((trace - 1.0).abs() < 1e-6, "{trace}");
    }
}
