//! Variance minimisation, [WKs]: finds the direction in which the data vary least.
//! In: in every trial a symmetric matrix C, for example a covariance matrix. Out: a direction u drawn at random, its variance
//! uᵀCu, and the expected variance tr(WC) with the density matrix W.
//! Method: [WKs], the matrix form of Hedge: W ∝ exp(−ηΣC) with the learning rate η. The directions are the eigenvectors of
//! ΣC, each drawn with a probability proportional to e^(−ηλ), where λ is its eigenvalue. This is online PCA that drops one
//! direction, the drawn one, with matrices in place of samples.
//! Cost: (5/3)·DIM³ multiply-adds to learn a matrix, DIM³/2 for the expected variance. Kept: 3·DIM² + 5·DIM + 1 numbers, a count
//! and the settings.

mod settings;
mod start;

pub use settings::VarianceSettings;

use crate::codec::{stored, validate};
use crate::rand_core::Rng;
use crate::spectrum::symmetric::{add_outer, add_upper, clear, mirror, quadratic_form};
use crate::spectrum::{Eigen, check_orthonormal};
use crate::weights::{softmin, systematic};
use crate::{CodecError, MatrixError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

/// The result of one trial of a [`VarianceMinimizer`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct VarianceTrial<T, const DIM: usize> {
    /// The unit vector that was drawn, u.
    pub direction: [T; DIM],
    /// The variance uᵀCu along u = `direction`, in the matrix C of the trial. If the exact value is zero, rounding can leave a
    /// tiny positive or negative number.
    pub variance: T,
    /// The expected variance over all draws: tr(WC), with the density matrix W of the learner and the matrix C of the trial.
    pub expected_variance: T,
}

/// Draws an eigenvector of the sum of all matrices learned. Without a start, its eigenvalue is the variance seen along it. An
/// eigenvector with a smaller eigenvalue has a larger probability.
///
/// ```
/// use eigenstream::{nalgebra::SMatrix, pca::{VarianceMinimizer, VarianceSettings}, rand_core::SeedableRng};
///
/// let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(1);
/// let mut minimizer = VarianceMinimizer::<f32, 2>::new(VarianceSettings::DEFAULT);
/// // Much variance along the first axis, none along the second.
/// let covariance = SMatrix::from([[1.0, 0.0], [0.0, 0.0]]);
/// assert_eq!(minimizer.step(&covariance, &mut rng)?.expected_variance, 0.5);
/// for _ in 0..10 {
///     minimizer.learn(&covariance)?;
/// }
/// assert!(minimizer.expected_variance(&covariance)? < 1e-4);
/// # Ok::<(), eigenstream::MatrixError>(())
/// ```
#[derive(Clone, Debug)]
pub struct VarianceMinimizer<T, const DIM: usize> {
    settings: VarianceSettings<T>,
    /// ΣC: the sum of all matrices learned, plus the term of a start (`start_from`) if one was given; upper triangle.
    total: SMatrix<T, DIM, DIM>,
    eigen: Eigen<T, DIM>,
    /// The probability of each eigenvector of `total`, sorted by falling eigenvalue; all zero before the first matrix or start.
    weights: [T; DIM],
    matrices_seen: u64,
}

