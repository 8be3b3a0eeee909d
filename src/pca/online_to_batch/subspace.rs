//! The directions of an average prediction, [WK08] section 6.3: the batch answer that one pass of an online learner gives.
//! In: an [`AverageDensity`](super::AverageDensity). Out: its eigenvectors with their keep probabilities, the `KEEP` most likely of them,
//! or `KEEP` that are drawn.
//! Method: [WK08] section 6.3. K̄ = I − d·W̄ has the eigenvectors of W̄ and the eigenvalues 1 − d·w̄ᵢ, the keep probabilities. Systematic
//! sampling keeps each direction with exactly its probability, so that the loss of a draw is (n − k)·xᵀW̄x in expectation.
//! Cost: a fit takes (5/3)·DIM³ multiply-adds, a draw one random number and KEEP·DIM copies. Kept: 2·DIM² + 4·DIM + 1 numbers.

use super::AverageDensity;
use crate::Scalar;
use crate::pca::projection::as_columns;
use crate::rand_core::Rng;
use crate::spectrum::{Convergence, Eigen};
use crate::weights::{Draw, Subset};
use nalgebra::SMatrix;

/// The directions of an [`AverageDensity`], by falling probability.
///
/// ```
/// use eigenstream::pca::{AverageDensity, AverageSubspace};
///
/// let mut average = AverageDensity::<f32, 3, 1>::new();
/// average.add(0.0, [(1.0, &[0.0, 1.0, 0.0])])?;
/// average.add(0.0, [(0.5, &[0.0, 1.0, 0.0]), (0.5, &[1.0, 0.0, 0.0])])?;
/// let mut subspace = AverageSubspace::<f32, 3, 1>::new();
/// let _ = subspace.fit(&average);
/// // The second axis in three of four cases, the first one in the others.
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
    /// Room for a fit. Every probability and every component is zero until the first one.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(KEEP < DIM, "online PCA drops at least one direction: KEEP < DIM") };
        Self { eigen: Eigen::new() }
    }

    /// Finds the directions of an average prediction.
    pub fn fit(&mut self, average: &AverageDensity<T, DIM, KEEP>) -> Convergence {
        // An average holds finite numbers alone: there is nothing to refuse.
        self.eigen.decompose(&average.kept).unwrap_or(Convergence::BoundHit)
    }

    /// The keep probabilities 1 − d·w̄ᵢ, descending. They sum to `KEEP` if those of each prediction did.
    #[must_use]
    pub fn keep_probabilities(&self) -> [T; DIM] {
        let mut probabilities = [T::ZERO; DIM];
        for (probability, &value) in probabilities.iter_mut().zip(self.eigen.values().iter()) {
            // Rounding takes an eigenvalue of a projection a little beyond 0 or 1.
            *probability = T::ZERO.max(value).min(T::ONE);
        }
        probabilities
    }

    /// The `KEEP` most likely directions, one a column: the answer without chance.
    #[must_use]
    pub fn components(&self) -> SMatrix<T, DIM, KEEP> {
        as_columns(self.eigen.vectors().data.0.iter())
    }

    /// Draws `KEEP` directions, one a column, each with its probability. The loss of the draw has the expectation
    /// [`AverageDensity::expected_loss`]. Where the probabilities sum to less than `KEEP`, columns may be left at zero.
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
    /// // Standard deviation 12.6.
    /// assert!(first_axis.abs_diff(800) < 63);
    /// # Ok::<(), eigenstream::MatrixError>(())
    /// ```
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> SMatrix<T, DIM, KEEP> {
        let kept: Subset<DIM> = Draw::Systematic.keep_at_most(&self.keep_probabilities(), KEEP, rng);
        let vectors = &self.eigen.vectors().data.0;
        as_columns(kept.iter().filter_map(|index| vectors.get(index)))
    }
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> Default for AverageSubspace<T, DIM, KEEP> {
    fn default() -> Self {
        Self::new()
    }
}
