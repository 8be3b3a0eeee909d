//! The directions of an average prediction, [WK08] section 6.3: the batch result of one pass of an online learner.
//! In: an [`AverageDensity`](super::AverageDensity), the average density matrix W̄. Out: the eigenvectors of W̄ with their keep
//! probabilities, the `KEEP` most likely of these directions, or `KEEP` directions that are drawn at random.
//! Method: [WK08] section 6.3. With d = n − k = `DIM` − `KEEP`, K̄ = I − d·W̄ has the eigenvectors of W̄. The eigenvalues of K̄
//! are the keep probabilities 1 − d·w̄ᵢ, with the eigenvalues w̄ᵢ of W̄. If these probabilities sum to k, systematic sampling
//! keeps each direction with its probability, so the expected loss of a draw on a sample x is d·xᵀW̄x.
//! Cost: a fit takes one [`Eigen`] decomposition, (5/3)·DIM³ multiply-adds or more; a draw takes one random number and KEEP·DIM
//! copies. Kept: 2·DIM² + 4·DIM + 1 numbers.

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
    /// Creates an object for a fit. Every probability and every component is zero before the first fit.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(KEEP < DIM, "online PCA drops at least one direction: KEEP < DIM") };
        Self { eigen: Eigen::new() }
    }

    /// Computes the directions of an average prediction and their keep probabilities.
    pub fn fit(&mut self, average: &AverageDensity<T, DIM, KEEP>) -> Convergence {
        // No error is possible: an average holds only finite numbers.
        self.eigen.decompose(&average.kept).unwrap_or(Convergence::BoundHit)
    }

    /// The keep probability of each direction, descending: 1 − d·w̄ᵢ, limited to 0 … 1, with d = `DIM` − `KEEP` and the
    /// eigenvalues w̄ᵢ of the average density matrix. If there was at least one prediction, and if the probabilities of each
    /// prediction sum to `KEEP`, the result sums to `KEEP` up to rounding.
    #[must_use]
    pub fn keep_probabilities(&self) -> [T; DIM] {
        let mut probabilities = [T::ZERO; DIM];
        for (probability, &value) in probabilities.iter_mut().zip(self.eigen.values().iter()) {
            // An eigenvalue of `average.kept` can be below 0 or above 1: because of rounding, or because a prediction that was
            // added is not a density matrix.
            *probability = T::ZERO.max(value).min(T::ONE);
        }
        probabilities
    }

    /// The `KEEP` most likely directions, one per column; no random number is drawn.
    #[must_use]
    pub fn components(&self) -> SMatrix<T, DIM, KEEP> {
        as_columns(self.eigen.vectors().data.0.iter())
    }

    /// Draws `KEEP` directions, one per column. If the keep probabilities of each prediction sum to at most `KEEP`, each
    /// direction is drawn with its keep probability, and the expected loss of the draw is [`AverageDensity::expected_loss`]; both
    /// up to rounding. If the [`keep_probabilities`](Self::keep_probabilities) sum to less than `KEEP`, a draw can have fewer
    /// than `KEEP` directions; the remaining columns are then zero.
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