impl<T: Scalar, const DIM: usize> VarianceMinimizer<T, DIM> {
    /// A learner that has seen no matrix: all directions have the same probability.
    ///
    /// `DIM` = 0 does not compile:
    /// ```compile_fail,E0080
    /// use eigenstream::pca::{VarianceMinimizer, VarianceSettings};
    /// let minimizer = VarianceMinimizer::<f32, 0>::new(VarianceSettings::DEFAULT);
    /// ```
    #[must_use]
    pub const fn new(settings: VarianceSettings<T>) -> Self {
        const { assert!(DIM > 0, "variance needs at least one direction: DIM >= 1") };
        Self {
            settings,
            total: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; DIM]; DIM])),
            eigen: Eigen::new(),
            weights: [T::ZERO; DIM],
            matrices_seen: 0,
        }
    }

    /// One trial: draws a direction, computes its variance in the matrix, then learns the matrix.
    ///
    /// # Errors
    /// [`MatrixError::NotANumber`] if an entry of the upper triangle is not finite. [`MatrixError::Overflow`] if an entry of this
    /// triangle is outside ±MAX/(4·DIM), or if an entry of the upper triangle of the sum of `covariance`, all learned matrices
    /// and the start is outside ±MAX/(4·DIM). The entries are checked column by column; the first error is returned. The learner
    /// and `rng` do not change then.
    ///
    /// ```
    /// use eigenstream::{nalgebra::SMatrix, pca::{VarianceMinimizer, VarianceSettings}, rand_core::SeedableRng};
    /// let mut rng = rand_xoshiro::Xoshiro128PlusPlus::seed_from_u64(1);
    /// let mut minimizer = VarianceMinimizer::<f32, 3>::new(VarianceSettings::DEFAULT);
    /// let trial = minimizer.step(&SMatrix::identity(), &mut rng)?;
    /// assert_eq!((trial.variance, trial.expected_variance), (1.0, 1.0));
    /// # Ok::<(), eigenstream::MatrixError>(())
    /// ```
    pub fn step<R: Rng + ?Sized>(
        &mut self,
        covariance: &SMatrix<T, DIM, DIM>,
        rng: &mut R,
    ) -> Result<VarianceTrial<T, DIM>, MatrixError> {
        self.check(covariance)?;
        let expected_variance = self.expected(covariance);
        let weights = self.weights();
        // No error is possible: the weights are DIM finite numbers, and none is negative.
        let drawn = systematic::<T, DIM>(&weights, 1, T::uniform(rng)).unwrap_or_default();
        let mut direction = [T::ZERO; DIM];
        for index in drawn.iter() {
            self.copy_direction(index, &mut direction);
        }
        self.update(covariance);
        Ok(VarianceTrial {
            direction,
            variance: quadratic_form(covariance, &direction),
            expected_variance,
        })
    }

    /// The expected variance tr(WC) of a direction drawn with the probabilities [`weights`](Self::weights), with C =
    /// `covariance` and the density matrix W of the learner. Learns nothing.
    ///
    /// # Errors
    /// The errors of [`step`](Self::step).
    pub fn expected_variance(&self, covariance: &SMatrix<T, DIM, DIM>) -> Result<T, MatrixError> {
        self.check(covariance)?;
        Ok(self.expected(covariance))
    }

    /// Learns a matrix: adds it to the sum of all matrices. The sum is a plain sum. In `f32` an entry of 2²⁴ no longer grows by
    /// entries of at most 1. Before that, call [`reset`](Self::reset), or use `f64`.
    ///
    /// # Errors
    /// The errors of [`step`](Self::step). Nothing is learned then.
    pub fn learn(&mut self, covariance: &SMatrix<T, DIM, DIM>) -> Result<(), MatrixError> {
        self.check(covariance)?;
        self.update(covariance);
        Ok(())
    }

    /// The probability of each eigenvector of the sum of all matrices learned (plus the term of a start, if one was given),
    /// sorted by falling eigenvalue. So the probabilities ascend; up to rounding they sum to one. Before the first matrix or
    /// start each probability is 1/`DIM`.
    #[must_use]
    pub fn weights(&self) -> [T; DIM] {
        if self.has_begun() {
            self.weights
        } else {
            // 1/`DIM` is not stored: before the first matrix or start all stored weights are zero (`has_begun`).
            [T::ONE / T::from_usize(DIM); DIM]
        }
    }

    /// Writes the density matrix W = Σ wᵢ·vᵢvᵢᵀ. Direction vᵢ is drawn with probability wᵢ. Each vᵢ is an eigenvector of the sum
    /// of all matrices learned (plus the term of a start, if one was given). Before the first matrix or start each vᵢ is an axis.
    pub fn density(&self, matrix: &mut SMatrix<T, DIM, DIM>) {
        clear(matrix);
        let mut direction = [T::ZERO; DIM];
        for (index, &weight) in self.weights().iter().enumerate() {
            self.copy_direction(index, &mut direction);
            add_outer(matrix, weight, &direction);
        }
        mirror(matrix);
    }

    /// Total variance L* of the best direction in hindsight: the smallest eigenvalue of ΣC, the sum of all matrices learned.
    /// [`start_from`](Self::start_from) adds a term to this sum. Zero before the first matrix or start.
    #[must_use]
    pub fn best_variance(&self) -> T {
        self.eigen.values().iter().last().copied().unwrap_or(T::ZERO)
    }

    /// How many matrices were learned.
    #[must_use]
    pub fn matrices_seen(&self) -> u64 {
        self.matrices_seen
    }

    /// Forgets all matrices and the start.
    pub fn reset(&mut self) {
        *self = Self::new(self.settings);
    }

    /// Refuses a matrix if an entry of its upper triangle is not finite or is outside ±MAX/(4·DIM). Also refuses a matrix if an
    /// entry of the new `total` is outside ±MAX/(4·DIM). Within this limit no eigenvalue and no quadratic form of a unit vector
    /// overflows.
    fn check(&self, covariance: &SMatrix<T, DIM, DIM>) -> Result<(), MatrixError> {
        let largest = Self::largest();
        for (column, (entries, totals)) in covariance.data.0.iter().zip(&self.total.data.0).enumerate() {
            for (row, (&entry, &total)) in entries.iter().zip(totals).enumerate().take(column + 1) {
                if !entry.is_finite() {
                    return Err(MatrixError::NotANumber { row, column });
                }
                if entry.abs().max((total + entry).abs()) > largest {
                    return Err(MatrixError::Overflow);
                }
            }
        }
        Ok(())
    }

    /// The largest allowed magnitude of an entry of a matrix and of `total`.
    fn largest() -> T {
        T::MAX / T::from_usize(4 * DIM)
    }

    /// tr(WC) = Σ wᵢ·vᵢᵀCvᵢ, with C = `covariance`, the eigenvectors vᵢ of `total` and their weights wᵢ.
    fn expected(&self, covariance: &SMatrix<T, DIM, DIM>) -> T {
        let mut expected = T::ZERO;
        let mut direction = [T::ZERO; DIM];
        for (index, &weight) in self.weights().iter().enumerate() {
            if weight > T::ZERO {
                self.copy_direction(index, &mut direction);
                expected += weight * quadratic_form(covariance, &direction);
            }
        }
        expected
    }

    /// Copies the eigenvector at `index` to `direction`. If no matrix was learned and `start_from` was not called (since creation
    /// or the last reset), there are no eigenvectors: writes the unit vector of axis `index`.
    fn copy_direction(&self, index: usize, direction: &mut [T; DIM]) {
        let column = self.eigen.vectors().data.0.get(index).filter(|_| self.has_begun());
        for (axis, entry) in direction.iter_mut().enumerate() {
            *entry = if axis == index { T::ONE } else { T::ZERO };
        }
        if let Some(column) = column {
            *direction = *column;
        }
    }

    /// Whether the weights were computed, from a matrix or a start. Weights ascend, so the last weight is then positive.
    fn has_begun(&self) -> bool {
        self.weights.last().is_some_and(|&weight| weight > T::ZERO)
    }

    /// Adds `covariance` to `total` and computes the new weights.
    fn update(&mut self, covariance: &SMatrix<T, DIM, DIM>) {
        add_upper(&mut self.total, covariance);
        self.weigh();
        self.matrices_seen = self.matrices_seen.saturating_add(1);
    }

    /// Computes the weights from `total`.
    fn weigh(&mut self) {
        // No error is possible: every matrix, every start and all decoded bytes are checked, so `total` and its eigenvalues are
        // finite.
        let _ = self.eigen.decompose(&self.total);
        let _ = softmin(
            self.eigen.values().as_slice(),
            self.settings.learning_rate,
            None,
            &mut self.weights,
        );
    }
}

