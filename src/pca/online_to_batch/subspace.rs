//! The directions of an average prediction, [WK08] section 6.3.
//! In: an [`AverageDensity`](super::AverageDensity). Out: the eigenvectors of W̄ with their keep probabilities, the
//! `KEEP` most likely, or `KEEP` drawn at random.
//! Method: K̄ = I − (DIM − KEEP)·W̄ has the same eigenvectors; its eigenvalues are the keep probabilities.
//! Cost: a fit (5/3)·DIM³ multiply-adds or more; a draw one random number and KEEP·DIM copies. Kept: 2·DIM² + 4·DIM +
//! 1 numbers.

use super::AverageDensity;
use crate::Scalar;
use crate::pca::projection::as_columns;
use crate::rand_core::Rng;
use crate::spectrum::{Convergence, Eigen};
use crate::weights::{Draw, Subset, Systematic};
use nalgebra::SMatrix;

/// The directions of an [`AverageDensity`], sorted by falling keep probability.
///
/// ```
/// use eigenstream::pca::{AverageDensity, AverageSubspace};
///
/// let mut average = AverageDensity::<f32, 3, 1>::new();
/// average.add(0.0, [(1.0, &[0.0, 1.0, 0.0])])?;
/// average.add(0.0, [(0.5, &[0.0, 1.0, 0.0]), (0.5, &[1.0, 0.0, 0.0])])?;
/// let mut subspace = AverageSubspace::<f32, 3, 1>::new();
/// let _ = subspace.fit(&average);
/// // The second axis is kept in three of four cases, the first axis in one of four.
/// let [likely, rare, never] = subspace.keep_probabilities();
/// assert!((likely - 0.75).abs() < 1e-6 && (rare - 0.25).abs() < 1e-6 && never < 1e-6);
/// assert!((subspace.components()[(1, 0)] - 1.0).abs() < 1e-6);
/// # Ok::<(), eigenstream::MatrixError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AverageSubspace<T, const DIM: usize, const KEEP: usize> {
    eigen: Eigen<T, DIM>,
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> AverageSubspace<T, DIM, KEEP> {
    /// An object before its first fit: every probability and every component is zero.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(KEEP < DIM, "online PCA drops at least one direction: KEEP < DIM") };
        Self { eigen: Eigen::new() }
    }

    /// Computes the directions of an average prediction and their keep probabilities.
    pub fn fit(&mut self, average: &AverageDensity<T, DIM, KEEP>) -> Convergence {
        // No error is possible: an average is finite.
        self.eigen.decompose(&average.kept).unwrap_or(Convergence::BoundHit)
    }

    /// The keep probability of each direction, descending.
    ///
    /// They sum to `KEEP` up to rounding if those of each prediction did.
    #[must_use]
    pub fn keep_probabilities(&self) -> [T; DIM] {
        let mut probabilities = [T::ZERO; DIM];
        for (probability, &value) in probabilities.iter_mut().zip(self.eigen.values().iter()) {
            // Rounding, or a prediction that is not a density matrix, can leave the range.
            *probability = T::ZERO.max(value).min(T::ONE);
        }
        probabilities
    }

    /// The `KEEP` most likely directions, one per column.
    #[must_use]
    pub fn components(&self) -> SMatrix<T, DIM, KEEP> {
        as_columns(self.eigen.vectors().data.0.iter())
    }

    /// Draws `KEEP` directions, one per column, each with its keep probability.
    ///
    /// The expected loss of the draw is [`AverageDensity::expected_loss`], up to rounding. If the
    /// [`keep_probabilities`](Self::keep_probabilities) sum to less than `KEEP`, columns can remain zero.
    ///
    /// ```
    /// use eigenstream::{pca::{AverageDensity, AverageSubspace}, rand_core::SeedableRng};
    ///
    /// let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(1);
    /// let mut average = AverageDensity::<f64, 2, 1>::new();
    /// average.add(0.2, [(0.8, &[1.0, 0.0])])?;
    /// let mut subspace = AverageSubspace::<f64, 2, 1>::new();
    /// let _ = subspace.fit(&average);
    /// let first_axis = (0..1_000).filter(|_| subspace.draw(&mut rng)[(0, 0)] > 0.5).count();
    /// // The standard deviation of the count is 12.6; the limit is five times as large.
    /// assert!(first_axis.abs_diff(800) < 63);
    /// # Ok::<(), eigenstream::MatrixError>(())
    /// ```
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> SMatrix<T, DIM, KEEP> {
        let kept: Subset<DIM> = Systematic::keep_at_most(&self.keep_probabilities(), KEEP, rng);
        let vectors = &self.eigen.vectors().data.0;
        as_columns(kept.iter().filter_map(|index| vectors.get(index)))
    }
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> Default for AverageSubspace<T, DIM, KEEP> {
    fn default() -> Self {
        Self::new()
    }
}