stored!(
    [T: Scalar, const DIM: usize]
    VarianceMinimizer<T, DIM>: Variance [DIM] of T { settings, total, eigen, weights, matrices_seen }
    if validate
);

impl<T: Scalar, const DIM: usize> VarianceMinimizer<T, DIM> {
    fn validate(&self) -> Result<(), CodecError> {
        // A learner that has learned a matrix has computed its weights.
        validate::accept(self.matrices_seen == 0 || self.has_begun(), CodecError::Range)?;
        let known = if self.has_begun() { DIM } else { 0 };
        check_orthonormal(self.eigen.vectors(), known)?;
        validate::probabilities(&self.weights)?;
        validate::within(Self::largest(), self.total.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Codec;

    #[test]
    fn a_refused_matrix_leaves_no_trace() {
        let mut minimizer = VarianceMinimizer::<f32, 2>::new(VarianceSettings::DEFAULT);
        assert_eq!(minimizer.learn(&SMatrix::from([[1.0, 0.5], [0.5, 2.0]])), Ok(()));
        let (total, weights) = (minimizer.total, minimizer.weights);
        let large = SMatrix::from([[1.0, 0.0], [0.0, f32::MAX]]);
        assert_eq!(minimizer.learn(&large), Err(MatrixError::Overflow));
        let broken = SMatrix::from([[1.0, 0.0], [f32::INFINITY, 0.0]]);
        assert_eq!(
            minimizer.learn(&broken),
            Err(MatrixError::NotANumber { row: 0, column: 1 })
        );
        assert_eq!((minimizer.total, minimizer.weights), (total, weights));
    }

    #[test]
    fn the_image_after_a_reset_is_that_of_a_new_learner() {
        let fresh = VarianceMinimizer::<f32, 2>::new(VarianceSettings::DEFAULT);
        let mut used = fresh.clone();
        assert_eq!(used.learn(&SMatrix::from([[1.0, 0.5], [0.5, 2.0]])), Ok(()));
        used.reset();
        let (mut before, mut after) = ([0; 512], [0; 512]);
        assert!(fresh.encode(&mut before).is_ok() && used.encode(&mut after).is_ok());
        assert_eq!(before, after);
    }

    #[test]
    fn memory_is_the_sum_of_its_parts() {
        const DIM: usize = 20;
        let words = 1 // learning rate
            + DIM * DIM // total
            + 2 * DIM * DIM + 4 * DIM + 1 // eigen
            + DIM; // weights
        assert_eq!(size_of::<VarianceMinimizer<f64, DIM>>(), 8 * words + size_of::<u64>());
    }
}
